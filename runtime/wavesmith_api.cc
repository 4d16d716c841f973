#include "runtime/wavesmith.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/error.h"
#include "runtime/platform.h"
#include "runtime/statistics.h"

namespace wavesmith::runtime {

extern "C" {

[[gnu::visibility("default")]] uint64_t wavesmith_instructions(void) { return instructions(); }

[[gnu::visibility("default")]] void wavesmith_set_threads(int threads) {
  if (Platform* const platform = Platform::get()) platform->limits.threads = threads < 0 ? 0 : threads;
}

[[gnu::visibility("default")]] void wavesmith_show_host_memory(int all) {
  if (Platform* const platform = Platform::get()) platform->show_host_memory(all != 0);
}

[[gnu::visibility("default")]] size_t wavesmith_last_failure(char* text, size_t size) {
  const std::string last = last_report();
  if (text && size > 0) {
    const size_t count = std::min(size - 1, last.size());
    std::memcpy(text, last.data(), count);
    text[count] = 0;
  }
  return last.size();
}

}  // extern "C"

}  // namespace wavesmith::runtime
