// Elements by a mask: what is put where it is true, and taken from there.
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>

#include <ATen/ops/cumsum.h>
#include <ATen/ops/masked_scatter_backward_ops.h>
#include <ATen/ops/masked_scatter_ops.h>
#include <ATen/ops/masked_select_ops.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "operators/index.h"
#include "operators/pointwise.h"
#include "operators/served.h"
#include "order/found.h"

namespace wavesmith::device {

using at::Tensor;

namespace {

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  if (mask.scalar_type() != c10::ScalarType::Bool || mask.device() != x.device()) throw NotServed();
  const auto sizes = at::infer_size(x.sizes(), mask.sizes());
  const Tensor flat = x.expand(sizes).reshape(-1);
  return elements_at(flat, flat_places(mask.expand(sizes)));
}

// The number of each element among those of a mask; -1 of the others.
Tensor numbers_among(const Tensor& mask) {
  Tensor numbers = at::cumsum(mask, 0);
  const Tensor first = at::scalar_tensor(-1, at::TensorOptions().dtype(c10::ScalarType::Long));
  auto iterator = at::TensorIteratorConfig()
                      .check_all_same_dtype(false)
                      .allow_cpu_scalars(true)
                      .resize_outputs(false)
                      .add_output(numbers)
                      .add_const_input(first)
                      .add_const_input(numbers)
                      .add_const_input(mask)
                      .build();
  launch(WAVESMITH_POINTWISE_ADD_PRODUCT, iterator, c10::ScalarType::Long, {1});
  return numbers;
}

bool overlap(const Tensor& a, const Tensor& b) {
  const auto status = at::get_overlap_status(a, b);
  return status == at::MemOverlapStatus::Full || status == at::MemOverlapStatus::Partial;
}

// What PyTorch refuses, and what it expands, is left to the host.
void check_masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  if (mask.scalar_type() != c10::ScalarType::Bool || source.scalar_type() != self.scalar_type() ||
      mask.device() != self.device() || source.device() != self.device() ||
      !at::is_expandable_to(mask.sizes(), self.sizes()) ||
      at::has_internal_overlap(self) == at::MemOverlap::Yes || overlap(self, mask) || overlap(self, source))
    throw NotServed();
}

// Where there are fewer elements than the mask may have, it is counted, and waited for.
void put_counted(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const Tensor places = flat_places(mask);
  TORCH_CHECK(places.numel() <= source.numel(), "Number of elements of source < number of ones in mask");
  if (places.numel() == 0) return;
  const Tensor flat = self.reshape(-1);
  launch_wrapped(WAVESMITH_INDEXED_PUT, flat, 0, places, source.reshape(-1).narrow(0, 0, places.numel()));
  if (!flat.is_alias_of(self)) self.copy_(flat.view(self.sizes()));
}

Tensor& masked_scatter(Tensor& self, const Tensor& mask, const Tensor& source) {
  check_masked_scatter(self, mask, source);
  const auto count = self.numel();
  if (count == 0) return self;
  const Tensor expanded = mask.expand(self.sizes());
  if (source.numel() < count) {
    put_counted(self, expanded, source);
    return self;
  }
  const Tensor taken = made(self.sizes(), {}, self.options());
  // Where the mask is false the last element is taken, and not put.
  launch_wrapped(WAVESMITH_INDEXED_GET, source.reshape(-1), 0, numbers_among(expanded.reshape(-1)),
                 taken.view(-1));
  return at::where_out(self, expanded, taken, self);
}

// What the mask takes of a gradient, and zeros behind it.
Tensor masked_scatter_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef given) {
  if (mask.scalar_type() != c10::ScalarType::Bool || mask.device() != grad.device()) throw NotServed();
  const auto both = at::infer_size(grad.sizes(), mask.sizes());
  const Tensor taken = grad.expand(both).reshape(-1), among = mask.expand(both);
  const auto sizes = C10_AS_INTARRAYREF_SLOW(given);
  const auto count = c10::multiply_integers(sizes);
  if (count >= taken.numel() && count != 0) {
    // No more than there is room for: nothing has to be counted. Behind the last element is one for those
    // that are not taken.
    const Tensor result = at::zeros({count + 1}, grad.options());
    launch_wrapped(WAVESMITH_INDEXED_PUT, result, 0, numbers_among(among.reshape(-1)), taken);
    return result.narrow(0, 0, count).view(sizes);
  }
  const Tensor result = at::zeros(sizes, grad.options()), flat = result.view(-1), places = flat_places(among);
  if (places.numel() > count) throw NotServed();
  launch_wrapped(WAVESMITH_INDEXED_GET, taken, 0, places, flat.narrow(0, 0, places.numel()));
  return result;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&masked_select, at::_ops::masked_select>(m);
  plain<&masked_scatter, at::_ops::masked_scatter_>(m);
  plain<&masked_scatter_backward, at::_ops::masked_scatter_backward>(m);
}

}  // namespace wavesmith::device
