#include "emulate/fault.h"

#include <fmt/format.h>

#include "emulate/workgroup.h"

namespace wavesmith::emulate {

bool admit(const Uop* uop, Wave* wave, uint64_t lanes, uint32_t bytes) {
  (void)uop, (void)lanes, (void)bytes, (void)wave;
  return true;
}

bool admit_scalar(const Uop* uop, Wave* wave, uint64_t address, uint32_t bytes) {
  (void)uop, (void)address, (void)bytes, (void)wave;
  return true;
}

void stray_access(const Uop* uop, Wave* wave, int lane, uint64_t address, uint32_t bytes) {
  wave->group->fail(
      *wave, uop,
      Error{ErrorKind::MemoryFault, fmt::format("lane {} accesses {} bytes at {:#x}", lane, bytes, address)});
}

void misaligned_atomic(const Uop* uop, Wave* wave, int lane, uint64_t address) {
  wave->group->fail(
      *wave, uop,
      Error{ErrorKind::MemoryFault,
            fmt::format("lane {}: atomic access to the unaligned address {:#x}", lane, address)});
}

void run_slice(Wave& wave) { wave.resume->handler(wave.resume, &wave); }

}  // namespace wavesmith::emulate
