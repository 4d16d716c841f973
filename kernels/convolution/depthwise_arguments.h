// What a depthwise convolution's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"

namespace wavesmith::kernels {

/// Y's channel c at a place = the sum over taps of X's channel c times the tap's weight of c. A tap sees the
/// element of X that is `(first + place * step + tap * dilation) / spread` along each dimension, or 0 where
/// that is no whole number or outside.
struct DepthwiseArguments {
  const void *x, *w;
  void* y;
  int type_x, type_w, type_y;     ///< tile::Type
  int count_x, count_w, count_y;  ///< elements up to each tensor's end
  int items;                      ///< images by places, or elements of Y
  int channels;
  int channels_fastest;            ///< of elements that follow each other
  Division places, planes, lines;  ///< of an image, of one of its planes, of a line
  Division of_channels;
  int size[3], taps[3], first[3], step[3], dilation[3];
  Division spread[3];
  int image_x, channel_x, space_x[3], image_y, channel_y, space_y[3], channel_w, space_w[3];  ///< strides
};

/// W's tap t of channel c = the sum over all places of Y's channel c times the element of X that the tap
/// sees. Y is read, W is written; nothing is spread.
struct DepthwiseWeightsArguments : DepthwiseArguments {
  float* parts;                ///< sums of some places each: parts by taps by channels
  int count_parts;             ///< floats
  int of_part;                 ///< places
  int all_taps;                ///< of a window
  Division of_line, of_plane;  ///< taps of a line of the window, lines of one of its planes
};

/// Of kernels that take eight channels at a time: threads side by side along the channels, places that the
/// threads take one after the other, and taps whose weights shared memory has room for.
inline constexpr int kDepthwiseThreads = 256, kDepthwiseAcross = 8, kDepthwiseRounds = 2, kDepthwiseTaps = 32;
inline constexpr int kDepthwiseTapsAtOnce = 5;  ///< of a thread: of 9 and 25 few are left over
inline constexpr int kDepthwisePlaces = kDepthwiseThreads / kDepthwiseAcross * kDepthwiseRounds;

}  // namespace wavesmith::kernels
