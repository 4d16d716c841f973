// The weights' gradient of convolutions of each channel by itself, by vector instructions.
#pragma once

#include "kernels/convolution/depthwise.h"

namespace wavesmith::kernels {

/// What a workgroup's threads keep of a channel's tap, by themselves: eight channels, or one.
template <bool kEights>
struct DepthwiseSum {
  static constexpr int kChannels = 8, kAcross = kDepthwiseAcross;
  using Value = tile::Eight;
};
template <>
struct DepthwiseSum<false> {
  static constexpr int kChannels = 1, kAcross = 1;
  using Value = float;
};

/// Some taps of a window, the same for all threads.
struct DepthwiseTaps {
  int from_first[kDepthwiseTapsAtOnce][3];  ///< along each dimension, from the first tap on
  int planes[kDepthwiseTapsAtOnce];         ///< of X, 0 where there is no such tap
  unsigned at[kDepthwiseTapsAtOnce];        ///< of X, from the first tap's element on

  TILE_DEVICE DepthwiseTaps(const DepthwiseWeightsArguments& g, int first) {
    TILE_UNROLL for (int i = 0; i < kDepthwiseTapsAtOnce; ++i) {
      const auto tap = static_cast<unsigned>(first + i);
      const unsigned line = g.of_line.quotient(tap), plane = g.of_plane.quotient(line);
      const unsigned taps[] = {plane, line - plane * g.of_plane.divisor, tap - line * g.of_line.divisor};
      at[i] = 0;
      TILE_UNROLL for (int d = 0; d < 3; ++d) {
        from_first[i][d] = static_cast<int>(taps[d]) * g.dilation[d];
        at[i] += static_cast<unsigned>(from_first[i][d]) * static_cast<unsigned>(g.space_x[d]);
      }
      planes[i] = first + i < g.all_taps ? g.size[0] : 0;
    }
  }
};

/// Sums up a part of the places: the grid's x are parts, y channels, z taps.
template <bool kEights>
TILE_DEVICE void sum_weights(const DepthwiseWeightsArguments& g) {
  using namespace tile;
  using Sum = DepthwiseSum<kEights>;
  using Value = typename Sum::Value;
  constexpr int kDeep = kDepthwiseThreads / Sum::kAcross, kTaps = kDepthwiseTapsAtOnce;
  TILE_SHARED static Value memory[kDepthwiseThreads];
  const TypedView x = elements_of(g.x, g.type_x, g.count_x), y = elements_of(g.y, g.type_y, g.count_y);
  const int thread = arch::thread_id(), deep = thread / Sum::kAcross;
  const int channel = (arch::workgroup_id_y() * Sum::kAcross + thread % Sum::kAcross) * Sum::kChannels;
  const int part = arch::workgroup_id(), first_tap = arch::workgroup_id_z() * kTaps;
  const int begin = part * g.of_part, end = begin + g.of_part < g.items ? begin + g.of_part : g.items;
  const DepthwiseTaps taps(g, first_tap);
  Value sums[kTaps] = {};
  for (int number = begin + deep; number < end && channel < g.channels; number += kDeep) {
    const DepthwisePlace place(g, number);
    int seen[3];
    auto of_x = static_cast<unsigned>(place.image * g.image_x + channel * g.channel_x);
    TILE_UNROLL for (int d = 0; d < 3; ++d) {
      seen[d] = g.first[d] + place.at[d] * g.step[d];
      of_x += static_cast<unsigned>(seen[d]) * static_cast<unsigned>(g.space_x[d]);
    }
    const auto at = [&](int i) {  // X's element, or one outside
      bool inside =
          static_cast<unsigned>(seen[0] + taps.from_first[i][0]) < static_cast<unsigned>(taps.planes[i]);
      TILE_UNROLL for (int d = 1; d < 3; ++d) inside &=
          static_cast<unsigned>(seen[d] + taps.from_first[i][d]) < static_cast<unsigned>(g.size[d]);
      return inside ? static_cast<int>(of_x + taps.at[i]) : g.count_x;
    };
    const int of_y = place.of_y(g) + channel * g.channel_y;
    Value values[kTaps], factor;
    if constexpr (kEights) {
      Pieces pieces[kTaps][1], of_factor[1];
      Value one[1];
      y.load_pieces(of_factor, 0, 0, of_y);
      TILE_UNROLL for (int i = 0; i < kTaps; ++i) x.load_pieces(pieces[i], 0, 0, at(i));
      y.arrived(one, of_factor);
      factor = one[0];
      TILE_UNROLL for (int i = 0; i < kTaps; ++i) x.arrived(one, pieces[i]), values[i] = one[0];
      TILE_UNROLL for (int i = 0; i < kTaps; ++i) {
        TILE_UNROLL for (int c = 0; c < 8; ++c) sums[i][c] =
            __builtin_fmaf(values[i][c], factor[c], sums[i][c]);
      }
    } else {
      factor = y.load_one(0, of_y);
      TILE_UNROLL for (int i = 0; i < kTaps; ++i) values[i] = x.load_one(0, at(i));
      TILE_UNROLL for (int i = 0; i < kTaps; ++i) sums[i] = __builtin_fmaf(values[i], factor, sums[i]);
    }
  }
  // What the threads of a channel have, two and two.
  const TypedView parts = elements_of(g.parts, static_cast<int>(Type::F32), g.count_parts);
  const auto slot = (SharedBytes)memory + thread * static_cast<int>(sizeof(Value));
  TILE_UNROLL for (int i = 0; i < kTaps; ++i) {
    shared_write(slot, sums[i]);
    arch::barrier();
    for (int half = kDeep / 2; half > 0; half /= 2) {
      if (deep < half) {
        sums[i] += shared_read<Value>(slot + half * Sum::kAcross * static_cast<int>(sizeof(Value)));
        shared_write(slot, sums[i]);
      }
      arch::barrier();
    }
    if (deep == 0 && channel < g.channels && first_tap + i < g.all_taps) {
      const int to = (part * g.all_taps + first_tap + i) * g.channels + channel;
      if constexpr (kEights)
        parts.store(0, to, sums[i]);
      else
        parts.store_one(0, to, sums[i]);
    }
  }
}

/// Adds up the parts of a weight, in their order.
TILE_DEVICE void combine_weights(const DepthwiseWeightsArguments& g) {
  using namespace tile;
  constexpr int kLoads = 16;  // under way together
  const TypedView w = elements_of(g.w, g.type_w, g.count_w),
                  parts = elements_of(g.parts, static_cast<int>(Type::F32), g.count_parts);
  const int number = arch::workgroup_id() * kDepthwiseThreads + arch::thread_id();
  const int all = g.all_taps * g.channels;
  if (number >= all) return;
  float sum = 0;
  for (int at = number; at < g.count_parts; at += kLoads * all) {
    float values[kLoads];
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      const unsigned of_part =
          static_cast<unsigned>(at) + static_cast<unsigned>(i) * static_cast<unsigned>(all);
      const auto count = static_cast<unsigned>(g.count_parts);
      values[i] = arch::load<float>(parts.buffer, of_part < count ? of_part * 4 : arch::kOutside);
    }
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) sum += values[i];
  }
  const unsigned tap = g.of_channels.quotient(static_cast<unsigned>(number));
  const int channel = number - static_cast<int>(tap * g.of_channels.divisor);
  const unsigned line = g.of_line.quotient(tap), plane = g.of_plane.quotient(line);
  w.store_one(0,
              channel * g.channel_w + static_cast<int>(plane) * g.space_w[0] +
                  static_cast<int>(line - plane * g.of_plane.divisor) * g.space_w[1] +
                  static_cast<int>(tap - line * g.of_line.divisor) * g.space_w[2],
              sum);
}

}  // namespace wavesmith::kernels
