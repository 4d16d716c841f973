// Operators that draw random numbers.
#include <cmath>
#include <limits>

#include <ATen/ExpandUtils.h>
#include <ATen/native/UnaryOps.h>

#include <ATen/ops/_fused_dropout_ops.h>
#include <ATen/ops/_masked_scale_ops.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/bernoulli_native.h>
#include <ATen/ops/bernoulli_ops.h>
#include <ATen/ops/cauchy_native.h>
#include <ATen/ops/cauchy_ops.h>
#include <ATen/ops/exponential_native.h>
#include <ATen/ops/exponential_ops.h>
#include <ATen/ops/geometric_native.h>
#include <ATen/ops/geometric_ops.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/log_normal_native.h>
#include <ATen/ops/log_normal_ops.h>
#include <ATen/ops/multinomial_native.h>
#include <ATen/ops/multinomial_ops.h>
#include <ATen/ops/native_dropout_backward_ops.h>
#include <ATen/ops/native_dropout_ops.h>
#include <ATen/ops/normal_native.h>
#include <ATen/ops/normal_ops.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/random_native.h>
#include <ATen/ops/random_ops.h>
#include <ATen/ops/randperm_ops.h>
#include <ATen/ops/rrelu_with_noise_ops.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/uniform_native.h>
#include <ATen/ops/uniform_ops.h>
#include <ATen/ops/zeros_like.h>
#include <wavesmith_random.h>

#include "device/generator.h"
#include "operators/kernels.h"
#include "operators/pointwise.h"
#include "operators/served.h"
#include "operators/stubs.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::TensorIterator;
using at::TensorIteratorBase;
using OptionalGenerator = std::optional<at::Generator>;

// Has a call of the library draw: `source` is that of its description.
template <class Description>
void draw_by(wavesmith_kernels_status (*call)(const Description*, void*), Description one,
             const OptionalGenerator& generator, c10::Device device) {
  const auto stream = native(current_stream(device.index()));
  draw(generator, device.index(), stream, [&](const DrawSource& from) {
    std::uint64_t used = 0;
    one.source = {from.seed, from.offset, from.state, &used};
    serve(call(&one, stream), "random numbers");
    return used;
  });
}

// Adds the iterator's operands: its outputs are y and, where there are three, what is drawn.
wavesmith_random_description with_operands(TensorIteratorBase& iterator, wavesmith_random_description one) {
  if (iterator.ndim() > WAVESMITH_POINTWISE_DIMENSIONS) throw NotServed();
  one.dimensions = iterator.ndim();
  for (int d = 0; d < iterator.ndim(); ++d) one.sizes[d] = iterator.shape()[d];
  one.y = operand_of(iterator, 0);
  if (iterator.ntensors() > 1) one.x = operand_of(iterator, iterator.noutputs());
  if (iterator.noutputs() > 1) one.drawn = operand_of(iterator, 1);
  return one;
}

void draw_elements(TensorIteratorBase& iterator, const wavesmith_random_description& one,
                   const OptionalGenerator& generator) {
  if (iterator.numel() == 0) return;
  if (!iterator.can_use_32bit_indexing()) {
    for (auto& part : iterator.with_32bit_indexing()) draw_elements(part, one, generator);
    return;
  }
  draw_by(&wavesmith_kernels_random, with_operands(iterator, one), generator, iterator.device(0));
}

wavesmith_random_description numbers_of(wavesmith_random_operation operation, double p = 0, double q = 0) {
  wavesmith_random_description one{};
  one.operation = operation;
  one.p = p;
  one.q = q;
  return one;
}

// Distributions.

