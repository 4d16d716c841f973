#include "isa/valu/small_float.h"

#include "emulate/engine/packed.h"

namespace wavesmith::emulate {

void add_small_float(Collector& collector) { isa::small_float_instructions(collector); }

}  // namespace wavesmith::emulate
