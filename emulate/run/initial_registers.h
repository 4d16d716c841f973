// The registers that a wave begins with, as the command processor sets them.
#pragma once

#include "emulate/run/wave.h"
#include "emulate/run/workgroup.h"

namespace wavesmith::emulate {

/// Sets the registers of a wave whose number, lanes and private memory are known already. False: no work-item
/// of the grid would be in it.
bool set_initial_registers(Wave& wave, const Workgroup& group);

}  // namespace wavesmith::emulate
