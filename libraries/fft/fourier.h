// Discrete Fourier transforms of any length, in one to three dimensions, on the host in stream order, which
// serve hipFFT's and rocFFT's. Results are not divided by the length. Everything is computed in double
// precision.
#pragma once

#include <cstdint>

#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// The layout of a transform's numbers: element (i, j, k) of a batch at ((i * embed[1] + j) * embed[2] + k) *
/// stride, and batches `distance` apart.
struct FourierLayout {
  static constexpr int kMost = 3;
  int64_t embed[kMost], stride, distance;
};

/// From complex numbers to complex ones, from real ones to the half of the complex ones that determines the
/// other, or from such a half to real ones.
enum class FourierKind : uint8_t { Complex, FromReal, ToReal };

struct Fourier {
  FourierKind kind;
  bool twice;       ///< doubles, not floats
  bool by_default;  ///< packed, with real rows padded for the complex results of in-place transforms
  int dimensions;
  int64_t sizes[FourierLayout::kMost], batches;
  FourierLayout from, to;
  int sign;  ///< of the exponent: -1 forward, 1 backward
  void *input, *output;
  double scale = 1;  ///< of what comes out

  /// Sets the layouts of packed numbers.
  void pack(bool in_place);
  void run() const;
  void report_work(const WorkReporter& reporter) const;
};

/// Enqueues it.
Outcome transform(Fourier what, void* stream);

}  // namespace wavesmith::libraries
