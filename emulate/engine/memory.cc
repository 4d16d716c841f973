// Loads and stores.
#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_memory(Collector&) {}

}  // namespace wavesmith::emulate
