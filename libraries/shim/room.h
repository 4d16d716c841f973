// Memory for work in a stream, where nobody can be answered any more: without it the process ends and says
// for what it was.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace wavesmith::libraries {

enum class Begins { AsItIs, Zeroed };

/// Room for `count` elements, at least one, for std::free(). `what`: "a convolution".
template <class T>
T* room_for(int64_t count, const char* what, Begins begins = Begins::AsItIs) {
  const size_t bytes = static_cast<size_t>(count > 1 ? count : 1) * sizeof(T);
  if (void* const memory = begins == Begins::Zeroed ? std::calloc(1, bytes) : std::malloc(bytes))
    return static_cast<T*>(memory);
  std::fprintf(stderr, "wavesmith: no memory for %zu bytes of %s\n", bytes, what);
  std::abort();
}

}  // namespace wavesmith::libraries
