// Which elements of an image are rows of A, or of B transposed: what a window sees at each of its places
// (kernels/convolution).
// Shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/gemm/arguments.h"
#include "kernels/pointwise/division.h"

namespace wavesmith::kernels {

/// Dimensions of an image, the last one the fastest; and taps of a window, a bit each.
inline constexpr int kGatherSpace = 3, kMostTaps = 32;

/// Row p of A is place p of all images'. Its element k is channel `k mod channels` of tap `k / channels`,
/// which is `first + place * step + tap * dilation` of the image, or 0 outside of it. Of B it is row k: K
/// goes along the places.
struct GemmGather {
  Division channels;               ///< of a group; whole pieces, and of A no fewer than a step of K has
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

/// How B's places follow each other: from a thread's place to the one that a step of K is behind it.
struct GemmGatherSteps {
  int places;                         ///< of all images: K without what fills its last step
  int taps;                           ///< of the window
  Division of_line, of_plane;         ///< taps of a line of the window, of one of its planes
  int ahead[kGatherSpace];            ///< elements along each dimension, without what was carried
  int back[kGatherSpace];             ///< and from behind the last place of a dimension to the first
  unsigned ahead_bytes;               ///< modulo 2^32, as offsets are
  unsigned back_bytes[kGatherSpace];  ///< of a place that is carried to the dimension before
};

/// Of kernels of gathered.h. The matrix A is the images; its stride is not read.
struct GemmGatheredArguments : GemmArguments {
  GemmGather gather;
};

/// Of kernels of places.h. The matrix B is the images; its stride is not read.
struct GemmPlacesArguments : GemmGatheredArguments {
  GemmGatherSteps steps;
};

}  // namespace wavesmith::kernels
