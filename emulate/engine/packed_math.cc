#include "isa/valu/packed_math.h"

#include "emulate/engine/packed.h"

namespace wavesmith::emulate {

void add_packed_math(Collector& collector) { isa::packed_math_instructions(collector); }

}  // namespace wavesmith::emulate
