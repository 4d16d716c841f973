// Householder's reflections.
#pragma once

#include <algorithm>

#include <ATen/core/Tensor.h>

#include "linalg/matrices.h"

namespace wavesmith::device {

// The vectors of reflections, below the diagonals of matrices, with their factors.
struct Reflections {
  // Those that make a matrix r, which is on and above the diagonals.
  static Reflections of(const at::Tensor& a);
  // The same in a's place.
  static void factor(const at::Tensor& a, const at::Tensor& factors);
  // Multiplies c with q or q^H, in place.
  void apply(const at::Tensor& c, bool left = true, bool adjoint = false) const;

  at::Tensor vectors, factors;
};

}  // namespace wavesmith::device
