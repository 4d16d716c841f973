// Workspace for requests that a stream executes, when no call is left to return an error: if the host has no
// memory, a message says for what and the process aborts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace wavesmith::libraries {

enum class InitialContents { Undefined, Zeroed };

/// Allocates `count` elements, at least one; release them by std::free(). `what` is for the message: "a
/// convolution".
template <class T>
T* allocate_workspace(int64_t count, const char* what,
                      InitialContents contents = InitialContents::Undefined) {
  const size_t bytes = static_cast<size_t>(count > 1 ? count : 1) * sizeof(T);
  if (void* const memory = contents == InitialContents::Zeroed ? std::calloc(1, bytes) : std::malloc(bytes))
    return static_cast<T*>(memory);
  std::fprintf(stderr, "wavesmith: no memory for %zu bytes of %s\n", bytes, what);
  std::abort();
}

}  // namespace wavesmith::libraries
