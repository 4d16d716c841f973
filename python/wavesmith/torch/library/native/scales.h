// The scales of what an operator quantises.
#pragma once

#include <string>

#include "call.h"

namespace wavesmith::operators {

// Computed ones, new on the device.
struct NewScales {
  Tensor tensor;
  wavesmith_kernels_scales described;
};

// For a tensor of that shape: "matrix", "row", "block" of so many columns, or "mx".
NewScales new_scales(const Call& call, const Shape& shape, const std::string& scaling, int64_t block);
// One that is given, or none.
wavesmith_kernels_scales given_scale(const Call& call, const OptionalTensor& scale);

}  // namespace wavesmith::operators
