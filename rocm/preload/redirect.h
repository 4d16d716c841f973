// Redirects paths to the emulated machine: those under the prefixes that the shown folder's file "prefixes"
// lists. Nothing here allocates or locks, so that it may run in a signal handler, between fork and exec, and
// before main.
#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

namespace wavesmith::rocm {

/// The folder that is shown to the process: its path, and the prefixes, one per line, each ending with a
/// newline.
struct ShownFolder {
  std::string_view root, prefixes;
};

/// The path within the shown folder, written to `buffer`; the unchanged path if no prefix matches.
const char* redirected(const char* path, const ShownFolder& shown, char (&buffer)[PATH_MAX]);

/// Turns a path within the shown folder back, in place, into the one that the program knows.
void restore(char* path, const ShownFolder& shown);

}  // namespace wavesmith::rocm
