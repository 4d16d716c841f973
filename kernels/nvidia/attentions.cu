// Attention of NVIDIA's for a program on the host: on_device.py calls it.
#include <string_view>

#include "kernels/attention/attention.h"
#include "kernels/attention/warpgroups.h"
#include "kernels/nvidia/tensors.h"

using namespace wavesmith::kernels;

/// Of arrays of batch, head, row and element. on_device.py has it, too.
struct NvidiaAttention {
  const void *q, *k, *v;
  void* o;
  float* lse;          ///< batch, head, row; null: not wanted
  const float* sinks;  ///< null: none
  long batch_q, head_q, row_q, batch_k, head_k, row_k, batch_v, head_v, row_v, batch_o, head_o, row_o;
  int batches, heads, heads_of_keys, length_q, length_k, head_size;
  int left, right;  ///< keys that a query sees to its sides; negative: all
  float scale;
  float softcap;  ///< of the kernels for shaped scores; 0: none
  int blocks;     ///< of kernels by warpgroups: 0 for their own
};

namespace {

AttentionArguments arguments_of(const NvidiaAttention& p, int rows) {
  AttentionArguments g{};
  g.q = p.q, g.k = p.k, g.v = p.v, g.o = p.o, g.lse = p.lse, g.sinks = p.sinks;
  g.stride_q = {p.batch_q, p.row_q, p.head_q};
  g.stride_k = {p.batch_k, p.row_k, p.head_k};
  g.stride_v = {p.batch_v, p.row_v, p.head_v};
  g.stride_o = {p.batch_o, p.row_o, p.head_o};
  g.lse_head = p.length_q, g.lse_batch = static_cast<long>(p.length_q) * p.heads;
  g.heads = p.heads, g.heads_per_kv = p.heads / p.heads_of_keys;
  g.length_q = p.length_q, g.length_k = p.length_k, g.head_size = g.head_size_v = p.head_size;
  g.tiles = tile::ceiling(p.length_q, rows);
  g.workgroups = g.tiles * p.heads * p.batches;
  g.dies = 1, g.per_die = g.workgroups;
  g.left = limited(p.left), g.right = limited(p.right);
  g.factor = p.scale * tile::kLog2OfE;
  g.softcap = p.softcap * tile::kLog2OfE, g.per_cap = p.softcap == 0 ? 0 : p.scale / p.softcap;
  return g;
}

template <class Shape>
const char* by_warpgroups(void (*kernel)(AttentionTensorArguments), CUtensorMapDataType type, const NvidiaAttention& p,
                          void* stream) {
  AttentionTensorArguments g{};
  static_cast<AttentionArguments&>(g) = arguments_of(p, Shape::kRows);
  const auto tensor = [&](tile::ptx::TensorMap& map, const void* data, int rows, int heads, long row, long head,
                          long batch, int box_rows) {
    const auto size = [](long number) { return static_cast<cuuint64_t>(number); };
    return make_tensor(map, {type, data, {size(p.head_size), size(rows), size(heads), size(p.batches)},
                             {size(row * 2), size(head * 2), size(batch * 2)},
                             {64, static_cast<cuuint32_t>(box_rows), 1, 1}});
  };
  if (!tensor(g.tensor_q, p.q, p.length_q, p.heads, p.row_q, p.head_q, p.batch_q, tile::kWarpgroupRows) ||
      !tensor(g.tensor_k, p.k, p.length_k, p.heads_of_keys, p.row_k, p.head_k, p.batch_k, Shape::kKeys) ||
      !tensor(g.tensor_v, p.v, p.length_k, p.heads_of_keys, p.row_v, p.head_v, p.batch_v, Shape::kKeys))
    return "rows, heads and batches must be multiples of 16 bytes apart";
  // Tiles with few keys gain by copies that come while the results before them leave; long ones, above all causal ones,
  // by blocks that take the next one when they are done.
  constexpr int kFew = 4096;
  const int wanted = p.blocks > 0 ? p.blocks : p.length_k > kFew ? g.workgroups : multiprocessors();
  const int blocks = wanted < g.workgroups ? wanted : g.workgroups;
  return launch_kernel(kernel, dim3(blocks), Shape::kThreads, Shape::kBytes + tile::Rows128::kAlignment, g, stream);
}

}  // namespace

#define BY_WARPGROUPS(name, type, map, head)                                                                  \
  extern "C" __global__ void attention_##name(AttentionTensorArguments);                                      \
  static const char* call_##name(const NvidiaAttention& p, void* stream) {                                    \
    return by_warpgroups<AttentionWarpgroupShape<tile::type, head>>(attention_##name,                         \
                                                                    CU_TENSOR_MAP_DATA_TYPE_##map, p, stream); \
  }
#define BY_WARPS(name, rows, threads)                                                           \
  extern "C" __global__ void attention_##name(AttentionArguments);                              \
  static const char* call_##name(const NvidiaAttention& p, void* stream) {                      \
    const AttentionArguments g = arguments_of(p, rows);                                         \
    return launch_kernel(attention_##name, dim3(g.workgroups), threads, 0, g, stream);          \
  }
#include "kernels/nvidia/attentions.inc"
#undef BY_WARPGROUPS
#undef BY_WARPS

namespace {
struct Attention {
  const char* name;
  const char* (*call)(const NvidiaAttention&, void*);
};
#define BY_WARPGROUPS(name, type, map, head) {#name, call_##name},
#define BY_WARPS(name, rows, threads) {#name, call_##name},
constexpr Attention kAttentions[] = {
#include "kernels/nvidia/attentions.inc"
};
}  // namespace

extern "C" const char* nvidia_attention_name(int number) {
  return number < static_cast<int>(sizeof(kAttentions) / sizeof(Attention)) ? kAttentions[number].name : nullptr;
}
extern "C" const char* nvidia_attention(const char* name, const NvidiaAttention* attention, void* stream) {
  for (const Attention& one : kAttentions)
    if (std::string_view(one.name) == name) return one.call(*attention, stream);
  return "there is no such kernel";
}
