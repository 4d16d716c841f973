#include "toolchain/discover.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/environment.h"
#include "toolchain/process.h"

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;

/// Folders matching "parent/prefix*", newest name first.
std::vector<fs::path> children(const fs::path& parent, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// The folder of Python packages that this code was installed into by pip, as wavesmith/bin or wavesmith/lib;
/// empty: it was not.
fs::path own_package_folder() {
  const fs::path package = own_file().parent_path().parent_path();
  return package.filename() == "wavesmith" && is_there(package / "py.typed") ? package.parent_path()
                                                                             : fs::path();
}

/// Folders in which Python packages are installed.
std::vector<fs::path> package_folders() {
  std::vector<fs::path> folders;
  const std::string listed = environment_variable("PYTHONPATH");
  for (size_t at = 0; at < listed.size();) {
    const size_t colon = std::min(listed.find(':', at), listed.size());
    if (colon > at) folders.emplace_back(listed.substr(at, colon - at));
    at = colon + 1;
  }
  if (const fs::path own = own_package_folder(); !own.empty()) folders.push_back(own);
  std::vector<fs::path> roots;
  if (const std::string venv = environment_variable("VIRTUAL_ENV"); !venv.empty()) roots.emplace_back(venv);
  if (const std::string home = environment_variable("HOME"); !home.empty())
    roots.push_back(fs::path(home) / ".local");
  std::error_code ignored;
  if (const fs::path python = find_program({"python3"}); !python.empty()) {
    roots.push_back(python.parent_path().parent_path());  // a virtual environment's is a link
    roots.push_back(fs::canonical(python, ignored).parent_path().parent_path());
  }
  roots.insert(roots.end(), {"/usr/local", "/usr"});
  for (const fs::path& root : roots)
    for (const fs::path& python : children(root / "lib", "python3"))
      for (const char* kind : {"site-packages", "dist-packages"})
        if (is_there(python / kind)) folders.push_back(python / kind);
  return folders;
}

void add_headers(Toolchain& found, Headers::Origin origin, const fs::path& include) {
  std::ifstream version(include / "hip" / "hip_version.h");
  if (!version) return;
  for (const Headers& known : found.headers)
    if (known.include == include) return;
  Headers headers{origin, include.string()};
  for (std::string line; std::getline(version, line);) {
    std::sscanf(line.c_str(), "#define HIP_VERSION_MAJOR %d", &headers.major);
    std::sscanf(line.c_str(), "#define HIP_VERSION_MINOR %d", &headers.minor);
    std::sscanf(line.c_str(), "#define HIP_VERSION_PATCH %d", &headers.patch);
  }
  found.headers.push_back(headers);
}

void add_libraries(Toolchain& found, Headers::Origin origin, const fs::path& folder) {
  if (!is_there(folder / "ocml.bc") || !is_there(folder / "ockl.bc")) return;
  for (const DeviceLibraries& known : found.libraries)
    if (known.folder == folder) return;
  found.libraries.push_back({origin, folder.string()});
}

/// compiler-rt's builtins of this machine below a compiler's own folder, `lib/clang/22`.
std::string find_builtins(const fs::path& compiler) {
  std::error_code failed;
  for (const auto& resources : fs::directory_iterator(compiler / "lib" / "clang", failed)) {
    const fs::path folder = resources.path() / "lib";
    for (const char* const name :
         {"linux/libclang_rt.builtins-x86_64.a", "x86_64-pc-linux-gnu/libclang_rt.builtins.a",
          "x86_64-unknown-linux-gnu/libclang_rt.builtins.a"})
      if (is_there(folder / name)) return (folder / name).string();
  }
  return {};
}

void find_compilers(Toolchain& found) {
  std::vector<std::string> names;
  if (const std::string given = environment_variable("WAVESMITH_CLANG"); !given.empty()) {
    names.push_back(given);  // that one or none: a slip must not go unnoticed
  } else {
    for (int version : {22, 23, 24, 21, 20})
      for (const char* form : {"clang++-{}", "/usr/lib/llvm-{}/bin/clang++"})
        names.push_back(fmt::format(fmt::runtime(form), version));
    names.emplace_back("clang++");
  }
  found.clang = find_program(names);
  if (found.clang.empty()) return;
  std::error_code ignored;
  const fs::path folder = fs::canonical(found.clang, ignored).parent_path();
  found.lld = find_program({(folder / "ld.lld").string(), (folder / "lld").string()});
  found.bundler = find_program({(folder / "clang-offload-bundler").string()});
  found.builtins = find_builtins(folder.parent_path());
  if (const fs::path openmp = folder.parent_path() / "lib" / "libomp.so"; is_there(openmp))
    found.openmp = openmp.string();
}

void find_rocm(Toolchain& found) {
  std::vector<fs::path> roots;
  if (const std::string path = environment_variable("ROCM_PATH"); !path.empty()) roots.emplace_back(path);
  roots.emplace_back("/opt/rocm");
  for (const fs::path& root : roots) {
    if (is_there(root / kShownFile)) continue;
    if (found.hipcc.empty()) found.hipcc = find_program({(root / "bin" / "hipcc").string()});
    add_headers(found, Headers::Origin::Rocm, root / "include");
    for (const char* folder : {"amdgcn/bitcode", "lib/llvm/lib/clang/amdgcn/bitcode"})
      add_libraries(found, Headers::Origin::Rocm, root / folder);
  }
}

/// Debian's places: below `lib` and its architectures (Debian 12), or with the LLVM that they were built by
/// (Debian 13, Ubuntu 24.04 and later).
void add_libraries_in(Toolchain& found, Headers::Origin origin, const fs::path& lib) {
  add_libraries(found, origin, lib / "amdgcn/bitcode");
  for (const fs::path& folder : children(lib, ""))
    if (is_there(folder / "amdgcn")) add_libraries(found, origin, folder / "amdgcn/bitcode");
  for (const fs::path& llvm : children(lib, "llvm-"))
    for (const fs::path& version : children(llvm / "lib/clang", ""))
      add_libraries(found, origin, version / "amdgcn/bitcode");
}

void find_debian(Toolchain& found) {
  add_headers(found, Headers::Origin::Debian, "/usr/include");
  add_libraries_in(found, Headers::Origin::Debian, "/usr/lib");
}

/// A folder as ROCm's, or as the /usr of another system with Debian's packages.
void find_given(Toolchain& found, const fs::path& given) {
  add_headers(found, Headers::Origin::Given, given / "include");
  add_libraries(found, Headers::Origin::Given, given / "amdgcn/bitcode");
  add_libraries(found, Headers::Origin::Given, given / "lib");
  add_libraries_in(found, Headers::Origin::Given, given / "lib");
}

/// What `wavesmith libraries install hip` has brought, into the folder that a run was told or the usual one.
void find_installed(Toolchain& found) {
  const std::string told = environment_variable("WAVESMITH_LIBRARIES");
  const fs::path usr = fs::path(told.find('/') != told.npos ? told : installation_folder()) / "amd" / "usr";
  add_headers(found, Headers::Origin::Installed, usr / "include");
  add_libraries_in(found, Headers::Origin::Installed, usr / "lib");
}

std::string find_runtime() {
  std::error_code failed;
  const fs::path self = fs::canonical("/proc/self/exe", failed);
  if (failed) return {};
  for (const char* relative : {"../lib/wavesmith", "../lib", "../lib64/wavesmith"}) {
    const fs::path folder = fs::weakly_canonical(self.parent_path() / relative, failed);
    if (is_there(folder / "libamdhip64.so")) return folder.string();
  }
  return {};
}

}  // namespace

