// The C API of quantising and dequantising: checks one and launches it.
#include <algorithm>

#include "kernels/library/hip.h"
#include "kernels/quantise/arguments.h"
#include "kernels/rows/scale_rules.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_quantise_description;

constexpr int kLargestPerUnit = 8;  ///< workgroups of a compute unit that look for the largest

bool is_empty(const Description& one) { return one.rows == 0 || one.columns == 0; }

wavesmith_kernels_status check(const char* operation, const Description& one, bool back) {
  if (!is_empty(one)) {
    if (!one.x.data) return invalid(operation, "x.data is null");
    if (!one.y.data) return invalid(operation, "y.data is null");
  }
  const RowsArgument x{.name = "x", .rows = &one.x, .types = back ? kQuantisedTypes : kFloatTypes},
      y{.name = "y", .rows = &one.y, .is_written = true, .types = back ? kFloatTypes : kQuantisedTypes};
  if (const auto status = check_rows(operation, one.rows, one.columns, {x, y})) return status;
  if (is_empty(one)) return succeed();
  return check_scales(operation, one.rows, one.columns,
                      {.scales = &one.scales,
                       .matrix = back ? "x" : "y",
                       .type = back ? one.x.type : one.y.type,
                       .are_computed = !back,
                       .whole_matrix = true,
                       .mx = true},
                      {x, y});
}

QuantiseArguments arguments_of(const Description& one) {
  return {.x = one.x.data,
          .y = one.y.data,
          .scales = scale_arguments(one.scales),
          .stride_x = one.x.row_stride,
          .stride_y = one.y.row_stride,
          .rows = static_cast<int>(one.rows),
          .columns = static_cast<int>(one.columns),
          .type_x = one.x.type,
          .type_y = one.y.type,
          .eights = eight_grid(one.rows, one.columns, kQuantisedEights),
          .grid = 0};
}

/// Finds the matrix's scale, whose least value is 0 before.
wavesmith_kernels_status launch_largest(QuantiseArguments arguments, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  if (const int error = hipMemsetAsync(arguments.scales.data, 0, sizeof(float), stream))
    return fail(WAVESMITH_KERNELS_HIP_ERROR,
                std::string("hipMemsetAsync returned ") + hipGetErrorName(error));
  arguments.grid = std::min(arguments.eights.workgroups, kLargestPerUnit * device->compute_units);
  return launch(*device, "quantise_largest", {static_cast<unsigned>(arguments.grid), 1, kRowThreads},
                &arguments, sizeof(arguments), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_quantise(const wavesmith_kernels_quantise_description* quantise,
                                                    void* stream) {
  constexpr const char* kName = "quantise";
  if (!quantise) return invalid(kName, "the description is null");
  if (const auto status = check(kName, *quantise, false)) return status;
  if (is_empty(*quantise)) return succeed();
  QuantiseArguments arguments = arguments_of(*quantise);
  const wavesmith_kernels_scaling scaling = quantise->scales.scaling;
  if (scaling == WAVESMITH_KERNELS_SCALE_PER_ROW) {
    const bool aligned =
        is_aligned(quantise->x, quantise->columns) && is_aligned(quantise->y, quantise->columns);
    return launch_rows(kName, row_configuration(quantise->columns, aligned), quantise->rows, &arguments,
                       sizeof(arguments), stream);
  }
  if (const auto status = check_grid(kName, arguments.eights)) return status;
  if (scaling == WAVESMITH_KERNELS_SCALE_MX)
    return launch_eights("quantise_mx", arguments.eights, &arguments, sizeof(arguments), stream);
  if (scaling == WAVESMITH_KERNELS_SCALE_PER_MATRIX) {
    if (const auto status = launch_largest(arguments, stream)) return status;
    arguments.scales.scaling = WAVESMITH_KERNELS_SCALE_GIVEN;
  }
  return launch_eights("quantise_eights", arguments.eights, &arguments, sizeof(arguments), stream);
}

wavesmith_kernels_status wavesmith_kernels_dequantise(
    const wavesmith_kernels_dequantise_description* dequantise, void* stream) {
  constexpr const char* kName = "dequantise";
  if (!dequantise) return invalid(kName, "the description is null");
  if (const auto status = check(kName, *dequantise, true)) return status;
  if (is_empty(*dequantise)) return succeed();
  const QuantiseArguments arguments = arguments_of(*dequantise);
  if (const auto status = check_grid(kName, arguments.eights)) return status;
  return launch_eights(kName, arguments.eights, &arguments, sizeof(arguments), stream);
}
