#include "isa/salu/float.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_scalar_float(Collector& collector) { isa::scalar_float(collector); }

}  // namespace wavesmith::emulate
