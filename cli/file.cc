#include "cli/file.h"

#include <fmt/format.h>

#include <fstream>

namespace wavesmith::cli {

Result<void> write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return fail(ErrorKind::BadInput, fmt::format("cannot write '{}'", path));
  return {};
}

}  // namespace wavesmith::cli
