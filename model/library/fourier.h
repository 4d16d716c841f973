// Predicts a Fourier transform as the passes over memory that rocFFT makes.
#pragma once

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/prediction.h"

namespace wavesmith::model {

struct FourierProblem {
  enum class Kind : uint8_t { Complex, FromReal, ToReal };
  double length = 1, height = 1, depth = 1;  ///< the length's numbers lie side by side
  double batch = 1;
  bool twice = false;  ///< doubles, not floats
  Kind kind = Kind::Complex;
};

/// The number of kernels that transform rows of a length, each of which reads and writes everything once, and
/// the factor by which the rows grow (Bluestein's method, for lengths with large primes).
struct FourierPasses {
  double count = 0, growth = 1;
};
FourierPasses fourier_passes(double length, bool twice);

/// Error: a size that is 0.
Result<Prediction> predict_fourier(const gpus::Gpu& gpu, const FourierProblem& problem,
                                   const Conditions& conditions = {});

}  // namespace wavesmith::model
