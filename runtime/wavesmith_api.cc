#include "runtime/wavesmith.h"

#include "runtime/platform.h"
#include "runtime/statistics.h"

namespace wavesmith::runtime {

extern "C" {

[[gnu::visibility("default")]] uint64_t wavesmith_instructions(void) { return instructions(); }

[[gnu::visibility("default")]] void wavesmith_set_threads(int threads) {
  if (Platform* const platform = Platform::get()) platform->limits.threads = threads < 0 ? 0 : threads;
}

}  // extern "C"

}  // namespace wavesmith::runtime
