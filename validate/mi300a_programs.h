// The MI300A programs (validate/mi300a/*.hip): compiled once, run at the sizes of rows, their own event times
// read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/scratch.h"
#include "validate/table.h"

namespace wavesmith::validate {

class Mi300aPrograms {
 public:
  /// `how`: the command's words before "--" that run a program under modelled time.
  /// `data` is told what is compiled.
  Mi300aPrograms(const Data& data, std::vector<std::string> how) : data_(data), how_(std::move(how)) {}
  /// Error: their sources or the wavesmith command are not there.
  Result<void> prepare();
  /// Whether a row's kernel has a program.
  [[nodiscard]] static bool known(std::string_view kernel);
  /// Milliseconds that the kernel's program prints for a row's size ("1024x1024"); 0: it prints none.
  Result<double> milliseconds(const std::string& kernel, const std::string& size);

 private:
  Result<void> compile(std::string_view file, const std::string& to);
  const Data& data_;
  std::vector<std::string> how_;
  std::string sources_, command_;
  toolchain::Scratch scratch_{"mi300a"};
  std::map<std::string, std::map<std::string, double>> times_;  ///< by call and kernel
};

}  // namespace wavesmith::validate
