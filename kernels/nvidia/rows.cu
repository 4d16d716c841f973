// Norms, softmax, RoPE and the writing of caches of NVIDIA's for a program on the host: on_device.py calls them.
#include "kernels/cache/arguments.h"
#include "kernels/norm/arguments.h"
#include "kernels/nvidia/tensors.h"
#include "kernels/rope/arguments.h"
#include "kernels/rows/configurations.h"
#include "kernels/softmax/arguments.h"
#include "tile/vector.h"

using namespace wavesmith::kernels;

#define KERNELS(lanes, parts, aligned, name, why)              \
  extern "C" __global__ void norm_##name(NormArguments);       \
  extern "C" __global__ void softmax_##name(SoftmaxArguments);
WAVESMITH_ROW_CONFIGURATIONS(KERNELS)
#undef KERNELS
extern "C" __global__ void rope(RopeArguments);
extern "C" __global__ void cache(CacheArguments);

namespace {

/// The first kernel that takes such rows.
template <class Arguments>
const char* by_rows(void (*const (&kernels)[sizeof(kRowConfigurations) / sizeof(RowConfiguration)])(Arguments),
                    const Arguments& g, bool aligned, void* stream) {
  int number = 0;
  for (const RowConfiguration& one : kRowConfigurations) {
    if (one.columns() >= g.columns && (aligned || !one.aligned))
      return launch_kernel(kernels[number], dim3(tile::ceiling(g.rows, one.rows())), one.threads, 0, g, stream);
    ++number;
  }
  return "there is no kernel for such rows";
}

bool in_pieces(const void* data, long stride) {
  return data == nullptr || (reinterpret_cast<unsigned long>(data) % 16 == 0 && stride % 8 == 0);
}

}  // namespace

/// RMSNorm, or LayerNorm where `centred`, of matrices of a type whose rows are `stride` elements apart.
extern "C" const char* nvidia_norm(const void* x, const void* weight, void* y, int rows, int columns, long stride,
                                   int type, float epsilon, int centred, void* stream) {
  NormArguments g{};
  g.x = x, g.weight = weight, g.y = y;
  g.stride_x = g.stride_y = stride;
  g.rows = rows, g.columns = columns;
  g.type_x = g.type_y = g.type_weight = type;
  g.epsilon = epsilon, g.centred = centred;
#define KERNELS(lanes, parts, aligned, name, why) norm_##name,
  constexpr void (*kKernels[])(NormArguments) = {WAVESMITH_ROW_CONFIGURATIONS(KERNELS)};
#undef KERNELS
  return by_rows(kKernels, g, in_pieces(x, stride) && in_pieces(y, stride) && columns % 8 == 0, stream);
}

extern "C" const char* nvidia_softmax(const void* x, void* y, int rows, int columns, long stride, int type,
                                      float scale, int logarithm, void* stream) {
  SoftmaxArguments g{};
  g.x = x, g.y = y;
  g.stride_x = g.stride_y = stride;
  g.rows = rows, g.columns = columns;
  g.type_x = g.type_y = type;
  g.scale = scale, g.logarithm = logarithm;
#define KERNELS(lanes, parts, aligned, name, why) softmax_##name,
  constexpr void (*kKernels[])(SoftmaxArguments) = {WAVESMITH_ROW_CONFIGURATIONS(KERNELS)};
#undef KERNELS
  return by_rows(kKernels, g, in_pieces(x, stride) && in_pieces(y, stride) && columns % 8 == 0, stream);
}

/// Of tokens, heads and elements that lie together; tables of floats, half of `rotated` per position.
extern "C" const char* nvidia_rope(const void* x, void* y, const int* positions, const float* cosines,
                                   const float* sines, int tokens, int heads, int elements, int rotated, int type,
                                   int interleaved, void* stream) {
  RopeArguments g{};
  g.x = x, g.y = y, g.positions = positions, g.cosines = cosines, g.sines = sines;
  g.head_x = g.head_y = elements;
  g.token_x = g.token_y = static_cast<long>(heads) * elements;
  g.stride_table = rotated / 2;
  g.tokens = tokens, g.heads = heads, g.elements = elements, g.rotated = rotated;
  g.type_x = g.type_y = type, g.type_table = 0;
  g.interleaved = interleaved;
  return launch_kernel(rope, dim3(tokens), kRowThreads, 0, g, stream);
}

/// Keys and values of tokens go to the slots of caches of pages, heads and elements together.
extern "C" const char* nvidia_cache(const void* k, const void* v, void* cache_k, void* cache_v, const float* scale,
                                    const long* slots, int tokens, int heads, int head_size, int pages,
                                    int page_size, int type_from, int type_to, void* stream) {
  CacheArguments g{};
  const long row = static_cast<long>(heads) * head_size;
  const auto write = [&](const void* from, void* to) {
    return CacheWrite{from, to, scale, row, head_size, row * page_size, row, head_size, type_from, type_to, 0};
  };
  g.k = write(k, cache_k), g.v = write(v, cache_v);
  g.slots = slots, g.positions = static_cast<long>(pages) * page_size, g.page_size = page_size;
  g.heads = heads, g.head_size = head_size;
  return launch_kernel(cache, dim3(tokens, 2), kRowThreads, 0, g, stream);
}
