// The common start of programs compiled at run time: the headers that hiprtc includes before a program, and
// the #include lines at its beginning. Most of a small kernel's compile time goes into them, so they are
// precompiled once per set of options and kept in the cache folder (clang's "Precompiled Header Files").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "toolchain/process.h"

namespace wavesmith::rtc {

/// Length of a program's first lines that are blank, a // comment or an #include.
size_t leading_includes(std::string_view text);

struct Prelude {
  std::string file;   ///< the precompiled header; empty: there is none, compile everything
  size_t covers = 0;  ///< so many bytes of the program are in it
};

/// The prelude of a program that is compiled by `compiler` (clang and all its options, but input, output and
/// -include) after the headers `before`. It is made when the same one is asked for the second time in a
/// process.
Prelude find_prelude(const toolchain::Command& compiler, const std::vector<std::string>& before,
                     std::string_view text);

/// Drops a prelude that is older than one of its headers. To be called with the compiler's output when a
/// compilation failed.
void drop_prelude(const Prelude& prelude, const std::string& said);

/// `text` with its first `count` bytes made blank; its lines keep their numbers.
std::string without_first(std::string_view text, size_t count);

}  // namespace wavesmith::rtc
