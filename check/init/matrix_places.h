// Where a matrix instruction's elements stand, by the lines of the result that they take part in.
#pragma once

#include <memory>

#include "check/init/plan.h"

namespace wavesmith::check::init {

/// nullptr where a modifier moves elements between lanes or blocks.
std::unique_ptr<MatrixPlaces> matrix_places(const isa::Instruction& instruction, const isa::Row& row,
                                            int wave_lanes);

}  // namespace wavesmith::check::init
