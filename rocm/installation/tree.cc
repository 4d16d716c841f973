#include "rocm/installation/tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/hash.h"
#include "base/scratch.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

uint64_t hash_of(const Tree& tree) {
  Hash hash;
  const auto add = [&hash](const std::string& text) { hash.add(text).separate(); };
  for (const auto& [path, text] : tree.files) add(path), add(text);
  for (const auto& [path, target] : tree.links) add(path), add(target);
  for (const std::string& path : tree.folders) add(path);
  return hash.value();
}

std::error_code write(const Tree& tree, const fs::path& folder) {
  std::error_code failed;
  for (const auto& [path, text] : tree.files) {
    fs::create_directories((folder / path).parent_path(), failed);
    if (failed) return failed;
    std::ofstream file(folder / path);
    file << text;
    file.close();
    if (!file) return std::make_error_code(std::errc::io_error);
    // As the kernel's; programs are scripts.
    fs::permissions(folder / path, fs::perms(text.starts_with("#!") ? 0555 : 0444), failed);
  }
  for (const std::string& path : tree.folders) {
    fs::create_directories(folder / path, failed);
    if (failed) return failed;
  }
  for (const auto& [path, target] : tree.links) {
    fs::create_directories((folder / path).parent_path(), failed);
    if (!failed) fs::create_symlink(target, folder / path, failed);
    if (failed) return failed;
  }
  return {};
}

}  // namespace

void link_all(Tree& tree, const std::string& at, const std::string& folder) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string place = at + "/" + entry.path().filename().string();
    const auto within = tree.files.lower_bound(place + "/");
    if (within != tree.files.end() && within->first.starts_with(place + "/"))
      link_all(tree, place, entry.path());
    else if (!tree.files.contains(place))
      tree.links[place] = entry.path().string();
  }
}

Result<std::string> stored(const Tree& tree, const std::string& parent) {
  const fs::path folder = fs::path(parent) / fmt::format("{:016x}", hash_of(tree));
  std::error_code failed;
  if (fs::exists(folder, failed)) return folder.string();
  const Scratch scratch("making", parent);
  const fs::path making = scratch / "made";
  if (!scratch.made() || !fs::create_directory(making, failed))
    return fail(ErrorKind::BadInput, fmt::format("cannot write to '{}'", parent), {},
                "set WAVESMITH_CACHE to a folder that can be written");
  fs::permissions(making, fs::perms(0755), failed);
  failed = write(tree, making);
  if (!failed) fs::rename(making, folder, failed);
  std::error_code ignored;
  if (!fs::exists(folder, ignored))
    return fail(ErrorKind::BadInput, fmt::format("cannot write '{}': {}", folder.string(), failed.message()));
  return folder.string();
}

}  // namespace wavesmith::rocm
