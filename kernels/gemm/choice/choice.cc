#include "kernels/gemm/choice/choice.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "kernels/gemm/choice/block_scales.h"
#include "kernels/gemm/choice/cost.h"
#include "kernels/gemm/choice/gate.h"
#include "kernels/gemm/choice/group_scales.h"
#include "kernels/gemm/choice/groups.h"
#include "kernels/gemm/choice/known.h"
#include "kernels/gemm/choice/ranges.h"
#include "kernels/gemm/choice/refusal.h"
#include "kernels/gemm/choice/split.h"
#include "kernels/gemm/choice/stream.h"
#include "kernels/library/element_type.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;
using Matrix = wavesmith_kernels_matrix;

std::string word(wavesmith_kernels_type type) { return std::string(word_of(type)); }

using gemm_rules::invalid;
using gemm_rules::not_supported;

/// Largest stride, for offsets within a tile are 32 bits wide.
constexpr int64_t kLargestStride = int64_t{1} << 22;

/// Checks a matrix of rows by columns.
wavesmith_kernels_status check(const char* name, const Matrix& matrix, bool arrays, int64_t rows,
                               int64_t columns) {
  const std::string argument = name;
  if (!matrix.data) return invalid(argument + ".data is null");
  if (!is_type(matrix.type))
    return invalid(argument + ".type is " + std::to_string(matrix.type) + ", no element type");
  const auto address = reinterpret_cast<uintptr_t>(matrix.data);
  if (arrays && address % sizeof(void*) != 0) return invalid(argument + ".data is not aligned to a pointer");
  if (!arrays && address % size_of(matrix.type) != 0)
    return invalid(argument + ".data is not aligned to an element of " + word(matrix.type));
  if (matrix.row_stride != 1 && matrix.column_stride != 1)
    return invalid(argument + " has strides " + std::to_string(matrix.row_stride) + " and " +
                   std::to_string(matrix.column_stride) + ": one of them must be 1");
  const bool by_rows = matrix.column_stride == 1 && (matrix.row_stride != 1 || columns <= 1 || rows == 1);
  const int64_t together = by_rows ? columns : rows,
                apart = by_rows ? matrix.row_stride : matrix.column_stride;
  const int64_t others = by_rows ? rows : columns;
  if (others > 1 && apart < together)
    return invalid(argument + (by_rows ? ".row_stride is " : ".column_stride is ") + std::to_string(apart) +
                   ", less than the " + std::to_string(together) + " elements that lie together");
  if (apart > kLargestStride)
    return not_supported(argument + " has a stride of " + std::to_string(apart) + " elements, more than " +
                         std::to_string(kLargestStride));
  if (!arrays && matrix.batch_stride < 0) return invalid(argument + ".batch_stride is negative");
  return succeed();
}

/// Checks the types of A, B and D: what kernels there are for some target.
wavesmith_kernels_status check_types(const Description& gemm) {
  const auto a = gemm.a.type, b = gemm.b.type, d = gemm.d.type;
  const bool small_floats = (is_ocp(a) && is_ocp(b)) || (is_fnuz(a) && is_fnuz(b));
  const bool weights =
      (a == WAVESMITH_KERNELS_BF16 && b == WAVESMITH_KERNELS_E2M1X2) ||
      ((a == WAVESMITH_KERNELS_F16 || a == WAVESMITH_KERNELS_BF16) && b == WAVESMITH_KERNELS_I4X2);
  if (a != b && !small_floats && !weights)
    return not_supported(
        "a is of " + word(a) + " and b of " + word(b) +
        ": there are kernels for two of one type, for floats of 8 bits of one kind, for f16 or "
        "bf16 with i4x2, and for bf16 with e2m1x2");
  if (a == WAVESMITH_KERNELS_I32 || a == WAVESMITH_KERNELS_I4X2)
    return not_supported("there are no kernels for a and b of " + word(a));
  const bool d_as_a = a == WAVESMITH_KERNELS_I8 ? d == WAVESMITH_KERNELS_I32 || d == WAVESMITH_KERNELS_I8
                                                : (is_ocp(a) && is_ocp(d)) || (is_fnuz(a) && is_fnuz(d));
  if (!is_common_float(d) && !d_as_a)
    return not_supported("a is of " + word(a) + " and d of " + word(d) +
                         ": there are kernels for d of f32, f16 and bf16" +
                         (a == WAVESMITH_KERNELS_I8 ? ", i32 and i8"
                          : is_ocp(a) || is_fnuz(a) ? ", and of 8 bits of a's kind"
                                                    : ""));
  if (d == WAVESMITH_KERNELS_I32 &&
      (gemm.alpha != 1 || gemm.beta != 0 || gemm.bias || gemm.activation != WAVESMITH_KERNELS_NO_ACTIVATION))
    return not_supported(
        "d of i32 is the sums themselves: alpha is 1, beta 0, and there is neither bias nor activation");
  return succeed();
}

