// The rules of weights of 4 bits, whose groups along K have scales and zero points, and what kernels are
// given of them.
#pragma once

#include "kernels/gemm/arguments.h"
#include "kernels/library/byte_range.h"

namespace wavesmith::kernels {

/// Of a description whose B is of 4 bits.
GemmGroups group_arguments(const wavesmith_kernels_gemm_description& gemm);

/// Checks a product whose B is of 4 bits. The matrices were checked; `d` is where D lies.
wavesmith_kernels_status check_group_scales(const wavesmith_kernels_gemm_description& gemm,
                                            const ByteRange& d);

}  // namespace wavesmith::kernels
