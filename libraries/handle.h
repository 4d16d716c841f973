// The state behind a library's handle: what programs set and ask back before they call what computes. Handles
// are served although nothing else may be, so that the message names the function that a program lacks, not
// its preparation.
#pragma once

#include <cstdlib>

namespace wavesmith::libraries {

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;
  int atomics_mode = 0;
};

/// Writes a new zeroed T to *place (no exceptions and no C++ library here: malloc). False: out of memory.
template <typename T = Handle>
bool create(void** place) {
  *place = std::calloc(1, sizeof(T));
  return *place != nullptr;
}

inline Handle* handle_of(void* opaque) { return static_cast<Handle*>(opaque); }

}  // namespace wavesmith::libraries
