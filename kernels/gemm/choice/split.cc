#include "kernels/gemm/choice/split.h"

#include <cstdint>
#include <string>

#include "kernels/gemm/choice/cost.h"
#include "kernels/gemm/choice/group_scales.h"

namespace wavesmith::kernels {

const char* name_of_combine(const wavesmith_kernels_gemm_description& gemm) {
  const bool integers = gemm.a.type == WAVESMITH_KERNELS_I8;
  if (gemm.gated) return integers ? "combine_gated_integers" : "combine_gated_floats";
  return integers ? "combine_integers" : "combine_floats";
}

int passes_of_combine(int64_t m, int64_t n, int compute_units) {
  constexpr int kMost = 4, kSimds = 4;
  const int64_t waves = m * n / (kCombinedRows * kCombinedColumns * kMost);
  return waves >= int64_t{kSimds} * compute_units ? kMost : 1;
}

void split_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm, bool a_along_k,
                bool b_along_k) {
  GemmArguments& part = choice.arguments;
  const bool integers = gemm.a.type == WAVESMITH_KERNELS_I8;
  const int64_t stride = stride_of_parts(gemm);
  choice.combine = name_of_combine(gemm);
  choice.workspace_bytes = static_cast<size_t>(choice.splits * gemm.m * stride) * sizeof(float);
  choice.combined = {.gemm = part,
                     .parts = gemm.workspace,
                     .splits = choice.splits,
                     .stride_parts = static_cast<int>(stride)};
  choice.batches = choice.splits;
  part.n = static_cast<int>(columns_of_b(gemm));
  part.k /= choice.splits;
  part.batch_a = a_along_k ? part.k : part.k * part.stride_a;
  part.batch_b = b_along_k ? part.k : part.k * part.stride_b;
  const int64_t blocks = part.k / elements_of(gemm.a.type, kMxBlock);
  part.batch_mx_a = blocks * part.stride_mx_a;
  part.batch_mx_b = blocks * part.stride_mx_b;
  for (GemmBlockScales* const scales : {&part.block_a, &part.block_b})
    scales->batch_stride = part.k / kGemmBlock * scales->block_stride;
  if (has_packed_weights(gemm)) {
    part.batch_b = elements_of(gemm.b.type, part.k) / size_of(gemm.a.type);
    part.groups_b.batch_stride = part.k / group_of(gemm) * part.groups_b.group_stride;
  }
  part.c = part.bias = nullptr;
  part.scale_a = part.scale_b = part.scale_d = nullptr;
  part.alpha = 1, part.beta = 0;
  part.activation = WAVESMITH_KERNELS_NO_ACTIVATION;
  part.d = gemm.workspace;
  part.type_d = integers ? WAVESMITH_KERNELS_I32 : WAVESMITH_KERNELS_F32;
  part.stride_d = stride;
  part.batch_d = gemm.m * stride;
}

}  // namespace wavesmith::kernels
