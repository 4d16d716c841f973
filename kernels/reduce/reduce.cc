// The C API of reductions: checks one and launches it.
#include "kernels/reduce/arguments.h"
#include "kernels/reduce/parts.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_reduce_description;

constexpr const char* kName = "reduce";

bool is_empty(const Description& one) { return one.rows == 0 || one.columns == 0; }
/// Whether nothing has a result.
bool is_nothing(const Description& one) {
  return one.over == WAVESMITH_KERNELS_REDUCE_EACH_ROW      ? one.rows == 0
         : one.over == WAVESMITH_KERNELS_REDUCE_EACH_COLUMN ? one.columns == 0
                                                            : false;
}

wavesmith_kernels_status check(const Description& one) {
  if (one.reduction < WAVESMITH_KERNELS_REDUCE_SUM || one.reduction > WAVESMITH_KERNELS_REDUCE_SUM_OF_SQUARES)
    return invalid(kName, "reduction is " + std::to_string(one.reduction) + ", no reduction");
  if (one.over < WAVESMITH_KERNELS_REDUCE_EACH_ROW || one.over > WAVESMITH_KERNELS_REDUCE_ALL)
    return invalid(kName, "over is " + std::to_string(one.over) + ", neither each row, each column nor all");
  if (!is_nothing(one) && !one.y.data) return invalid(kName, "y.data is null");
  if (!is_empty(one) && !one.x.data) return invalid(kName, "x.data is null");
  const RowsArgument y{.name = "y",
                       .rows = &one.y,
                       .is_written = true,
                       .one_row = one.over != WAVESMITH_KERNELS_REDUCE_EACH_ROW,
                       .one_column = one.over != WAVESMITH_KERNELS_REDUCE_EACH_COLUMN};
  if (!is_empty(one)) return check_rows(kName, one.rows, one.columns, {{.name = "x", .rows = &one.x}, y});
  // What has no elements has results, too.
  if (const auto status = check_rows(kName, one.rows, one.columns, {})) return status;
  return is_nothing(one)
             ? succeed()
             : check_rows(kName, std::max<int64_t>(one.rows, 1), std::max<int64_t>(one.columns, 1), {y});
}

ReduceParts parts_of(const Description& one) {
  return ReduceParts::of(one.rows, one.columns, is_empty(one) ? 0 : one.x.row_stride);
}

/// Floats that the parts write where there are several.
size_t results_of_parts(const Description& one) {
  if (one.over == WAVESMITH_KERNELS_REDUCE_EACH_ROW || is_nothing(one)) return 0;
  const ReduceParts parts = parts_of(one);
  const int64_t results =
      parts.count * (one.over == WAVESMITH_KERNELS_REDUCE_ALL ? parts.blocks : one.columns);
  const bool several = parts.count > 1 || (one.over == WAVESMITH_KERNELS_REDUCE_ALL && parts.blocks > 1);
  return several ? static_cast<size_t>(results) : 0;
}

/// Results of parts are summed, whatever was done to their elements.
wavesmith_kernels_reduction reduction_of_parts(const Description& one) {
  return one.reduction == WAVESMITH_KERNELS_REDUCE_MEAN ||
                 one.reduction == WAVESMITH_KERNELS_REDUCE_SUM_OF_SQUARES
             ? WAVESMITH_KERNELS_REDUCE_SUM
             : one.reduction;
}

/// What a mean is divided by; 1 for what is no mean.
float divisor_of(const Description& one) {
  const int64_t count = one.over == WAVESMITH_KERNELS_REDUCE_EACH_ROW      ? one.columns
                        : one.over == WAVESMITH_KERNELS_REDUCE_EACH_COLUMN ? one.rows
                                                                           : one.rows * one.columns;
  return one.reduction == WAVESMITH_KERNELS_REDUCE_MEAN ? static_cast<float>(count) : 1;
}

