#include "isa/valu/dot.h"

#include "emulate/engine/packed.h"

namespace wavesmith::emulate {

void add_dot(Collector& collector) { isa::dot_instructions(collector); }

}  // namespace wavesmith::emulate
