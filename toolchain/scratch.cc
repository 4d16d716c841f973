#include "toolchain/scratch.h"

#include <stdlib.h>

#include <fstream>
#include <iterator>

namespace wavesmith::toolchain {

namespace fs = std::filesystem;

Scratch::Scratch(std::string_view what) {
  std::error_code failed;
  std::string name =
      (fs::temp_directory_path(failed) / ("wavesmith-" + std::string(what) + "-XXXXXX")).string();
  if (mkdtemp(name.data())) folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

bool write_file(const fs::path& file, std::string_view text) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  return stream.good();
}

bool write_file(const fs::path& file, const std::vector<uint8_t>& bytes) {
  return write_file(file, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::vector<uint8_t> read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace wavesmith::toolchain