template <wavesmith_random_operation kOperation>
void with_one(TensorIteratorBase& iterator, double p, OptionalGenerator generator) {
  draw_elements(iterator, numbers_of(kOperation, p), generator);
}
template <wavesmith_random_operation kOperation>
void with_two(TensorIteratorBase& iterator, double p, double q, OptionalGenerator generator) {
  draw_elements(iterator, numbers_of(kOperation, p, q), generator);
}
void exponential(TensorIteratorBase& iterator, double rate, OptionalGenerator generator) {
  TORCH_CHECK(c10::isFloatingType(iterator.dtype()),
              "Exponential distribution is a continuous probability distribution. dtype must be a floating "
              "point but you specified ",
              iterator.dtype());
  with_one<WAVESMITH_RANDOM_EXPONENTIAL>(iterator, rate, std::move(generator));
}
void normal(const at::TensorBase& self, double mean, double deviation, OptionalGenerator generator) {
  auto iterator = TensorIterator::borrowing_nullary_op(self);
  with_two<WAVESMITH_RANDOM_NORMAL>(iterator, mean, deviation, std::move(generator));
}

// Waits once for what PyTorch looks at twice.
at::Tensor normal_of_tensors(const at::Tensor& mean, const at::Tensor& deviation,
                             OptionalGenerator generator) {
  if (!on_device(mean) || !on_device(deviation) || deviation.is_complex() || deviation.numel() == 0)
    return at::native::normal(mean, deviation, std::move(generator));
  TORCH_CHECK(deviation.min().item().toDouble() >= 0, "normal expects all elements of std >= 0.0");
  at::Tensor drawn =
      made(at::infer_size(mean.sizes(), deviation.sizes()), {}, mean.options().memory_format(std::nullopt));
  at::native::normal_(drawn, 0, 1, std::move(generator));
  return drawn.mul_(deviation).add_(mean);
}

void bernoulli(const at::TensorBase& self, double p, OptionalGenerator generator) {
  auto iterator = TensorIterator::borrowing_nullary_op(self);
  with_one<WAVESMITH_RANDOM_BERNOULLI>(iterator, p, std::move(generator));
}

// PyTorch compares with floats, unless the result has doubles.
void bernoulli_each(const at::TensorBase& self, const at::TensorBase& given, OptionalGenerator generator) {
  TORCH_CHECK(c10::isFloatingType(given.scalar_type()),
              "expected probabilities tensor to have floating type, got ", given.scalar_type());
  const bool is_double = self.scalar_type() == c10::ScalarType::Double;
  const auto p =
      at::Tensor(given).to(at::TensorOptions()
                               .device(self.device())
                               .dtype(is_double ? c10::ScalarType::Double : c10::ScalarType::Float));
  auto iterator = at::TensorIteratorConfig()
                      .add_borrowed_output(self)
                      .add_borrowed_const_input(p)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .build();
  draw_elements(iterator, numbers_of(WAVESMITH_RANDOM_CHANCES), generator);
}

// Integers.

void draw_integers(TensorIteratorBase& iterator, bool wide, std::uint64_t range, std::int64_t base,
                   const OptionalGenerator& generator) {
  auto one = numbers_of(WAVESMITH_RANDOM_INTEGERS);
  one.bits = wide ? 64 : 32;
  one.range = range;
  one.base = base;
  draw_elements(iterator, one, generator);
}
// 64 bits from where the rest of a division of 32 would be skewed by a twentieth.
void integers_between(TensorIteratorBase& iterator, std::uint64_t range, std::int64_t base,
                      OptionalGenerator generator) {
  draw_integers(iterator, range >= std::uint64_t{1} << 28, range, base, generator);
}
void all_integers(TensorIteratorBase& iterator, OptionalGenerator generator) {
  const auto type = iterator.dtype();
  TORCH_CHECK(type == c10::ScalarType::Long || type == c10::ScalarType::Double ||
                  type == c10::ScalarType::Float || type == c10::ScalarType::BFloat16,
              "random_full_64_bits_range_kernel_cuda handles only int64, double, float and bfloat16");
  draw_integers(iterator, true, 0, 0, generator);
}
// As many integers as the type has, from 0 on.
void integers(TensorIteratorBase& iterator, OptionalGenerator generator) {
  const auto count = [&]() -> std::uint64_t {
    const std::uint64_t one = 1;
    switch (iterator.dtype()) {
      case c10::ScalarType::Bool:
        return 2;
      case c10::ScalarType::Byte:
        return one << 8;
      case c10::ScalarType::Char:
        return one << 7;
      case c10::ScalarType::Short:
        return one << 15;
      case c10::ScalarType::Int:
        return one << 31;
      case c10::ScalarType::Long:
        return one << 63;
      case c10::ScalarType::Half:
        return (one << 11) + 1;
      case c10::ScalarType::BFloat16:
        return (one << 8) + 1;
      case c10::ScalarType::Float:
        return (one << 24) + 1;
      case c10::ScalarType::Double:
        return (one << 53) + 1;
      default:
        throw NotServed();
    }
  };
  const auto type = iterator.dtype();
  draw_integers(iterator, type == c10::ScalarType::Double || type == c10::ScalarType::Long, count(), 0,
                generator);
}

