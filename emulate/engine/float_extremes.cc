#include "isa/valu/float_extremes.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_float_extremes(Collector& collector) { isa::float_extremes(collector); }

}  // namespace wavesmith::emulate
