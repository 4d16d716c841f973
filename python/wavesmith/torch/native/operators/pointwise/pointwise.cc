#include "operators/pointwise.h"

#include <c10/util/TypeCast.h>

#include "operators/kernels.h"

namespace wavesmith::device {
namespace {

constexpr int kDimensions = WAVESMITH_POINTWISE_DIMENSIONS;

// A CPU's tensor of one element, as PyTorch makes of numbers.
wavesmith_pointwise_number host_number(const at::TensorBase& tensor, const void* data) {
  const auto type = tensor.scalar_type();
  if (c10::isComplexType(type)) {
    const auto value = c10::fetch_and_cast<c10::complex<double>>(type, data);
    return {value.real(), value.imag(), 0};
  }
  if (c10::isFloatingType(type)) {
    const auto value = c10::fetch_and_cast<double>(type, data);
    return {value, 0, 0};
  }
  const auto value = c10::fetch_and_cast<std::int64_t>(type, data);
  return {static_cast<double>(value), 0, value};
}

}  // namespace

wavesmith_pointwise_operand operand_of(at::TensorIteratorBase& iterator, int index) {
  wavesmith_pointwise_operand made{};
  if (iterator.is_cpu_scalar(index)) {
    made.number = host_number(iterator.tensor_base(index), iterator.data_ptr(index));
    return made;
  }
  const auto type = number_type(iterator.dtype(index));
  if (!type) throw NotServed();
  made.data = iterator.data_ptr(index);
  made.type = *type;
  const auto strides = iterator.strides(index);
  for (int d = 0; d < std::min(iterator.ndim(), kDimensions); ++d) made.strides[d] = strides[d];
  return made;
}

namespace {

// Calls for each place along the dimensions that a description has not.
template <class Call>
void each_place(const at::TensorIteratorBase& iterator, wavesmith_pointwise_description& one,
                const Call& call) {
  const auto shape = iterator.shape();
  std::int64_t places = 1;
  for (int d = kDimensions; d < iterator.ndim(); ++d) places *= shape[d];
  const auto first = one;
  for (std::int64_t place = 0; place < places; ++place) {
    std::int64_t rest = place;
    for (int d = kDimensions; d < iterator.ndim(); ++d) {
      const auto at = rest % shape[d];
      rest /= shape[d];
      for (int k = 0; k < iterator.ntensors(); ++k) {
        auto& operand = k == 0 ? one.y : one.inputs[k - 1];
        const auto& begin = k == 0 ? first.y : first.inputs[k - 1];
        if (begin.data == nullptr) continue;
        if (d == kDimensions) operand.data = begin.data;
        operand.data = static_cast<char*>(operand.data) + at * iterator.strides(k)[d];
      }
    }
    call(one);
  }
}

// Lets a caller change what an iterator's description has.
using Change = void (*)(wavesmith_pointwise_description&, const c10::Scalar&);

struct Launch {
  wavesmith_pointwise_operation operation;
  wavesmith_pointwise_type computed_in;
  const PointwiseNumbers& numbers;
  Change change = nullptr;
  c10::Scalar changed_by = 0;
};

void launch_part(const Launch& launch, at::TensorIteratorBase& iterator) {
  wavesmith_pointwise_description one{};
  one.operation = launch.operation;
  one.computed_in = launch.computed_in;
  one.dimensions = std::min(iterator.ndim(), kDimensions);
  for (int d = 0; d < one.dimensions; ++d) one.sizes[d] = iterator.shape()[d];
  one.y = operand_of(iterator, 0);
  for (int k = 1; k < iterator.ntensors(); ++k) one.inputs[k - 1] = operand_of(iterator, k);
  for (std::size_t k = 0; k < launch.numbers.size(); ++k) one.numbers[k] = number_of(launch.numbers[k]);
  void* const stream = native(current_stream(iterator.device(0).index()));
  each_place(iterator, one, [&](const wavesmith_pointwise_description& place) {
    auto each = place;
    if (launch.change != nullptr) launch.change(each, launch.changed_by);
    serve(wavesmith_kernels_pointwise(&each, stream), "pointwise");
  });
}

void launch_all(const Launch& launch, at::TensorIteratorBase& iterator) {
  if (iterator.can_use_32bit_indexing()) return launch_part(launch, iterator);
  for (auto& part : iterator.with_32bit_indexing()) launch_part(launch, part);
}

wavesmith_pointwise_type computing_or_throw(c10::ScalarType type) {
  const auto computing = computing_type(type);
  if (!computing) throw NotServed();
  return *computing;
}

c10::ScalarType common_type(const at::TensorIteratorBase& iterator) {
  const auto common = iterator.maybe_common_dtype();
  return common ? *common : iterator.dtype(iterator.ninputs() > 0 ? iterator.noutputs() : 0);
}

}  // namespace

std::optional<wavesmith_pointwise_type> number_type(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Bool:
      return WAVESMITH_POINTWISE_BOOL;
    case c10::ScalarType::Byte:
      return WAVESMITH_POINTWISE_U8;
    case c10::ScalarType::Char:
      return WAVESMITH_POINTWISE_I8;
    case c10::ScalarType::Short:
      return WAVESMITH_POINTWISE_I16;
    case c10::ScalarType::Int:
      return WAVESMITH_POINTWISE_I32;
    case c10::ScalarType::Long:
      return WAVESMITH_POINTWISE_I64;
    case c10::ScalarType::Half:
      return WAVESMITH_POINTWISE_F16;
    case c10::ScalarType::BFloat16:
      return WAVESMITH_POINTWISE_BF16;
    case c10::ScalarType::Float:
      return WAVESMITH_POINTWISE_F32;
    case c10::ScalarType::Double:
      return WAVESMITH_POINTWISE_F64;
    case c10::ScalarType::ComplexFloat:
      return WAVESMITH_POINTWISE_C64;
    case c10::ScalarType::ComplexDouble:
      return WAVESMITH_POINTWISE_C128;
    default:
      return std::nullopt;
  }
}

