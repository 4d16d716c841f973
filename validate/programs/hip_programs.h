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
  /// `folder`: of the sources. `compiler`: options besides the optimisation level. `how`: the words of the
  /// command before "--" that run a program under modelled time. `data` reports progress.
  HipPrograms(const Data& data, std::string folder, Words compiler, Words how)
      : data_(data),
        folder_(std::move(folder)),
        compiler_(std::move(compiler)),
        how_(std::move(how)),
        scratch_(folder_) {}
  /// Finds the sources and the wavesmith command. Error: they are missing.
  Result<void> prepare();
  /// Runs a program and returns the comma-separated fields of each line that it prints. Error: it did not
  /// compile, failed, or printed nothing.
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
