#include "isa/valu/integer64.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_integer64(Collector& collector) { isa::integer64(collector); }

}  // namespace wavesmith::emulate
