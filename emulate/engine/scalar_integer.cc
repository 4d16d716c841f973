#include "isa/salu/integer.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_scalar_integer(Collector& collector) { isa::scalar_integer(collector); }

}  // namespace wavesmith::emulate
