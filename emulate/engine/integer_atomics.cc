#include "emulate/engine/atomic.h"
#include "isa/memory/atomic.h"

namespace wavesmith::emulate {

void add_integer_atomics(Collector& collector) { isa::integer_atomics(collector); }

}  // namespace wavesmith::emulate
