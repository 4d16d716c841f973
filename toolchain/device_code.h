// Compiles device code alone, from any language of the compiler, to one code object for one target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/discover.h"
#include "toolchain/process.h"

namespace wavesmith::toolchain {

/// The language of a file.
enum class DeviceLanguage : unsigned char { Hip, Ir, Assembly, Relocatable };

struct DeviceJob {
  std::string path;
  DeviceLanguage language = DeviceLanguage::Hip;
  std::string target;              ///< "gfx942", with features where they are known
  std::vector<std::string> flags;  ///< the user's, as hipcc takes them (for HIP) or clang (for the rest)
};

struct DeviceCode {
  std::vector<uint8_t> file;  ///< a code object, or a bundle with one
  Command command;            ///< what made it
  double seconds = 0;
};

/// Compiles and links. Unless the flags say otherwise, HIP and IR are optimised at -O3, and HIP gets line
/// tables, which do not change the code. Errors: NotFound without a compiler or headers; BadInput with the
/// compiler's own messages in `hint`.
Result<DeviceCode> compile_device(const Toolchain& tools, const DeviceJob& job);

/// LLVM IR as text, of HIP source as the front end leaves it: compiling it as IR runs every pass. The same
/// errors.
Result<std::string> device_ir(const Toolchain& tools, const DeviceJob& job);

/// LLVM IR as text, from bitcode. Errors: as above.
Result<std::string> ir_text(const Toolchain& tools, const std::string& bitcode);

}  // namespace wavesmith::toolchain
