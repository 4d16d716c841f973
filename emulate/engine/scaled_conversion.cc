#include "isa/valu/small_float.h"

#include "emulate/engine/packed.h"

namespace wavesmith::emulate {

void add_scaled_conversion(Collector& collector) { isa::scaled_conversion_instructions(collector); }

}  // namespace wavesmith::emulate
