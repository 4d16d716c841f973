// The matrix products of NVIDIA's for a program on the host: on_device.py calls them.
#include <string_view>

#include "kernels/gemm/warpgroups/warpgroups.h"
#include "kernels/nvidia/tensors.h"

using namespace wavesmith::kernels;

/// D = activation(alpha * scale_a * scale_b * A * B + beta * C + bias), A of m by k, B of n by k. on_device.py has it,
/// too.
struct NvidiaProduct {
  const void *a, *b, *c, *bias;
  void* d;
  const float *scale_a, *scale_b;
  long stride_a, stride_b, stride_c, stride_d;
  long batch_a, batch_b, batch_c, batch_d;
  int m, n, k, batches;
  float alpha, beta;
  int type_c, type_d, type_bias, activation;
  int rows_of_scale_a, columns_of_scale_b;  ///< 1, or m and n
  int band;                                 ///< of kernels by warpgroups: 0 for their own
};

namespace {

/// Pairs of tiles of rows that go together: 66 pairs of an H100 are about a square then.
constexpr int kBand = 8;

using Bf16 = GemmWarpgroupShape<tile::bf16>;
using F16 = GemmWarpgroupShape<tile::f16>;
using E4m3 = GemmWarpgroupShape<tile::e4m3>;
using E4m3InParts = GemmWarpgroupShape<tile::e4m3, true>;

GemmArguments arguments_of(const NvidiaProduct& p, int rows, int columns) {
  GemmArguments g{};
  g.a = p.a, g.b = p.b, g.c = p.c, g.bias = p.bias, g.d = p.d;
  g.scale_a = p.scale_a, g.scale_b = p.scale_b;
  g.stride_a = p.stride_a, g.stride_b = p.stride_b, g.stride_c = p.stride_c, g.stride_d = p.stride_d;
  g.batch_a = p.batch_a, g.batch_b = p.batch_b, g.batch_c = p.batch_c, g.batch_d = p.batch_d;
  g.m = p.m, g.n = p.n, g.k = p.k;
  g.alpha = p.alpha, g.beta = p.beta;
  g.type_c = p.type_c, g.type_d = p.type_d, g.type_bias = p.type_bias, g.activation = p.activation;
  g.rows_of_scale_a = p.rows_of_scale_a, g.columns_of_scale_b = p.columns_of_scale_b;
  g.tiles_m = tile::ceiling(p.m, rows), g.tiles_n = tile::ceiling(p.n, columns);
  g.band = g.tiles_n;
  return g;
}

bool is_uniform(const NvidiaProduct& p) {
  return p.beta == 0 && !p.bias && p.activation == 0 && (!p.scale_a || p.rows_of_scale_a == 1) &&
         (!p.scale_b || p.columns_of_scale_b == 1);
}

template <class Shape>
const char* by_warpgroups(void (*kernel)(GemmTensorArguments), CUtensorMapDataType type, const NvidiaProduct& p,
                          void* stream) {
  constexpr long kSize = sizeof(typename Shape::Element);
  GemmTensorArguments g{};
  static_cast<GemmArguments&>(g) = arguments_of(p, Shape::kRows, Shape::kColumns);
  const auto tensor = [&](tile::ptx::TensorMap& map, CUtensorMapDataType of, const void* data, long size, int rows,
                          int columns, long stride, long batch, int box_rows, int box_columns) {
    const auto bytes = [&](long elements) { return static_cast<cuuint64_t>(elements * size); };
    // A matrix alone may have any distance to the next one.
    const cuuint64_t apart = p.batches > 1 ? bytes(batch) : bytes(stride) * rows;
    return make_tensor(map, {of, data,
                             {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows),
                              static_cast<cuuint64_t>(p.batches), 1},
                             {bytes(stride), apart, apart},
                             {static_cast<cuuint32_t>(box_columns), static_cast<cuuint32_t>(box_rows), 1, 1}});
  };
  if (p.k == 0 ||
      !tensor(g.tensor_a, type, p.a, kSize, p.m, p.k, p.stride_a, p.batch_a, Shape::kRows, Shape::kDepth) ||
      !tensor(g.tensor_b, type, p.b, kSize, p.n, p.k, p.stride_b, p.batch_b, Shape::kShareOfB, Shape::kDepth))
    return "A and B must lie along K in whole pieces of 16 bytes";
  const auto of_d = static_cast<tile::Type>(p.type_d);
  g.writes_tensor = is_uniform(p) && (of_d == tile::Type::BF16 || of_d == tile::Type::F16) &&
                    tensor(g.tensor_d,
                           of_d == tile::Type::BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                           p.d, 2, p.m, p.n, p.stride_d, p.batch_d, tile::kWarpgroupRows, 64);
  g.batches = p.batches;
  const int rows = tile::ceiling(g.tiles_m, Shape::kCluster), tiles = rows * g.tiles_n * p.batches * Shape::kCluster;
  g.band = p.band > 0 ? p.band : kBand;
  const int most = multiprocessors() / Shape::kCluster * Shape::kCluster;
  return launch_kernel(kernel, dim3(tiles < most ? tiles : most), Shape::kThreads,
                       Shape::kBytes + tile::Rows128::kAlignment, g, stream);
}

}  // namespace

#define BY_WARPGROUPS(name, shape, map)                                                          \
  extern "C" __global__ void gemm_##name(GemmTensorArguments);                                    \
  static const char* call_##name(const NvidiaProduct& p, void* stream) {                          \
    return by_warpgroups<shape>(gemm_##name, CU_TENSOR_MAP_DATA_TYPE_##map, p, stream); \
  }
#define BY_WARPS(name, rows, columns, threads)                                                    \
  extern "C" __global__ void gemm_##name(GemmArguments);                                          \
  static const char* call_##name(const NvidiaProduct& p, void* stream) {                          \
    const GemmArguments g = arguments_of(p, rows, columns);                                       \
    return launch_kernel(gemm_##name, dim3(g.tiles_n, g.tiles_m, p.batches), threads, 0, g, stream); \
  }
#include "kernels/nvidia/products.inc"
#undef BY_WARPGROUPS
#undef BY_WARPS

namespace {
struct Product {
  const char* name;
  const char* (*call)(const NvidiaProduct&, void*);
};
#define BY_WARPGROUPS(name, shape, map) {#name, call_##name},
#define BY_WARPS(name, rows, columns, threads) {#name, call_##name},
constexpr Product kProducts[] = {
#include "kernels/nvidia/products.inc"
};
}  // namespace

/// The kernel of a number, null behind the last.
extern "C" const char* nvidia_product_name(int number) {
  return number < static_cast<int>(sizeof(kProducts) / sizeof(Product)) ? kProducts[number].name : nullptr;
}
/// Null, or what went wrong.
extern "C" const char* nvidia_product(const char* name, const NvidiaProduct* product, void* stream) {
  for (const Product& one : kProducts)
    if (std::string_view(one.name) == name) return one.call(*product, stream);
  return "there is no such kernel";
}
