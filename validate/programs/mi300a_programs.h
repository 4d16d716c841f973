// Runs the MI300A programs (validate/mi300a/*.hip) at the sizes of rows and reads their own event times.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "validate/programs/hip_programs.h"

namespace wavesmith::validate {

class Mi300aPrograms {
 public:
  /// As for HipPrograms.
  Mi300aPrograms(const Data& data, HipPrograms::Words how)
      : programs_(data, "mi300a", {"--gpu=mi300a"}, std::move(how)) {}
  /// Finds the sources and the wavesmith command. Error: they are missing.
  Result<void> prepare() { return programs_.prepare(); }
  /// Whether a row's kernel has a program.
  [[nodiscard]] static bool known(std::string_view kernel);
  /// Milliseconds that the kernel's program prints for a row's size ("1024x1024"); 0: it prints none.
  Result<double> milliseconds(const std::string& kernel, const std::string& size);

 private:
  HipPrograms programs_;
  std::map<std::string, std::map<std::string, double>> times_;  ///< by call and kernel
};

}  // namespace wavesmith::validate
