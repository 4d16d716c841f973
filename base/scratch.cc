#include "base/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <random>

namespace wavesmith {

namespace fs = std::filesystem;

Scratch::Scratch(std::string_view what, const fs::path& parent) {
  std::error_code failed;
  if (!parent.empty()) fs::create_directories(parent, failed);
  const fs::path place = parent.empty() ? fs::temp_directory_path(failed) : parent;
  std::string name = (place / fmt::format("wavesmith-{}-XXXXXX", what)).string();
  if (mkdtemp(name.data())) folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

fs::path temporary_file(std::string_view what, std::string_view extension) {
  std::random_device random;
  std::error_code failed;
  return fs::temp_directory_path(failed) /
         fmt::format("wavesmith-{}-{:08x}{:08x}{}", what, random(), random(), extension);
}

}  // namespace wavesmith
