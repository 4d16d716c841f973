#include "rocm/libraries/library_paths.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "rocm/libraries/known_libraries.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;
using Origin = LibraryProvider::Origin;

void append(std::string& path, const std::string& folder) {
  if (!folder.empty()) path += (path.empty() ? "" : ":") + folder;
}

std::string joined(const std::vector<std::string>& folders) {
  std::string path;
  for (const std::string& folder : folders) append(path, folder);
  return path;
}

/// Links by the soname and without its number, by which programs open libraries at run time. AMD's look for
/// their kernels beside the name that they were loaded by.
void add(Tree& tree, const std::string& at, const LibraryProvider& provider, const std::string& file) {
  tree.links[at + "/" + provider.soname] = file;
  tree.links.emplace(at + "/lib" + provider.library->file + ".so", file);
  if (!provider.is_amd) return;
  std::error_code ignored;
  const fs::path data = fs::path(file).parent_path() / provider.library->file;
  if (fs::is_directory(data, ignored)) tree.links[at + "/" + provider.library->file] = data.string();
}

}  // namespace

void add_libraries(Tree& tree, const std::string& at, const Libraries& libraries) {
  // AMD's first: the name without a number is theirs.
  for (const bool amds : {true, false})
    for (const LibraryProvider& provider : libraries.providers)
      if (provider.is_amd == amds && (amds || !provider.stand_in.empty()))
        add(tree, at, provider, amds ? provider.amd : provider.stand_in);
}

Result<Environment> library_variables(const Libraries& libraries) {
  Environment variables;
  std::string plain = libraries.runtime;
  append(plain, libraries.stand_ins);
  append(plain, joined(libraries.given));
  variables["LD_LIBRARY_PATH"] = plain;
  if (!libraries.any_amd()) return variables;

  // Before everything: AMD's compilers where they were chosen, and the stand-ins of what lies in AMD's
  // folders and is not taken from there. Behind everything: what is nowhere else.
  Tree tree;
  for (const char* folder : {"first", "last"})
    tree.files[std::string(folder) + "/" + toolchain::kShownFile] =
        "which of AMD's libraries a program gets\n";
  for (const LibraryProvider& provider : libraries.providers) {
    const bool amds = provider.is_amd;
    if (!amds && provider.stand_in.empty()) continue;
    const bool compiler = provider.library->prefer == KnownLibrary::Prefer::Chosen;
    if (compiler && !amds) continue;  // the runtime's folder has ours
    const bool hidden = !amds && !provider.amd.empty();
    if (compiler || hidden) add(tree, "first", provider, amds ? provider.amd : provider.stand_in);
  }
  Libraries others = libraries;
  std::erase_if(others.providers, [](const LibraryProvider& provider) {
    return provider.library->prefer == KnownLibrary::Prefer::Chosen;
  });
  add_libraries(tree, "last", others);
  for (const auto& [name, file] : libraries.support) tree.links["last/" + name] = file;
  const Result<std::string> root = stored(tree, toolchain::cache_folder() + "/libraries");
  if (!root) return tl::unexpected(root.error());

  std::string path = *root + "/first";
  append(path, libraries.runtime);
  append(path, joined(libraries.given));
  append(path, joined(libraries.folders));
  append(path, *root + "/last");
  if (libraries.loader.empty()) {
    variables["LD_LIBRARY_PATH"] = path;
  } else {
    // The variable would reach programs that this machine's own C library starts.
    variables["WAVESMITH_LOADER"] = libraries.loader;
    variables["WAVESMITH_LOADER_PATH"] = libraries.libc + ":" + path;
  }
  // Debian's MIOpen has the path of its tables compiled in.
  for (const std::string& folder : libraries.folders) {
    std::error_code ignored;
    const std::string root_of_installation = fs::path(folder).parent_path().parent_path().parent_path();
    for (const std::string& usr : {root_of_installation + "/usr", root_of_installation})
      if (const std::string tables = usr + "/share/miopen/db"; fs::is_directory(tables, ignored))
        variables["MIOPEN_SYSTEM_DB_PATH"] = tables;
  }
  // Debian's MIOpen is built without the sources of its assembly kernels, and chooses them nevertheless
  // ("Failed to load kernel source: Conv_Winograd_v30_3_1_fp32_f2x3_stride1.s").
  constexpr const char* kAssembly = "MIOPEN_DEBUG_GCN_ASM_KERNELS";
  for (const LibraryProvider& provider : libraries.providers)
    if (provider.is_amd && std::string_view(provider.library->file) == "MIOpen" && !std::getenv(kAssembly) &&
        (provider.origin == LibraryProvider::Origin::Installed ||
         provider.origin == LibraryProvider::Origin::System))
      variables[kAssembly] = "0";
  return variables;
}

}  // namespace wavesmith::rocm
