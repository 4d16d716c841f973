// The C API of pointwise operations: checks one, chooses its kernel and launches it.
#include <array>
#include <cstring>
#include <iterator>
#include <string>

#include "kernels/pointwise/arguments.h"
#include "kernels/pointwise/special_operations.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_pointwise_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char* kName = "pointwise";
constexpr const char* kOperandNames[] = {"y", "inputs[0]", "inputs[1]", "inputs[2]"};

/// Y and the inputs that the operation has.
struct Operands {
  std::array<const Operand*, 4> all;
  int count;

  explicit Operands(const Description& one)
      : all{&one.y, one.inputs, one.inputs + 1, one.inputs + 2}, count(1 + operands_of(one.operation)) {}
  [[nodiscard]] const Operand** begin() { return all.data(); }
  [[nodiscard]] const Operand** end() { return all.data() + count; }
};

wavesmith_kernels_status check_operation(const Description& one) {
  if (one.operation < WAVESMITH_POINTWISE_FILL || one.operation > kLastOperation)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  const bool is_real =
      one.computed_in == WAVESMITH_POINTWISE_F32 || one.computed_in == WAVESMITH_POINTWISE_F64;
  const bool is_complex =
      one.computed_in == WAVESMITH_POINTWISE_C64 || one.computed_in == WAVESMITH_POINTWISE_C128;
  const bool has_kernel = is_real      ? has_floats(one.operation)
                          : is_complex ? has_complex(one.operation)
                                       : has_integers(one.operation);
  if (!is_real && !is_complex && one.computed_in != WAVESMITH_POINTWISE_I64)
    return invalid(
        kName, "computed_in is " + std::to_string(one.computed_in) + ", neither I64, F32, F64, C64 nor C128");
  if (!has_kernel)
    return not_supported(kName, "operation " + std::to_string(one.operation) + " is not computed in " +
                                    std::string(word_of(one.computed_in)));
  return succeed();
}

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}

wavesmith_kernels_status check_sizes(const Description& one) {
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (const auto status = check_shape(kName, sizes_of(one))) return status;
  if ((one.operation == WAVESMITH_POINTWISE_RANGE || one.operation == WAVESMITH_POINTWISE_SPACED) &&
      one.dimensions > 1)
    return invalid(kName, "dimensions is " + std::to_string(one.dimensions) + ", and the operation has one");
  return succeed();
}

wavesmith_kernels_status check_operand(const Description& one, const Operand& operand,
                                       const std::string& name) {
  const bool is_y = &operand == &one.y;
  if (is_y && !operand.data) return invalid(kName, "y.data is null");
  if (!operand.data) return succeed();
  if (const auto status = check_type(kName, operand, name)) return status;
  const bool is_integer = operand.type <= WAVESMITH_POINTWISE_I64;
  const bool is_complex = operand.type >= WAVESMITH_POINTWISE_C64;
  const bool computes_complex = one.computed_in >= WAVESMITH_POINTWISE_C64;
  if ((is_complex && !computes_complex) ||
      (!is_y && !is_integer && one.computed_in == WAVESMITH_POINTWISE_I64))
    return not_supported(kName, name + " is of " + std::string(word_of(operand.type)) +
                                    ", and computed_in is " + std::string(word_of(one.computed_in)));
  return check_span(kName, operand, name, sizes_of(one));
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_operation(one)) return status;
  if (const auto status = check_sizes(one)) return status;
  if (is_empty(sizes_of(one))) return succeed();
  int index = 0;
  for (const Operand* operand : Operands(one))
    if (const auto status = check_operand(one, *operand, kOperandNames[index++])) return status;
  return succeed();
}

/// The same elements in as few dimensions as they need, at least one.
Description collapsed(const Description& one) {
  Description made = one;
  made.dimensions = 0;
  const auto move = [&](int to, int from) {
    made.sizes[to] = one.sizes[from];
    made.y.strides[to] = one.y.strides[from];
    for (int k = 0; k < 3; ++k) made.inputs[k].strides[to] = one.inputs[k].strides[from];
  };
  for (int d = 0; d < one.dimensions; ++d) {
    if (one.sizes[d] == 1) continue;
    const int last = made.dimensions - 1;
    bool follows = last >= 0;
    Operands before(made), now(one);
    for (int k = 0; follows && k < now.count; ++k)
      follows = before.all[k]->data == nullptr ||
                before.all[k]->strides[last] * made.sizes[last] == now.all[k]->strides[d];
    if (follows)
      made.sizes[last] *= one.sizes[d];
    else
      move(made.dimensions++, d);
  }
  if (made.dimensions == 0) {
    made.dimensions = 1, made.sizes[0] = 1;
    for (const Operand* operand : Operands(made))
      const_cast<Operand*>(operand)->strides[0] = size_of(operand->type);
  }
  return made;
}