// Choices of categories, with replacement.
void choose(at::Tensor& result, const at::Tensor& self, std::int64_t samples, OptionalGenerator generator) {
  const auto type = number_type(self.scalar_type());
  if (!type) throw NotServed();
  const auto rows = self.dim() == 1 ? self.unsqueeze(0) : self;
  const auto weights = rows.div(rows.sum(1, /*keepdim=*/true)).contiguous();
  const auto sums = weights.cumsum(1).contiguous();
  result.resize_({rows.size(0), samples});
  auto chosen = result.is_contiguous() ? result : at::empty_like(result, at::MemoryFormat::Contiguous);
  wavesmith_random_choice_description one{};
  one.rows = rows.size(0);
  one.categories = rows.size(1);
  one.samples = samples;
  one.sums = sums.const_data_ptr();
  one.weights = weights.const_data_ptr();
  one.type = *type;
  one.y = chosen.mutable_data_ptr<std::int64_t>();
  draw_by(&wavesmith_kernels_random_choice, one, generator, self.device());
  if (!chosen.is_same(result)) result.copy_(chosen);
  if (self.dim() == 1) result.resize_({samples});
}

// Has a kernel stop, without a wait, where a weight is negative or not finite, or all of a row are 0: by the
// largest they are no chances then. What that kernel draws is none of the generator's.
void check_weights(const at::Tensor& weights) {
  const at::Tensor chances = weights.div(
      at::linalg_vector_norm(weights, std::numeric_limits<double>::infinity(), {{-1}}, /*keepdim=*/true));
  const at::Tensor chosen = made(weights.sizes(), {}, weights.options().dtype(c10::ScalarType::Bool));
  auto iterator = at::TensorIteratorConfig()
                      .add_borrowed_output(chosen)
                      .add_borrowed_const_input(chances)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .build();
  if (!iterator.can_use_32bit_indexing()) throw NotServed();
  auto one = with_operands(iterator, numbers_of(WAVESMITH_RANDOM_CHANCES));
  std::uint64_t used = 0;
  one.source.used = &used;
  serve(wavesmith_kernels_random(&one, native(current_stream(weights.device().index()))), "random numbers");
}

// One sample of each row, or several of different categories: those whose weights by exponential numbers are
// the largest.
bool is_by_order(const at::Tensor& self, std::int64_t samples, bool replacement) {
  constexpr std::int64_t kMostCategories = 1 << 24;
  return self.dim() >= 1 && self.dim() <= 2 && c10::isFloatingType(self.scalar_type()) && self.numel() != 0 &&
         samples >= 1 && samples <= self.size(-1) && self.size(-1) <= kMostCategories &&
         (samples == 1 || !replacement);
}
void choose_by_order(at::Tensor& result, const at::Tensor& self, std::int64_t samples,
                     OptionalGenerator generator) {
  check_weights(self);
  at::Tensor order = at::empty_like(self);
  at::native::exponential_(order, 1, std::move(generator));
  at::div_out(order, self, order);
  if (samples == 1) {
    at::argmax_out(result, order, -1, /*keepdim=*/true);
    return;
  }
  auto sizes = self.sizes().vec();
  sizes.back() = samples;
  result.resize_(sizes);
  put_in_order(order, -1, /*descending=*/true, made(sizes, {}, self.options().memory_format(std::nullopt)),
               result);
}

