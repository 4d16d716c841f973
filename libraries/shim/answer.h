// What the functions of AMD's libraries that aren't served here answer: the library's own status for "not
// supported", and one line on stderr that names the function, once. A function of a library is a row in the
// library's table (libraries/*.tsv); serving it is writing it in libraries/<library>.cc and saying `served`
// in the row.
#pragma once

#include <atomic>
#include <cstddef>

namespace wavesmith::libraries {

/// Says once that the function isn't supported; returns the value.
int answer(const char* function, const char* status, int value, std::atomic_flag& said);

/// A status by its name; `unknown` for one that the library does not have.
template <size_t kCount>
const char* name_of(const char* const (&names)[kCount], int status, const char* unknown) {
  return status >= 0 && status < static_cast<int>(kCount) ? names[status] : unknown;
}

}  // namespace wavesmith::libraries

// The answer of the function in which it stands; each place where it stands says so once.
#define WAVESMITH_ANSWER(function, status, value)                       \
  [] {                                                                  \
    static std::atomic_flag said;                                       \
    return wavesmith::libraries::answer(function, status, value, said); \
  }()

// The callers pass arguments; what takes none ignores them (the caller cleans up).
#define WAVESMITH_UNSERVED(function, status, value)         \
  extern "C" [[gnu::visibility("default")]] int function(); \
  extern "C" int function() { return WAVESMITH_ANSWER(#function, status, value); }

// Without the line: what programs call at their start in case they need it later.
#define WAVESMITH_QUIET(function, value)                    \
  extern "C" [[gnu::visibility("default")]] int function(); \
  extern "C" int function() { return value; }

// Before a function that is served.
#define WAVESMITH_SERVED extern "C" [[gnu::visibility("default")]]
