// Gates with what they multiply.
#pragma once

#include "call.h"

namespace wavesmith::operators {

// A gate and what it multiplies: beside it, or the second half of its rows. The shape is that of the product.
struct Halves {
  Shape shape;
  wavesmith_kernels_gate_description description;
};

Halves halves(const Call& call, const Tensor& gate, const OptionalTensor& up, const std::string& activation);

}  // namespace wavesmith::operators
