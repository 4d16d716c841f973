#include "base/file.h"

#include <fstream>
#include <limits>

namespace wavesmith {

Result<std::vector<uint8_t>> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  // A folder opens, and says that it is endless.
  if (size < 0 || size == std::numeric_limits<std::streamoff>::max())
    return fail(ErrorKind::NotFound, "cannot read '" + path + "'");
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!file) return fail(ErrorKind::NotFound, "cannot read '" + path + "'");
  return bytes;
}

}  // namespace wavesmith
