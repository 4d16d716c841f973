#include "rocm/installation/rocm.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/rocm_release.h"
#include "rocm/installation/cmake_packages.h"
#include "rocm/libraries/library_paths.h"
#include "toolchain/prepare.h"
#include "toolchain/process.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

// As hipconfig answers; each argument is a question, none asks for all.
constexpr const char* kHipconfig = R"(#!/bin/sh
root=$(cd "$(dirname "$0")/.." && pwd)
compiler=$root/lib/hip-clang headers=$root/lib/hip-clang/include
[ -e "$compiler" ] || compiler=$root/lib/llvm/bin headers=$root/include
include=" -D__HIP_PLATFORM_HCC__= -D__HIP_PLATFORM_AMD__= -I$headers"
full() {{
  printf 'HIP version: %s\n\n==hipconfig\n' {version}
  printf '%-19s:%s\n' HIP_PATH "$root" ROCM_PATH "$root" HIP_COMPILER clang HIP_PLATFORM amd HIP_RUNTIME rocclr \
    CPP_CONFIG "$include"
  printf '\n==hip-clang\nHIP_CLANG_PATH     :%s\n' "$compiler"
  "$compiler/clang++" --version 2>/dev/null
}}
[ $# -gt 0 ] || set -- --full
for question; do
  case $question in
    --path | -p | --rocmpath | -R) printf %s "$root" ;;
    --hipclangpath | -l) printf %s "$compiler" ;;
    --version | -v) printf %s {version} ;;
    --platform | -P) printf amd ;;
    --compiler | -c) printf clang ;;
    --runtime | -r) printf rocclr ;;
    --cpp_config | -C) printf %s "$include" ;;
    --newline | -n) echo ;;
    --full | -f | --check) full ;;
    --help | -h)
      echo 'usage: hipconfig [--path|-p] [--rocmpath|-R] [--hipclangpath|-l] [--version|-v] [--platform|-P]'
      echo '  [--compiler|-c] [--runtime|-r] [--cpp_config|-C] [--full|-f] [--newline|-n]' ;;
    *) echo "hipconfig: unknown option '$question'; --help lists those that there are" >&2; exit 1 ;;
  esac
done
)";

/// What tells a version: files, a header and hipconfig.
void add_release(Tree& tree, const std::string& at, const RocmRelease& release, const std::string& hip) {
  const std::string rocm = fmt::format("{}.{}.{}", release.major, release.minor, release.patch);
  tree.files[at + "/.info/version"] = rocm + "\n";
  tree.files[at + "/share/hip/version"] =
      fmt::format("HIP_VERSION_MAJOR={}\nHIP_VERSION_MINOR={}\nHIP_VERSION_PATCH={}\n", release.major,
                  release.minor, release.hip_patch);
  const std::string header = "rocm-core/rocm_version.h";
  tree.files[at + "/include/" + header] = fmt::format(
      "#pragma once\n#define ROCM_VERSION_MAJOR {}\n#define ROCM_VERSION_MINOR {}\n"
      "#define ROCM_VERSION_PATCH {}\n#define ROCM_BUILD_INFO \"{}\"\n"
      "typedef enum {{ VerSuccess, VerIncorrecPararmeters, VerValuesNotDefined, VerErrorMAX }} VerErrors;\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
      "VerErrors getROCmVersion(unsigned int* Major, unsigned int* Minor, unsigned int* Patch);\n",
      release.major, release.minor, release.patch, rocm);
  tree.files[at + "/bin/hipconfig"] = fmt::format(fmt::runtime(kHipconfig), fmt::arg("version", hip));
}

/// This program, or, where that is Python with our module, the command that lies beside the libraries: in a
/// build and in the Python package, or where `cmake --install` puts it. Empty: not found.
std::string wavesmith_command(const std::string& runtime) {
  std::error_code failed;
  const fs::path self = fs::canonical("/proc/self/exe", failed), libraries = runtime;
  for (const fs::path& place : {self, libraries / "../bin/wavesmith", libraries / "../../bin/wavesmith"})
    if (const fs::path found = fs::canonical(place, failed); !failed && found.filename() == "wavesmith")
      return found.string();
  return {};
}

}  // namespace

void add_rocm(Tree& tree, const std::string& at, const toolchain::Toolchain& tools,
              const std::set<std::string>& left_alone, const Libraries& libraries) {
  const RocmRelease release = rocm_release();
  const std::string hip = fmt::format("{}.{}.{}", release.major, release.minor, release.hip_patch);
  add_release(tree, at, release, hip);
  // discover() takes no folder with this file for an installation.
  tree.files[at + "/" + toolchain::kShownFile] =
      "what Wavesmith found on this computer, as ROCm arranges it\n";

  toolchain::Choice choice;
  if (!tools.headers.empty()) choice.headers = &tools.headers.front();
  if (!tools.libraries.empty()) choice.libraries = &tools.libraries.front();
  if (choice.libraries) {
    // Without a compiler only the libraries that are there already: those who need no more than ocml and ockl
    // get along.
    toolchain::Choice libraries{.libraries = choice.libraries};
    const Result<toolchain::Prepared> prepared =
        tools.clang.empty() ? fail(ErrorKind::NotFound, "no clang") : toolchain::prepare(tools, libraries);
    link_all(tree, at + "/amdgcn/bitcode",
             prepared ? fs::path(prepared->bitcode) : fs::path(choice.libraries->folder));
  }
  if (choice.headers) {
    if (const Result<toolchain::Prepared> prepared = toolchain::prepare(tools, {.headers = choice.headers}))
      link_all(tree, at + "/include", prepared->hip + "/include");
  }
  std::error_code ignored;
  if (!tools.clang.empty()) {
    const fs::path clang = fs::canonical(tools.clang, ignored).parent_path();
    tree.links[at + "/lib/llvm"] = clang.parent_path().string();
  }
  tree.links[at + "/llvm"] = "lib/llvm";
  if (!tools.runtime.empty())
    for (const fs::directory_entry& entry : fs::directory_iterator(tools.runtime, ignored))
      if (entry.path().filename().string().find(".so") != std::string::npos)
        tree.links[at + "/lib/" + entry.path().filename().string()] = entry.path().string();
  // Where they need another C library, a program that finds them here by itself could not load them.
  if (libraries.loader.empty()) {
    add_libraries(tree, at + "/lib", libraries);
  } else {
    Libraries ours = libraries;
    for (LibraryProvider& provider : ours.providers) provider.is_amd = false;
    add_libraries(tree, at + "/lib", ours);
  }
  // The compiler that programs look for in PATH: this command's.
  if (const std::string command = wavesmith_command(tools.runtime); !command.empty()) {
    for (const char* name : kCommands)
      if (!left_alone.contains(name)) tree.links[fmt::format("{}/bin/{}", at, name)] = command;
    tree.files[at + "/bin/hipcc"] =
        fmt::format("#!/bin/sh\nexec {} \"$@\"\n", toolchain::quoted({command, "cc"}));
    if (const toolchain::Headers* headers = headers_of_packages(tools))
      if (const Result<toolchain::Prepared> prepared = toolchain::prepare(tools, {.headers = headers}))
        add_cmake_packages(tree, at, *headers, prepared->hip + "/include", command, hip);
  }
}

}  // namespace wavesmith::rocm
