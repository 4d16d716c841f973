// Fitted on half A of the rows (validate/split.h) by `wavesmith validate --fit`: robust least squares of
// the logarithm of the time, each kind of size with equal weight, drawn towards the defaults of
// GemmConstants.
#include "model/gemm/table.h"

#include <algorithm>

namespace wavesmith::model {
namespace {

using Q = GemmConstants;

// clang-format off
constexpr GemmPart kParts[] = {
    {"matrix_share",     &Q::matrix_share,     0.05,  1.03},
    {"step_cycles",      &Q::step_cycles,      2,     720},
    {"lds_cost",         &Q::lds_cost,         0.15,  12},
    {"lds_transposed",   &Q::lds_transposed,   0.15,  14},
    {"l1_cost",          &Q::l1_cost,          0.2,   12},
    {"load_cycles",      &Q::load_cycles,      0.3,   48},
    {"prologue_cycles",  &Q::prologue_cycles,  125,   18000},
    {"store_cost",       &Q::store_cost,       0.25,  36},
    {"memory_share",     &Q::memory_share,     0.3,   1.05},
    {"cache_ratio",      &Q::cache_ratio,      0.3,   6},
    {"l2_share",         &Q::l2_share,         0.05,  1.3},
    {"fixed_us",         &Q::fixed_us,         0.3,   48},
    {"load_latency",     &Q::load_latency,     67,    9600},
    {"split_writes",     &Q::split_writes,     0.08,  12},
    {"overlap",          &Q::overlap,          0.4,   36},
    {"resident",         &Q::resident,         0.04,  6},
    {"tail_cycles",      &Q::tail_cycles,      12,    1800},
    {"split_us",         &Q::split_us,         0.15,  24},
    {"reduce_cycles",    &Q::reduce_cycles,    50,    7200},
    {"stride_cost",      &Q::stride_cost,      1,     3},
    {"hiding",           &Q::hiding,           2,     40},
    {"number_cycles",    &Q::number_cycles,    0.02,  60},
};
// In the order of kParts.
constexpr GemmSet kSets[] = {
    // <sets>
    {"CDNA2", NumberType::F32, false, "BLAS", {1.007, 3.104, 1.603, 0.4826, 1.344, 4, 907.3, 6.562, 0.9367, 2, 1.3, 6.234, 1070, 0.2056, 2.689, 0.09664, 135.9, 14.17, 3649, 1, 3.708, 0.1138}, 5219, "tensile_gemm: MI250X, MI210"},
    {"CDNA2", NumberType::F64, false, "BLAS", {1.03, 2, 0.9733, 1.144, 3.236, 4, 125, 3.171, 0.5038, 2, 0.831, 6.493, 1004, 0.7286, 12.19, 2.328, 942.6, 19.55, 600, 1, 40, 0.08878}, 8596, "tensile_gemm: MI250X, MI210"},
    {"CDNA2", NumberType::F16, false, "BLAS", {0.954, 84.12, 1.481, 2.703, 0.7614, 2.65, 125, 11.49, 0.7732, 2, 1.169, 9.605, 1115, 6.294, 3.876, 0.3393, 1140, 9.139, 563.5, 1.125, 17.56, 0.7715}, 5237, "tensile_gemm: MI250X, MI210, MI100"},
    {"CDNA2", NumberType::BF16, false, "BLAS", {0.8629, 5.569, 1.489, 3.101, 0.5475, 3.215, 125, 12.31, 0.8458, 2, 0.8319, 9.599, 1158, 11.97, 3.088, 0.1838, 1312, 6.243, 240, 1, 40, 2.155}, 4649, "tensile_gemm: MI250X, MI100, MI210"},
    {"CDNA2", NumberType::C32, false, "BLAS", {0.9871, 12.24, 0.7116, 3.765, 0.9984, 4, 1.635e+04, 0.4468, 0.4734, 2, 0.8634, 0.7104, 299.7, 1, 6.609, 0.5, 143.9, 2, 600, 2.506, 40, 2.07}, 262, "tensile_gemm: MI250X"},
    {"CDNA2", NumberType::C64, false, "BLAS", {0.9617, 76.05, 2.786, 0.2588, 1, 4, 125, 4.578, 1.05, 2, 0.9309, 9.537, 162.7, 0.3019, 36, 1.031, 1597, 11.25, 112, 1.617, 40, 1.087}, 279, "tensile_gemm: MI250X"},
    {"CDNA2", NumberType::I8, true, "BLAS", {0.7917, 31.04, 5.371, 1.566, 1.144, 2.336, 150.1, 0.25, 1.05, 2, 0.3851, 4.951, 67, 3.617, 2.079, 1.195, 51.18, 0.5938, 108.8, 1, 2.401, 6.833}, 1495, "tensile_gemm: MI250X, MI210"},
    {"CDNA2", NumberType::I8, false, "BLAS", {0.8401, 234.8, 1.289, 5.782, 0.7282, 2.099, 529.2, 5.198, 0.4039, 2, 0.6914, 9.829, 279.1, 1, 4.636, 0.2874, 1800, 2, 600, 1, 17.45, 0.7837}, 307, "tensile_gemm: MI250X, MI100, MI210"},
    {"CDNA2", NumberType::F16, true, "BLAS", {0.5015, 298.1, 1, 1.2, 1, 5.916, 3622, 8.722, 1.049, 2, 0.3493, 6.419, 1441, 1, 12.44, 0.5, 115.5, 0.15, 224.2, 1.608, 2, 26.29}, 1343, "tensile_gemm: MI100, MI250X, MI210"},
    {"CDNA3", NumberType::F32, false, "BLAS", {1.016, 7.775, 1.484, 1.647, 0.5203, 2.09, 125, 10.77, 1.05, 2.031, 1.3, 4.825, 649.7, 9.267, 2.482, 0.04, 20.44, 0.3402, 50, 1.663, 18.33, 0.3289}, 390, "tensile_gemm: MI300X, MI300A"},
    {"CDNA3", NumberType::F64, false, "BLAS", {1.03, 2, 3.063, 1.847, 1, 4, 214.7, 2.557, 0.8, 2, 0.3513, 8.243, 284.5, 1, 36, 0.5, 521.7, 2, 600, 1, 40, 0.1308}, 241, "tensile_gemm: MI300A, MI300X"},
    {"CDNA3", NumberType::F16, false, "BLAS", {0.9258, 56.92, 1.372, 1.79, 1, 2.535, 171.4, 18.31, 0.4935, 1.708, 0.4306, 4.388, 516.1, 6.046, 36, 0.1693, 169.1, 4.409, 50, 1.143, 40, 2.408}, 284, "tensile_gemm: MI300X, MI300A"},
    {"RDNA3", NumberType::F32, true, "BLAS", {0.9215, 30.34, 10.49, 5.779, 1, 4, 125, 0.6062, 0.4259, 1.262, 0.3336, 3.376, 378.9, 1.133, 10.03, 0.2315, 25.9, 22.61, 600, 1.057, 3.49, 29.89}, 6411, "tensile_gemm: RX 7900 (72 CUs)"},
    {"RDNA3", NumberType::F16, false, "BLAS", {0.7793, 18.15, 2.932, 7.795, 0.9552, 3.98, 125, 5.546, 0.6007, 2.477, 1.27, 9.339, 436.7, 1, 3.454, 0.101, 150, 2, 600, 1, 3.603, 2.605}, 2094, "tensile_gemm: RX 7900 XTX"},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", {0.3907, 103, 0.2772, 3.664, 0.9673, 2.227, 292.3, 17.86, 1.05, 0.648, 0.7151, 27.41, 196.1, 0.08, 0.5363, 0.09691, 957.9, 4.177, 600, 1.01, 4.304, 8.751}, 1031, "tensile_gemm: RX 7900 XTX"},
    {"CDNA3", NumberType::F8, false, "AITER", {0.7974, 90.12, 0.1649, 1.2, 1.361, 4, 125, 13.18, 1.039, 5.551, 0.7257, 2.545, 998.5, 12, 0.4, 0.5, 142, 2.581, 600, 1.628, 40, 0.02406}, 6289, "published: MI300X, MI308X"},
    {"CDNA3", NumberType::I8, false, "AITER", {1.017, 108.4, 0.15, 1.2, 0.2377, 3.803, 154.6, 10.31, 0.8318, 6, 1.3, 4.607, 741.3, 0.1324, 0.5925, 0.5, 329.3, 0.9252, 600, 1, 40, 0.1131}, 36, "published: MI300X, MI308X"},
    {"CDNA3", NumberType::BF16, false, "AITER", {0.5094, 9.136, 0.2953, 1.2, 0.3112, 4, 125, 0.278, 1.048, 0.3096, 0.2468, 4.204, 209.9, 3.877, 6.44, 0.5, 153.6, 0.4636, 600, 1, 40, 0.02779}, 41, "published: MI308X, MI300X"},
    {"CDNA4", NumberType::F8, false, "AITER", {0.841, 466.4, 0.3528, 1.2, 1.065, 4, 125, 10.26, 0.9787, 6, 0.736, 2.666, 1157, 8.921, 0.733, 0.5, 64.18, 2.178, 600, 1.013, 2.289, 0.3355}, 4914, "published: MI350X/MI355X"},
    {"CDNA4", NumberType::I8, false, "AITER", {0.4785, 45.63, 0.5886, 1.2, 1.249, 4, 188.6, 10.97, 0.9308, 2.384, 0.7602, 3.777, 761.9, 1, 0.9486, 0.5, 752.8, 2, 600, 1, 40, 0.2876}, 111, "published: MI350X/MI355X"},
    {"CDNA4", NumberType::BF16, false, "AITER", {0.821, 419.3, 0.6886, 1.2, 0.222, 3.555, 737.8, 8.638, 1.05, 1.229, 0.5424, 2.353, 237.2, 11.91, 1.17, 0.5, 53.26, 0.9808, 600, 1, 25.29, 2.835}, 369, "published: MI350X/MI355X"},
    {"CDNA4", NumberType::F4, false, "AITER", {0.7122, 39.54, 1.065, 1.2, 1.029, 4, 125, 8.591, 1.05, 6, 0.5043, 3.563, 1356, 1, 0.8591, 0.5, 150, 2, 600, 1, 22.62, 0.03851}, 385, "published: MI350X/MI355X"},
    // </sets>
};
constexpr GemmFactor kFactors[] = {
    // <factors>
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::fixed_us, 2.922},
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::matrix_share, 1.005},
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::memory_share, 1.527},
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::l2_share, 1.392},
    {"CDNA2", NumberType::F32, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 1.526},
    {"CDNA2", NumberType::F32, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.9858},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::fixed_us, 3.453},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::matrix_share, 1},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::memory_share, 1.179},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::l2_share, 1.044},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::fixed_us, 2.26},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::matrix_share, 1.084},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::memory_share, 1.363},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::l2_share, 0.709},
    {"CDNA2", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 1.87},
    {"CDNA2", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.7968},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::fixed_us, 0.5091},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::matrix_share, 1.08},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::memory_share, 1.609},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::l2_share, 0.3796},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::step_cycles, 1.256},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100, f32 result", &Q::fixed_us, 1.401},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100, f32 result", &Q::split_us, 1.254},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::fixed_us, 2.224},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::matrix_share, 1.186},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::memory_share, 3.01},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::l2_share, 1.022},
    {"CDNA2", NumberType::BF16, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 1.819},
    {"CDNA2", NumberType::BF16, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.7382},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::fixed_us, 0.4596},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::matrix_share, 1.194},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::memory_share, 1.424},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::l2_share, 0.675},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::step_cycles, 5.976},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100, f32 result", &Q::fixed_us, 1.347},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100, f32 result", &Q::split_us, 1.457},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::fixed_us, 1.111},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::matrix_share, 1.301},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::memory_share, 2.225},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::l2_share, 1.417},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::fixed_us, 2.4},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::matrix_share, 1.226},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::memory_share, 1.338},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::l2_share, 1.471},
    {"CDNA2", NumberType::I8, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 0.263},
    {"CDNA2", NumberType::I8, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 1.062},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::fixed_us, 0.38},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::matrix_share, 1.224},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::memory_share, 3.062},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::l2_share, 0.8037},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::step_cycles, 0.6762},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::fixed_us, 1.072},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::matrix_share, 0.07936},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::memory_share, 1},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::l2_share, 1},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::fixed_us, 1.026},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::matrix_share, 1.017},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::memory_share, 1.368},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::l2_share, 1.111},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::step_cycles, 0.8468},
    {"CDNA3", NumberType::F32, false, "BLAS", "mi300a", &Q::fixed_us, 1.38},
    {"CDNA3", NumberType::F32, false, "BLAS", "mi300a", &Q::cache_ratio, 0.6493},
    {"CDNA3", NumberType::F32, false, "BLAS", "xf32", &Q::matrix_share, 0.6347},
    {"CDNA3", NumberType::F16, false, "BLAS", "mi300a", &Q::matrix_share, 1.113},
    {"CDNA3", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 0.8851},
    {"CDNA3", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.4552},
    {"RDNA3", NumberType::F32, true, "BLAS", "in GFLOP/s", &Q::fixed_us, 0.9862},
    {"RDNA3", NumberType::F32, true, "BLAS", "in GFLOP/s", &Q::clock_ratio, 0.9662},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "i8", &Q::matrix_share, 2.054},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "wide result", &Q::fixed_us, 0.167},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "wide result", &Q::matrix_share, 2.637},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::matrix_share, 0.8438},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::step_cycles, 8.11},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::matrix_share, 1.018},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::step_cycles, 6.85},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::matrix_share, 1.215},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::step_cycles, 3.514},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::matrix_share, 1.029},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::step_cycles, 0.4607},
    {"CDNA3", NumberType::F8, false, "AITER", "assembly", &Q::matrix_share, 0.7665},
    {"CDNA3", NumberType::F8, false, "AITER", "assembly", &Q::step_cycles, 0.07143},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::matrix_share, 0.762},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::step_cycles, 0.2379},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::fixed_us, 1.301},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::memory_share, 5.158},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::matrix_share, 0.9069},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::l2_share, 14},
    {"CDNA3", NumberType::I8, false, "AITER", "assembly", &Q::matrix_share, 1.055},
    {"CDNA3", NumberType::I8, false, "AITER", "assembly", &Q::step_cycles, 0.07143},
    {"CDNA3", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::matrix_share, 0.372},
    {"CDNA3", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::step_cycles, 12.05},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::fixed_us, 0.9709},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::memory_share, 0.9942},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::matrix_share, 1.503},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::l2_share, 0.2269},
    {"CDNA3", NumberType::BF16, false, "AITER", "Opus", &Q::matrix_share, 2.025},
    {"CDNA3", NumberType::BF16, false, "AITER", "Opus", &Q::step_cycles, 0.1112},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::matrix_share, 0.5795},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::step_cycles, 1.343},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::matrix_share, 0.5375},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::step_cycles, 1.511},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::matrix_share, 1.146},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::step_cycles, 0.5272},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile blockscale", &Q::matrix_share, 1.145},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile blockscale", &Q::step_cycles, 1.571},
    {"CDNA4", NumberType::F8, false, "AITER", "FlyDSL", &Q::matrix_share, 1.225},
    {"CDNA4", NumberType::F8, false, "AITER", "FlyDSL", &Q::step_cycles, 0.1397},
    {"CDNA4", NumberType::F8, false, "AITER", "assembly", &Q::matrix_share, 0.8419},
    {"CDNA4", NumberType::F8, false, "AITER", "assembly", &Q::step_cycles, 0.2963},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile preshuffled", &Q::matrix_share, 1.232},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile preshuffled", &Q::step_cycles, 0.5816},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::matrix_share, 1.426},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::step_cycles, 0.07143},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::matrix_share, 1.186},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::step_cycles, 0.5749},
    {"CDNA4", NumberType::F8, false, "AITER", "Opus", &Q::matrix_share, 1.167},
    {"CDNA4", NumberType::F8, false, "AITER", "Opus", &Q::step_cycles, 1.615},
    {"CDNA4", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::matrix_share, 1.009},
    {"CDNA4", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::step_cycles, 5.287},
    {"CDNA4", NumberType::BF16, false, "AITER", "FlyDSL", &Q::matrix_share, 0.7176},
    {"CDNA4", NumberType::BF16, false, "AITER", "FlyDSL", &Q::step_cycles, 0.1391},
    {"CDNA4", NumberType::BF16, false, "AITER", "assembly", &Q::matrix_share, 1.21},
    {"CDNA4", NumberType::BF16, false, "AITER", "assembly", &Q::step_cycles, 0.8248},
    {"CDNA4", NumberType::F4, false, "AITER", "assembly", &Q::matrix_share, 1.446},
    {"CDNA4", NumberType::F4, false, "AITER", "assembly", &Q::step_cycles, 0.2078},
    {"CDNA4", NumberType::F4, false, "AITER", "CK blockscale v3", &Q::matrix_share, 0.5253},
    {"CDNA4", NumberType::F4, false, "AITER", "CK blockscale v3", &Q::step_cycles, 2.007},
    // </factors>
};
// clang-format on