/// Checks the type of what is added to the products: `name` is C or the bias.
wavesmith_kernels_status check_addend(const char* name, wavesmith_kernels_type type) {
  if (is_common_float(type)) return succeed();
  return not_supported(std::string(name) + " is of " + word(type) +
                       ": there are kernels for f32, f16 and bf16");
}

/// Whether the columns of a row lie together in memory.
bool along_rows(const Matrix& matrix) { return matrix.column_stride == 1; }

/// Whether a kernel that reads dwords may read the matrix, of which `together` elements lie together. Where
/// an array's matrices begin is not known.
bool by_dwords(const Matrix& matrix, bool arrays, int64_t stride, int64_t together, int64_t batches) {
  const int64_t in_dword = std::max<int64_t>(1, 4 / size_of(matrix.type));
  if (arrays) return in_dword == 1;
  return reinterpret_cast<uintptr_t>(matrix.data) % 4 == 0 && stride % in_dword == 0 &&
         together % in_dword == 0 && (batches == 1 || matrix.batch_stride % in_dword == 0);
}

/// Whether no two matrices of a batch share an element: each lies behind the one before, or all lie side by
/// side in each row (or column).
bool apart(const Matrix& matrix, int64_t rows, int64_t columns, int64_t batches) {
  const bool by_rows = along_rows(matrix);
  const int64_t together = by_rows ? columns : rows, others = by_rows ? rows : columns;
  const int64_t stride = by_rows ? matrix.row_stride : matrix.column_stride;
  return matrix.batch_stride >= (others - 1) * stride + together ||
         (matrix.batch_stride >= together && (batches - 1) * matrix.batch_stride + together <= stride);
}

/// The product with D by rows: where D lies by columns its transpose is computed, B transposed times A
/// transposed.
Description by_rows(Description gemm) {
  if (along_rows(gemm.d)) return gemm;
  const auto transpose = [](Matrix& matrix) { std::swap(matrix.row_stride, matrix.column_stride); };
  for (Matrix* matrix : {&gemm.a, &gemm.b, &gemm.c, &gemm.d}) transpose(*matrix);
  std::swap(gemm.a, gemm.b);
  std::swap(gemm.m, gemm.n);
  gemm.bias_per_row = !gemm.bias_per_row;
  std::swap(gemm.scale_a, gemm.scale_b);
  std::swap(gemm.scale_a_per_row, gemm.scale_b_per_column);
  std::swap(gemm.block_scales_a, gemm.block_scales_b);
  return gemm;
}

/// The number of D's type as tile::Type has it: there the format of floats of 8 bits is the target's.
int in_tile(wavesmith_kernels_type type) {
  return is_fnuz(type) ? type - WAVESMITH_KERNELS_E4M3_FNUZ + WAVESMITH_KERNELS_E4M3 : type;
}

/// Elements of B in the bytes of one of A's, in which kernels count from matrix to matrix.
int64_t elements_of_a(const Description& gemm) { return size_of(gemm.a.type) / size_of(gemm.b.type); }

