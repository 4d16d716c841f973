#include "isa/valu/bytes.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_bytes(Collector& collector) { isa::bytes(collector); }

}  // namespace wavesmith::emulate
