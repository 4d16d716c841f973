#include "rocm/preload/redirect.h"

#include <cstring>

namespace wavesmith::rocm {
namespace {

/// The path with "//" and "/./" made "/", as far as the buffer goes; empty when it does not fit.
std::string_view tidy(const char* path, char* buffer, size_t size) {
  size_t used = 0;
  for (const char* at = path; *at;) {
    if (at[0] == '/' && at[1] == '/') {
      ++at;
    } else if (at[0] == '/' && at[1] == '.' && (at[2] == '/' || !at[2])) {
      at += 2;
    } else {
      if (used == size) return {};
      buffer[used++] = *at++;
    }
  }
  return {buffer, used};
}

bool fits(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace

const char* redirected(const char* path, const ShownFolder& shown, char (&buffer)[PATH_MAX]) {
  // Nearly every path ends here: relative, or of another tree.
  if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd' && path[1] != '/' && path[1] != '.'))
    return path;
  if (shown.root.empty() || shown.root.size() >= PATH_MAX) return path;
  const std::string_view tidied = tidy(path, buffer + shown.root.size(), PATH_MAX - 1 - shown.root.size());
  if (!tidied.starts_with("/sys/") && !tidied.starts_with("/dev/")) return path;
  for (std::string_view rest = shown.prefixes; !rest.empty();) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    if (fits(tidied, rest.substr(0, end))) {
      std::memcpy(buffer, shown.root.data(), shown.root.size());
      buffer[shown.root.size() + tidied.size()] = '\0';
      return buffer;
    }
    rest.remove_prefix(end + 1);
  }
  return path;
}

void restore(char* path, const ShownFolder& shown) {
  const size_t root = shown.root.size();
  if (root == 0 || std::strncmp(path, shown.root.data(), root) != 0 || path[root] != '/') return;
  std::memmove(path, path + root, std::strlen(path + root) + 1);
}

}  // namespace wavesmith::rocm
