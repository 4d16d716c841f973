#include "isa/valu/integer16.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_integer16(Collector& collector) { isa::integer16(collector); }

}  // namespace wavesmith::emulate
