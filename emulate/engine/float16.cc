#include "isa/valu/float16.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_float16(Collector& collector) { isa::float16(collector); }

}  // namespace wavesmith::emulate
