#include "isa/valu/transcendental.h"

#include "emulate/engine/wave_operation.h"

namespace wavesmith::emulate {

void add_transcendental(Collector& collector) { isa::transcendental_instructions(collector); }

}  // namespace wavesmith::emulate
