#include "isa/valu/compare.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_compare(Collector& collector) { isa::compare(collector); }

}  // namespace wavesmith::emulate
