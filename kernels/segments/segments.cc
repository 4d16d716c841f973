// The C API of segments: checks a call and launches it.
#include <array>
#include <string>

#include "kernels/pointwise/strided_checks.h"
#include "kernels/segments/segments_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_segments_description;
using Gradient = wavesmith_segments_gradient_description;
using Operand = wavesmith_pointwise_operand;
using Three = std::array<int64_t, 3>;

constexpr const char *kName = "segments", *kGradientName = "segments_gradient";

Three sizes_of_x(const Description& one) { return {one.inner, one.length, one.outer}; }
Three sizes_of_y(const Description& one) { return {one.inner, one.segments, one.outer}; }

wavesmith_kernels_status check_bounds(const char* what, const char* name, const Operand& operand,
                                      const Description& one) {
  const std::array<int64_t, 2> sizes{one.segments, one.outer};
  if (const auto status = check_operand(what, operand, name, sizes)) return status;
  if (operand.type == WAVESMITH_POINTWISE_I32 || operand.type == WAVESMITH_POINTWISE_I64) return succeed();
  return not_supported(
      what, std::string(name) + " is of " + std::string(word_of(operand.type)) + ", neither i32 nor i64");
}

bool has_nothing(const Description& one) { return is_empty(sizes_of_y(one)); }

wavesmith_kernels_status check(const char* what, const Description& one) {
  if (one.operation < WAVESMITH_SEGMENTS_SUM || one.operation > WAVESMITH_SEGMENTS_PRODUCT)
    return invalid(what, "operation is " + std::to_string(one.operation) + ", no operation");
  if (const auto status = check_shape(what, sizes_of_x(one))) return status;
  if (const auto status = check_shape(what, sizes_of_y(one))) return status;
  if (has_nothing(one)) return succeed();
  if (const auto status = check_type(what, one.y, "y")) return status;
  if (one.y.type < WAVESMITH_POINTWISE_F16 || one.y.type > WAVESMITH_POINTWISE_F64)
    return not_supported(what, "y is of " + std::string(word_of(one.y.type)) + ", no float");
  if (const auto status = check_operand(what, one.y, "y", sizes_of_y(one), one.y.type)) return status;
  if (const auto status = check_operand(what, one.x, "x", sizes_of_x(one), one.y.type)) return status;
  if (const auto status = check_bounds(what, "ends", one.ends, one)) return status;
  return one.begins.data ? check_bounds(what, "begins", one.begins, one)
                         : check_bounds(what, "lengths", one.lengths, one);
}

SegmentsOperand operand_of(const Operand& given) {
  return {.data = given.data,
          .type = given.type,
          .steps = {given.strides[0], given.strides[1], given.strides[2]}};
}

SegmentsArguments arguments_of(const Description& one) {
  SegmentsArguments made{};
  made.x = operand_of(one.x), made.y = operand_of(one.y), made.ends = operand_of(one.ends);
  made.begins = operand_of(one.begins), made.lengths = operand_of(one.lengths);
  made.inner = Division::by(static_cast<unsigned>(one.inner));
  made.segments = Division::by(static_cast<unsigned>(one.segments));
  made.elements = static_cast<unsigned>(one.inner * one.segments * one.outer);
  made.operation = one.operation, made.length = static_cast<int>(one.length);
  made.has_initial = one.has_initial, made.initial = one.initial;
  return made;
}

wavesmith_kernels_status launch_each(const std::string& name, const Description& one,
                                     const SegmentsArguments& arguments, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel = name + (one.y.type == WAVESMITH_POINTWISE_F64 ? "_f64" : "_f32");
  const unsigned workgroups = (arguments.elements + kSegmentsThreads - 1) / kSegmentsThreads;
  return launch(*device, kernel.c_str(), {.x = workgroups, .y = 1, .threads = kSegmentsThreads}, &arguments,
                sizeof(arguments), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_segments(const wavesmith_segments_description* segments,
                                                    void* stream) {
  if (!segments) return invalid(kName, "the description is null");
  if (const auto status = check(kName, *segments)) return status;
  if (has_nothing(*segments)) return succeed();
  return launch_each(kName, *segments, arguments_of(*segments), stream);
}

wavesmith_kernels_status wavesmith_kernels_segments_gradient(
    const wavesmith_segments_gradient_description* gradient, void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  const Description& one = gradient->forward;
  if (const auto status = check(kGradientName, one)) return status;
  if (has_nothing(one)) return succeed();
  if (const auto status =
          check_operand(kGradientName, gradient->upstream, "upstream", sizes_of_y(one), one.y.type))
    return status;
  if (const auto status =
          check_operand(kGradientName, gradient->gradient, "gradient", sizes_of_x(one), one.y.type))
    return status;
  SegmentsArguments arguments = arguments_of(one);
  arguments.upstream = operand_of(gradient->upstream), arguments.gradient = operand_of(gradient->gradient);
  return launch_each(kGradientName, one, arguments, stream);
}
