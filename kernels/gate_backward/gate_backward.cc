// The C API of gated activations' gradients: checks a call and launches it.
#include <algorithm>

#include "kernels/gate_backward/arguments.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gate_backward_description;

constexpr const char* kName = "gate_backward";

wavesmith_kernels_status check(const Description& one) {
  if (one.rows > 0 && one.columns > 0) {
    if (!one.gate.data) return invalid(kName, "gate.data is null");
    if (!one.dy.data) return invalid(kName, "dy.data is null");
    if (one.dup.data && !one.up.data) return invalid(kName, "dup.data is given without up");
  }
  if (one.activation < WAVESMITH_KERNELS_NO_ACTIVATION || one.activation > WAVESMITH_KERNELS_SILU)
    return invalid(kName, "activation is " + std::to_string(one.activation) + ", no activation");
  return check_rows(kName, one.rows, one.columns,
                    {{.name = "gate", .rows = &one.gate},
                     {.name = "up", .rows = &one.up},
                     {.name = "dy", .rows = &one.dy},
                     {.name = "dgate", .rows = &one.dgate, .is_written = true},
                     {.name = "dup", .rows = &one.dup, .is_written = true}});
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_gate_backward(
    const wavesmith_kernels_gate_backward_description* backward, void* stream) {
  if (!backward) return invalid(kName, "the description is null");
  const Description& one = *backward;
  if (const auto status = check(one)) return status;
  if (one.rows == 0 || one.columns == 0 || (!one.dgate.data && !one.dup.data)) return succeed();
  const GateBackwardArguments arguments{.gate = one.gate.data,
                                        .up = one.up.data,
                                        .dy = one.dy.data,
                                        .dgate = one.dgate.data,
                                        .dup = one.dup.data,
                                        .stride_gate = one.gate.row_stride,
                                        .stride_up = one.up.row_stride,
                                        .stride_dy = one.dy.row_stride,
                                        .stride_dgate = one.dgate.row_stride,
                                        .stride_dup = one.dup.row_stride,
                                        .rows = static_cast<int>(one.rows),
                                        .columns = static_cast<int>(one.columns),
                                        .type_gate = one.gate.type,
                                        .type_up = one.up.type,
                                        .type_dy = one.dy.type,
                                        .type_dgate = one.dgate.type,
                                        .type_dup = one.dup.type,
                                        .activation = one.activation};
  const EightGrid grid = grid_of_rows(one.rows, one.columns);
  if (const auto status = check_grid(kName, grid)) return status;
  return launch_eights(kName, grid, &arguments, sizeof(arguments), stream);
}
