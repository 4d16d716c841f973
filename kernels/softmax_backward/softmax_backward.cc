// The C API of softmax's gradient: checks a call and launches it.
#include "kernels/rows/rows.h"
#include "kernels/softmax_backward/arguments.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_softmax_backward_description;

constexpr const char* kName = "softmax_backward";

wavesmith_kernels_status check(const Description& one) {
  if (one.rows > 0 && one.columns > 0) {
    if (!one.y.data) return invalid(kName, "y.data is null");
    if (!one.dy.data) return invalid(kName, "dy.data is null");
    if (!one.dx.data) return invalid(kName, "dx.data is null");
  }
  return check_rows(kName, one.rows, one.columns,
                    {{.name = "y", .rows = &one.y},
                     {.name = "dy", .rows = &one.dy},
                     {.name = "dx", .rows = &one.dx, .is_written = true}});
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_softmax_backward(
    const wavesmith_kernels_softmax_backward_description* backward, void* stream) {
  if (!backward) return invalid(kName, "the description is null");
  const Description& one = *backward;
  if (const auto status = check(one)) return status;
  if (one.rows == 0 || one.columns == 0) return succeed();
  const SoftmaxBackwardArguments arguments{.y = one.y.data,
                                           .dy = one.dy.data,
                                           .dx = one.dx.data,
                                           .stride_y = one.y.row_stride,
                                           .stride_dy = one.dy.row_stride,
                                           .stride_dx = one.dx.row_stride,
                                           .rows = static_cast<int>(one.rows),
                                           .columns = static_cast<int>(one.columns),
                                           .type_y = one.y.type,
                                           .type_dy = one.dy.type,
                                           .type_dx = one.dx.type,
                                           .scale = one.scale,
                                           .logarithm = one.logarithm};
  const bool aligned = are_aligned({&one.y, &one.dy, &one.dx}, one.columns);
  const bool same = one.y.type == one.dy.type && one.y.type == one.dx.type;
  const RowConfiguration* const known =
      aligned && same ? known_row_configuration(one.y.type, one.columns) : nullptr;
  if (known)
    return launch_rows(known_name(kName, one.y.type), *known, one.rows, &arguments, sizeof(arguments),
                       stream);
  return launch_rows(kName, row_configuration(one.columns, aligned), one.rows, &arguments, sizeof(arguments),
                     stream);
}
