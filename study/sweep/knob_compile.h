// Compiles one file under settings of the compiler. What stays the same is done once: source becomes LLVM IR,
// which each setting's passes and code generator start from.
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
  /// Has to come first. Errors: of the file, or the compiler's; Unsupported for what is compiled already.
  Result<void> read();
  /// Writes the code object; several threads may, to files of their own. The seconds that the compiler took.
  Result<double> compile(const Knob& knob, const std::filesystem::path& code) const;

 private:
  [[nodiscard]] Result<std::string> ir_with(const std::vector<std::string>& flags) const;

  const std::string path_, target_;
  const std::vector<std::string> flags_;
  const toolchain::Toolchain tools_;
  std::string ir_;
};

}  // namespace wavesmith::study
