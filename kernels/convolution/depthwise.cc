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
bool is_weights(const Description& one) { return one.direction == WAVESMITH_CONVOLUTION_WEIGHTS; }

constexpr int64_t kMostInGrid = 65535;  // along y and z
constexpr int kChannels = 8 * kDepthwiseAcross;

int number(int64_t value) { return static_cast<int>(value); }
int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t taps_of(const Description& one) {
  int64_t taps = 1;
  for (int i = 0; i < one.dimensions; ++i) taps *= one.w.sizes[i + 2];
  return taps;
}
int64_t places_of(const Description& one) {  // of all images
  int64_t places = one.y.sizes[0];
  for (int i = 0; i < one.dimensions; ++i) places *= one.y.sizes[i + 2];
  return places;
}

/// Whether the channels of X and Y lie together in whole pieces.
bool by_eights(const Description& one) {
  for (const Tensor* const each : {&one.x, &one.y})
    for (int i = 0; i < 2 + one.dimensions; ++i)
      if (i == 1 ? each->strides[1] != 1 : each->sizes[i] > 1 && each->strides[i] % 8 != 0) return false;
  return one.y.sizes[1] % 8 == 0;
}

/// How a weights' gradient is computed in parts of the places; sizes and strides alone decide.
struct WeightsParts {
  bool eights;
  int64_t along_y, along_z, of_part, count;

  explicit WeightsParts(const Description& one) {
    // Enough to keep any GPU busy, and few enough for a second pass that has little to do.
    constexpr int64_t kWorkgroups = 2048, kMost = 64, kFewest = 8;  // places of a thread
    eights = by_eights(one);
    along_y = eights ? up(one.y.sizes[1], kChannels) : one.y.sizes[1];
    along_z = up(taps_of(one), kDepthwiseTapsAtOnce);
    const int64_t together = kDepthwiseThreads / (eights ? kDepthwiseAcross : 1), places = places_of(one);
    const int64_t wanted = std::clamp<int64_t>(kWorkgroups / (along_y * along_z), 1, kMost);
    of_part = std::max(up(places, wanted), together * kFewest);
    count = up(places, of_part);
  }
  [[nodiscard]] int64_t floats(const Description& one) const { return count * taps_of(one) * one.y.sizes[1]; }
};

}  // namespace

bool is_depthwise(const Description& one) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096, kMostStep = int64_t{1} << 24;
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
  if (!is_weights(one)) return true;
  if (places_of(one) == 0) return false;
  for (int i = 0; i < one.dimensions; ++i)
    if (one.x.sizes[i + 2] == 0) return false;
  const WeightsParts parts(one);
  return std::max(parts.along_y, parts.along_z) <= kMostInGrid &&
         parts.floats(one) * 16 <= kMost;  // the loads of the last parts may be further
}

int64_t depthwise_workspace(const Description& one) {
  return is_weights(one) ? WeightsParts(one).floats(one) * number(sizeof(float)) : 0;
}

namespace {

/// What all directions' kernels are given: from what is X to what is Y.
DepthwiseArguments arguments_of(const Description& one) {
  const Tensor &x = is_input(one) ? one.y : one.x, &y = is_input(one) ? one.x : one.y;
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
  int64_t places = 1;
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
      places *= y.sizes[i];
    }
    if (d > 0) *divisions[d - 1] = Division::by(static_cast<unsigned>(places));
  }
  made.places = Division::by(static_cast<unsigned>(places));
  return made;
}

wavesmith_kernels_status launch_weights(const Device& device, const Description& one, void* workspace,
                                        void* stream) {
  const WeightsParts parts(one);
  DepthwiseWeightsArguments made{};
  static_cast<DepthwiseArguments&>(made) = arguments_of(one);
  made.items = number(places_of(one)), made.all_taps = number(taps_of(one));
  made.parts = static_cast<float*>(workspace), made.count_parts = number(parts.floats(one));
  made.of_part = number(parts.of_part);
  made.of_line = Division::by(static_cast<unsigned>(made.taps[2]));
  made.of_plane = Division::by(static_cast<unsigned>(made.taps[1]));
  const Grid grid{static_cast<unsigned>(parts.count), static_cast<unsigned>(parts.along_y), kDepthwiseThreads,
                  static_cast<unsigned>(parts.along_z)};
  const char* const name = parts.eights ? "depthwise_weights_eights" : "depthwise_weights_elements";
  if (const auto status = launch(device, name, grid, &made, sizeof(made), stream)) return status;
  const int64_t all = taps_of(one) * one.y.sizes[1];
  const Grid combining{static_cast<unsigned>(up(all, kDepthwiseThreads)), 1, kDepthwiseThreads};
  return launch(device, "combine_depthwise", combining, &made, sizeof(made), stream);
}

}  // namespace

wavesmith_kernels_status launch_depthwise(const Description& one, void* workspace, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  if (is_weights(one)) return launch_weights(*device, one, workspace, stream);
  DepthwiseArguments made = arguments_of(one);
  const Tensor &x = is_input(one) ? one.y : one.x, &y = is_input(one) ? one.x : one.y;
  const bool together = x.strides[1] == 1 && y.strides[1] == 1;
  const int64_t all = y.sizes[0] * made.places.divisor;
  if (together && y.sizes[1] % 8 == 0 && taps_of(one) <= kDepthwiseTaps) {
    made.items = number(all);
    const Grid grid{static_cast<unsigned>((all + kDepthwisePlaces - 1) / kDepthwisePlaces),
                    static_cast<unsigned>((y.sizes[1] + kChannels - 1) / kChannels), kDepthwiseThreads};
    if (grid.y <= kMostInGrid) return launch(*device, "depthwise_eights", grid, &made, sizeof(made), stream);
  }
  made.items = number(all * y.sizes[1]);
  made.channels_fastest = y.strides[1] == 1;
  const int64_t workgroups = (all * y.sizes[1] + kDepthwiseThreads - 1) / kDepthwiseThreads;
  return launch(*device, "depthwise_elements", {static_cast<unsigned>(workgroups), 1, kDepthwiseThreads},
                &made, sizeof(made), stream);
}

}  // namespace wavesmith::kernels
