// Fitted on half A of the rows (validate/split.h) by `wavesmith validate gemm --fit`: robust least squares of
// the logarithm of the time, each kind of size with equal weight, drawn towards the defaults of
// GemmConstants.
#include "model/gemm_table.h"

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
    {"memory_share",     &Q::memory_share,     0.3,   1.0},
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
    {"CDNA2", NumberType::F32, false, "BLAS", {0.995, 3.99, 1.53, 0.382, 1.93, 4, 688, 6.41, 0.882, 2, 1.25, 6.29, 1.09e+03, 0.709, 3.26, 0.0877, 183, 14.5, 1.29e+03, 1, 5.54, 0.147}, 5223, "tensile_gemm: MI250X, MI210"},
    {"CDNA2", NumberType::F64, false, "BLAS", {1.03, 2.07, 0.996, 1.19, 3.16, 4, 125, 3.17, 0.49, 2, 0.76, 6.57, 959, 0.971, 14.4, 2.38, 1.14e+03, 19.4, 600, 1.01, 40, 0.0898}, 8596, "tensile_gemm: MI250X, MI210"},
    {"CDNA2", NumberType::F16, false, "BLAS", {0.952, 39.8, 1.51, 2.59, 0.743, 2.19, 415, 11.3, 0.791, 2, 0.978, 9.63, 1.1e+03, 6, 3.65, 0.436, 589, 9.79, 578, 1.03, 14.6, 1.58}, 5237, "tensile_gemm: MI250X, MI210, MI100"},
    {"CDNA2", NumberType::BF16, false, "BLAS", {0.86, 11.5, 1.54, 3.06, 0.646, 2.5, 196, 12.4, 0.841, 2, 0.742, 9.44, 1.15e+03, 11.9, 3.32, 0.132, 1.15e+03, 6.31, 370, 1, 32.5, 2.38}, 4649, "tensile_gemm: MI250X, MI100, MI210"},
    {"CDNA2", NumberType::C32, false, "BLAS", {0.991, 9.94, 0.898, 1.38, 0.99, 4, 1.12e+04, 0.608, 0.48, 2, 0.749, 3.69, 440, 1, 6.15, 0.5, 147, 2, 600, 1, 40, 0.389}, 271, "tensile_gemm: MI250X"},
    {"CDNA2", NumberType::C64, false, "BLAS", {0.949, 47.4, 2.75, 1.21, 1, 4, 125, 4.09, 1.05, 2, 0.615, 9.56, 188, 0.501, 36, 1.07, 1.35e+03, 11.4, 221, 1.06, 40, 1.47}, 279, "tensile_gemm: MI250X"},
    {"CDNA2", NumberType::I8, true, "BLAS", {0.792, 30.8, 5.37, 1.57, 1.43, 2.86, 157, 0.251, 1.05, 2, 0.389, 4.94, 66.9, 3.65, 2.1, 1.2, 50.5, 0.601, 110, 1, 2.4, 6.77}, 1495, "tensile_gemm: MI250X, MI210"},
    {"CDNA2", NumberType::I8, false, "BLAS", {0.84, 235, 1.29, 5.78, 0.735, 2.09, 531, 5.2, 0.404, 2, 0.691, 9.83, 289, 1, 4.63, 0.286, 1.76e+03, 2, 600, 1, 17.2, 0.786}, 307, "tensile_gemm: MI250X, MI100, MI210"},
    {"CDNA2", NumberType::F16, true, "BLAS", {0.5, 287, 1, 1.2, 1, 4.43, 3.8e+03, 8.67, 1.05, 2, 0.355, 6.57, 1.3e+03, 1, 7.42, 0.5, 107, 0.299, 470, 1.6, 2, 25.9}, 1336, "tensile_gemm: MI100, MI250X, MI210"},
    {"CDNA3", NumberType::F32, false, "BLAS", {1.01, 7.2, 1.79, 1.8, 0.799, 3.19, 125, 11.3, 1.05, 2.32, 1.3, 6.13, 556, 6.84, 4.27, 0.0417, 58.7, 2.61, 58.9, 2.31, 24, 0.203}, 379, "tensile_gemm: MI300X, MI300A"},
    {"CDNA3", NumberType::F64, false, "BLAS", {1.03, 2.12, 3.08, 1.8, 1, 4, 143, 2.87, 0.8, 2, 0.506, 7.86, 288, 1, 36, 0.5, 1.15e+03, 2, 600, 1.09, 40, 0.151}, 226, "tensile_gemm: MI300A, MI300X"},
    {"CDNA3", NumberType::F16, false, "BLAS", {0.988, 118, 1.8, 0.509, 0.993, 4.86, 1.79e+03, 14.1, 0.533, 1.32, 0.333, 4.14, 446, 8.23, 34.4, 0.154, 179, 3.67, 53.9, 1, 26.3, 0.457}, 275, "tensile_gemm: MI300X, MI300A"},
    {"RDNA3", NumberType::F32, true, "BLAS", {0.921, 23.7, 10.5, 5.9, 1, 4, 125, 0.366, 0.456, 1.26, 0.371, 3.46, 387, 1.11, 10.5, 0.251, 32.7, 24, 600, 1.18, 3.68, 30.3}, 6411, "tensile_gemm: RX 7900 (72 CUs)"},
    {"RDNA3", NumberType::F16, false, "BLAS", {0.777, 21.7, 2.92, 7.78, 0.969, 3.99, 125, 5.45, 0.6, 2.32, 1.24, 9.36, 433, 1, 3.51, 0.1, 150, 2, 600, 1, 3.56, 2.89}, 2094, "tensile_gemm: RX 7900 XTX"},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", {0.39, 103, 0.329, 3.64, 1, 1.68, 268, 17.9, 0.952, 0.651, 0.718, 27.4, 90.5, 0.175, 0.537, 0.0958, 445, 4.17, 600, 1.01, 4.37, 8.75}, 1031, "tensile_gemm: RX 7900 XTX"},
    {"CDNA3", NumberType::F8, false, "AITER", {0.854, 96.4, 0.477, 1.2, 1.03, 4, 125, 12.6, 0.789, 6, 0.662, 2.43, 937, 11.7, 0.4, 0.5, 150, 2.23, 600, 1.5, 39.7, 0.128}, 6289, "published: MI300X, MI308X"},
    {"CDNA3", NumberType::I8, false, "AITER", {1.02, 108, 0.156, 1.2, 0.23, 3.68, 153, 10.2, 0.828, 5.92, 1.3, 4.6, 742, 0.165, 0.593, 0.5, 297, 0.924, 600, 1, 40, 0.117}, 36, "published: MI300X, MI308X"},
    {"CDNA3", NumberType::BF16, false, "AITER", {0.495, 5.06, 0.698, 1.2, 0.384, 3.67, 136, 0.347, 0.964, 0.3, 0.269, 2.83, 67.2, 4.12, 10.3, 0.5, 342, 1.63, 600, 1, 40, 0.028}, 41, "published: MI308X, MI300X"},
    {"CDNA4", NumberType::F8, false, "AITER", {0.835, 465, 0.315, 1.2, 1.05, 4, 126, 10.3, 0.962, 5.95, 0.754, 2.7, 1.16e+03, 8.74, 0.737, 0.5, 87.8, 2.16, 600, 1, 2.29, 0.305}, 4914, "published: MI350X/MI355X"},
    {"CDNA4", NumberType::I8, false, "AITER", {0.479, 43.9, 0.713, 1.2, 1.2, 4, 255, 11.1, 0.9, 3.18, 0.759, 3.78, 749, 1, 0.94, 0.5, 634, 2, 600, 1, 40, 0.309}, 111, "published: MI350X/MI355X"},
    {"CDNA4", NumberType::BF16, false, "AITER", {0.821, 415, 0.69, 1.2, 0.231, 3.67, 725, 8.59, 1.05, 1.23, 0.543, 2.35, 250, 11.9, 1.17, 0.5, 64.6, 0.975, 600, 1, 22, 2.84}, 369, "published: MI350X/MI355X"},
    {"CDNA4", NumberType::F4, false, "AITER", {0.682, 32.6, 1.04, 1.2, 1, 4, 172, 8.71, 1.05, 6, 0.501, 3.45, 1.35e+03, 1, 0.857, 0.5, 150, 2, 600, 1.1, 24.4, 0.108}, 385, "published: MI350X/MI355X"},
    // </sets>
};
constexpr GemmFactor kFactors[] = {
    // <factors>
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::fixed_us, 3.31},
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::matrix_share, 1.02},
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::memory_share, 1.55},
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", &Q::l2_share, 1.62},
    {"CDNA2", NumberType::F32, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 1.46},
    {"CDNA2", NumberType::F32, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.897},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::fixed_us, 3.44},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::matrix_share, 1},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::memory_share, 1.2},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", &Q::l2_share, 1.01},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::fixed_us, 2.28},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::matrix_share, 1.08},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::memory_share, 1.27},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", &Q::l2_share, 1.31},
    {"CDNA2", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 1.65},
    {"CDNA2", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.889},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::fixed_us, 0.59},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::matrix_share, 1.09},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::memory_share, 1.49},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::l2_share, 0.454},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi100", &Q::step_cycles, 1.76},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::fixed_us, 2.3},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::matrix_share, 1.2},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::memory_share, 2.39},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", &Q::l2_share, 1.66},
    {"CDNA2", NumberType::BF16, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 1.77},
    {"CDNA2", NumberType::BF16, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.746},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::fixed_us, 0.491},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::matrix_share, 1.25},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::memory_share, 1.35},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::l2_share, 1.46},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi100", &Q::step_cycles, 1.68},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::fixed_us, 1.11},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::matrix_share, 1.3},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::memory_share, 2.71},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", &Q::l2_share, 1.42},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::fixed_us, 2.4},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::matrix_share, 1.26},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::memory_share, 1.34},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", &Q::l2_share, 1.47},
    {"CDNA2", NumberType::I8, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 0.263},
    {"CDNA2", NumberType::I8, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 1.07},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::fixed_us, 0.38},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::matrix_share, 1.23},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::memory_share, 3.06},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::l2_share, 0.803},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi100", &Q::step_cycles, 0.677},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::fixed_us, 1.28},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::matrix_share, 0.0833},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::memory_share, 1},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", &Q::l2_share, 1},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::fixed_us, 1.03},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::matrix_share, 1.02},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::memory_share, 1.69},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::l2_share, 1.13},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi100", &Q::step_cycles, 0.972},
    {"CDNA3", NumberType::F32, false, "BLAS", "long launches", &Q::fixed_us, 0.535},
    {"CDNA3", NumberType::F32, false, "BLAS", "long launches", &Q::memory_share, 1.32},
    {"CDNA3", NumberType::F32, false, "BLAS", "long launches", &Q::l2_share, 1.98},
    {"CDNA3", NumberType::F16, false, "BLAS", "long launches", &Q::fixed_us, 5.83},
    {"CDNA3", NumberType::F16, false, "BLAS", "long launches", &Q::memory_share, 0.685},
    {"CDNA3", NumberType::F16, false, "BLAS", "long launches", &Q::l2_share, 1.38},
    {"CDNA3", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::fixed_us, 0.681},
    {"CDNA3", NumberType::F16, false, "BLAS", "in GFLOP/s", &Q::matrix_share, 0.402},
    {"RDNA3", NumberType::F32, true, "BLAS", "in GFLOP/s", &Q::fixed_us, 0.93},
    {"RDNA3", NumberType::F32, true, "BLAS", "in GFLOP/s", &Q::clock_ratio, 0.962},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "i8", &Q::matrix_share, 2.07},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "wide result", &Q::fixed_us, 0.167},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "wide result", &Q::matrix_share, 2.64},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::matrix_share, 0.804},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::step_cycles, 7.6},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::matrix_share, 1},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::step_cycles, 5.66},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::matrix_share, 0.884},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::step_cycles, 3.14},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::matrix_share, 0.804},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::step_cycles, 0.5},
    {"CDNA3", NumberType::F8, false, "AITER", "assembly", &Q::matrix_share, 0.554},
    {"CDNA3", NumberType::F8, false, "AITER", "assembly", &Q::step_cycles, 0.145},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::matrix_share, 0.585},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::step_cycles, 0.335},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::fixed_us, 1.48},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::memory_share, 4.19},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::matrix_share, 1.16},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", &Q::l2_share, 12},
    {"CDNA3", NumberType::I8, false, "AITER", "assembly", &Q::matrix_share, 1.02},
    {"CDNA3", NumberType::I8, false, "AITER", "assembly", &Q::step_cycles, 0.088},
    {"CDNA3", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::matrix_share, 0.373},
    {"CDNA3", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::step_cycles, 12},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::fixed_us, 0.97},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::memory_share, 0.997},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::matrix_share, 1.51},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", &Q::l2_share, 0.226},
    {"CDNA3", NumberType::BF16, false, "AITER", "Opus", &Q::matrix_share, 2.08},
    {"CDNA3", NumberType::BF16, false, "AITER", "Opus", &Q::step_cycles, 0.145},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::matrix_share, 0.577},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v3", &Q::step_cycles, 1.37},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::matrix_share, 0.54},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v1", &Q::step_cycles, 1.43},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::matrix_share, 1.12},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", &Q::step_cycles, 0.55},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile blockscale", &Q::matrix_share, 1.17},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile blockscale", &Q::step_cycles, 1.64},
    {"CDNA4", NumberType::F8, false, "AITER", "FlyDSL", &Q::matrix_share, 1.49},
    {"CDNA4", NumberType::F8, false, "AITER", "FlyDSL", &Q::step_cycles, 0.132},
    {"CDNA4", NumberType::F8, false, "AITER", "assembly", &Q::matrix_share, 0.794},
    {"CDNA4", NumberType::F8, false, "AITER", "assembly", &Q::step_cycles, 0.366},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile preshuffled", &Q::matrix_share, 1.23},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile preshuffled", &Q::step_cycles, 0.594},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::matrix_share, 1.25},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", &Q::step_cycles, 0.17},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::matrix_share, 1.25},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", &Q::step_cycles, 0.598},
    {"CDNA4", NumberType::F8, false, "AITER", "Opus", &Q::matrix_share, 1.22},
    {"CDNA4", NumberType::F8, false, "AITER", "Opus", &Q::step_cycles, 1.68},
    {"CDNA4", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::matrix_share, 1.01},
    {"CDNA4", NumberType::I8, false, "AITER", "CK rowwise v3", &Q::step_cycles, 5.27},
    {"CDNA4", NumberType::BF16, false, "AITER", "FlyDSL", &Q::matrix_share, 0.717},
    {"CDNA4", NumberType::BF16, false, "AITER", "FlyDSL", &Q::step_cycles, 0.139},
    {"CDNA4", NumberType::BF16, false, "AITER", "assembly", &Q::matrix_share, 1.21},
    {"CDNA4", NumberType::BF16, false, "AITER", "assembly", &Q::step_cycles, 0.823},
    {"CDNA4", NumberType::F4, false, "AITER", "assembly", &Q::matrix_share, 1.51},
    {"CDNA4", NumberType::F4, false, "AITER", "assembly", &Q::step_cycles, 0.431},
    {"CDNA4", NumberType::F4, false, "AITER", "CK blockscale v3", &Q::matrix_share, 0.519},
    {"CDNA4", NumberType::F4, false, "AITER", "CK blockscale v3", &Q::step_cycles, 1.2},
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
    const bool same_line = !set.architecture.empty() && !gpu.architecture.empty() &&
                           set.architecture.front() == gpu.architecture.front();
    far += same_line ? 100 + std::abs(set.architecture.back() - gpu.architecture.back()) : 1000;
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
