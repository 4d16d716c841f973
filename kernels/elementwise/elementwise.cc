// The C API of elementwise operations: checks one and launches it.
#include "kernels/elementwise/arguments.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_elementwise_description;

constexpr const char* kName = "elementwise";

bool of_two(const Description& one) { return is_of_two(static_cast<Elementwise>(one.operation)); }

wavesmith_kernels_status check(const Description& one) {
  if (one.operation < WAVESMITH_KERNELS_ELEMENTWISE_ADD ||
      one.operation > WAVESMITH_KERNELS_ELEMENTWISE_SQUARE)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (one.rows > 0 && one.columns > 0) {
    if (!one.x.data) return invalid(kName, "x.data is null");
    if (!one.y.data) return invalid(kName, "y.data is null");
    if (of_two(one) && !one.z.data) return invalid(kName, "z.data is null, and the operation is of two");
  }
  if (of_two(one) && one.z_column_stride != 0 && one.z_column_stride != 1)
    return invalid(kName, "z_column_stride is " + std::to_string(one.z_column_stride) + ", neither 1 nor 0");
  const wavesmith_kernels_rows none{};
  return check_rows(kName, one.rows, one.columns,
                    {{.name = "x", .rows = &one.x},
                     {.name = "z",
                      .rows = of_two(one) ? &one.z : &none,
                      .one_row = one.z.row_stride == 0,
                      .one_column = one.z_column_stride == 0},
                     {.name = "y", .rows = &one.y, .is_written = true}});
}

/// Whether its elements follow each other, all or but one.
bool is_dense(const wavesmith_kernels_rows& matrix, int64_t rows, int64_t columns) {
  return matrix.row_stride == columns || rows == 1;
}

/// The same elements as rows of as many columns as a workgroup has threads for, where they follow each other:
/// a thread then has four eights, also of a single row.
Description folded(const Description& one) {
  constexpr int64_t kColumns = int64_t{kRowThreads} * 8, kMostRows = INT32_MAX / kRowThreads;
  const int64_t elements = one.rows * one.columns;
  const bool one_z = one.z.row_stride == 0 && one.z_column_stride == 0;
  const bool dense =
      is_dense(one.x, one.rows, one.columns) && is_dense(one.y, one.rows, one.columns) &&
      (!of_two(one) || one_z || (one.z_column_stride == 1 && is_dense(one.z, one.rows, one.columns)));
  if (!dense || elements % kColumns != 0 || elements / kColumns > kMostRows) return one;
  Description made = one;
  made.rows = elements / kColumns, made.columns = kColumns;
  made.x.row_stride = made.y.row_stride = kColumns;
  if (!one_z) made.z.row_stride = kColumns;
  return made;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_elementwise(
    const wavesmith_kernels_elementwise_description* elementwise, void* stream) {
  if (!elementwise) return invalid(kName, "the description is null");
  if (const auto status = check(*elementwise)) return status;
  if (elementwise->rows == 0 || elementwise->columns == 0) return succeed();
  const Description one = folded(*elementwise);
  const ElementwiseArguments arguments{.x = one.x.data,
                                       .z = one.z.data,
                                       .y = one.y.data,
                                       .stride_x = one.x.row_stride,
                                       .stride_z = one.z.row_stride,
                                       .stride_y = one.y.row_stride,
                                       .rows = static_cast<int>(one.rows),
                                       .columns = static_cast<int>(one.columns),
                                       .type_x = one.x.type,
                                       .type_z = one.z.type,
                                       .type_y = one.y.type,
                                       .operation = one.operation,
                                       .alpha = one.alpha,
                                       .beta = one.beta,
                                       .z_has_columns = one.z_column_stride == 1,
                                       .eights = eight_grid(one.rows, one.columns, kElementwiseEights)};
  if (const auto status = check_grid(kName, arguments.eights)) return status;
  return launch_eights(kName, arguments.eights, &arguments, sizeof(arguments), stream);
}