/// What the kernel of a tile is given; of the product with D by rows, K counted in elements.
GemmArguments arguments_of(const Description& gemm, const GemmConfiguration& tile, int64_t stride_a,
                           int64_t stride_b) {
  GemmArguments made{.a = gemm.a.data,
                     .b = gemm.b.data,
                     .c = gemm.c.data,
                     .bias = gemm.bias,
                     .scale_a = gemm.scale_a,
                     .scale_b = gemm.scale_b,
                     .scale_d = gemm.scale_d,
                     .d = gemm.d.data,
                     .stride_a = stride_a,
                     .stride_b = stride_b,
                     .stride_c = gemm.c.row_stride,
                     .stride_d = gemm.d.row_stride,
                     .batch_a = gemm.a.batch_stride,
                     .batch_b = gemm.b.batch_stride / elements_of_a(gemm),
                     .batch_c = gemm.c.batch_stride,
                     .batch_d = gemm.d.batch_stride,
                     .mx_a = gemm.block_scales_a.data,
                     .mx_b = gemm.block_scales_b.data,
                     .stride_mx_a = gemm.block_scales_a.column_stride,
                     .stride_mx_b = gemm.block_scales_b.column_stride,
                     .batch_mx_a = gemm.block_scales_a.batch_stride,
                     .batch_mx_b = gemm.block_scales_b.batch_stride,
                     .block_a = block_arguments(gemm.block_scales_a),
                     .block_b = block_arguments(gemm.block_scales_b),
                     .groups_b = group_arguments(gemm),
                     .arrays = gemm.pointer_arrays,
                     .m = static_cast<int>(gemm.m),
                     .n = static_cast<int>(gemm.n),
                     .k = static_cast<int>(gemm.k),
                     .alpha = gemm.alpha,
                     .beta = gemm.beta,
                     .type_c = gemm.c.type,
                     .type_d = in_tile(gemm.d.type),
                     .type_bias = gemm.bias_type,
                     .activation = gemm.activation,
                     .bias_along_rows = gemm.bias_per_row != 0,
                     .rows_of_scale_a = gemm.scale_a_per_row ? static_cast<int>(gemm.m) : 1,
                     .columns_of_scale_b = gemm.scale_b_per_column ? static_cast<int>(columns_of_b(gemm)) : 1,
                     .tiles_m = static_cast<int>((gemm.m + tile.rows - 1) / tile.rows),
                     .tiles_n = static_cast<int>((columns_of_b(gemm) + tile.columns - 1) / tile.columns)};
  return made;
}

/// Whether D is the sums and no more, and lies as GemmArguments::only_sums says.
bool is_only_sums(const Description& gemm, const GemmConfiguration& tile) {
  constexpr int64_t kEight = 8;
  if (gemm.d.type != gemm.a.type || size_of(gemm.d.type) != 2) return false;
  if (gemm.alpha != 1 || gemm.beta != 0 || gemm.bias || gemm.scale_a || gemm.scale_b || gemm.scale_d)
    return false;
  if (gemm.activation != WAVESMITH_KERNELS_NO_ACTIVATION || gemm.gated || gemm.group_offsets ||
      gemm.pointer_arrays)
    return false;
  if (reinterpret_cast<uintptr_t>(gemm.d.data) % 16 != 0 || gemm.n % kEight != 0 ||
      gemm.d.row_stride % kEight != 0)
    return false;
  if (gemm.batches > 1 && gemm.d.batch_stride % kEight != 0) return false;
  return (gemm.m + tile.rows) * gemm.d.row_stride * 2 < int64_t{UINT32_MAX};
}

/// Whether a larger workspace is what a name with parts wants.
wavesmith_kernels_status check_parts(const Description& gemm, std::string_view target, int compute_units,
                                     const char* wanted) {
  constexpr size_t kAmple = SIZE_MAX / 2;
  if (!wanted || parts_of_name(wanted) == 0 || gemm.workspace_bytes >= kAmple) return succeed();
  Description ample = gemm;
  ample.workspace_bytes = kAmple;
  GemmChoice choice;
  if (choose_gemm(ample, target, compute_units, wanted, choice)) return succeed();
  return invalid("workspace_bytes is " + std::to_string(gemm.workspace_bytes) + ", less than the " +
                 std::to_string(choice.workspace_bytes) + " that " + wanted + " wants");
}

}  // namespace

