#include "kernels/gemm/choice/gate.h"

#include <cstdint>
#include <string>

#include "kernels/gemm/choice/block_scales.h"
#include "kernels/gemm/choice/groups.h"
#include "kernels/gemm/choice/refusal.h"
#include "kernels/library/element_type.h"

namespace wavesmith::kernels {

wavesmith_kernels_status check_gate(const wavesmith_kernels_gemm_description& gemm) {
  using gemm_rules::not_supported;
  if (gemm.d.column_stride != 1)
    return not_supported("d of a gated product lies by columns, and there are kernels for d by rows");
  if (gemm.beta != 0)
    return not_supported("beta is " + std::to_string(gemm.beta) + ", and a gated product has no c");
  if (gemm.bias && gemm.bias_per_row)
    return not_supported("bias_per_row is for products that are not gated: a bias has 2 * n elements");
  const bool has_blocks = gemm.block_scales_a.scaling != WAVESMITH_KERNELS_UNSCALED ||
                          gemm.block_scales_b.scaling != WAVESMITH_KERNELS_UNSCALED;
  if (has_blocks && !(has_float_scales(gemm) && has_row_groups(gemm)))
    return not_supported("gated kernels have scales of blocks in groups of rows of floats of 8 bits alone");
  if (has_blocks && gemm.n % kGemmBlock != 0)
    return not_supported("n is " + std::to_string(gemm.n) +
                         ": of a gated product with scales of blocks it is a multiple of 128");
  if (gemm.d.type == WAVESMITH_KERNELS_I32)
    return not_supported("d of i32 is the sums themselves, which a gated product multiplies");
  // A tile has columns of both halves, which its loads count bytes from.
  constexpr int64_t kMostBytes = int64_t{0xffffffff};
  const bool by_columns = gemm.b.row_stride == 1;
  const int64_t bytes = by_columns ? columns_of_b(gemm) * gemm.b.column_stride * size_of(gemm.b.type) : 0;
  if (bytes > kMostBytes)
    return not_supported("b of a gated product has " + std::to_string(bytes) + " bytes, more than " +
                         std::to_string(kMostBytes));
  return succeed();
}

}  // namespace wavesmith::kernels
