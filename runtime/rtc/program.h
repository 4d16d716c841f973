// Compiles hiprtc's programs by the clang that is found on the machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace wavesmith::rtc {

struct Source {
  std::string name;  ///< as diagnostics show it; a header's is what #include names
  std::string text;
};

/// The result of a compilation.
struct Compiled {
  std::vector<uint8_t> code;                   ///< a code object; empty with -fgpu-rdc
  std::vector<uint8_t> bitcode;                ///< LLVM bitcode; only with -fgpu-rdc
  std::map<std::string, std::string> lowered;  ///< name expression -> symbol
};

/// Compiles `source` for one GPU. `options` are hiprtc's: clang's, and --gpu-architecture=, --offload-arch=,
/// --hiprtc-no-builtin-header. The compiler's output goes to `log`, on success and failure. Errors: NotFound
/// (no compiler), BadInput (a header's name leaves its folder; the source does not compile).
Result<Compiled> compile(const Source& source, const std::vector<Source>& headers,
                         const std::vector<std::string>& expressions, const std::vector<std::string>& options,
                         std::string& log);

/// Links LLVM bitcode files, bundles of them or archives, given as contents, to one code object.
Result<std::vector<uint8_t>> link(const std::vector<std::vector<uint8_t>>& inputs,
                                  const std::vector<std::string>& options, std::string& log);

/// The target of the GPU that this process uses: "gfx942".
std::string default_target();

}  // namespace wavesmith::rtc
