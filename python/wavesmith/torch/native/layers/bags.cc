// EmbeddingBag: bags of rows are the rows of a sparse matrix, whose columns are the indices (kernels/sparse).
#include <optional>
#include <tuple>

#include <ATen/ops/_embedding_bag_forward_only_ops.h>
#include <ATen/ops/_embedding_bag_ops.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/div.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <wavesmith_sparse.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

enum BagMode : std::int64_t { kBagSum = 0, kBagMean = 1, kBagMaximum = 2 };

wavesmith_pointwise_operand list_of(const Tensor& list) {
  wavesmith_pointwise_operand one{};
  one.data = list.numel() == 0 ? nullptr : list.data_ptr(), one.type = *number_type(list.scalar_type());
  return one;
}

void check_bags(const Tensor& weight, const Tensor& indices, const Tensor& offsets, std::int64_t mode,
                const std::optional<Tensor>& shares, bool include_last) {
  const auto is_list = [](const Tensor& tensor) {
    return tensor.dim() == 1 && (tensor.scalar_type() == at::kInt || tensor.scalar_type() == at::kLong);
  };
  if (weight.dim() != 2 || !weight.is_floating_point() || !is_list(indices) || !is_list(offsets) ||
      indices.device() != weight.device() || offsets.device() != weight.device() ||
      (include_last && offsets.numel() == 0))
    throw NotServed();
  if (shares && (mode != kBagSum || shares->sizes() != indices.sizes())) throw NotServed();
}

// Where bags begin, and where the last one ends.
Tensor begins_of(const Tensor& offsets, bool include_last, std::int64_t entries) {
  const Tensor given = offsets.to(at::kLong).contiguous();
  if (include_last) return given;
  const Tensor begins = made({given.numel() + 1}, {}, given.options());
  begins.narrow(0, 0, given.numel()).copy_(given);
  begins.narrow(0, given.numel(), 1).fill_(entries);
  return begins;
}

// The bag of each entry: how many bags begin before it or with it, less one.
Tensor bags_of(const Tensor& begins, std::int64_t entries) {
  const Tensor number = at::arange(entries, begins.options());
  return at::searchsorted(begins.narrow(0, 0, begins.numel() - 1), number, false, true).sub_(1);
}

// How many entries each bag has, without those that do not count.
Tensor sizes_of(const Tensor& begins, const Tensor& counted, const Tensor& bag_of, bool pads) {
  const auto bags = begins.numel() - 1;
  if (!pads) return begins.narrow(0, 1, bags).sub(begins.narrow(0, 0, bags));
  const Tensor sums = at::zeros({bags + 1}, begins.options());
  return sums.index_add_(0, bag_of, counted.ge(0).to(at::kLong)).narrow(0, 0, bags);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& given_indices,
                                                         const Tensor& offsets, bool, std::int64_t mode, bool,
                                                         const std::optional<Tensor>& shares,
                                                         bool include_last, std::int64_t padding) {
  const bool shared = shares && shares->defined();
  check_bags(weight, given_indices, offsets, mode, shared ? shares : std::nullopt, include_last);
  const Tensor indices = given_indices.to(at::kLong).contiguous();
  const auto entries = indices.numel();
  const Tensor begins = begins_of(offsets, include_last, entries);
  const auto bags = begins.numel() - 1;
  const Tensor counted = padding < 0 ? indices : at::where(indices.eq(padding), -1, indices).to(at::kLong);
  const Tensor bag_of = bags_of(begins, entries), sizes = sizes_of(begins, counted, bag_of, padding >= 0);
  const bool is_maximum = mode == kBagMaximum;
  const Tensor result = made({bags, weight.size(1)}, {}, weight.options());
  const Tensor places = made(is_maximum ? result.sizes() : at::IntArrayRef{0}, {}, indices.options());
  if (result.numel() == 0) return {result, bag_of, sizes, places};
  const auto type = weight.scalar_type();
  const auto wide = type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
  const Tensor y =
      mode == kBagMean && wide != type ? made(result.sizes(), {}, result.options().dtype(wide)) : result;
  const Tensor weights = shared ? shares->contiguous() : Tensor();
  wavesmith_sparse_description one{};
  one.operation = is_maximum ? WAVESMITH_SPARSE_MAXIMUM : WAVESMITH_SPARSE_SUM;
  one.computed_in = type == at::kDouble || is_maximum ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
  one.dimensions = 2, one.along = 1;
  one.sizes[0] = weight.size(1), one.sizes[1] = bags, one.columns = weight.size(0);
  one.y = operand_of(y), one.x = operand_of(weight);
  one.begins = list_of(begins), one.columns_of = list_of(counted);
  if (is_maximum) one.place = operand_of(places);
  if (shared) one.weights = list_of(weights);
  const KernelCall on(weight.device());
  serve(wavesmith_kernels_sparse(&one, on.stream()), "embedding_bag");
  if (mode == kBagMean) {
    y.div_(sizes.clamp_min(1).unsqueeze(1));
    if (!y.is_same(result)) result.copy_(y);
  }
  return {result, bag_of, sizes, places};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&embedding_bag, at::_ops::_embedding_bag>(m);
  plain<&embedding_bag, at::_ops::_embedding_bag_forward_only>(m);
}

}  // namespace wavesmith::device
