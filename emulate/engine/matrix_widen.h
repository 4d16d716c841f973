// A's and B's elements as floats, sixteen lanes at a time.
#pragma once

#include "emulate/translate/matrix_plan.h"

namespace wavesmith::emulate {

/// Widens an input: the element e of the pack p of lanes goes to floats[16 * to[p][e]...].
void widen(const MatrixPlan::Input& input, const std::byte* registers, float* floats);

}  // namespace wavesmith::emulate
