// HIP programs of the project's own that stand beside the tables (validate/mi300a, validate/cdna4_fp8):
// compiled once, run under modelled time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scratch.h"
#include "toolchain/process.h"
#include "validate/table.h"

namespace wavesmith::validate {

class HipPrograms {
 public:
  using Words = std::vector<std::string>;
  /// `folder`: that of the sources. `compiler`: options beside the optimisation. `how`: the command's words
  /// before "--" that run a program under modelled time. `data` is told what is compiled.
  HipPrograms(const Data& data, std::string folder, Words compiler, Words how)
      : data_(data),
        folder_(std::move(folder)),
        compiler_(std::move(compiler)),
        how_(std::move(how)),
        scratch_(folder_) {}
  /// Error: their sources or the wavesmith command are not there.
  Result<void> prepare();
  /// The comma-separated fields of each line that the program prints. Error: it could not be compiled, or
  /// failed, or printed nothing.
  Result<std::vector<Words>> run(const std::string& program, const Words& arguments);

 private:
  Result<void> compile(const std::string& program, const std::string& to);
  const Data& data_;
  std::string folder_;
  Words compiler_, how_;
  std::string sources_, command_;
  Scratch scratch_;
};

}  // namespace wavesmith::validate
