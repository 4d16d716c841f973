// Convolutions of each channel by itself.
#pragma once

#include "kernels/library/failure.h"
#include "kernels/wavesmith_convolution.h"

namespace wavesmith::kernels {

/// Whether there is a kernel for a convolution that was checked: of one channel per group and output, not for
/// the weights' gradient, of tensors whose elements 32 bits number. It needs no workspace.
bool is_depthwise(const wavesmith_convolution_description& one);

wavesmith_kernels_status launch_depthwise(const wavesmith_convolution_description& one, void* stream);

}  // namespace wavesmith::kernels
