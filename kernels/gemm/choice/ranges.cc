#include "kernels/gemm/choice/ranges.h"

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/gemm/choice/block_scales.h"
#include "kernels/gemm/choice/gate.h"
#include "kernels/gemm/choice/group_scales.h"
#include "kernels/gemm/choice/groups.h"
#include "kernels/gemm/choice/refusal.h"
#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;
using Matrix = wavesmith_kernels_matrix;

using gemm_rules::invalid;

/// What a batch of matrices occupies.
ByteRange range_of(const Matrix& matrix, int64_t rows, int64_t columns, int64_t batches) {
  return ByteRange::of(matrix.data,
                       (rows - 1) * matrix.row_stride + (columns - 1) * matrix.column_stride +
                           (batches - 1) * matrix.batch_stride + 1,
                       matrix.type);
}

ByteRange range_of_c(const Description& gemm) { return range_of(gemm.c, gemm.m, gemm.n, batches_of_d(gemm)); }
ByteRange range_of_d(const Description& gemm) { return range_of(gemm.d, gemm.m, gemm.n, batches_of_d(gemm)); }

bool multiplies(const Description& gemm) { return gemm.k > 0 && gemm.alpha != 0; }

/// A and B, where they are read and known.
std::vector<NamedRange> operands_of(const Description& gemm) {
  if (!multiplies(gemm) || gemm.pointer_arrays) return {};
  return {{"a", range_of(gemm.a, rows_of_a(gemm), elements_of(gemm.a.type, gemm.k), batches_of_a(gemm))},
          {"b", range_of(gemm.b, elements_of(gemm.b.type, gemm.k), columns_of_b(gemm), batches_of_b(gemm))}};
}

/// What is read beside matrices.
std::vector<NamedRange> vectors_of(const Description& gemm) {
  constexpr auto kFloat = WAVESMITH_KERNELS_F32, kOffset = WAVESMITH_KERNELS_I32;
  std::vector<NamedRange> all = {
      NamedRange::of("bias", gemm.bias, gemm.bias_per_row ? gemm.m : columns_of_b(gemm), gemm.bias_type),
      NamedRange::of("scale_a", gemm.scale_a, gemm.scale_a_per_row ? gemm.m : 1, kFloat),
      NamedRange::of(
          "scale_b", gemm.scale_b,
          (gemm.batches - 1) * gemm.scale_b_batch_stride + (gemm.scale_b_per_column ? columns_of_b(gemm) : 1),
          kFloat),
      NamedRange::of("scale_d", gemm.scale_d, 1, kFloat),
      NamedRange::of("group_offsets", gemm.group_offsets, gemm.batches + 1, kOffset)};
  if (!multiplies(gemm)) return all;
  all.push_back(NamedRange::of("a_rows", gemm.a_rows, gemm.m, kOffset));
  for (const NamedRange& scales :
       has_packed_weights(gemm) ? group_scale_ranges(gemm) : block_scale_ranges(gemm))
    all.push_back(scales);
  return all;
}

/// Whether C is D, element by element.
bool c_is_d(const Description& gemm) {
  const Matrix &c = gemm.c, &d = gemm.d;
  return c.data == d.data && size_of(c.type) == size_of(d.type) &&
         (gemm.m == 1 || c.row_stride == d.row_stride) &&
         (gemm.n == 1 || c.column_stride == d.column_stride) &&
         (batches_of_d(gemm) == 1 || c.batch_stride == d.batch_stride);
}

/// Whether C and D lie beside each other in the rows, or columns, of one matrix.
bool c_is_beside_d(const Description& gemm) {
  const Matrix &c = gemm.c, &d = gemm.d;
  const bool by_rows = d.column_stride == 1;
  const auto pitch_of = [&](const Matrix& one) {
    return (by_rows ? one.row_stride : one.column_stride) * size_of(one.type);
  };
  const int64_t pitch = pitch_of(d), together = by_rows ? gemm.n : gemm.m;
  if ((by_rows ? gemm.m : gemm.n) == 1 || pitch_of(c) != pitch) return false;
  for (const Matrix& one : {c, d})
    if (batches_of_d(gemm) > 1 && one.batch_stride * size_of(one.type) % pitch != 0) return false;
  const int64_t from_c_to_d = static_cast<char*>(d.data) - static_cast<char*>(c.data);
  const int64_t behind = (from_c_to_d % pitch + pitch) % pitch;
  return behind >= together * size_of(c.type) && behind + together * size_of(d.type) <= pitch;
}

wavesmith_kernels_status check_workspace(const Description& gemm, const std::vector<NamedRange>& read) {
  if (gemm.workspace_bytes == 0) return succeed();
  if (!gemm.workspace)
    return invalid("workspace is null, and workspace_bytes " + std::to_string(gemm.workspace_bytes));
  if (const auto status = check_aligned("gemm", "workspace", gemm.workspace, 16)) return status;
  const auto first = reinterpret_cast<uintptr_t>(gemm.workspace);
  const NamedRange own{"workspace", {first, first + gemm.workspace_bytes}};
  if (const auto status = check_apart("gemm", own, read)) return status;
  if (gemm.pointer_arrays) return succeed();
  if (gemm.beta != 0 && own.range.overlaps(range_of_c(gemm))) return invalid("workspace overlaps c");
  if (own.range.overlaps(range_of_d(gemm))) return invalid("workspace overlaps d");
  return succeed();
}

}  // namespace

int64_t batches_of_a(const Description& gemm) { return gemm.group_offsets ? 1 : gemm.batches; }
int64_t batches_of_b(const Description& gemm) { return has_depth_groups(gemm) ? 1 : gemm.batches; }
int64_t batches_of_d(const Description& gemm) { return has_row_groups(gemm) ? 1 : gemm.batches; }

int64_t rows_of_a(const Description& gemm) { return gemm.a_rows ? gemm.a_row_count : gemm.m; }

wavesmith_kernels_status check_ranges(const Description& gemm) {
  std::vector<NamedRange> read = vectors_of(gemm);
  for (const NamedRange& operand : operands_of(gemm)) read.push_back(operand);
  if (!gemm.pointer_arrays) {
    const NamedRange d{"d", range_of_d(gemm)};
    if (const auto status = check_apart("gemm", d, read)) return status;
    if (gemm.beta != 0 && d.range.overlaps(range_of_c(gemm)) && !c_is_d(gemm) && !c_is_beside_d(gemm))
      return invalid("d overlaps c, and is not c");
  }
  return check_workspace(gemm, read);
}

}  // namespace wavesmith::kernels
