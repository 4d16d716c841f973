#include "isa/valu/cross_lane.h"

#include "emulate/engine/wave_operation.h"

namespace wavesmith::emulate {

void add_cross_lane(Collector& collector) { isa::cross_lane_instructions(collector); }

}  // namespace wavesmith::emulate
