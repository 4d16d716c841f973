// Which elements of an image are rows of A: what a window sees at each of its places (kernels/convolution).
// Shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/gemm/arguments.h"
#include "kernels/pointwise/division.h"

namespace wavesmith::kernels {

/// Dimensions of an image, the last one the fastest; and taps of a window, a bit each.
inline constexpr int kGatherSpace = 3, kMostTaps = 32;

/// Row p of A is place p of all images'. Its element k is channel `k mod channels` of tap `k / channels`,
/// which is `first + place * step + tap * dilation` of the image, or 0 outside of it.
struct GemmGather {
  Division channels;               ///< of a group; whole pieces, and no fewer than a step of K has
  Division images, planes, lines;  ///< places of an image, of one of its planes, of a line
  int size[kGatherSpace], taps[kGatherSpace], step[kGatherSpace];
  int first[kGatherSpace], dilation[kGatherSpace];  ///< a gradient's may be negative
  int stride_image, stride[kGatherSpace];           ///< elements; a place's channels lie together
  unsigned bytes;                                   ///< of the images, from a group's first channel on
  int first_k;                                      ///< elements from a part of K to the next
  // From a tap's last channel to the next one's first, in bytes; and what comes to that after taps that end
  // a line or a plane of the window.
  unsigned next, next_line, next_plane, ends_line, ends_plane;
};

/// Of kernels of gathered.h. The matrix A is the images; its stride is not read.
struct GemmGatheredArguments : GemmArguments {
  GemmGather gather;
};

}  // namespace wavesmith::kernels