/// Whether a thread may take several elements at once, along the first dimension.
bool is_grouped(const Description& one, int64_t count) {
  if (count == 1 || !is_short(one.operation, one.computed_in)) return false;
  if (one.dimensions > 1 && one.sizes[0] % count != 0) return false;
  for (const Operand* operand : Operands(one)) {
    if (!operand->data) continue;
    const bool is_y = operand == &one.y;
    if (!is_y && operand->strides[0] == 0) continue;
    if (operand->strides[0] != size_of(operand->type)) return false;
    const int64_t bytes = count * size_of(operand->type), alignment = bytes > 16 ? 16 : bytes;
    uint64_t all = reinterpret_cast<uintptr_t>(operand->data);
    for (int d = 1; d < one.dimensions; ++d) all |= static_cast<uint64_t>(operand->strides[d]);
    if (all % static_cast<uint64_t>(alignment) != 0) return false;
  }
  return true;
}

template <class T>
Immediate immediate_of(T number) {
  Immediate made{};
  static_assert(sizeof(T) <= sizeof(made));
  std::memcpy(&made, &number, sizeof(T));
  return made;
}

Immediate immediate(Number computed_in, const wavesmith_pointwise_number& number) {
  switch (computed_in) {
    case WAVESMITH_POINTWISE_I64:
      return immediate_of(number.integer);
    case WAVESMITH_POINTWISE_F32:
      return immediate_of(static_cast<float>(number.real));
    case WAVESMITH_POINTWISE_F64:
      return immediate_of(number.real);
    case WAVESMITH_POINTWISE_C64:
      return immediate_of(std::array{static_cast<float>(number.real), static_cast<float>(number.imaginary)});
    default:
      return immediate_of(std::array{number.real, number.imaginary});
  }
}

PointwiseArguments arguments_of(const Description& one, int64_t count) {
  PointwiseArguments made{};
  for (int i = 0; i < 3; ++i) {
    made.numbers[i] = immediate(one.computed_in, one.numbers[i]);
    made.inputs_numbers[i] = immediate(one.computed_in, one.inputs[i].number);
  }
  int64_t groups = 1, elements = 1;
  for (int d = 0; d < one.dimensions; ++d) {
    const int64_t size = d == 0 ? (one.sizes[0] + count - 1) / count : one.sizes[d];
    made.sizes[d] = Division::by(static_cast<unsigned>(size));
    groups *= size, elements *= one.sizes[d];
  }
  int k = 0;
  for (const Operand* operand : Operands(one)) {
    PointwiseOperand& given = made.operands[k++];
    given = {.data = operand->data, .type = operand->type, .repeats = operand->strides[0] == 0, .steps = {}};
    if (!operand->data) continue;
    for (int d = 0; d < one.dimensions; ++d)
      given.steps[d] = static_cast<int>(operand->strides[d] * (d == 0 ? count : 1));
  }
  made.dimensions = one.dimensions;
  made.inputs = operands_of(one.operation);
  made.operation = one.operation;
  made.groups = static_cast<unsigned>(groups), made.elements = static_cast<unsigned>(elements);
  return made;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_pointwise(const wavesmith_pointwise_description* pointwise,
                                                     void* stream) {
  if (!pointwise) return invalid(kName, "the description is null");
  if (const auto status = check(*pointwise)) return status;
  if (is_empty(sizes_of(*pointwise))) return succeed();
  Description one = collapsed(*pointwise);
  const SpecialKernel special = special_kernel(one.operation, one.computed_in);
  one.computed_in = special.computed_in;
  int64_t count = special.name ? 1 : elements_at_once(one.computed_in);
  if (!is_grouped(one, count)) count = 1;
  const PointwiseArguments arguments = arguments_of(one, count);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel =
      special.name ? special.name
                   : "pointwise_" + std::string(word_of(one.computed_in)) + (count > 1 ? "_groups" : "");
  const unsigned workgroups = (arguments.groups + kPointwiseThreads - 1) / kPointwiseThreads;
  return launch(*device, kernel.c_str(), {.x = workgroups, .y = 1, .threads = kPointwiseThreads}, &arguments,
                sizeof(arguments), stream);
}
