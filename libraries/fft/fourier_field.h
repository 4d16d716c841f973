// Fourier transforms of data in bricks on one or several GPUs, which serve rocFFT's fields. The bricks are
// gathered, transformed as a whole, and the result is scattered into bricks.
#pragma once

#include <cstdint>

#include "libraries/fft/fourier.h"

namespace wavesmith::libraries {

/// A box of a field, its corners and where its numbers lie, by the dimensions and the batch, the fastest one
/// first.
struct Brick {
  static constexpr int kMost = FourierLayout::kMost + 1;
  int count;  ///< dimensions and the batch
  int64_t lower[kMost], upper[kMost], stride[kMost];

  [[nodiscard]] int64_t volume() const;
};

struct Field {
  static constexpr int kMost = 16;
  int count;
  Brick bricks[kMost];
};

/// `what` without input and output; of a side whose field has no bricks the numbers are packed in the first
/// buffer.
struct FieldTransform {
  Fourier what;
  Field from, to;
  void *inputs[Field::kMost], *outputs[Field::kMost];

  /// Whether each side's bricks have as many numbers as the side, and lie in it.
  [[nodiscard]] bool fits() const;
  void run() const;
  /// Reports the transform alone, without transfers of other GPUs' bricks over links.
  void report_work(const WorkReporter& reporter) const { what.report_work(reporter); }
};

/// Enqueues it.
Outcome transform(const FieldTransform& what, void* stream);

}  // namespace wavesmith::libraries
