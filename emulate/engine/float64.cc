#include "isa/valu/float64.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_float64(Collector& collector) { isa::float64(collector); }

}  // namespace wavesmith::emulate
