#include "isa/salu/bits.h"
#include "isa/salu/compare.h"
#include "isa/salu/exec.h"
#include "isa/salu/integer.h"
#include "isa/salu/logic.h"
#include "isa/salu/move.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {

void add_scalar_integer(Collector& collector) {
  isa::scalar_move(collector);
  isa::scalar_integer(collector);
  isa::scalar_logic(collector);
  isa::scalar_bits(collector);
  isa::scalar_compare(collector);
  isa::scalar_exec(collector);
}

}  // namespace wavesmith::emulate