// What else there is, and what PyTorch refuses, is its own code's.
at::Tensor multinomial(const at::Tensor& self, c10::SymInt given, bool replacement,
                       OptionalGenerator generator) {
  const auto samples = given.expect_int();
  if (!is_by_order(self, samples, replacement))
    return at::native::multinomial(self, samples, replacement, std::move(generator));
  at::Tensor result = made({0}, {}, self.options().dtype(c10::ScalarType::Long).memory_format(std::nullopt));
  choose_by_order(result, self, samples, std::move(generator));
  return result;
}
at::Tensor& multinomial_out(const at::Tensor& self, c10::SymInt given, bool replacement,
                            OptionalGenerator generator, at::Tensor& result) {
  const auto samples = given.expect_int();
  if (!is_by_order(self, samples, replacement) || result.scalar_type() != c10::ScalarType::Long ||
      result.device() != self.device())
    return at::native::multinomial_out(self, samples, replacement, std::move(generator), result);
  choose_by_order(result, self, samples, std::move(generator));
  return result;
}

// A permutation: numbers in the order of random keys, shuffled where keys are equal. The keys have as many
// bits as leave all of them different with a probability of 9/10.
at::Tensor& permutation(c10::SymInt given, OptionalGenerator generator, at::Tensor& result) {
  const auto count = given.expect_int();
  TORCH_CHECK(count >= 0, "n must be non-negative, got", count);
  at::native::resize_output(result, {count});
  if (count == 0) return result;
  const auto n = static_cast<double>(count);
  const int bits =
      std::min(64, static_cast<int>(std::ceil(std::log2(n - (6 * n * n + 1) / (12 * std::log(0.9))))));
  const bool wide = bits > 32;
  auto keys = at::empty({count}, result.options().dtype(wide ? c10::ScalarType::Long : c10::ScalarType::Int));
  if (wide)
    keys.random_(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                 generator);
  else
    keys.random_(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), generator);
  keys = keys.to(c10::ScalarType::Long);
  if (bits < 64) keys = keys.bitwise_and((std::int64_t{1} << bits) - 1);
  const auto [sorted, order] = at::sort(keys, /*stable=*/true, 0, /*descending=*/false);
  const wavesmith_random_shuffle_description one{
      count, sorted.const_data_ptr<std::int64_t>(), order.mutable_data_ptr<std::int64_t>(), {}};
  draw_by(&wavesmith_kernels_random_shuffle, one, generator, result.device());
  result.copy_(order);
  return result;
}

// Dropout.

// How many elements a thread has beside each other, as PyTorch has it, of 16 bits at most four.
int at_once(const at::Tensor& self, const at::Tensor& y, const at::Tensor& mask) {
  if (!self.is_non_overlapping_and_dense() || !y.is_non_overlapping_and_dense() ||
      !mask.is_non_overlapping_and_dense())
    return 1;
  const auto address = reinterpret_cast<std::uintptr_t>(self.const_data_ptr());
  for (const int count : {4, 2})
    if (address % (count * self.element_size()) == 0 && self.numel() % count == 0) return count;
  return 1;
}

