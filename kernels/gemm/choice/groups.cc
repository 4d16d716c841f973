#include "kernels/gemm/choice/groups.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/gemm/choice/ranges.h"
#include "kernels/gemm/choice/refusal.h"
#include "kernels/library/element_type.h"

namespace wavesmith::kernels {

using Description = wavesmith_kernels_gemm_description;

bool has_row_groups(const Description& gemm) { return gemm.group_offsets && !gemm.groups_along_k; }
bool has_depth_groups(const Description& gemm) { return gemm.group_offsets && gemm.groups_along_k; }

std::string_view mark_of_groups(const Description& gemm) {
  return has_row_groups(gemm) ? "g" : has_depth_groups(gemm) ? "k" : "";
}

Description evenly_grouped(const Description& gemm) {
  Description even = gemm;
  int64_t& grouped = gemm.groups_along_k ? even.k : even.m;
  grouped = (grouped + gemm.batches - 1) / gemm.batches;
  even.workspace = nullptr, even.workspace_bytes = 0;
  return even;
}

void group_gemm(GemmChoice& choice, const Description& gemm) {
  GemmArguments& grouped = choice.arguments;
  const int64_t rows = choice.configuration->rows;
  grouped.group_offsets = gemm.group_offsets;
  grouped.groups = static_cast<int>(gemm.batches);
  if (gemm.groups_along_k) {
    grouped.batch_a = grouped.batch_b = 0;
    // Of one number along K, or none, strides may be anything; they say where a matrix ends.
    if (gemm.k <= 1) grouped.stride_a = gemm.m, grouped.stride_b = gemm.n;
    return;
  }
  grouped.batch_a = grouped.batch_c = grouped.batch_d = grouped.block_a.batch_stride = 0;
  // A group's last tile may have a row only, and each of a group's tiles has one.
  grouped.tiles_m = static_cast<int>(std::min(gemm.m, (gemm.m + gemm.batches * (rows - 1)) / rows));
  choice.batches = 1;
  choice.batch_scale_b = gemm.scale_b ? gemm.scale_b_batch_stride : 0;
  if (!gemm.a_rows) return;
  choice.rows_of_a = {gemm.a_rows, static_cast<int>(gemm.a_row_count)};
  // The row behind A's last one, which stands for none, is then outside of A also where it has one row.
  grouped.stride_a = std::max(grouped.stride_a, gemm.k);
}

wavesmith_kernels_status check_scales_of_groups(const Description& gemm) {
  if (gemm.scale_b_batch_stride == 0) return succeed();
  const std::string is = "scale_b_batch_stride is " + std::to_string(gemm.scale_b_batch_stride);
  if (gemm.scale_b_batch_stride < 0) return gemm_rules::invalid(is);
  if (!has_row_groups(gemm))
    return gemm_rules::not_supported(is + ", and matrices have a scale_b each in groups of rows alone");
  return succeed();
}

wavesmith_kernels_status check_row_list(const Description& gemm) {
  using gemm_rules::invalid;
  using gemm_rules::not_supported;
  if (!gemm.a_rows) return succeed();
  if (!has_row_groups(gemm))
    return not_supported("a_rows is for groups of rows, and " +
                         std::string(gemm.group_offsets ? "groups_along_k is set" : "group_offsets is null"));
  if (gemm.a_row_count < 1) return invalid("a_row_count is " + std::to_string(gemm.a_row_count));
  if (gemm.a_row_count > INT32_MAX - 512) return not_supported("a_row_count is too large");
  // Kernels count bytes from A's first row.
  constexpr int64_t kMostBytes = int64_t{0xffffffff};
  const int64_t bytes = (gemm.a_row_count + 1) * gemm.a.row_stride * size_of(gemm.a.type);
  if (gemm.a.column_stride == 1 && bytes > kMostBytes)
    return not_supported("a with a_rows has " + std::to_string(bytes) +
                         " bytes with another row, more than " + std::to_string(kMostBytes));
  return check_aligned("gemm", "a_rows", gemm.a_rows, sizeof(int32_t));
}

wavesmith_kernels_status check_groups(const Description& gemm) {
  if (gemm.pointer_arrays)
    return gemm_rules::not_supported("there are no kernels for groups in pointer_arrays");
  if (!gemm.groups_along_k && gemm.d.column_stride != 1)
    return gemm_rules::not_supported("d lies by columns, and the groups of group_offsets are of rows");
  if (gemm.block_scales_a.scaling == WAVESMITH_KERNELS_SCALE_PER_SQUARE)
    return gemm_rules::not_supported("block_scales_a is per square, which groups of rows need not fit");
  constexpr int64_t kMostGroups = int64_t{1} << 20;
  if (gemm.batches > kMostGroups)
    return gemm_rules::not_supported("batches is " + std::to_string(gemm.batches) + ", more groups than " +
                                     std::to_string(kMostGroups));
  return check_aligned("gemm", "group_offsets", gemm.group_offsets, sizeof(int32_t));
}

}  // namespace wavesmith::kernels
