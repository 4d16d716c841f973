// Operators that count: how often each integer comes, and how many numbers lie in each bin.
#include <algorithm>
#include <cmath>

#include <ATen/core/Tensor.h>

#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/bincount_ops.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/histc_ops.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// The least and the largest number on the host; the device is waited for.
Tensor least_and_largest(const Tensor& x) {
  const Tensor both = made({2}, {}, x.options());
  Tensor least = both.select(0, 0), largest = both.select(0, 1);
  at::amin_out(least, x), at::amax_out(largest, x);
  return both.to(c10::kCPU);
}

Tensor bin_count(const Tensor& x, const std::optional<Tensor>& given, c10::SymInt minlength) {
  const bool is_integer = c10::isIntegralType(x.scalar_type(), false);
  if (x.dim() != 1 || !is_integer || minlength < 0) throw NotServed();
  const bool has_weights = given.has_value() && given->defined();
  const auto least_length = minlength.expect_int();
  if (x.numel() == 0) return at::zeros({least_length}, x.options().dtype(at::kLong));
  if (has_weights && (given->sizes() != x.sizes() || given->device() != x.device() || given->is_complex()))
    throw NotServed();
  const Tensor places = x.to(at::kLong), seen = least_and_largest(places);
  const auto* numbers = seen.const_data_ptr<std::int64_t>();
  if (numbers[0] < 0) throw NotServed();
  const auto type = !has_weights ? at::kLong : given->scalar_type() == at::kFloat ? at::kFloat : at::kDouble;
  const Tensor weights =
      has_weights ? given->to(type) : made({}, {}, places.options()).fill_(1).expand(x.sizes());
  return at::zeros({std::max(numbers[1] + 1, least_length)}, weights.options())
      .index_add_(0, places, weights);
}

// The same as numbers.
std::pair<double, double> extremes(const Tensor& x) {
  const Tensor seen = least_and_largest(x).to(at::kDouble);
  const auto* numbers = seen.const_data_ptr<double>();
  if (!std::isfinite(numbers[0]) || !std::isfinite(numbers[1])) throw NotServed();
  return {numbers[0], numbers[1]};
}

Tensor histogram(const Tensor& given, std::int64_t bins, const at::Scalar& min, const at::Scalar& max) {
  if (!given.is_floating_point() || min.isComplex() || max.isComplex()) throw NotServed();
  auto low = min.toDouble(), high = max.toDouble();
  if (bins <= 0 || !std::isfinite(low) || !std::isfinite(high) || low > high) throw NotServed();
  const Tensor flat = given.reshape(-1);
  if (low == high && flat.numel() != 0) std::tie(low, high) = extremes(flat);
  if (low == high) low -= 1, high += 1;
  const bool is_double = flat.scalar_type() == at::kDouble;
  const Tensor x = is_double ? flat : flat.to(at::kFloat);
  const double width =
      is_double ? high - low : static_cast<double>(static_cast<float>(high) - static_cast<float>(low));
  const Tensor is_inside = at::clamp(x, low, high).eq(x);
  const Tensor place = x.sub(low).mul_(bins).div_(width).clamp_(0, bins - 1);
  // Behind the last bin is what is in none.
  const Tensor places = at::where(is_inside, place, at::Scalar(bins)).to(at::kLong);
  const Tensor counts = at::zeros({bins + 1}, places.options());
  const Tensor one = made({}, {}, places.options()).fill_(1);
  counts.index_add_(0, places, one.expand(places.sizes()));
  return counts.narrow(0, 0, bins).to(given.scalar_type());
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&bin_count, at::_ops::bincount>(m);
  plain<&histogram, at::_ops::histc>(m);
}

}  // namespace wavesmith::device
