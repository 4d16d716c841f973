#include "emulate/engine/atomic.h"
#include "isa/memory/atomic.h"

namespace wavesmith::emulate {

void add_float_atomics(Collector& collector) { isa::float_atomics(collector); }

}  // namespace wavesmith::emulate
