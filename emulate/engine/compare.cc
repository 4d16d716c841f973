#include "isa/valu/compare.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_compare(Collector& collector) {
  isa::compare_integers(collector);
  isa::compare_floats(collector);
}

}  // namespace wavesmith::emulate
