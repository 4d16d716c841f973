// The C API of gated activations: checks one and launches it.
#include "kernels/gate/arguments.h"
#include "kernels/rows/scale_rules.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

constexpr const char* kName = "gate";

wavesmith_kernels_status check(const wavesmith_kernels_gate_description& gate) {
  if (gate.rows > 0 && gate.columns > 0) {
    if (!gate.gate.data) return invalid(kName, "gate.data is null");
    if (!gate.y.data) return invalid(kName, "y.data is null");
  }
  if (gate.activation < WAVESMITH_KERNELS_NO_ACTIVATION || gate.activation > WAVESMITH_KERNELS_SILU)
    return invalid(kName, "activation is " + std::to_string(gate.activation) + ", no activation");
  const RowsArguments matrices = {
      {.name = "gate", .rows = &gate.gate},
      {.name = "up", .rows = &gate.up},
      {.name = "y", .rows = &gate.y, .is_written = true, .types = kFloatOrQuantisedTypes}};
  if (const auto status = check_rows(kName, gate.rows, gate.columns, matrices)) return status;
  if (gate.rows == 0 || gate.columns == 0) return succeed();
  return check_scales(kName, gate.rows, gate.columns,
                      {.scales = &gate.scales, .matrix = "y", .type = gate.y.type}, matrices);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_gate(const wavesmith_kernels_gate_description* gate,
                                                void* stream) {
  if (!gate) return invalid(kName, "the description is null");
  if (const auto status = check(*gate)) return status;
  if (gate->rows == 0 || gate->columns == 0) return succeed();
  const GateArguments arguments{.gate = gate->gate.data,
                                .up = gate->up.data,
                                .y = gate->y.data,
                                .scales = scale_arguments(gate->scales),
                                .stride_gate = gate->gate.row_stride,
                                .stride_up = gate->up.row_stride,
                                .stride_y = gate->y.row_stride,
                                .rows = static_cast<int>(gate->rows),
                                .columns = static_cast<int>(gate->columns),
                                .type_gate = gate->gate.type,
                                .type_up = gate->up.type,
                                .type_y = gate->y.type,
                                .activation = gate->activation};
  if (gate->scales.scaling == WAVESMITH_KERNELS_SCALE_PER_ROW) {
    const bool aligned = are_aligned({&gate->gate, &gate->up, &gate->y}, gate->columns);
    return launch_rows(kName, row_configuration(gate->columns, aligned), gate->rows, &arguments,
                       sizeof(arguments), stream);
  }
  const EightGrid grid = grid_of_rows(gate->rows, gate->columns);
  if (const auto status = check_grid(kName, grid)) return status;
  return launch_eights(kName, grid, &arguments, sizeof(arguments), stream);
}
