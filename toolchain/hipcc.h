// Translates hipcc's arguments to clang's command lines.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/discover.h"
#include "toolchain/process.h"

namespace wavesmith::toolchain {

/// Parsed arguments of hipcc.
struct Arguments {
  enum class Language : unsigned char { Hip, C, Cxx, Other };
  struct Input {
    std::string path;
    Language language;
    std::string forced;  ///< of -x: given to clang as it is
  };
  std::vector<Input> inputs;
  std::vector<std::string> targets;  ///< of --offload-arch, in order
  std::vector<std::string> common;   ///< for compiling and linking
  std::vector<std::string> compile;  ///< for compiling only
  std::vector<std::string> link;     ///< for linking only, libraries in order
  std::string output;
  std::string mode;                   ///< "-c", "-S", "-E", "--genco", "-M", "-fsyntax-only"; empty: link
  bool device_code_separate = false;  ///< -fgpu-rdc
  bool flush_denormals = false, wave64 = false, no_headers = false, no_libraries = false,
       asks_version = false;
  std::string hip_path, library_path;  ///< --hip-path, --rocm-device-lib-path: the caller knows better
};

/// Reads arguments as hipcc takes them; clang's are passed on.
Result<Arguments> parse_arguments(const std::vector<std::string>& arguments);

/// The best headers for these inputs: the first set that has every HIP header that the sources name, if any
/// has them all.
const Headers* choose_headers(const Toolchain& tools, const Arguments& arguments);

/// Headers of HIP and of ROCm's libraries that these inputs name and no set on this machine has.
std::vector<std::string> missing_headers(const Toolchain& tools, const Arguments& arguments);

/// The commands to run, in order.
struct Plan {
  std::vector<Command> commands;
  std::vector<std::string> temporaries;  ///< to delete afterwards
  const Headers* headers = nullptr;
  const DeviceLibraries* libraries = nullptr;
};

/// How to compile and link; `default_target` when no --offload-arch is given. Errors: no compiler, no inputs.
Result<Plan> plan(const Toolchain& tools, const Arguments& arguments, const std::string& default_target);

}  // namespace wavesmith::toolchain
