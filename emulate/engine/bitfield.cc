#include "isa/valu/bitfield.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_bitfield(Collector& collector) { isa::bitfield(collector); }

}  // namespace wavesmith::emulate
