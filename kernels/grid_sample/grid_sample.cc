// The C API of sampling: checks a call and launches it.
#include <array>
#include <string>

#include "kernels/grid_sample/grid_sample_arguments.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_grid_sample_description;
using Gradient = wavesmith_grid_sample_gradient_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char *kName = "grid_sample", *kGradientName = "grid_sample_gradient";

std::array<int64_t, 5> sizes_of_x(const Description& one) {
  return {one.sizes[0], one.sizes[1], one.dimensions == 3 ? one.sizes[2] : 1, one.channels, one.batches};
}
std::array<int64_t, 3> sizes_of_grid(const Description& one) {
  return {one.dimensions, one.places, one.batches};
}
std::array<int64_t, 3> sizes_of_y(const Description& one) { return {one.places, one.channels, one.batches}; }

bool has_nothing(const Description& one) { return one.batches == 0 || one.places == 0; }

wavesmith_kernels_status check_shapes(const char* what, const Description& one) {
  if (one.mode < WAVESMITH_GRID_SAMPLE_LINEAR || one.mode > WAVESMITH_GRID_SAMPLE_CUBIC)
    return invalid(what, "mode is " + std::to_string(one.mode) + ", no mode");
  if (one.padding < WAVESMITH_GRID_SAMPLE_ZEROS || one.padding > WAVESMITH_GRID_SAMPLE_REFLECTION)
    return invalid(what, "padding is " + std::to_string(one.padding) + ", no padding");
  if (one.dimensions != 2 && one.dimensions != 3)
    return invalid(what, "dimensions is " + std::to_string(one.dimensions) + ", neither 2 nor 3");
  if (one.mode == WAVESMITH_GRID_SAMPLE_CUBIC && one.dimensions != 2)
    return not_supported(what, "cubic samples have 2 dimensions");
  for (int d = 0; d < one.dimensions; ++d)
    if (one.sizes[d] < 1) return invalid(what, "sizes[" + std::to_string(d) + "] is less than 1");
  if (const auto status = check_shape(what, sizes_of_x(one))) return status;
  return check_shape(what, sizes_of_y(one));
}

wavesmith_kernels_status check(const char* what, const Description& one) {
  if (const auto status = check_shapes(what, one)) return status;
  if (has_nothing(one)) return succeed();
  if (const auto status = check_type(what, one.x, "x")) return status;
  if (one.x.type < WAVESMITH_POINTWISE_F16 || one.x.type > WAVESMITH_POINTWISE_F64)
    return not_supported(what, "x is of " + std::string(word_of(one.x.type)) + ", no float");
  if (const auto status = check_operand(what, one.x, "x", sizes_of_x(one), one.x.type)) return status;
  return check_operand(what, one.grid, "grid", sizes_of_grid(one), one.x.type);
}

bool is_wide(const Description& one) { return one.x.type == WAVESMITH_POINTWISE_F64; }

wavesmith_kernels_status check(const Gradient& one) {
  const Description& forward = one.forward;
  if (const auto status = check(kGradientName, forward)) return status;
  if (has_nothing(forward)) return succeed();
  if (const auto status =
          check_operand(kGradientName, one.upstream, "upstream", sizes_of_y(forward), forward.x.type))
    return status;
  const Number sums = is_wide(forward) ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
  if (one.x_gradient.data)
    if (const auto status =
            check_operand(kGradientName, one.x_gradient, "x_gradient", sizes_of_x(forward), sums))
      return status;
  return check_operand(kGradientName, one.grid_gradient, "grid_gradient", sizes_of_grid(forward),
                       forward.x.type);
}

GridSampleOperand operand_of(const Operand& given, int count) {
  GridSampleOperand made{.data = given.data, .type = given.type, .steps = {}};
  for (int d = 0; d < count; ++d) made.steps[d] = given.strides[d];
  return made;
}

GridSampleArguments arguments_of(const Description& one, const Operand& y) {
  GridSampleArguments made{};
  made.x = operand_of(one.x, 5), made.grid = operand_of(one.grid, 3), made.y = operand_of(y, 3);
  for (int d = 0; d < 3; ++d) made.sizes[d] = d < one.dimensions ? static_cast<int>(one.sizes[d]) : 1;
  made.dimensions = one.dimensions, made.mode = one.mode, made.padding = one.padding;
  made.aligned = one.aligned, made.channels = static_cast<int>(one.channels);
  made.elements = static_cast<unsigned>(one.places * one.batches);
  made.places = Division::by(static_cast<unsigned>(one.places));
  return made;
}

wavesmith_kernels_status launch_each(const char* name, const Description& one,
                                     const GridSampleArguments& arguments, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel = std::string("grid_sample_") +
                             (one.mode == WAVESMITH_GRID_SAMPLE_CUBIC ? "cubic_" : "linear_") + name +
                             (is_wide(one) ? "f64" : "f32");
  const unsigned workgroups = (arguments.elements + kGridSampleThreads - 1) / kGridSampleThreads;
  return launch(*device, kernel.c_str(), {.x = workgroups, .y = 1, .threads = kGridSampleThreads}, &arguments,
                sizeof(arguments), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_grid_sample(const wavesmith_grid_sample_description* sampling,
                                                       void* stream) {
  if (!sampling) return invalid(kName, "the description is null");
  if (const auto status = check(kName, *sampling)) return status;
  if (has_nothing(*sampling) || sampling->channels == 0) return succeed();
  if (const auto status = check_operand(kName, sampling->y, "y", sizes_of_y(*sampling), sampling->x.type))
    return status;
  return launch_each("", *sampling, arguments_of(*sampling, sampling->y), stream);
}

wavesmith_kernels_status wavesmith_kernels_grid_sample_gradient(
    const wavesmith_grid_sample_gradient_description* gradient, void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  if (const auto status = check(*gradient)) return status;
  const Description& one = gradient->forward;
  if (has_nothing(one)) return succeed();
  GridSampleArguments arguments = arguments_of(one, gradient->upstream);
  arguments.x_gradient = operand_of(gradient->x_gradient, 5);
  arguments.grid_gradient = operand_of(gradient->grid_gradient, 3);
  return launch_each("gradient_", one, arguments, stream);
}
