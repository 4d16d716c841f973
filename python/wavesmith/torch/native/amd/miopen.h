// Convolutions by MIOpen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace wavesmith::device::amd {

// How a kernel moves over its input, of each dimension in space; the padding is the same before and behind.
struct Window {
  std::vector<std::int64_t> stride, padding, dilation;
  std::int64_t groups;
};

// Its version, whose it is and its file. Raises PyTorch's error where the process has none.
std::string describe_miopen();

// The convolution of `input` by `weight`; the gradient of the input, of those sizes, where the result's is
// `grad`; and that of the weight. Undefined where Wavesmith's kernels are preferred, or MIOpen does not take
// it, which is said (choice.h). `what` is the operator.
at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const Window& window,
                    const char* what);
at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight, at::IntArrayRef input,
                          const Window& window, const char* what);
at::Tensor weight_gradient(const at::Tensor& grad, const at::Tensor& input, at::IntArrayRef weight,
                           const Window& window, const char* what);

}  // namespace wavesmith::device::amd
