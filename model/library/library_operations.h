// Operations of libraries: streams, Fourier transforms, factorisations.
#pragma once

#include <vector>

#include "model/operation.h"

namespace wavesmith::model {

std::vector<Operation> library_operations();

}  // namespace wavesmith::model
