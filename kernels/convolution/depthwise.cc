#include <algorithm>

#include "kernels/convolution/depthwise_arguments.h"
#include "kernels/convolution/depthwise_launch.h"
#include "kernels/library/device.h"
#include "kernels/library/element_type.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_convolution_description;
using Tensor = wavesmith_convolution_tensor;

constexpr int kSpace = WAVESMITH_CONVOLUTION_SPACE;

/// Elements up to a tensor's end.
int64_t count_of(const Tensor& tensor, int space) {
  int64_t last = 0;
  for (int i = 0; i < 2 + space; ++i) last += (tensor.sizes[i] - 1) * tensor.strides[i];
  return last + 1;
}

bool is_input(const Description& one) { return one.direction == WAVESMITH_CONVOLUTION_INPUT; }

}  // namespace

bool is_depthwise(const Description& one) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096, kMostStep = int64_t{1} << 24;
  if (one.direction == WAVESMITH_CONVOLUTION_WEIGHTS) return false;
  if (one.groups != one.x.sizes[1] || one.groups != one.y.sizes[1]) return false;
  for (const Tensor* const each : {&one.x, &one.w, &one.y}) {
    int64_t elements = 1;
    for (int i = 0; i < 2 + one.dimensions; ++i) {
      if (each->sizes[i] > kMost || each->strides[i] > kMost) return false;
      elements *= each->sizes[i];
      if (elements > kMost) return false;
    }
    if (count_of(*each, one.dimensions) * size_of(each->type) > int64_t{UINT32_MAX} - 64 ||
        count_of(*each, one.dimensions) > kMost)
      return false;
  }
  for (int i = 0; i < one.dimensions; ++i) {
    const int64_t reach = one.w.sizes[i + 2] * one.dilation[i];
    if (std::max({reach, one.padding[i], one.step[i]}) > kMostStep) return false;
    if (one.x.sizes[i + 2] > kMost / 4 || one.y.sizes[i + 2] * one.step[i] > kMost / 4) return false;
  }
  return true;
}

wavesmith_kernels_status launch_depthwise(const Description& one, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const Tensor &x = is_input(one) ? one.y : one.x, &y = is_input(one) ? one.x : one.y;
  const auto number = [](int64_t value) { return static_cast<int>(value); };
  const int space = one.dimensions;
  DepthwiseArguments made{};
  made.x = x.data, made.w = one.w.data, made.y = y.data;
  made.type_x = x.type, made.type_w = one.w.type, made.type_y = y.type;
  made.count_x = number(count_of(x, space)), made.count_w = number(count_of(one.w, space));
  made.count_y = number(count_of(y, space));
  made.channels = number(y.sizes[1]);
  made.of_channels = Division::by(static_cast<unsigned>(y.sizes[1]));
  made.image_x = number(x.strides[0]), made.channel_x = number(x.strides[1]);
  made.image_y = number(y.strides[0]), made.channel_y = number(y.strides[1]);
  made.channel_w = number(one.w.strides[0]);
  int64_t places = 1, taps = 1;
  Division* const divisions[] = {&made.planes, &made.lines};
  for (int d = kSpace; d-- > 0;) {
    const int i = d - (kSpace - space) + 2;  // of the tensors' sizes; below 2 there is none
    const bool is_there = i >= 2;
    const int64_t dilation = is_there ? one.dilation[i - 2] : 1, step = is_there ? one.step[i - 2] : 1;
    const int64_t padding = is_there ? one.padding[i - 2] : 0;
    made.size[d] = is_there ? number(x.sizes[i]) : 1, made.taps[d] = is_there ? number(one.w.sizes[i]) : 1;
    made.first[d] = number(is_input(one) ? padding : -padding);
    made.step[d] = number(is_input(one) ? 1 : step);
    made.dilation[d] = number(is_input(one) ? -dilation : dilation);
    made.spread[d] = Division::by(static_cast<unsigned>(is_input(one) ? step : 1));
    if (is_there) {
      made.space_x[d] = number(x.strides[i]), made.space_y[d] = number(y.strides[i]);
      made.space_w[d] = number(one.w.strides[i]);
      places *= y.sizes[i], taps *= one.w.sizes[i];
    }
    if (d > 0) *divisions[d - 1] = Division::by(static_cast<unsigned>(places));
  }
  made.places = Division::by(static_cast<unsigned>(places));

  const bool together = x.strides[1] == 1 && y.strides[1] == 1;
  const int64_t all = places * y.sizes[0];
  if (together && y.sizes[1] % 8 == 0 && taps <= kDepthwiseTaps) {
    constexpr int kChannels = 8 * kDepthwiseAcross;
    made.items = number(all);
    const Grid grid{static_cast<unsigned>((all + kDepthwisePlaces - 1) / kDepthwisePlaces),
                    static_cast<unsigned>((y.sizes[1] + kChannels - 1) / kChannels), kDepthwiseThreads};
    constexpr unsigned kMostAlongY = 65535;
    if (grid.y <= kMostAlongY) return launch(*device, "depthwise_eights", grid, &made, sizeof(made), stream);
  }
  made.items = number(all * y.sizes[1]);
  made.channels_fastest = y.strides[1] == 1;
  const int64_t workgroups = (all * y.sizes[1] + kDepthwiseThreads - 1) / kDepthwiseThreads;
  return launch(*device, "depthwise_elements", {static_cast<unsigned>(workgroups), 1, kDepthwiseThreads},
                &made, sizeof(made), stream);
}

}  // namespace wavesmith::kernels