std::optional<wavesmith_pointwise_type> computing_type(c10::ScalarType type) {
  const auto number = number_type(type);
  if (!number || *number >= WAVESMITH_POINTWISE_F32) return number;
  return *number <= WAVESMITH_POINTWISE_I64 ? WAVESMITH_POINTWISE_I64 : WAVESMITH_POINTWISE_F32;
}

wavesmith_pointwise_number number_of(const c10::Scalar& scalar) {
  if (scalar.isComplex()) {
    const auto value = scalar.toComplexDouble();
    return {value.real(), value.imag(), 0};
  }
  if (scalar.isFloatingPoint()) {
    // Infinities and large floats have no integer.
    const double value = scalar.toDouble();
    const bool has_integer = value > -0x1p63 && value < 0x1p63;
    return {value, 0, has_integer ? static_cast<std::int64_t>(value) : 0};
  }
  const auto value = scalar.isBoolean() ? static_cast<std::int64_t>(scalar.toBool()) : scalar.toLong();
  return {static_cast<double>(value), 0, value};
}

void launch(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
            c10::ScalarType computed_in, const PointwiseNumbers& numbers) {
  if (iterator.numel() == 0) return;
  launch_all({operation, computing_or_throw(computed_in), numbers}, iterator);
}

void launch(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
            const PointwiseNumbers& numbers) {
  launch(operation, iterator, common_type(iterator), numbers);
}

void launch_on_itself(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator) {
  if (iterator.numel() == 0) return;
  launch_all(
      {operation,
       computing_or_throw(common_type(iterator)),
       {},
       [](wavesmith_pointwise_description& one, const c10::Scalar&) { one.inputs[1] = one.inputs[0]; }},
      iterator);
}

void launch_with_number(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
                        const c10::Scalar& number) {
  if (iterator.numel() == 0) return;
  launch_all({operation,
              computing_or_throw(common_type(iterator)),
              {},
              [](wavesmith_pointwise_description& one, const c10::Scalar& given) {
                one.inputs[1] = {};
                one.inputs[1].number = number_of(given);
              },
              number},
             iterator);
}

void launch_in_place(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
                     const PointwiseNumbers& numbers) {
  if (iterator.numel() == 0) return;
  launch_all({operation, computing_or_throw(iterator.dtype()), numbers,
              [](wavesmith_pointwise_description& one, const c10::Scalar&) {
                one.inputs[2] = one.inputs[1];
                one.inputs[1] = one.inputs[0];
                one.inputs[0] = one.y;
              }},
             iterator);
}

}  // namespace wavesmith::device
