// Loads, stores and atomics.
#include <fmt/format.h>

#include "emulate/emitter.h"

namespace wavesmith::emulate {

Result<void> translate_memory(Emitter&, const isa::Instruction& instruction, const Implementation&) {
  return fail(ErrorKind::Unsupported, fmt::format("unsupported instruction '{}'", instruction.text));
}

}  // namespace wavesmith::emulate
