// Max pooling undone: each number to where its window had it, zeros elsewhere.
#include <ATen/Context.h>

#include <ATen/ops/max_unpool2d_ops.h>
#include <ATen/ops/max_unpool3d_ops.h>

#include "operators/index.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

// Indices count within the last dimensions. Of places that are given twice any may stay, which PyTorch alerts
// to on all devices.
at::Tensor unpooled(const char* alert, const at::Tensor& x, const at::Tensor& indices,
                    c10::IntArrayRef sizes) {
  at::globalContext().alertNotDeterministic(alert);
  const auto count = static_cast<std::int64_t>(sizes.size()), first = x.dim() - count;
  if ((first != 1 && first != 2) || !x.is_floating_point() ||
      indices.scalar_type() != c10::ScalarType::Long || x.sizes() != indices.sizes() || x.numel() == 0)
    throw NotServed();
  std::int64_t plane = 1;
  for (const auto size : sizes) {
    if (size <= 0) throw NotServed();
    plane *= size;
  }
  c10::DimVector out(x.sizes().begin(), x.sizes().begin() + first);
  c10::DimVector flat = out;
  out.append(sizes.begin(), sizes.end()), flat.push_back(plane);
  const at::Tensor y = made(out, {}, x.options().memory_format(std::nullopt));
  y.zero_();
  launch_along(WAVESMITH_INDEXED_PUT, y.view(flat), first, indices.flatten(first), x.flatten(first));
  return y;
}

at::Tensor unpooled_2d(const at::Tensor& x, const at::Tensor& indices, c10::SymIntArrayRef sizes) {
  if (sizes.size() != 2) throw NotServed();
  return unpooled("max_unpooling2d_forward_out", x, indices, C10_AS_INTARRAYREF_SLOW(sizes));
}

at::Tensor unpooled_3d(const at::Tensor& x, const at::Tensor& indices, c10::SymIntArrayRef sizes,
                       c10::IntArrayRef stride, c10::IntArrayRef padding) {
  if (sizes.size() != 3 || stride.size() != 3 || padding.size() != 3) throw NotServed();
  for (const auto step : stride)
    if (step <= 0) throw NotServed();
  return unpooled("max_unpooling3d_forward_out", x, indices, C10_AS_INTARRAYREF_SLOW(sizes));
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&unpooled_2d, at::_ops::max_unpool2d>(m);
  plain<&unpooled_3d, at::_ops::max_unpool3d>(m);
}

}  // namespace wavesmith::device
