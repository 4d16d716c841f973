// Compiles one file under settings of the compiler. The common part is done once: source becomes LLVM IR,
// from which each setting's passes and code generation start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/sweep/knobs.h"
#include "toolchain/device_code.h"

namespace wavesmith::study {

/// Whether the preprocessor or the parser sees one of these flags: source is compiled anew with them.
bool for_front_end(const std::vector<std::string>& flags);

class KnobCompiler {
 public:
  KnobCompiler(std::string path, std::string target, std::vector<std::string> flags);
  /// Reads the file; has to be called first. Errors: of the file or the compiler; Unsupported for compiled
  /// code.
  Result<void> read();
  /// Writes the code object and returns the compiler's seconds. Several threads may call it, with different
  /// files.
  Result<double> compile(const Knob& knob, const std::filesystem::path& code) const;

 private:
  [[nodiscard]] Result<std::string> ir_with(const std::vector<std::string>& flags) const;

  const std::string path_, target_;
  const std::vector<std::string> flags_;
  const toolchain::Toolchain tools_;
  std::string ir_;
};

}  // namespace wavesmith::study