wavesmith_kernels_status check_gemm(const Description& gemm) {
  for (const auto& [name, size] :
       {std::pair{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}, {"batches", gemm.batches}}) {
    if (size < 0) return invalid(std::string(name) + " is negative");
    if (size > INT32_MAX - 512)
      return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, std::string("gemm: ") + name + " is too large");
  }
  if (columns_of_b(gemm) > INT32_MAX - 512) return not_supported("n of a gated product is too large");
  if (gemm.m == 0 || gemm.n == 0 || gemm.batches == 0) return succeed();
  const bool arrays = gemm.pointer_arrays;
  if (const auto status = check("d", gemm.d, arrays, gemm.m, gemm.n)) return status;
  const bool side_by_side = gemm.batches > 1 && !arrays && !has_row_groups(gemm);
  if (side_by_side && gemm.d.batch_stride == 0)
    return invalid("d.batch_stride is 0, but every product of the batch has its own result");
  if (side_by_side && !apart(gemm.d, gemm.m, gemm.n, gemm.batches))
    return invalid("d.batch_stride is " + std::to_string(gemm.d.batch_stride) +
                   ", with which results of the batch overlap");
  if (gemm.beta != 0) {
    if (const auto status = check("c", gemm.c, arrays, gemm.m, gemm.n)) return status;
    if (const auto status = check_addend("c", gemm.c.type)) return status;
    // Elements of C that belong to neighbours in D are neighbours, too.
    const bool rows = along_rows(gemm.d);
    if ((rows ? gemm.c.column_stride : gemm.c.row_stride) != 1 && (rows ? gemm.n : gemm.m) > 1)
      return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, "gemm: c and d must both lie by rows, or both by columns");
  }
  if (gemm.k > 0 && gemm.alpha != 0) {
    if (const auto status = check_row_list(gemm)) return status;
    const int64_t rows = rows_of_a(gemm);
    if (const auto status = check("a", gemm.a, arrays, rows, elements_of(gemm.a.type, gemm.k))) return status;
    if (const auto status = check("b", gemm.b, arrays, elements_of(gemm.b.type, gemm.k), columns_of_b(gemm)))
      return status;
    if (const auto status = check_types(gemm)) return status;
    const bool weights = has_packed_weights(gemm);
    if (gemm.zero_points_b && !weights) return not_supported("zero_points_b is for b of i4x2");
    if (const auto status = weights ? check_group_scales(gemm) : check_block_scales(gemm)) return status;
  }
  if (gemm.group_offsets)
    if (const auto status = check_groups(gemm)) return status;
  if (const auto status = check_scales_of_groups(gemm)) return status;
  if (gemm.gated)
    if (const auto status = check_gate(gemm)) return status;
  if (gemm.bias) {
    if (!is_type(gemm.bias_type)) return invalid("bias_type is no element type");
    if (const auto status = check_addend("the bias", gemm.bias_type)) return status;
    if (const auto status = check_aligned("gemm", "bias", gemm.bias, size_of(gemm.bias_type))) return status;
  }
  for (const auto& [name, scale] :
       {std::pair{"scale_a", gemm.scale_a}, {"scale_b", gemm.scale_b}, {"scale_d", gemm.scale_d}})
    if (reinterpret_cast<uintptr_t>(scale) % sizeof(float) != 0)
      return invalid(std::string(name) + " is not aligned to an element of f32");
  if (gemm.activation < WAVESMITH_KERNELS_NO_ACTIVATION || gemm.activation > WAVESMITH_KERNELS_SILU)
    return invalid("activation is " + std::to_string(gemm.activation) + ", no activation");
  return check_ranges(gemm);
}

std::string types_word(wavesmith_kernels_type a, wavesmith_kernels_type b) {
  return a == b ? word(a) : word(a) + "x" + word(b);
}

