#include "isa/valu/division.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_division(Collector& collector) { isa::division(collector); }

}  // namespace wavesmith::emulate
