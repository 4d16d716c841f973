#include "cli/libraries/install.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/terminal.h"
#include "rocm/libraries/debian.h"
#include "rocm/libraries/installation.h"
#include "rocm/libraries/libraries.h"
#include "rocm/libraries/library_folders.h"
#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;

void say_plan(const std::vector<rocm::Archive>& archives) {
  uint64_t bytes = 0;
  for (const rocm::Archive& one : archives) bytes += one.bytes;
  for (const rocm::Archive& one : archives)
    if (one.part == "amd")
      fmt::print(stderr, "  {:<28} {:<22} {:>10}\n", one.name, one.version, bytes_text(one.bytes));
  fmt::print(stderr, "  {} with what they need: {} packages\n", bytes_text(bytes), archives.size());
}

/// What the folder's libraries are worth on this machine.
Exit say_result(const std::string& folder) {
  const auto runtime = study::library_folder(toolchain::discover());
  if (!runtime) return report(runtime.error());
  const auto found = rocm::find_libraries(*runtime, {rocm::LibraryChoice::Mode::Amd, folder});
  if (!found) return report(found.error());
  std::vector<std::string> names;
  for (const rocm::LibraryProvider& provider : found->providers)
    if (provider.origin == rocm::LibraryProvider::Origin::Installed) {
      if (provider.is_amd) names.emplace_back(provider.library->title);
      if (!provider.refused.empty())
        fmt::print(stderr, "wavesmith: {} is not used: {}\n", provider.amd, provider.refused);
    }
  for (const std::string& name : rocm::read_installation(folder).asked)
    if (const auto* known = rocm::known_library(name); known && !*known->file)
      names.emplace_back(known->title);
  if (!found->loader.empty())
    fmt::print(stderr,
               "wavesmith: programs run with the folder's C library, which is newer than this machine's\n");
  const bool usual = folder == toolchain::installation_folder();
  fmt::print("AMD's {} in {}: wavesmith run {}-- PROGRAM\n", fmt::join(names, ", "), folder,
             usual ? "" : fmt::format("--libraries {} ", folder));
  return Exit::Ok;
}

}  // namespace

std::vector<std::string> installable() {
  std::vector<std::string> names;
  for (const rocm::KnownLibrary& one : rocm::kKnownLibraries)
    if (*one.packages) names.emplace_back(one.name);
  return names;
}

Exit install_libraries(const InstallOptions& options) {
  std::error_code failed;
  const std::string folder =
      options.folder.empty() ? toolchain::installation_folder()
                             : fs::weakly_canonical(fs::absolute(options.folder, failed), failed).string();
  for (const std::string& name : options.names)
    if (const auto* known = rocm::known_library(name); !known || !*known->packages)
      return report({ErrorKind::NotFound,
                     fmt::format("no library '{}' of AMD's can be installed", name),
                     {},
                     fmt::format("there are {}", fmt::join(installable(), ", "))});
  const auto debian = rocm::Debian::prepare(folder, options.suite, options.mirror);
  if (!debian) return report(debian.error());
  fmt::print(stderr, "wavesmith: Debian {} of {}\n", options.suite, debian->mirror());
  if (const auto done = debian->update(); !done) return report(done.error());
  const auto archives = debian->plan(options.names);
  if (!archives) return report(archives.error());
  if (!archives->empty()) say_plan(*archives);
  if (options.dry_run) return Exit::Ok;
  if (!archives->empty())
    if (const auto done = debian->fetch(); !done) return report(done.error());
  const auto installed = debian->unpack(*archives, options.names);
  if (!installed) return report(installed.error());
  return say_result(folder);
}

}  // namespace wavesmith::cli
