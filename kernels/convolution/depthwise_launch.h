// Convolutions of each channel by itself.
#pragma once

#include <cstdint>

#include "kernels/library/failure.h"
#include "kernels/wavesmith_convolution.h"

namespace wavesmith::kernels {

/// Whether there is a kernel for a convolution that was checked: of one channel per group and output, of
/// tensors whose elements 32 bits number.
bool is_depthwise(const wavesmith_convolution_description& one);

/// The bytes that it needs: none but for the weights' gradient.
int64_t depthwise_workspace(const wavesmith_convolution_description& one);

/// With a workspace of as many bytes.
wavesmith_kernels_status launch_depthwise(const wavesmith_convolution_description& one, void* workspace,
                                          void* stream);

}  // namespace wavesmith::kernels
