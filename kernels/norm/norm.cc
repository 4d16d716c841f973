// The C API of norms: checks one and launches it.
#include "kernels/library/named_range.h"
#include "kernels/norm/arguments.h"
#include "kernels/rows/scale_rules.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

constexpr const char* kName = "norm";

/// Checks that nothing is written over the weight and the bias.
wavesmith_kernels_status check_vectors_apart(const wavesmith_kernels_norm_description& norm) {
  const NamedRange read[] = {NamedRange::of("weight", norm.weight, norm.columns, norm.weight_type),
                             NamedRange::of("bias", norm.bias, norm.columns, norm.bias_type)};
  const auto rows_of = [&](const wavesmith_kernels_rows& matrix) {
    return matrix.data ? range_of(matrix, norm.rows, norm.columns) : ByteRange{};
  };
  const bool has_scales = norm.scales.scaling != WAVESMITH_KERNELS_UNSCALED;
  const NamedRange written[] = {
      {"sum", rows_of(norm.sum)},
      {"y", rows_of(norm.y)},
      {"scales", has_scales ? range_of(norm.scales, norm.rows, norm.columns) : ByteRange{}}};
  for (const NamedRange& one : written)
    if (const auto status = check_apart(kName, one, read)) return status;
  return succeed();
}

wavesmith_kernels_status check(const wavesmith_kernels_norm_description& norm) {
  if (norm.rows > 0 && norm.columns > 0) {
    if (!norm.x.data) return invalid(kName, "x.data is null");
    if (!norm.y.data) return invalid(kName, "y.data is null");
    if (norm.residual.data && !norm.sum.data)
      return invalid(kName, "sum.data is null, but a residual needs a place for its sum with x");
    if (!norm.residual.data && norm.sum.data) return invalid(kName, "sum.data is given without a residual");
  }
  if (const auto status = check_vector(kName, "weight", norm.weight, norm.weight_type)) return status;
  if (const auto status = check_vector(kName, "bias", norm.bias, norm.bias_type)) return status;
  if (!(norm.epsilon >= 0)) return invalid(kName, "epsilon is negative, or NaN");
  const RowsArguments matrices = {
      {.name = "x", .rows = &norm.x},
      {.name = "residual", .rows = &norm.residual},
      {.name = "sum", .rows = &norm.sum, .is_written = true},
      {.name = "y", .rows = &norm.y, .is_written = true, .types = kFloatOrQuantisedTypes}};
  if (const auto status = check_rows(kName, norm.rows, norm.columns, matrices)) return status;
  if (norm.rows == 0 || norm.columns == 0) return succeed();
  if (const auto status =
          check_scales(kName, norm.rows, norm.columns,
                       {.scales = &norm.scales, .matrix = "y", .type = norm.y.type}, matrices))
    return status;
  return check_vectors_apart(norm);
}

bool is_aligned(const wavesmith_kernels_norm_description& norm) {
  return kernels::is_aligned(norm.weight) && kernels::is_aligned(norm.bias) &&
         are_aligned({&norm.x, &norm.residual, &norm.sum, &norm.y}, norm.columns);
}

/// Where all that there is has one type.
const RowConfiguration* known_configuration(const wavesmith_kernels_norm_description& norm) {
  bool same =
      (!norm.weight || norm.weight_type == norm.x.type) && (!norm.bias || norm.bias_type == norm.x.type);
  for (const wavesmith_kernels_rows* one : {&norm.residual, &norm.sum, &norm.y})
    same = same && (!one->data || one->type == norm.x.type);
  return same && is_aligned(norm) ? known_row_configuration(norm.x.type, norm.columns) : nullptr;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_norm(const wavesmith_kernels_norm_description* norm,
                                                void* stream) {
  if (!norm) return invalid(kName, "the description is null");
  if (const auto status = check(*norm)) return status;
  if (norm->rows == 0 || norm->columns == 0) return succeed();
  const NormArguments arguments{.x = norm->x.data,
                                .residual = norm->residual.data,
                                .weight = norm->weight,
                                .bias = norm->bias,
                                .scales = scale_arguments(norm->scales),
                                .y = norm->y.data,
                                .sum = norm->sum.data,
                                .stride_x = norm->x.row_stride,
                                .stride_residual = norm->residual.row_stride,
                                .stride_y = norm->y.row_stride,
                                .stride_sum = norm->sum.row_stride,
                                .rows = static_cast<int>(norm->rows),
                                .columns = static_cast<int>(norm->columns),
                                .type_x = norm->x.type,
                                .type_residual = norm->residual.type,
                                .type_y = norm->y.type,
                                .type_sum = norm->sum.type,
                                .type_weight = norm->weight_type,
                                .type_bias = norm->bias_type,
                                .epsilon = norm->epsilon,
                                .weight_offset = norm->weight_offset,
                                .centred = norm->centred};
  const RowConfiguration* const known = known_configuration(*norm);
  if (known)
    return launch_rows(known_name(kName, norm->x.type), *known, norm->rows, &arguments, sizeof(arguments),
                       stream);
  const bool quantised = !is_common_float(norm->y.type);
  return launch_rows(quantised ? "norm_quantised" : kName,
                     row_configuration(norm->columns, is_aligned(*norm)), norm->rows, &arguments,
                     sizeof(arguments), stream);
}
