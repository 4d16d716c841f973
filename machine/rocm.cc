#include "machine/rocm.h"

#include <fmt/format.h>

#include <filesystem>

#include "machine/cmake_packages.h"
#include "toolchain/prepare.h"
#include "toolchain/process.h"

namespace wavesmith::machine {
namespace {

namespace fs = std::filesystem;

// The release whose library ours stands for (runtime/version.h).
constexpr const char* kVersion = "7.1.0";

void link_all(Tree& tree, const std::string& at, const fs::path& folder) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    tree.links[at + "/" + entry.path().filename().string()] = entry.path().string();
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
              std::span<const gpus::Gpu* const> machine) {
  tree.files[at + "/.info/version"] = fmt::format("{}\n", kVersion);
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
    if (const Result<toolchain::Prepared> prepared = toolchain::prepare(tools, {.headers = choice.headers})) {
      tree.links[at + "/include"] = prepared->hip + "/include";
      tree.links[at + "/share/hip/version"] = prepared->hip + "/share/hip/version";
    }
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
  // The compiler that programs look for in PATH: this command's.
  if (const std::string command = wavesmith_command(tools.runtime); !command.empty()) {
    tree.files[at + "/bin/hipcc"] =
        fmt::format("#!/bin/sh\nexec {} \"$@\"\n", toolchain::quoted({command, "cc"}));
    if (const toolchain::Headers* headers = headers_of_packages(tools))
      if (const Result<toolchain::Prepared> prepared = toolchain::prepare(tools, {.headers = headers}))
        add_cmake_packages(tree, at, *headers, prepared->hip + "/include", command);
  }
  // The tool that says what a machine's GPUs are: its output, one line each, the CPU first.
  std::string targets = "#!/bin/sh\ncat <<'END'\ngfx000\n";
  for (const gpus::Gpu* gpu : machine) targets += gpu->target + "\n";
  tree.files[at + "/bin/rocm_agent_enumerator"] = targets + "END\n";
}

}  // namespace wavesmith::machine
