// How many threads stand side by side where an operation takes eights of a matrix, not its rows: shared by
// the host, which chooses it, and the device.
#pragma once

namespace wavesmith::kernels {

/// Eights that a thread takes at most, one below the other: with more the offsets within a workgroup's rows
/// would not fit 32 bits.
inline constexpr int kMostEights = 4;

struct EightGrid {
  int shift;       ///< the logarithm of the threads that take a row's eights side by side
  int workgroups;  ///< that so many eights for each thread make
};

}  // namespace wavesmith::kernels
