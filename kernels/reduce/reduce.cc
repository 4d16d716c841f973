// The C API of reductions: checks one and launches it.
#include "kernels/reduce/arguments.h"
#include "kernels/rows/rows.h"

namespace wavesmith::kernels {
namespace {

constexpr const char* kName = "reduce";

wavesmith_kernels_status check(const wavesmith_kernels_reduce_description& reduce) {
  if (reduce.reduction < WAVESMITH_KERNELS_REDUCE_SUM ||
      reduce.reduction > WAVESMITH_KERNELS_REDUCE_SUM_OF_SQUARES)
    return invalid(kName, "reduction is " + std::to_string(reduce.reduction) + ", no reduction");
  if (reduce.rows > 0 && !reduce.y.data) return invalid(kName, "y.data is null");
  if (reduce.rows > 0 && reduce.columns > 0 && !reduce.x.data) return invalid(kName, "x.data is null");
  const RowsArgument y{.name = "y", .rows = &reduce.y, .is_written = true, .one_column = true};
  // Rows without elements have results, too.
  if (reduce.columns == 0) return check_rows(kName, reduce.rows, 1, {y});
  return check_rows(kName, reduce.rows, reduce.columns, {{.name = "x", .rows = &reduce.x}, y});
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_reduce(const wavesmith_kernels_reduce_description* reduce,
                                                  void* stream) {
  if (!reduce) return invalid(kName, "the description is null");
  if (const auto status = check(*reduce)) return status;
  if (reduce->rows == 0) return succeed();
  const ReduceArguments arguments{.x = reduce->x.data,
                                  .y = reduce->y.data,
                                  .stride_x = reduce->x.row_stride,
                                  .stride_y = reduce->y.row_stride,
                                  .rows = static_cast<int>(reduce->rows),
                                  .columns = static_cast<int>(reduce->columns),
                                  .type_x = reduce->x.type,
                                  .type_y = reduce->y.type,
                                  .reduction = reduce->reduction};
  return launch_rows(kName, row_configuration(reduce->columns, is_aligned(reduce->x, reduce->columns)),
                     reduce->rows, &arguments, sizeof(arguments), stream);
}
