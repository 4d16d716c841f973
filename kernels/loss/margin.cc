// The C API of losses with margins: checks a call and launches it.
#include <string>

#include "kernels/library/device.h"
#include "kernels/loss/margin_arguments.h"
#include "kernels/pointwise/number_types.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_margin_description;
using Gradient = wavesmith_margin_gradient_description;

constexpr const char *kName = "margin", *kGradientName = "margin_gradient";

Number computed_in(Number type) {
  return type == WAVESMITH_POINTWISE_F64 ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
}

bool is_empty(const Description& one) { return one.rows == 0 || one.classes == 0; }

wavesmith_kernels_status check_sizes(const char* what, const Description& one) {
  if (one.rows < 0) return invalid(what, "rows is negative");
  if (one.classes < 0) return invalid(what, "classes is negative");
  if (!is_empty(one) && one.classes > INT32_MAX / one.rows)
    return not_supported(what, "there are 2^31 elements or more");
  return succeed();
}

wavesmith_kernels_status check_data(const char* what, const char* name, const void* data, int64_t bytes) {
  if (!data) return invalid(what, std::string(name) + " is null");
  return check_aligned(what, name, data, bytes);
}

wavesmith_kernels_status check(const char* what, const Description& one) {
  if (const auto status = check_sizes(what, one)) return status;
  if (one.type < WAVESMITH_POINTWISE_F16 || one.type > WAVESMITH_POINTWISE_F64)
    return invalid(what, "type is " + std::to_string(one.type) + ", neither F16, BF16, F32 nor F64");
  if (!one.several && one.power != 1 && one.power != 2)
    return not_supported(what, "power is " + std::to_string(one.power) + ", neither 1 nor 2");
  if (is_empty(one)) return succeed();
  const int64_t bytes = size_of(one.type);
  if (const auto status = check_data(what, "x", one.x, bytes)) return status;
  if (const auto status = check_data(what, "targets", one.targets, 8)) return status;
  if (one.several) return check_data(what, "is_target", one.is_target, bytes);
  return one.weights ? check_aligned(what, "weights", one.weights, bytes) : succeed();
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check(kName, one)) return status;
  if (is_empty(one)) return succeed();
  return check_data(kName, "losses", one.losses, size_of(computed_in(one.type)));
}

wavesmith_kernels_status check(const Gradient& one) {
  if (const auto status = check(kGradientName, one.forward)) return status;
  if (one.upstream_stride != 0 && one.upstream_stride != 1)
    return invalid(kGradientName,
                   "upstream_stride is " + std::to_string(one.upstream_stride) + ", neither 1 nor 0");
  if (is_empty(one.forward)) return succeed();
  const int64_t bytes = size_of(one.forward.type);
  if (const auto status = check_data(kGradientName, "upstream", one.upstream, bytes)) return status;
  return check_data(kGradientName, "gradient", one.gradient, bytes);
}

MarginArguments arguments_of(const Description& one) {
  MarginArguments made{};
  made.x = one.x, made.targets = reinterpret_cast<const long*>(one.targets);
  made.weights = one.several ? nullptr : one.weights, made.is_target = one.is_target;
  made.y = one.losses, made.type = one.type, made.y_type = computed_in(one.type);
  made.margin = one.margin, made.factor = one.factor;
  made.classes = Division::by(static_cast<unsigned>(one.classes));
  made.elements = static_cast<unsigned>(one.rows * one.classes);
  made.several = one.several, made.squares = !one.several && one.power == 2;
  return made;
}

wavesmith_kernels_status launch_each_element(const std::string& kernel, const MarginArguments& arguments,
                                             void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const unsigned workgroups = (arguments.elements + kMarginThreads - 1) / kMarginThreads;
  return launch(*device, kernel.c_str(), {.x = workgroups, .y = 1, .threads = kMarginThreads}, &arguments,
                sizeof(arguments), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_margin(const wavesmith_margin_description* margin, void* stream) {
  if (!margin) return invalid(kName, "the description is null");
  if (const auto status = check(*margin)) return status;
  if (is_empty(*margin)) return succeed();
  return launch_each_element("loss_margin_" + std::string(word_of(computed_in(margin->type))),
                             arguments_of(*margin), stream);
}

wavesmith_kernels_status wavesmith_kernels_margin_gradient(
    const wavesmith_margin_gradient_description* gradient, void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  if (const auto status = check(*gradient)) return status;
  const Description& forward = gradient->forward;
  if (is_empty(forward)) return succeed();
  MarginArguments arguments = arguments_of(forward);
  arguments.y = gradient->gradient, arguments.y_type = forward.type;
  arguments.upstream = gradient->upstream, arguments.has_one_upstream = gradient->upstream_stride == 0;
  return launch_each_element("loss_margin_gradient_" + std::string(word_of(computed_in(forward.type))),
                             arguments, stream);
}
