// Replaces functions of libc: our definition, and a call of libc's own.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace wavesmith::rocm {

/// A function that replaces libc's of that name.
struct StandIn {
  const char* name;
  void* function;
};

template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&literal)[N]) { std::copy_n(literal, N, text); }
};

/// The next definition of that name after ours: libc's, or another preloaded library's.
template <Name name, class Signature>
Signature* next() {
  static std::atomic<Signature*> found{nullptr};
  Signature* function = found.load(std::memory_order_relaxed);
  if (!function) {
    function = reinterpret_cast<Signature*>(dlsym(RTLD_NEXT, name.text));
    found.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace wavesmith::rocm

/// Opens the definition of a replacement for libc's function. It has another name in the source, so that it
/// need not match the headers' attributes and inline forms, and is listed in the table that attach.cc reads.
#define WAVESMITH_STANDS_IN(result, name, parameters)                                                  \
  extern "C" [[gnu::visibility("default")]] result shown_##name parameters __asm__(#name);             \
  [[gnu::used, gnu::section("stand_ins")]] static const ::wavesmith::rocm::StandIn stand_in_##name = { \
      #name, reinterpret_cast<void*>(&shown_##name)};                                                  \
  result shown_##name parameters