std::tuple<at::Tensor, at::Tensor> drop_out(const at::Tensor& self, double kept, c10::ScalarType mask_type,
                                            const OptionalGenerator& generator) {
  auto mask = at::empty_like(self, self.options().dtype(mask_type));
  if (self.numel() == 0) return {self.clone(), mask};
  auto y = at::empty_like(self);
  auto iterator = at::TensorIteratorConfig()
                      .add_borrowed_output(y)
                      .add_borrowed_output(mask)
                      .add_borrowed_const_input(self)
                      .check_all_same_dtype(false)
                      .build();
  auto one = numbers_of(WAVESMITH_RANDOM_DROPOUT, kept);
  one.at_once = iterator.can_use_32bit_indexing() ? at_once(self, y, mask) : 1;
  draw_elements(iterator, one, generator);
  return {y, mask};
}
std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& self, double p, std::optional<bool> train) {
  const auto boolean = self.options().dtype(c10::ScalarType::Bool);
  if (train.has_value() && !*train) return {self.clone(), at::ones_like(self, boolean)};
  if (p == 1) return {at::zeros_like(self), at::zeros_like(self, boolean)};
  return drop_out(self, 1 - p, c10::ScalarType::Bool, std::nullopt);
}
std::tuple<at::Tensor, at::Tensor> fused_dropout(const at::Tensor& self, double kept,
                                                 OptionalGenerator generator) {
  return drop_out(self, kept, c10::ScalarType::Byte, generator);
}

// gradient * mask * scale, rounded once.
at::Tensor masked(const at::Tensor& gradient, const at::Tensor& mask, double scale) {
  if (!c10::isFloatingType(gradient.scalar_type())) throw NotServed();
  auto result = at::empty_like(gradient);
  const auto zero = at::scalar_tensor(0);
  auto iterator = at::TensorIteratorConfig()
                      .add_borrowed_output(result)
                      .add_borrowed_const_input(zero)
                      .add_borrowed_const_input(gradient)
                      .add_borrowed_const_input(mask)
                      .allow_cpu_scalars(true)
                      .check_all_same_dtype(false)
                      .build();
  launch(WAVESMITH_POINTWISE_ADD_PRODUCT, iterator, gradient.scalar_type(), {scale});
  return result;
}
at::Tensor masked_scale(const at::Tensor& self, const at::Tensor& mask, double scale) {
  TORCH_CHECK(mask.scalar_type() == c10::ScalarType::Byte, "mask should be torch.uint8 dtype");
  return masked(self, mask, scale);
}

// Randomised leaky ReLU: elements in their order, whatever the strides.
at::Tensor& rrelu_out(const at::Tensor& self, at::Tensor& noise, const c10::Scalar& lower,
                      const c10::Scalar& upper, bool training, OptionalGenerator generator,
                      at::Tensor& output) {
  at::native::resize_output(output, self.sizes());
  if (self.numel() == 0) return output;
  if (!training) return at::leaky_relu_out(output, self, (lower.toDouble() + upper.toDouble()) / 2);
  const auto input = self.contiguous();
  auto slopes = noise.contiguous(), y = output.contiguous();
  auto iterator = at::TensorIteratorConfig()
                      .add_borrowed_output(y)
                      .add_borrowed_output(slopes)
                      .add_borrowed_const_input(input)
                      .set_check_mem_overlap(false)
                      .resize_outputs(false)
                      .build();
  draw_elements(iterator, numbers_of(WAVESMITH_RANDOM_RRELU, lower.toDouble(), upper.toDouble()), generator);
  if (!slopes.is_same(noise)) noise.copy_(slopes);
  if (!y.is_same(output)) output.copy_(y);
  return output;
}
at::Tensor rrelu(const at::Tensor& self, at::Tensor& noise, const c10::Scalar& lower,
                 const c10::Scalar& upper, bool training, OptionalGenerator generator) {
  auto output = at::empty_like(self, at::MemoryFormat::Contiguous);
  return rrelu_out(self, noise, lower, upper, training, std::move(generator), output);
}
at::Tensor& rrelu_in_place(at::Tensor& self, at::Tensor& noise, const c10::Scalar& lower,
                           const c10::Scalar& upper, bool training, OptionalGenerator generator) {
  return rrelu_out(self, noise, lower, upper, training, std::move(generator), self);
}

