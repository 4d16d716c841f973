// The C API of steps of Adam: checks a call and launches it.
#include <array>
#include <cmath>

#include "kernels/optimiser/lists.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_adam_description;
using Array = wavesmith_adam_array;

constexpr const char* kName = "adam";

std::array<ListOperand, 5> operands_of(const Description& one, const Array& array) {
  const auto of = [&](const char* name, const void* data, wavesmith_kernels_type type) {
    return ListOperand{
        .name = name, .data = data, .type = type, .elements = array.elements, .is_written = true};
  };
  std::array<ListOperand, 5> made = {of("parameter", array.parameter, one.type_parameter),
                                     of("gradient", array.gradient, one.type_gradient),
                                     of("average", array.average, one.type_state),
                                     of("average_of_squares", array.average_of_squares, one.type_state),
                                     of("largest_average", array.largest_average, one.type_state)};
  made[4].is_optional = true;
  return made;
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_count(kName, one.count, one.arrays)) return status;
  const std::pair<wavesmith_kernels_type, const char*> types[] = {{one.type_parameter, "type_parameter"},
                                                                  {one.type_gradient, "type_gradient"},
                                                                  {one.type_state, "type_state"}};
  for (const auto& [type, name] : types)
    if (const auto status = check_float(kName, type, name)) return status;
  for (const auto& [beta, name] : {std::pair{one.beta1, "beta1"}, std::pair{one.beta2, "beta2"}})
    if (!(beta >= 0 && beta < 1))
      return invalid(kName, std::string(name) + " is " + std::to_string(beta) + ", not in [0, 1)");
  for (const auto& [number, name] :
       {std::pair{one.rate_at, "rate_at"}, std::pair{one.gradient_scale, "gradient_scale"},
        std::pair{one.found_infinity, "found_infinity"}})
    if (const auto status = check_aligned(kName, name, number, 4)) return status;
  for (int64_t i = 0; i < one.count; ++i) {
    const Array& array = one.arrays[i];
    if (const auto status = check_elements(kName, i, array.elements)) return status;
    if (array.elements == 0) continue;
    if (const auto status = check_operands(kName, i, operands_of(one, array))) return status;
    if (!array.step) return invalid(kName, name_of_array(i) + ".step is null");
    if (const auto status = check_aligned(kName, name_of_array(i) + ".step", array.step, 4)) return status;
  }
  return succeed();
}

AdamArguments arguments_of(const Description& one) {
  const auto narrow = [](double number) { return static_cast<float>(number); };
  AdamArguments made{};
  made.type_parameter = one.type_parameter, made.type_gradient = one.type_gradient;
  made.type_state = one.type_state;
  made.decoupled = one.decoupled, made.maximise = one.maximise;
  made.rate = narrow(one.rate);
  made.beta1 = narrow(one.beta1), made.rest1 = narrow(1 - one.beta1);
  made.beta2 = narrow(one.beta2), made.rest2 = narrow(1 - one.beta2);
  made.log_beta1 = narrow(std::log(one.beta1)), made.log_beta2 = narrow(std::log(one.beta2));
  made.weight_decay = narrow(one.weight_decay), made.epsilon = narrow(one.epsilon);
  made.rate_at = one.rate_at, made.gradient_scale = one.gradient_scale;
  made.found_infinity = one.found_infinity;
  return made;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_adam(const wavesmith_adam_description* adam, void* stream) {
  if (!adam) return invalid(kName, "the description is null");
  if (const auto status = check(*adam)) return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  AdamArguments arguments = arguments_of(*adam);
  const auto entry_of = [&](const Array& array) {
    AdamEntry entry{};
    entry.parameter = array.parameter, entry.gradient = array.gradient;
    entry.average = array.average, entry.average_of_squares = array.average_of_squares;
    entry.largest_average = array.largest_average, entry.step = array.step;
    entry.aligned = is_aligned(operands_of(*adam, array));
    return entry;
  };
  return each_list(arguments, std::span(adam->arrays, static_cast<size_t>(adam->count)), false, entry_of,
                   [&](unsigned workgroups) {
                     return launch(*device, "adam", {.x = workgroups, .y = 1, .threads = kListThreads},
                                   &arguments, sizeof(arguments), stream);
                   });
}
