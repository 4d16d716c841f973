// Products of three tensors of which some dimensions are added up, as `torch.nn.Bilinear` and its gradients
// have them: two products of matrices. PyTorch's own takes one slice along a dimension after the other.
#include <ATen/core/Tensor.h>

#include <ATen/ops/_trilinear_native.h>
#include <ATen/ops/_trilinear_ops.h>
#include <ATen/ops/bmm.h>

#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::DimVector;
using at::Tensor;
using c10::IntArrayRef;

// Elements that the first product may have beside the results of the second one.
constexpr std::int64_t kMost = std::int64_t{1} << 24;

std::vector<bool> marked(IntArrayRef dims, std::size_t count) {
  std::vector<bool> is_marked(count);
  for (const auto dim : dims) is_marked.at(static_cast<std::size_t>(dim)) = true;
  return is_marked;
}

Tensor with_ones(Tensor x, const std::vector<bool>& inserted) {
  for (std::size_t d = 0; d < inserted.size(); ++d)
    if (inserted[d]) x = x.unsqueeze(static_cast<std::int64_t>(d));
  return x;
}

// Dimensions by where they are more than 1: in both (one product each), in one, in both and added up.
struct Kinds {
  DimVector both, left, right, sums;
  std::int64_t count_both = 1, count_left = 1, count_right = 1, count_sums = 1;

  void add(DimVector& kind, std::int64_t& count, std::int64_t dim, std::int64_t size) {
    kind.push_back(dim);
    count *= size;
  }
};

DimVector joined(std::initializer_list<const DimVector*> all) {
  DimVector made;
  for (const DimVector* dims : all) made.append(dims->begin(), dims->end());
  return made;
}

// Of tensors with as many dimensions, each of one size or 1: their product, with 1 for what is added up.
Tensor summed_product(Tensor left, Tensor right, const std::vector<bool>& is_summed) {
  Kinds kinds;
  DimVector sizes, of_left, of_right;
  for (std::int64_t d = 0; d < left.dim(); ++d) {
    const bool sums = is_summed[static_cast<std::size_t>(d)];
    const auto l = left.size(d), r = right.size(d);
    if (sums && l != 1 && r != 1) {
      kinds.add(kinds.sums, kinds.count_sums, d, l);
    } else if (sums) {
      if (l != 1) of_left.push_back(d);
      if (r != 1) of_right.push_back(d);
      kinds.add(kinds.left, kinds.count_left, d, 1);
    } else if (l != 1 && r != 1) {
      kinds.add(kinds.both, kinds.count_both, d, l);
    } else if (r != 1) {
      kinds.add(kinds.right, kinds.count_right, d, r);
    } else {
      kinds.add(kinds.left, kinds.count_left, d, l);
    }
  }
  if (!of_left.empty()) left = left.sum(of_left, true);
  if (!of_right.empty()) right = right.sum(of_right, true);
  if (kinds.sums.empty()) return left.mul(right);
  const auto order = joined({&kinds.both, &kinds.left, &kinds.right, &kinds.sums});
  const Tensor a = left.permute(joined({&kinds.both, &kinds.left, &kinds.sums, &kinds.right}))
                       .reshape({kinds.count_both, kinds.count_left, kinds.count_sums});
  const Tensor b = right.permute(joined({&kinds.both, &kinds.sums, &kinds.right, &kinds.left}))
                       .reshape({kinds.count_both, kinds.count_sums, kinds.count_right});
  DimVector places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto d = order[k];
    const bool is_sum = is_summed[static_cast<std::size_t>(d)];
    sizes.push_back(is_sum ? 1 : std::max(left.size(d), right.size(d)));
    places[static_cast<std::size_t>(d)] = static_cast<std::int64_t>(k);
  }
  return at::bmm(a, b).view(sizes).permute(places);
}

Tensor trilinear(const Tensor& x, const Tensor& y, const Tensor& z, IntArrayRef expand_x,
                 IntArrayRef expand_y, IntArrayRef expand_z, IntArrayRef summed, std::int64_t unroll) {
  const auto count = static_cast<std::size_t>(x.dim()) + expand_x.size();
  const auto is_summed = marked(summed, count), is_not_in_z = marked(expand_z, count);
  const auto with = [&](const Tensor& tensor, IntArrayRef expanded) {
    return with_ones(tensor, marked(expanded, count));
  };
  const auto by_pytorch = [&] {
    return at::native::_trilinear(x, y, z, expand_x, expand_y, expand_z, summed, unroll);
  };
  if (y.dim() + expand_y.size() != count || z.dim() + expand_z.size() != count) return by_pytorch();
  const Tensor a = with(x, expand_x), b = with(y, expand_y), c = with(z, expand_z);
  std::vector<bool> first(count), second(count);
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < count; ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    const auto size = std::max(a.size(dim), b.size(dim));
    for (const auto other : {a.size(dim), b.size(dim), c.size(dim)})
      if (other != 1 && other != std::max(size, c.size(dim)))
        return by_pytorch();  // which says what is wrong
    first[d] = is_summed[d] && is_not_in_z[d];
    second[d] = is_summed[d] && !is_not_in_z[d];
    if (!first[d]) elements *= size;
  }
  if (elements > kMost || elements == 0) return by_pytorch();
  Tensor result = summed_product(summed_product(a, b, first), c, second);
  for (std::size_t d = count; d-- > 0;)
    if (is_summed[d]) result = result.squeeze(static_cast<std::int64_t>(d));
  return result;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) { plain<&trilinear, at::_ops::_trilinear>(m); }

}  // namespace wavesmith::device
