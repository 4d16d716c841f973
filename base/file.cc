#include "base/file.h"

#include <fstream>
#include <limits>

namespace wavesmith {

Result<std::vector<uint8_t>> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  // A folder opens, and says that it is endless.
  if (size < 0 || size == std::numeric_limits<std::streamoff>::max())
    return fail(ErrorKind::NotFound, "cannot read '" + path.string() + "'");
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!file) return fail(ErrorKind::NotFound, "cannot read '" + path.string() + "'");
  return bytes;
}

bool write_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return !file.fail();
}

bool write_file(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  return write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace wavesmith
