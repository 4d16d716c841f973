#include "isa/valu/integer32.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_integer32(Collector& collector) { isa::integer32(collector); }

}  // namespace wavesmith::emulate
