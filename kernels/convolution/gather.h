// Convolutions whose windows a product gathers while it multiplies.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/gemm/gather.h"
#include "kernels/wavesmith_convolution.h"

namespace wavesmith::kernels {

/// How a window moves along a dimension of an image: at `first + place * step + tap * dilation`.
struct WindowMoves {
  int64_t places, taps, first, step, dilation;
};

/// What such a window sees of each group of the images' channels, for products that gather it, of which K
/// goes along the taps or, if `along_places`, the places; nothing where there is no kernel for it on the
/// current device.
std::optional<GemmGather> gather_of(const wavesmith_convolution_tensor& images, int64_t groups, int space,
                                    const WindowMoves* moves, bool along_places);

}  // namespace wavesmith::kernels
