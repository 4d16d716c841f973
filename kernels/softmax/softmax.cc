// The C API of softmax: checks one and launches it.
#include "kernels/rows/rows.h"
#include "kernels/softmax/arguments.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

constexpr const char* kName = "softmax";

wavesmith_kernels_status check(const wavesmith_kernels_softmax_description& softmax) {
  if (softmax.rows > 0 && softmax.columns > 0) {
    if (!softmax.x.data) return invalid(kName, "x.data is null");
    if (!softmax.y.data) return invalid(kName, "y.data is null");
  }
  return check_rows(
      kName, softmax.rows, softmax.columns,
      {{.name = "x", .rows = &softmax.x}, {.name = "y", .rows = &softmax.y, .is_written = true}});
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_softmax(const wavesmith_kernels_softmax_description* softmax,
                                                   void* stream) {
  if (!softmax) return invalid(kName, "the description is null");
  if (const auto status = check(*softmax)) return status;
  if (softmax->rows == 0 || softmax->columns == 0) return succeed();
  const SoftmaxArguments arguments{.x = softmax->x.data,
                                   .y = softmax->y.data,
                                   .stride_x = softmax->x.row_stride,
                                   .stride_y = softmax->y.row_stride,
                                   .rows = static_cast<int>(softmax->rows),
                                   .columns = static_cast<int>(softmax->columns),
                                   .type_x = softmax->x.type,
                                   .type_y = softmax->y.type,
                                   .scale = softmax->scale,
                                   .logarithm = softmax->logarithm};
  const bool aligned = are_aligned({&softmax->x, &softmax->y}, softmax->columns);
  const RowConfiguration* const known = aligned && softmax->x.type == softmax->y.type
                                            ? known_row_configuration(softmax->x.type, softmax->columns)
                                            : nullptr;
  if (known)
    return launch_rows(known_name(kName, softmax->x.type), *known, softmax->rows, &arguments,
                       sizeof(arguments), stream);
  return launch_rows(kName, row_configuration(softmax->columns, aligned), softmax->rows, &arguments,
                     sizeof(arguments), stream);
}
