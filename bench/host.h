// The host's own peak rates, measured in the same run: the denominators of every ratio.
#pragma once

#include <cstddef>

namespace wavesmith::bench {

/// Fused multiply-adds in float32 on one thread, in the widest vectors that the host has: FLOP/s, the best of
/// several tries.
double fma_peak();

/// Bytes per second that memset and memcpy write on one thread, over buffers of `bytes`, the best of several
/// tries.
double memset_rate(size_t bytes);
double memcpy_rate(size_t bytes);

/// Whether the host has AVX-512 as the interpreter's fastest level wants it.
bool has_avx512();

}  // namespace wavesmith::bench
