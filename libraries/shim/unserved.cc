#include "libraries/shim/unserved.h"

#include <cstdio>

namespace wavesmith::libraries {

int unsupported(const char* function, const char* status, int value, std::atomic_flag& said) {
  if (!said.test_and_set()) {
    std::fprintf(stderr, "wavesmith: %s is not supported; it returns %s\n", function, status);
  }
  return value;
}

}  // namespace wavesmith::libraries