/// Fewer tell little of a GPU for which nothing else was asked.
constexpr uint32_t kFewRows = 100;

bool from_blas(std::string_view schedule) {
  return schedule.starts_with("rocBLAS") || schedule.starts_with("hipBLASLt");
}

/// How far a set is from what was asked; less is nearer.
int distance_of(const GemmSet& set, const gpus::Gpu& gpu, NumberType type, bool vector,
                std::string_view schedule) {
  int far = 0;
  const bool blas = set.origin != "AITER";
  // CDNA and RDNA have little in common; generations of one line have.
  if (set.architecture != gpu.architecture) {
    // "CDNA3" is of line "CDNA" and generation 3.
    const int generation = set.architecture.back() - '0';
    const bool same_line = set.architecture.substr(0, set.architecture.size() - 1) == gpu.line;
    far += same_line ? 100 + std::abs(generation - static_cast<int>(gpu.generation)) : 1000;
  }
  if (set.type != type) {
    const int bits = static_cast<int>(bits_of(set.type)), asked = static_cast<int>(bits_of(type));
    const bool halves = bits == 16 && asked == 16;  // the same kernels for f16 and bf16
    far += halves ? 1 : 10 + std::min(std::abs(bits - asked), 64) / 4;
  }
  if (set.vector != vector) far += 40;
  if (!schedule.empty() && blas != from_blas(schedule)) far += 30;
  // A user who names no kernel: AITER's are the newer ones, unless few rows tell.
  if (schedule.empty() && blas) far += 5;
  if (schedule.empty() && set.rows < kFewRows) far += 20;
  if (set.origin == "hipBLASLt" && !schedule.starts_with("hipBLASLt")) far += 1;
  if (set.origin == "BLAS" && schedule.starts_with("hipBLASLt")) far += 1;
  return far;
}

}  // namespace

std::span<const GemmSet> gemm_sets() { return kSets; }
std::span<const GemmFactor> gemm_factors() { return kFactors; }
std::span<const GemmPart> gemm_parts() { return kParts; }

NearestSet nearest_gemm_set(const gpus::Gpu& gpu, NumberType type, bool vector, std::string_view schedule) {
  NearestSet nearest{nullptr, 0};
  for (const GemmSet& set : kSets)
    if (const int far = distance_of(set, gpu, type, vector, schedule); !nearest.set || far < nearest.distance)
      nearest = {&set, far};
  return nearest;
}

}  // namespace wavesmith::model