fs::path own_file() {
  static const int here = 0;
  Dl_info info{};
  std::error_code failed;
  if (!dladdr(&here, &info) || !info.dli_fname) return {};
  const fs::path file = fs::canonical(info.dli_fname, failed);
  return failed ? fs::path() : file;
}

bool Headers::has(const std::string& header) const { return is_there(fs::path(include) / header); }

std::string name_of(Headers::Origin origin) {
  switch (origin) {
    case Headers::Origin::Given:
      return "given";
    case Headers::Origin::Rocm:
      return "rocm";
    case Headers::Origin::Installed:
      return "installed";
    case Headers::Origin::Triton:
      return "triton";
    case Headers::Origin::TensorFlow:
      return "tensorflow";
    case Headers::Origin::Debian:
      return "debian";
  }
  return "unknown";
}

Result<void> require_compiler(const Toolchain& tools, std::string_view who) {
  constexpr const char* kHint =
      "install clang 17 or newer with lld (Debian: apt install clang lld), or set WAVESMITH_CLANG; "
      "'wavesmith cc --doctor' says what is there";
  const std::string given = environment_variable("WAVESMITH_CLANG");
  if (tools.clang.empty() && !given.empty())
    return fail(ErrorKind::NotFound,
                fmt::format("{} needs clang++, and WAVESMITH_CLANG='{}' is no program", who, given), {},
                kHint);
  if (tools.clang.empty())
    return fail(ErrorKind::NotFound, fmt::format("{} needs clang++, and none was found", who), {}, kHint);
  if (tools.lld.empty())
    return fail(ErrorKind::NotFound,
                fmt::format("{} needs lld for device code, and '{}' has none beside it", who, tools.clang),
                {}, kHint);
  return {};
}

