// Operators that count: how often each integer comes, and how many numbers or points lie in each bin.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <ATen/core/Tensor.h>

#include <ATen/ops/_histogramdd_bin_edges_ops.h>
#include <ATen/ops/_histogramdd_from_bin_cts_ops.h>
#include <ATen/ops/_histogramdd_from_bin_tensors_ops.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/bincount_ops.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/histc_ops.h>
#include <ATen/ops/histogram_ops.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <wavesmith_bins.h>

#include "operators/kernels.h"
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

// A number of a tensor on the host.
double number_at(const Tensor& seen, std::int64_t place) {
  if (seen.scalar_type() == at::kFloat) return static_cast<double>(seen.const_data_ptr<float>()[place]);
  if (seen.scalar_type() == at::kDouble) return seen.const_data_ptr<double>()[place];
  return seen.view(-1).select(0, place).item<double>();
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
  const Tensor seen = least_and_largest(x);
  const double least = number_at(seen, 0), largest = number_at(seen, 1);
  if (!std::isfinite(least) || !std::isfinite(largest)) throw NotServed();
  return {least, largest};
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

// ---- points of several coordinates (kernels/bins): a point is on the last dimension

using Edges = std::vector<Tensor>;
using Limits = std::optional<c10::ArrayRef<double>>;

wavesmith_bins_description grid_of(const Tensor& x, const Edges& edges) {
  const bool is_float = x.scalar_type() == at::kFloat;
  if ((!is_float && x.scalar_type() != at::kDouble) || edges.empty() ||
      edges.size() > WAVESMITH_BINS_COORDINATES)
    throw NotServed();
  wavesmith_bins_description one{};
  one.type = is_float ? WAVESMITH_POINTWISE_F32 : WAVESMITH_POINTWISE_F64;
  one.coordinates = static_cast<std::int32_t>(edges.size());
  for (std::size_t c = 0; c < edges.size(); ++c) {
    if (edges[c].numel() > std::numeric_limits<std::int32_t>::max()) throw NotServed();
    one.bins[c] = static_cast<std::int32_t>(edges[c].numel() - 1);
    one.edges[c] = const_cast<void*>(edges[c].const_data_ptr());
  }
  return one;
}

// Between which numbers the points lie, of each coordinate: the least of all, then the largest of all. The
// device is waited for.
Tensor limits_of(const Tensor& points) {
  const auto coordinates = points.size(1);
  if (points.size(0) == 0) {
    Tensor limits = at::zeros({2, coordinates}, at::kDouble);
    limits.select(0, 1).fill_(1);
    return limits;
  }
  const Tensor both = made({2, coordinates}, {}, points.options());
  Tensor least = both.select(0, 0), largest = both.select(0, 1);
  constexpr std::int64_t kPoints = 0;
  at::amin_out(least, points, kPoints), at::amax_out(largest, points, kPoints);
  return both.to(c10::kCPU);
}

// Edges of bins of the same width along each coordinate, between these limits or those of the points.
Edges edges_between(const Tensor& points, c10::IntArrayRef bins, const Limits& given) {
  const auto coordinates = static_cast<std::size_t>(points.size(1));
  if (bins.size() != coordinates || (given && given->size() != 2 * coordinates)) throw NotServed();
  Edges edges;
  for (const auto count : bins) {
    if (count <= 0) throw NotServed();
    edges.push_back(made({count + 1}, {}, points.options()));
  }
  auto one = grid_of(points, edges);
  const Tensor seen = given ? Tensor() : limits_of(points);
  for (std::size_t c = 0; c < coordinates; ++c) {
    auto &low = one.low[c], &high = one.high[c];
    low = given ? (*given)[2 * c] : number_at(seen, static_cast<std::int64_t>(c));
    high = given ? (*given)[2 * c + 1] : number_at(seen, static_cast<std::int64_t>(coordinates + c));
    if (!std::isfinite(low) || !std::isfinite(high) || low > high) throw NotServed();
    if (low == high) low -= 0.5, high += 0.5;
  }
  serve(wavesmith_kernels_bin_edges(&one, native(current_stream(points.device().index()))), "bins");
  return edges;
}

// The sums of weights of the points in each bin.
Tensor sums_between(const Tensor& x, const Tensor& points, const Edges& given,
                    const std::optional<Tensor>& weight, bool density) {
  std::vector<std::int64_t> shape;
  Edges edges;
  for (const Tensor& each : given) {
    if (each.scalar_type() != x.scalar_type() || each.dim() != 1 || each.numel() < 2 ||
        each.device() != x.device())
      throw NotServed();
    shape.push_back(each.numel() - 1);
    edges.push_back(each.contiguous());
  }
  auto one = grid_of(x, edges);
  Tensor weights;
  if (weight.has_value() && weight->defined()) {
    if (weight->scalar_type() != x.scalar_type() || weight->numel() != points.size(0) ||
        weight->device() != x.device())
      throw NotServed();
    weights = weight->reshape(-1);
    const auto bytes = static_cast<std::int64_t>(weights.itemsize());
    one.weights = weights.const_data_ptr(), one.weight_stride = weights.stride(0) * bytes;
  }
  Tensor sums = at::zeros(shape, x.options());
  const auto bytes = static_cast<std::int64_t>(x.itemsize());
  one.points = points.size(0), one.x = points.const_data_ptr(), one.sums = sums.mutable_data_ptr();
  one.point_stride = points.stride(0) * bytes, one.coordinate_stride = points.stride(1) * bytes;
  serve(wavesmith_kernels_bins(&one, native(current_stream(x.device().index()))), "bins");
  if (!density) return sums;
  sums.div_(sums.sum());
  for (std::size_t c = 0; c < edges.size(); ++c) {
    const auto count = shape[c];
    std::vector<std::int64_t> along(shape.size(), 1);
    along[c] = count;
    sums.div_(edges[c].narrow(0, 1, count).sub(edges[c].narrow(0, 0, count)).view(along));
  }
  return sums;
}

Tensor points_of(const Tensor& x) {
  if (x.dim() < 2) throw NotServed();
  return x.reshape({-1, x.size(-1)});
}

Edges edges_of(const Tensor& x, c10::IntArrayRef bins, Limits limits, const std::optional<Tensor>&, bool) {
  return edges_between(points_of(x), bins, limits);
}

bool are_weights(const std::optional<Tensor>& weight, c10::IntArrayRef sizes) {
  return !weight.has_value() || !weight->defined() || weight->sizes() == sizes;
}

Tensor histogram_of_counts(const Tensor& x, c10::IntArrayRef bins, Limits limits,
                           const std::optional<Tensor>& weight, bool density) {
  const Tensor points = points_of(x);
  if (!are_weights(weight, x.sizes().slice(0, x.dim() - 1))) throw NotServed();
  return sums_between(x, points, edges_between(points, bins, limits), weight, density);
}

Tensor histogram_of_edges(const Tensor& x, at::TensorList edges, const std::optional<Tensor>& weight,
                          bool density) {
  const Tensor points = points_of(x);
  if (static_cast<std::int64_t>(edges.size()) != points.size(1) ||
      !are_weights(weight, x.sizes().slice(0, x.dim() - 1)))
    throw NotServed();
  return sums_between(x, points, edges.vec(), weight, density);
}

using Two = std::tuple<Tensor, Tensor>;

Two flat_histogram(const Tensor& x, std::int64_t bins, Limits limits, const std::optional<Tensor>& weight,
                   bool density) {
  const Tensor points = x.reshape({-1, 1});
  if (!are_weights(weight, x.sizes())) throw NotServed();
  const Edges edges = edges_between(points, bins, limits);
  return {sums_between(x, points, edges, weight, density), edges[0]};
}

Two flat_histogram_of_edges(const Tensor& x, const Tensor& edges, const std::optional<Tensor>& weight,
                            bool density) {
  if (!are_weights(weight, x.sizes())) throw NotServed();
  return {sums_between(x, x.reshape({-1, 1}), {edges}, weight, density), edges.clone()};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&bin_count, at::_ops::bincount>(m);
  plain<&histogram, at::_ops::histc>(m);
  plain<&edges_of, at::_ops::_histogramdd_bin_edges>(m);
  plain<&histogram_of_counts, at::_ops::_histogramdd_from_bin_cts>(m);
  plain<&histogram_of_edges, at::_ops::_histogramdd_from_bin_tensors>(m);
  plain<&flat_histogram, at::_ops::histogram_bin_ct>(m);
  plain<&flat_histogram_of_edges, at::_ops::histogram_bins_tensor>(m);
}

}  // namespace wavesmith::device
