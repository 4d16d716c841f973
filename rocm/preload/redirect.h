// Which paths of a program are another machine's: those under the prefixes that the shown folder's file
// "prefixes" lists. Nothing here allocates or takes a lock, so that it may run in a signal handler, between
// fork and exec, and before main.
#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

namespace wavesmith::rocm {

/// A folder that is shown: its path, and the prefixes one a line, each ending with a newline.
struct ShownFolder {
  std::string_view root, prefixes;
};

/// The path within the shown folder, written to `buffer`; the path as it is when no prefix fits.
const char* redirected(const char* path, const ShownFolder& shown, char (&buffer)[PATH_MAX]);

/// The path that a program knows for one within the shown folder: in place, the folder's own part goes.
void restore(char* path, const ShownFolder& shown);

}  // namespace wavesmith::rocm