namespace {
/// What the choice of a plain product's tile is remembered by; of the product with D by rows, with what was
/// found of its matrices.
GemmTraits traits_of(const Description& gemm, std::initializer_list<bool> found, int compute_units,
                     const GemmGathers& gathers) {
  int64_t flags = gemm.pointer_arrays != 0;
  for (const bool each : {gemm.a.column_stride == 1, gemm.b.row_stride == 1}) flags = 2 * flags + each;
  for (const bool each : found) flags = 2 * flags + each;
  const int64_t types = (int64_t{gemm.a.type} << 32) + (int64_t{gemm.b.type} << 16) + gemm.d.type;
  return {gemm.m,
          gemm.n,
          gemm.k,
          gemm.batches,
          types,
          flags,
          static_cast<int64_t>(gemm.workspace_bytes),
          (int64_t{compute_units} << 32) + gathers.depth,
          gathers.bytes};
}

/// `gathers` without a mark: A and B are matrices.
wavesmith_kernels_status choose(const Description& given, std::string_view target, int compute_units,
                                const char* wanted, GemmGathers gathers, GemmChoice& choice,
                                const TunedGemms* tuned) {
  Description gemm = by_rows(given);
  const bool multiplies = gemm.k > 0 && gemm.alpha != 0;
  if (!multiplies) {
    // Operands that are not read, of a type whose kernels write D's.
    const auto d = gemm.d.type;
    gemm.k = 0;
    gemm.block_scales_a = gemm.block_scales_b = {};
    gemm.zero_points_b = nullptr;
    gemm.a_rows = nullptr;
    gemm.a = gemm.b = {.data = gemm.d.data,
                       .type = d == WAVESMITH_KERNELS_I32 ? WAVESMITH_KERNELS_I8
                               : is_common_float(d)       ? WAVESMITH_KERNELS_BF16
                                                          : d,
                       .row_stride = 4,
                       .column_stride = 1,
                       .batch_stride = 0};
    Matrix& turned = has_depth_groups(gemm) ? gemm.a : gemm.b;
    std::swap(turned.row_stride, turned.column_stride);
  }
  gemm.k = elements_of(gemm.a.type, gemm.k);  // elements from here on
  // Of a vector either stride may be taken for the one that is 1: the kernels want A and B along K where they
  // can.
  const bool places = gathers.mark == "w", is_gathered = !gathers.mark.empty();
  const bool ragged = has_depth_groups(gemm);  // whose kernels want them along M and N
  const bool a_along_k =
      ragged ? gemm.a.row_stride != 1 && gemm.m > 1 : !places && (gemm.a.column_stride == 1 || gemm.k == 1);
  const bool b_along_k =
      ragged ? gemm.b.column_stride != 1 && gemm.n > 1 : !places && (gemm.b.row_stride == 1 || gemm.k == 1);
  const int64_t stride_a = a_along_k ? gemm.a.row_stride : gemm.a.column_stride;
  const int64_t stride_b = b_along_k ? gemm.b.column_stride : gemm.b.row_stride;
  const bool arrays = gemm.pointer_arrays;
  const int64_t depth_b = has_packed_weights(gemm) ? elements_of(gemm.b.type, gemm.k) : gemm.k;
  const int64_t batches_a = batches_of_a(gemm);
  const bool dwords = places || !multiplies ||
                      (by_dwords(gemm.a, arrays, stride_a, a_along_k ? gemm.k : gemm.m, batches_a) &&
                       by_dwords(gemm.b, arrays, stride_b, b_along_k ? depth_b : gemm.n, batches_of_b(gemm)));
  constexpr int64_t kPieceBytes = 16;
  const bool pieces = dwords && !arrays && gemm.k * size_of(gemm.a.type) % kPieceBytes == 0;
  const std::string sums =  // of the kernels that sum up a part of K
      types_word(gemm.a.type, gemm.b.type) + block_word(gemm) + std::string(mark_of_groups(gemm)) +
      std::string(gathers.mark);
  const std::string types = sums + (gemm.gated ? "gated" : "");
  const std::string layout = std::string(a_along_k ? "k" : "m") + (b_along_k ? "k" : "n");
  choice.problem = {types, layout, gemm.m, gemm.n, given.k};
  const TunedTile* const fastest =
      tuned && !wanted && !is_gathered && gemm.batches == 1 && !gemm.group_offsets && !gemm.gated
          ? tuned->find(target, compute_units, choice.problem)
          : nullptr;
  const Description costs = gemm.group_offsets ? evenly_grouped(gemm) : gemm;
  const bool is_plain = choice.may_be_known && !wanted && !fastest && !gemm.group_offsets && !gemm.gated &&
                        !gemm.zero_points_b && gemm.block_scales_a.scaling == WAVESMITH_KERNELS_UNSCALED &&
                        gemm.block_scales_b.scaling == WAVESMITH_KERNELS_UNSCALED;
  const GemmTraits traits =
      traits_of(gemm, {a_along_k, b_along_k, dwords, pieces, places, is_gathered}, compute_units, gathers);
  const GemmConfiguration* const known = is_plain ? KnownTiles::of_thread().find(traits, target) : nullptr;
  bool has_types = false, has_streams = false, has_layout = false, has_others = false;
  double fewest = 0;
  for (const GemmConfiguration& tile : known ? std::span(known, 1) : gemm_configurations()) {
    if (tile.target != target) continue;
    const bool is_whole = tile.has(types), is_part = gemm.gated ? tile.has(sums) : is_whole;
    const bool streams = tile.has(types + std::string(mark_of_parts(kStreamed)));
    has_types = has_types || is_whole || streams;
    if (!is_whole && !is_part && !streams) continue;
    has_layout = has_layout || tile.has_layout(a_along_k, b_along_k);
    has_others = has_others || tile.layouts != "kk";
    if ((tile.pieces && !pieces) || (is_gathered && tile.depth > gathers.depth)) continue;
    if ((!dwords && !tile.elements) || !tile.has_layout(a_along_k, b_along_k)) continue;
    const bool has_fastest = fastest && fastest->configuration == &tile;
    const int parts = wanted ? parts_of_name(wanted) : has_fastest ? fastest->parts : 0;
    has_streams |= streams && wanted && std::string(tile.name) + word_of_parts(kStreamed) == wanted;
    for (const GemmChoice::Candidate& one :
         streams ? streamed_candidates(tile, costs, compute_units, parts == kStreamed)
                 : gemm_candidates(tile, costs, compute_units, parts, gathers.bytes)) {
      if (!streams && !(one.splits > 1 ? is_part : is_whole)) continue;
      choice.candidates.push_back(one);
      if (wanted && one.name() != wanted) continue;
      const bool is_tuned = has_fastest && fastest->parts == one.splits;
      if (choice.configuration && one.cycles >= fewest && !is_tuned) continue;
      choice.configuration = &tile, choice.splits = one.splits, choice.is_tuned = is_tuned;
      choice.share = one.share;
      fewest = is_tuned ? 0 : one.cycles;
    }
  }
  if (is_plain && choice.configuration) KnownTiles::of_thread().remember(traits, *choice.configuration);
  const auto served = [&] {
    return "for a and b of " + types_word(gemm.a.type, gemm.b.type) +
           (has_float_scales(gemm) ? " with scales of blocks" : "") +
           (ragged               ? " in groups along K"
            : gemm.group_offsets ? " in groups"
                                 : "") +
           (gemm.gated ? " that gate" : "") + (is_gathered ? " that is gathered" : "") + " for " +
           std::string(target);
  };
  if (!has_types) return not_supported("there is no kernel " + served());
  if (!choice.configuration && choice.candidates.empty() && !has_layout)
    return not_supported("the kernels " + served() +
                         (ragged       ? " want rows of a together in memory, and columns of b"
                          : has_others ? " want K together in memory in a: its columns"
                                       : " want K together in memory: columns of a, rows of b"));
  if (!choice.configuration) {
    if (const auto status = check_parts(given, target, compute_units, wanted)) return status;
    if (has_streams && gemm.batches == 1)
      return not_supported("no tile of d would be shared with a tile " + std::string(wanted));
    return not_supported("there is no kernel " + (wanted ? "with a tile " + std::string(wanted) + " " : "") +
                         served() + (dwords ? "" : " that reads matrices not aligned to 4 bytes"));
  }
  const GemmConfiguration& tile = *choice.configuration;
  choice.kernel = "gemm_" + (choice.splits > 1 ? sums : types) + std::string(mark_of_parts(choice.splits)) +
                  "_" + std::string(tile.name) + "_" + layout + (dwords ? "" : "_elements");
  choice.batches = gemm.batches;
  choice.arguments = arguments_of(gemm, tile, stride_a, stride_b);
  if (gemm.group_offsets) group_gemm(choice, gemm);
  choice.grid = has_row_groups(gemm) ? set_grid_of_groups(choice.arguments, tile, compute_units, costs.m,
                                                          rows_of_a(gemm) * gemm.k * size_of(gemm.a.type))
                                     : set_grid(choice.arguments, tile, compute_units);
  choice.arguments.only_sums = choice.splits == 1 && is_only_sums(gemm, tile);
  if (choice.splits > 1) split_gemm(choice, gemm, a_along_k, b_along_k);
  if (choice.splits == kStreamed) stream_gemm(choice, gemm, a_along_k, b_along_k);
  const int64_t rows = choice.splits == kStreamed ? rows_of_shared(tile, choice.share) : gemm.m;
  choice.combined.passes =
      passes_of_combine(rows, choice.splits == kStreamed ? tile.columns : gemm.n, compute_units);
  return succeed();
}
}  // namespace

wavesmith_kernels_status choose_gemm(const Description& given, std::string_view target, int compute_units,
                                     const char* wanted, GemmChoice& choice, const TunedGemms* tuned) {
  return choose(given, target, compute_units, wanted, {}, choice, tuned);
}

wavesmith_kernels_status choose_gathered_gemm(const Description& gemm, std::string_view target,
                                              int compute_units, GemmGathers gathers, GemmChoice& choice) {
  return choose(gemm, target, compute_units, nullptr, gathers, choice, nullptr);
}

}  // namespace wavesmith::kernels
