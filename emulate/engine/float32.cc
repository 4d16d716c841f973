#include "isa/valu/float32.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_float32(Collector& collector) { isa::float32(collector); }

}  // namespace wavesmith::emulate