wavesmith_kernels_status launch_rows_of(const Description& one, float divisor, void* stream) {
  const ReduceArguments arguments{.x = one.x.data,
                                  .y = one.y.data,
                                  .stride_x = one.x.row_stride,
                                  .stride_y = one.y.row_stride,
                                  .rows = static_cast<int>(one.rows),
                                  .columns = static_cast<int>(one.columns),
                                  .type_x = one.x.type,
                                  .type_y = one.y.type,
                                  .reduction = one.reduction,
                                  .divisor = divisor};
  return launch_rows(kName, row_configuration(one.columns, is_aligned(one.x, one.columns)), one.rows,
                     &arguments, sizeof(arguments), stream);
}

/// Of each column, or of all: the results of parts are rows of y, which follow each other.
wavesmith_kernels_status launch_parts(const Description& one, const ReduceParts& parts, float divisor,
                                      void* stream) {
  const bool all = one.over == WAVESMITH_KERNELS_REDUCE_ALL;
  const ReducePartArguments arguments{.x = one.x.data,
                                      .y = one.y.data,
                                      .stride_x = one.x.row_stride,
                                      .stride_y = one.columns,
                                      .rows = is_empty(one) ? 0 : static_cast<int>(one.rows),
                                      .columns = static_cast<int>(std::max<int64_t>(one.columns, 1)),
                                      .rows_of_part = static_cast<int>(parts.rows),
                                      .type_x = one.x.type,
                                      .type_y = one.y.type,
                                      .reduction = one.reduction,
                                      .divisor = divisor,
                                      .shift = parts.shift};
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const Grid grid{static_cast<unsigned>(parts.blocks), static_cast<unsigned>(parts.count), kRowThreads};
  return launch(*device, all ? "reduce_matrix" : "reduce_columns", grid, &arguments, sizeof(arguments),
                stream);
}

/// The results of parts, then what these are reduced to.
wavesmith_kernels_status launch_twice(const Description& one, const ReduceParts& parts, void* stream) {
  const wavesmith_kernels_rows between{one.workspace, WAVESMITH_KERNELS_F32, one.columns};
  Description first = one;
  first.y = between;
  if (const auto status = launch_parts(first, parts, 1, stream)) return status;
  Description second = one;
  second.x = between, second.reduction = reduction_of_parts(one);
  if (one.over == WAVESMITH_KERNELS_REDUCE_ALL) {
    second.rows = 1, second.columns = parts.count * parts.blocks;
    second.x.row_stride = second.columns, second.y.row_stride = 1;
    return launch_rows_of(second, divisor_of(one), stream);
  }
  second.rows = parts.count;
  return launch_parts(second, ReduceParts::together(parts.count, one.columns), divisor_of(one), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_reduce(const wavesmith_kernels_reduce_description* reduce,
                                                  void* stream) {
  if (!reduce) return invalid(kName, "the description is null");
  if (const auto status = check(*reduce)) return status;
  if (is_nothing(*reduce)) return succeed();
  if (reduce->over == WAVESMITH_KERNELS_REDUCE_EACH_ROW)
    return launch_rows_of(*reduce, divisor_of(*reduce), stream);
  const size_t results = results_of_parts(*reduce);
  if (results == 0) return launch_parts(*reduce, parts_of(*reduce), divisor_of(*reduce), stream);
  const size_t bytes = results * sizeof(float);
  if (const auto status = check_workspace(kName, reduce->workspace, reduce->workspace_bytes, bytes))
    return status;
  const auto first = reinterpret_cast<uintptr_t>(reduce->workspace);
  const ByteRange workspace{first, first + bytes};
  const bool all = reduce->over == WAVESMITH_KERNELS_REDUCE_ALL;
  if (workspace.overlaps(range_of(reduce->x, reduce->rows, reduce->columns)))
    return invalid(kName, "workspace overlaps x");
  if (workspace.overlaps(range_of(reduce->y, 1, all ? 1 : reduce->columns)))
    return invalid(kName, "workspace overlaps y");
  return launch_twice(*reduce, parts_of(*reduce), stream);
}

wavesmith_kernels_status wavesmith_kernels_reduce_workspace(
    const wavesmith_kernels_reduce_description* reduce, size_t* bytes) {
  if (!reduce) return invalid(kName, "the description is null");
  if (const auto status = check(*reduce)) return status;
  if (bytes) *bytes = results_of_parts(*reduce) * sizeof(float);
  return succeed();
}
