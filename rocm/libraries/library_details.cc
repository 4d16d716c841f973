#include "rocm/libraries/library_details.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "object/bundle.h"
#include "rocm/libraries/installation.h"
#include "rocm/libraries/library_folders.h"
#include "rocm/libraries/mapped_file.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;
using Origin = LibraryProvider::Origin;

/// Debian's package of a library: "librocblas5" of librocblas.so.5; "libroctx64-4".
std::string package_of(const LibraryProvider& provider) {
  const std::string packages = provider.library->packages;
  const std::string number = provider.soname.substr(provider.soname.rfind('.') + 1);
  return packages.empty() ? "" : packages.substr(0, packages.find(' ')) + number;
}

/// The folder that `wavesmith libraries install` filled, around one of its libraries.
std::string installation_around(const std::string& file) {
  std::error_code ignored;
  for (fs::path folder = fs::path(file).parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::exists(folder / kInstalledFile, ignored)) return folder;
  return {};
}

/// Source: dpkg's status file, as deb822(5) describes it.
std::string version_in_status(const std::string& package) {
  std::ifstream status("/var/lib/dpkg/status");
  bool here = false, installed = false;
  std::string version;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Package: ")) here = line.substr(9) == package, installed = false, version.clear();
    if (!here) continue;
    if (line.starts_with("Status: ")) installed = line.ends_with(" installed");
    if (line.starts_with("Version: ")) version = line.substr(9);
    if (installed && !version.empty()) return version;
  }
  return {};
}

std::vector<object::TargetId> targets_in(const std::string& path) {
  const MappedFile file(path);
  auto targets = object::targets_of(file.bytes());
  return targets ? *std::move(targets) : std::vector<object::TargetId>();
}

/// Tensile's and others', in the folder of the library's name beside it.
std::vector<std::string> files_of_kernels(const LibraryProvider& provider) {
  std::vector<std::string> found;
  const fs::path beside = fs::path(provider.amd).parent_path() / provider.library->file;
  std::error_code failed;
  fs::recursive_directory_iterator files(beside, failed);
  for (; !failed && files != fs::recursive_directory_iterator(); files.increment(failed))
    if (const std::string kind = files->path().extension(); kind == ".co" || kind == ".hsaco")
      found.push_back(files->path());
  return found;
}

enum class Code : uint8_t { None, ForOthers, Suits };

/// What a file holds for a GPU.
Code code_for(const object::TargetId& gpu, const std::string& path) {
  const MappedFile file(path);
  bool suits = false;
  const auto targets = object::targets_of(file.bytes(), [&](const object::TargetId& target) {
    return suits = object::suitability(target, gpu).has_value();
  });
  return suits ? Code::Suits : targets ? Code::ForOthers : Code::None;
}

}  // namespace

LibraryProvider loaded_library(const std::string& path) {
  LibraryProvider provider;
  provider.library = library_of_file(fs::path(path).filename().string());
  if (!provider.library) return provider;
  std::error_code failed;
  const fs::path file = fs::canonical(path, failed);  // from behind the links that `run` makes
  provider.amd = failed ? path : file.string();
  provider.soname = soname_of_file(fs::path(provider.amd).filename().string());
  provider.is_amd = true;
  const std::string folder = fs::path(provider.amd).parent_path();
  provider.origin = Origin::Given;
  if (!installation_around(provider.amd).empty()) provider.origin = Origin::Installed;
  for (const std::string& one : system_folders())
    if (fs::weakly_canonical(one, failed) == folder) provider.origin = Origin::System;
  return provider;
}

std::string version_of(const LibraryProvider& provider) {
  if (provider.amd.empty()) return {};
  const std::string package = package_of(provider);
  if (provider.origin == Origin::Installed) {
    for (const InstalledPackage& one : read_installation(installation_around(provider.amd)).packages)
      if (one.name == package) return "Debian " + one.version;
    return {};
  }
  if (provider.origin == Origin::System && !package.empty()) {
    const std::string version = version_in_status(package);
    return version.empty() ? "" : "Debian " + version;
  }
  std::ifstream file(fs::path(provider.amd).parent_path().parent_path() / ".info/version");
  std::string version;
  return std::getline(file, version) ? "ROCm " + version : "";
}

std::vector<std::string> targets_of(const LibraryProvider& provider) {
  std::set<std::string> found;
  if (provider.amd.empty()) return {};
  for (const object::TargetId& target : targets_in(provider.amd)) found.insert(target.text());
  for (const std::string& file : files_of_kernels(provider))
    for (const object::TargetId& target : targets_in(file)) found.insert(target.text());
  // gfx942 before gfx1100.
  std::vector<std::string> sorted(found.begin(), found.end());
  std::sort(sorted.begin(), sorted.end(), [](const std::string& a, const std::string& b) {
    const auto length = [](const std::string& text) {
      return std::min(text.find_first_of(":-"), text.size());
    };
    return std::pair(length(a), a) < std::pair(length(b), b);
  });
  return sorted;
}

std::string missing_kernels(const LibraryProvider& provider, const std::set<std::string>& gpus) {
  if (gpus.empty()) return {};
  const std::vector<std::string> files = files_of_kernels(provider);
  for (const std::string& name : gpus) {
    const auto gpu = object::TargetId::parse(name);
    if (!gpu) continue;
    const auto has = [&](const std::string& file) { return code_for(*gpu, file) == Code::Suits; };
    if (code_for(*gpu, provider.amd) != Code::ForOthers &&
        (files.empty() || std::any_of(files.begin(), files.end(), has)))
      continue;
    return fmt::format("it has no kernels for {}, only for {}", gpu->processor,
                       fmt::join(targets_of(provider), ", "));
  }
  return {};
}

}  // namespace wavesmith::rocm
