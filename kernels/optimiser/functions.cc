// The C API of functions of the elements of many arrays: checks a call and launches it.
#include <array>

#include "kernels/optimiser/lists.h"
#include "kernels/pointwise/operations.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_list_description;
using Array = wavesmith_list_array;

constexpr const char* kName = "list";
constexpr int kInputs = WAVESMITH_LIST_INPUTS;

bool is_served(Pointwise operation) {
  switch (operation) {
    case WAVESMITH_POINTWISE_FILL:
    case WAVESMITH_POINTWISE_COPY:
    case WAVESMITH_POINTWISE_NEGATE:
    case WAVESMITH_POINTWISE_ABSOLUTE:
    case WAVESMITH_POINTWISE_SIGN:
    case WAVESMITH_POINTWISE_RECIPROCAL:
    case WAVESMITH_POINTWISE_SQRT:
    case WAVESMITH_POINTWISE_RECIPROCAL_ROOT:
    case WAVESMITH_POINTWISE_FLOOR:
    case WAVESMITH_POINTWISE_CEIL:
    case WAVESMITH_POINTWISE_TRUNCATE:
    case WAVESMITH_POINTWISE_ROUND:
    case WAVESMITH_POINTWISE_FRACTION:
    case WAVESMITH_POINTWISE_ADD:
    case WAVESMITH_POINTWISE_MULTIPLY:
    case WAVESMITH_POINTWISE_MAXIMUM:
    case WAVESMITH_POINTWISE_MINIMUM:
    case WAVESMITH_POINTWISE_DIVIDE:
    case WAVESMITH_POINTWISE_INTERPOLATE:
    case WAVESMITH_POINTWISE_ADD_PRODUCT:
    case WAVESMITH_POINTWISE_ADD_QUOTIENT:
    case WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN:
      return true;
    default:
      return false;
  }
}

/// Of an array y, and the inputs that the operation has.
std::array<ListOperand, 1 + kInputs> operands_of(const Description& one, const Array& array) {
  static constexpr const char* kNames[] = {"inputs[0]", "inputs[1]", "inputs[2]"};
  std::array<ListOperand, 1 + kInputs> made{};
  made[0] = {
      .name = "y", .data = array.y, .type = one.type_y, .elements = array.elements, .is_written = true};
  for (size_t k = 0; k < kInputs; ++k) {
    const bool is_read = static_cast<int>(k) < inputs_of(one.operation) && array.inputs[k];
    made[k + 1] = {.name = kNames[k],
                   .data = is_read ? array.inputs[k] : nullptr,
                   .type = is_read ? one.types[k] : WAVESMITH_KERNELS_F32,
                   .elements = one.single[k] ? 1 : array.elements,
                   .is_optional = true};
  }
  return made;
}

wavesmith_kernels_status check(const Description& one) {
  if (!is_served(one.operation))
    return not_supported(kName, "operation is " + std::to_string(one.operation) + ", not one for lists");
  if (const auto status = check_count(kName, one.count, one.arrays)) return status;
  static constexpr const char* kTypes[] = {"types[0]", "types[1]", "types[2]"};
  if (const auto status = check_float(kName, one.type_y, "type_y")) return status;
  for (int k = 0; k < inputs_of(one.operation); ++k)
    if (const auto status = check_float(kName, one.types[k], kTypes[k])) return status;
  for (int64_t i = 0; i < one.count; ++i) {
    const Array& array = one.arrays[i];
    if (const auto status = check_elements(kName, i, array.elements)) return status;
    if (array.elements == 0) continue;
    if (const auto status = check_operands(kName, i, operands_of(one, array))) return status;
  }
  return succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_list(const wavesmith_list_description* list, void* stream) {
  if (!list) return invalid(kName, "the description is null");
  if (const auto status = check(*list)) return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  ListArguments arguments{};
  arguments.operation = list->operation, arguments.inputs = inputs_of(list->operation);
  arguments.types[0] = list->type_y;
  for (int k = 0; k < kInputs; ++k)
    arguments.types[k + 1] = list->types[k], arguments.single[k] = list->single[k];
  const auto entry_of = [&](const Array& array) {
    const auto operands = operands_of(*list, array);
    ListEntry entry{};
    for (size_t k = 0; k < operands.size(); ++k) entry.data[k] = const_cast<void*>(operands[k].data);
    entry.p = static_cast<float>(array.p), entry.number = static_cast<float>(array.number);
    entry.aligned = is_aligned(operands);
    return entry;
  };
  return each_list(arguments, std::span(list->arrays, static_cast<size_t>(list->count)), false, entry_of,
                   [&](unsigned workgroups) {
                     return launch(*device, "list_f32", {.x = workgroups, .y = 1, .threads = kListThreads},
                                   &arguments, sizeof(arguments), stream);
                   });
}
