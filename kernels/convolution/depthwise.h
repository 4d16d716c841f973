// Convolutions of each channel by itself, by vector instructions: the output's, and the input's gradient.
#pragma once

#include "kernels/convolution/depthwise_arguments.h"
#include "tile/shared.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// A tensor as elements from its first to its last.
TILE_DEVICE tile::TypedView elements_of(const void* data, int type, int count) {
  return {data, static_cast<tile::Type>(type), 1, count, count, 0, 0};
}

/// A place of an image.
struct DepthwisePlace {
  int image, at[3];

  /// By its number among the places of all images.
  TILE_DEVICE DepthwisePlace(const DepthwiseArguments& g, int number) {
    const auto split = [](unsigned& left, const Division& by) {
      const unsigned quotient = by.quotient(left);
      left -= quotient * by.divisor;
      return static_cast<int>(quotient);
    };
    auto left = static_cast<unsigned>(number);
    image = split(left, g.places), at[0] = split(left, g.planes), at[1] = split(left, g.lines);
    at[2] = static_cast<int>(left);
  }
  /// Of Y's element of the first channel.
  [[nodiscard]] TILE_DEVICE int of_y(const DepthwiseArguments& g) const {
    return image * g.image_y + at[0] * g.space_y[0] + at[1] * g.space_y[1] + at[2] * g.space_y[2];
  }
};

/// Calls `use(x, w, tap)` for each tap: the element of X's first channel that it sees, or one outside, and
/// that of its weight.
template <class Use>
TILE_DEVICE void each_tap(const DepthwiseArguments& g, const DepthwisePlace& place, Use use) {
  // Along a dimension, where X's element lies; -1: outside.
  const auto along = [&](int d, int tap) {
    const int seen = g.first[d] + place.at[d] * g.step[d] + tap * g.dilation[d];
    const auto at = g.spread[d].quotient(static_cast<unsigned>(seen < 0 ? 0 : seen));
    const bool is_there = seen >= 0 && static_cast<int>(at) < g.size[d] &&
                          at * g.spread[d].divisor == static_cast<unsigned>(seen);
    return is_there ? static_cast<int>(at) * g.space_x[d] : -1;
  };
  int tap = 0;
  for (int z = 0; z < g.taps[0]; ++z)
    for (int y = 0; y < g.taps[1]; ++y) {
      const int plane = along(0, z), line = along(1, y);
      for (int x = 0; x < g.taps[2]; ++x) {
        const int at = along(2, x);
        const bool is_there = plane >= 0 && line >= 0 && at >= 0;
        use(is_there ? place.image * g.image_x + plane + line + at : g.count_x,
            z * g.space_w[0] + y * g.space_w[1] + x * g.space_w[2], tap++);
      }
    }
}

/// Eight channels of a place per thread, of tensors whose channels lie together.
TILE_DEVICE void convolve_eights(const DepthwiseArguments& g) {
  using namespace tile;
  constexpr int kChannels = 8 * kDepthwiseAcross;
  TILE_SHARED static float memory[kDepthwiseTaps * kChannels];  // the weights, tap by tap
  const auto weights = (SharedBytes)memory;
  const TypedView x = elements_of(g.x, g.type_x, g.count_x), w = elements_of(g.w, g.type_w, g.count_w),
                  y = elements_of(g.y, g.type_y, g.count_y);
  const int thread = arch::thread_id(), first = arch::workgroup_id_y() * kChannels;
  const int taps = g.taps[0] * g.taps[1] * g.taps[2];
  for (int i = thread; i < taps * kChannels; i += kDepthwiseThreads) {
    const int channel = first + i % kChannels, tap = i / kChannels;
    const int line = tap / g.taps[2], plane = line / g.taps[1];
    const int at = channel * g.channel_w + plane * g.space_w[0] + (line - plane * g.taps[1]) * g.space_w[1] +
                   (tap - line * g.taps[2]) * g.space_w[2];
    shared_write(weights + i * 4, w.load_one(0, channel < g.channels ? at : g.count_w));
  }
  arch::barrier();
  const int own = thread % kDepthwiseAcross * 8, channel = first + own;
  for (int round = 0; round < kDepthwiseRounds; ++round) {
    const int number = arch::workgroup_id() * kDepthwisePlaces +
                       round * (kDepthwiseThreads / kDepthwiseAcross) + thread / kDepthwiseAcross;
    if (number >= g.items || channel >= g.channels) return;
    const DepthwisePlace place(g, number);
    Eight sums = 0.0f;
    each_tap(g, place, [&](int from, int /*weight*/, int tap) {
      const SharedBytes at = weights + (tap * kChannels + own) * 4;
      const Vector<float, 4> low = shared_read<Vector<float, 4>>(at),
                             high = shared_read<Vector<float, 4>>(at + kPieceBytes);
      const Eight seen = x.load(0, from == g.count_x ? from : from + channel);
      TILE_UNROLL for (int i = 0; i < 8; ++i) sums[i] =
          __builtin_fmaf(seen[i], i < 4 ? low[i] : high[i - 4], sums[i]);
    });
    y.store(0, place.of_y(g) + channel, sums);
  }
}

/// An element of Y per thread, of any tensors.
TILE_DEVICE void convolve_elements(const DepthwiseArguments& g) {
  using namespace tile;
  const TypedView x = elements_of(g.x, g.type_x, g.count_x), w = elements_of(g.w, g.type_w, g.count_w),
                  y = elements_of(g.y, g.type_y, g.count_y);
  const int number = arch::workgroup_id() * kDepthwiseThreads + arch::thread_id();
  if (number >= g.items) return;
  const auto item = static_cast<unsigned>(number);
  unsigned channel, of_all;  // and the place's number among all images'
  if (arch::late(g.channels_fastest)) {
    of_all = g.of_channels.quotient(item), channel = item - of_all * g.of_channels.divisor;
  } else {
    const unsigned plane = g.places.quotient(item), image = g.of_channels.quotient(plane);
    channel = plane - image * g.of_channels.divisor;
    of_all = item - (plane - image) * g.places.divisor;
  }
  const DepthwisePlace place(g, static_cast<int>(of_all));
  const int of_x = static_cast<int>(channel) * g.channel_x, of_w = static_cast<int>(channel) * g.channel_w;
  float sum = 0;
  each_tap(g, place, [&](int from, int weight, int /*tap*/) {
    sum = __builtin_fmaf(x.load_one(0, from == g.count_x ? from : from + of_x), w.load_one(0, of_w + weight),
                         sum);
  });
  y.store_one(0, place.of_y(g) + static_cast<int>(channel) * g.channel_y, sum);
}

}  // namespace wavesmith::kernels