WAVESMITH_STUB(uniform_stub, &with_two<WAVESMITH_RANDOM_UNIFORM>);
WAVESMITH_STUB(normal_stub, &normal);
WAVESMITH_STUB(log_normal_stub, &with_two<WAVESMITH_RANDOM_LOG_NORMAL>);
WAVESMITH_STUB(cauchy_stub, &with_two<WAVESMITH_RANDOM_CAUCHY>);
WAVESMITH_STUB(exponential_stub, &exponential);
WAVESMITH_STUB(geometric_stub, &with_one<WAVESMITH_RANDOM_GEOMETRIC>);
WAVESMITH_STUB(bernoulli_scalar_stub, &bernoulli);
WAVESMITH_STUB(bernoulli_tensor_stub, &bernoulli_each);
WAVESMITH_STUB(random_from_to_stub, &integers_between);
WAVESMITH_STUB(random_full_64_bits_range_stub, &all_integers);
WAVESMITH_STUB(random_stub, &integers);
WAVESMITH_STUB(multinomial_with_replacement_stub, &choose);

// One of PyTorch's functions of the same name, which has the operator's parameters.
template <class Op>
using FunctionOf = std::add_pointer_t<typename Op::schema>;

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  using namespace at;
  plain<&native::uniform_, _ops::uniform_>(m);
  plain<&native::normal_, _ops::normal_>(m);
  plain<FunctionOf<_ops::normal_Tensor_float>(&native::normal), _ops::normal_Tensor_float>(m);
  plain<FunctionOf<_ops::normal_float_Tensor>(&native::normal), _ops::normal_float_Tensor>(m);
  plain<&normal_of_tensors, _ops::normal_Tensor_Tensor>(m);
  plain<FunctionOf<_ops::normal_Tensor_float_out>(&native::normal_out), _ops::normal_Tensor_float_out>(m);
  plain<FunctionOf<_ops::normal_float_Tensor_out>(&native::normal_out), _ops::normal_float_Tensor_out>(m);
  plain<FunctionOf<_ops::normal_Tensor_Tensor_out>(&native::normal_out), _ops::normal_Tensor_Tensor_out>(m);
  plain<&native::log_normal_, _ops::log_normal_>(m);
  plain<&native::cauchy_, _ops::cauchy_>(m);
  plain<&native::exponential_, _ops::exponential_>(m);
  plain<&native::geometric_, _ops::geometric_>(m);
  plain<FunctionOf<_ops::bernoulli__float>(&native::bernoulli_), _ops::bernoulli__float>(m);
  plain<FunctionOf<_ops::bernoulli__Tensor>(&native::bernoulli_), _ops::bernoulli__Tensor>(m);
  plain<&native::bernoulli_out, _ops::bernoulli_out>(m);
  plain<FunctionOf<_ops::random_>(&native::random_), _ops::random_>(m);
  plain<FunctionOf<_ops::random__to>(&native::random_), _ops::random__to>(m);
  plain<FunctionOf<_ops::random__from>(&native::random_), _ops::random__from>(m);
  plain<&multinomial, _ops::multinomial>(m);
  plain<&multinomial_out, _ops::multinomial_out>(m);
  plain<&permutation, _ops::randperm_generator_out>(m);
  plain<&dropout, _ops::native_dropout>(m);
  plain<&masked, _ops::native_dropout_backward>(m);
  plain<&fused_dropout, _ops::_fused_dropout>(m);
  plain<&masked_scale, _ops::_masked_scale>(m);
  plain<&rrelu, _ops::rrelu_with_noise>(m);
  plain<&rrelu_in_place, _ops::rrelu_with_noise_>(m);
  plain<&rrelu_out, _ops::rrelu_with_noise_out>(m);
}

}  // namespace wavesmith::device
