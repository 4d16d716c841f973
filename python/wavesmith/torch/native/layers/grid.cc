// Sampling at the places of a grid, and its gradients (kernels/grid_sample).
#include <array>
#include <tuple>

#include <ATen/native/GridSamplerUtils.h>

#include <ATen/ops/grid_sampler_2d_backward_ops.h>
#include <ATen/ops/grid_sampler_2d_ops.h>
#include <ATen/ops/grid_sampler_3d_backward_ops.h>
#include <ATen/ops/grid_sampler_3d_ops.h>
#include <wavesmith_grid_sample.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// A tensor as sampling takes it: with its places as one dimension, which those of the others surround.
wavesmith_pointwise_operand sampled(const Tensor& tensor) {
  wavesmith_pointwise_operand one{};
  one.data = tensor.numel() == 0 ? nullptr : tensor.data_ptr(), one.type = *number_type(tensor.scalar_type());
  for (std::int64_t d = 0; d < tensor.dim(); ++d)
    one.strides[d] = tensor.stride(tensor.dim() - 1 - d) * static_cast<std::int64_t>(tensor.itemsize());
  return one;
}
// x with its channels and batches at the last two of five dimensions.
wavesmith_pointwise_operand sampled_image(const Tensor& x) {
  auto one = sampled(x);
  if (x.dim() == 4) one.strides[4] = one.strides[3], one.strides[3] = one.strides[2], one.strides[2] = 0;
  return one;
}

wavesmith_grid_sample_description sampling_of(const Tensor& x, const Tensor& grid, std::int64_t mode,
                                              std::int64_t padding, bool aligned) {
  at::native::check_grid_sampler_common(x, grid);
  if (x.dim() == 4)
    at::native::check_grid_sampler_2d(x, grid);
  else
    at::native::check_grid_sampler_3d(x, grid, mode);
  if (!x.is_floating_point() || x.scalar_type() != grid.scalar_type() || !number_type(x.scalar_type()))
    throw NotServed();
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2) throw NotServed();
  wavesmith_grid_sample_description one{};
  one.mode = static_cast<wavesmith_grid_sample_mode>(mode);
  one.padding = static_cast<wavesmith_grid_sample_padding>(padding);
  one.aligned = aligned, one.dimensions = static_cast<int>(x.dim() - 2);
  for (int d = 0; d < one.dimensions; ++d) one.sizes[d] = x.size(x.dim() - 1 - d);
  one.batches = x.size(0), one.channels = x.size(1);
  one.places = 1;
  for (std::int64_t d = 1; d < grid.dim() - 1; ++d) one.places *= grid.size(d);
  one.x = sampled_image(x);
  return one;
}

// The sizes of what is sampled.
c10::DimVector sampled_sizes(const Tensor& x, const Tensor& grid) {
  c10::DimVector sizes{x.size(0), x.size(1)};
  for (std::int64_t d = 1; d < grid.dim() - 1; ++d) sizes.push_back(grid.size(d));
  return sizes;
}

Tensor sample_grid(const Tensor& x, const Tensor& grid, std::int64_t mode, std::int64_t padding,
                   bool aligned) {
  auto one = sampling_of(x, grid, mode, padding, aligned);
  const Tensor y = made(sampled_sizes(x, grid), {}, x.options());
  if (y.numel() == 0) return y;
  const Tensor places = grid.reshape({one.batches, one.places, one.dimensions});
  one.grid = sampled(places);
  one.y = sampled(y.view({one.batches, one.channels, one.places}));
  const KernelCall on(x.device());
  serve(wavesmith_kernels_grid_sample(&one, on.stream()), "grid_sampler");
  return y;
}

std::tuple<Tensor, Tensor> grid_gradients(const Tensor& upstream, const Tensor& x, const Tensor& grid,
                                          std::int64_t mode, std::int64_t padding, bool aligned,
                                          std::array<bool, 2> wanted) {
  auto one = sampling_of(x, grid, mode, padding, aligned);
  if (upstream.scalar_type() != x.scalar_type() || upstream.sizes() != sampled_sizes(x, grid))
    throw NotServed();
  const auto wide = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  Tensor of_x;
  if (wanted[0]) of_x = made(x.sizes(), {}, x.options().dtype(wide)).zero_();
  const Tensor of_grid = made(grid.sizes(), {}, grid.options());
  if (of_grid.numel() > 0) {
    const Tensor places = grid.reshape({one.batches, one.places, one.dimensions});
    const Tensor given = upstream.reshape({one.batches, one.channels, one.places});
    one.grid = sampled(places);
    wavesmith_grid_sample_gradient_description back{};
    back.forward = one, back.upstream = sampled(given);
    if (wanted[0]) back.x_gradient = sampled_image(of_x);
    back.grid_gradient = sampled(of_grid.view({one.batches, one.places, one.dimensions}));
    const KernelCall on(x.device());
    serve(wavesmith_kernels_grid_sample_gradient(&back, on.stream()), "grid_sampler_backward");
  }
  return {wanted[0] ? of_x.to(x.scalar_type()) : of_x, of_grid};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&sample_grid, at::_ops::grid_sampler_2d>(m);
  plain<&sample_grid, at::_ops::grid_sampler_3d>(m);
  plain<&grid_gradients, at::_ops::grid_sampler_2d_backward>(m);
  plain<&grid_gradients, at::_ops::grid_sampler_3d_backward>(m);
}

}  // namespace wavesmith::device
