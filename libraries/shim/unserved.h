// Functions of AMD's libraries that are not served here: each returns the library's own status for "not
// supported", and names itself once on stderr. A function of a library is a row in the library's table
// (libraries/*.tsv); to serve it, write it in libraries/<library>.cc and say `served` in the row.
#pragma once

#include <atomic>
#include <cstddef>

namespace wavesmith::libraries {

/// Prints once, on stderr, that the function is not supported. Returns `value`.
int unsupported(const char* function, const char* status, int value, std::atomic_flag& said);

/// The name of a status; `unknown` for one that the library does not have.
template <size_t kCount>
const char* name_of(const char* const (&names)[kCount], int status, const char* unknown) {
  return status >= 0 && status < static_cast<int>(kCount) ? names[status] : unknown;
}

}  // namespace wavesmith::libraries

// The value for the enclosing function to return; each use prints its line once.
#define WAVESMITH_UNSUPPORTED(function, status, value)                       \
  [] {                                                                       \
    static std::atomic_flag said;                                            \
    return wavesmith::libraries::unsupported(function, status, value, said); \
  }()

// Defines an unserved function. Callers pass arguments that it ignores (the caller cleans up).
#define WAVESMITH_UNSERVED(function, status, value)         \
  extern "C" [[gnu::visibility("default")]] int function(); \
  extern "C" int function() { return WAVESMITH_UNSUPPORTED(#function, status, value); }

// The same without the line, for functions that programs call at startup in case they need the library later.
#define WAVESMITH_QUIET(function, value)                    \
  extern "C" [[gnu::visibility("default")]] int function(); \
  extern "C" int function() { return value; }

// Precedes the definition of a function that is served.
#define WAVESMITH_SERVED extern "C" [[gnu::visibility("default")]]
