#include "isa/valu/convert.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_convert(Collector& collector) { isa::convert_numbers(collector); }

}  // namespace wavesmith::emulate
