#include "isa/valu/move.h"

#include "emulate/engine/packed.h"

namespace wavesmith::emulate {

void add_move(Collector& collector) { isa::move_instructions(collector); }

}  // namespace wavesmith::emulate