Result<void> require_device_libraries(const Toolchain& tools, std::string_view who) {
  if (!tools.libraries.empty()) return {};
  return fail(ErrorKind::NotFound,
              fmt::format("{} needs AMD's device libraries (ocml.bc, ockl.bc), and none were found", who), {},
              "install them (Debian: apt install rocm-device-libs; anywhere: pip install triton), or set "
              "WAVESMITH_HIP_PATH to a folder that has them; 'wavesmith cc --doctor' says what is there");
}

Result<void> require_openmp(const Toolchain& tools) {
  if (!tools.openmp.empty()) return {};
  std::error_code ignored;
  std::string version = fs::canonical(tools.clang, ignored).parent_path().parent_path().filename().string();
  version = version.starts_with("llvm-") ? version.substr(5) : "22";
  return fail(ErrorKind::NotFound, "-fopenmp needs LLVM's OpenMP runtime, and there is none beside clang", {},
              fmt::format("install it (Debian: apt install libomp-{}-dev), or leave out -fopenmp", version));
}

Toolchain discover() {
  Toolchain found;
  find_compilers(found);
  if (const std::string given = environment_variable("WAVESMITH_HIP_PATH"); !given.empty())
    find_given(found, given);
  find_rocm(found);
  find_installed(found);
  const std::vector<fs::path> packages = package_folders();
  for (const fs::path& package : packages) {
    const fs::path amd = package / "triton" / "backends" / "amd";
    add_headers(found, Headers::Origin::Triton, amd / "include");
    add_libraries(found, Headers::Origin::Triton, amd / "lib");
  }
  for (const fs::path& package : packages)
    add_headers(found, Headers::Origin::TensorFlow,
                package / "tensorflow/include/external/local_config_rocm/rocm/rocm/include");
  find_debian(found);
  found.runtime = find_runtime();
  return found;
}

std::string installation_folder() {
  if (const std::string data = environment_variable("XDG_DATA_HOME"); !data.empty())
    return data + "/wavesmith/libraries";
  if (const std::string home = environment_variable("HOME"); !home.empty())
    return home + "/.local/share/wavesmith/libraries";
  return cache_folder() + "/libraries-installed";
}

std::string cache_folder() {
  if (const std::string given = environment_variable("WAVESMITH_CACHE"); !given.empty()) return given;
  if (const std::string cache = environment_variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/wavesmith";
  if (const std::string home = environment_variable("HOME"); !home.empty()) return home + "/.cache/wavesmith";
  return fmt::format("/tmp/wavesmith-{}", getuid());
}

}  // namespace wavesmith::toolchain
