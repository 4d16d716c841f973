// Findings that somebody has looked at and accepts: suppressions with reasons, and a baseline of known ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/report.h"

namespace wavesmith::check {

/// A suppression as its file has it. Patterns are the shell's ("*", "?"); an empty one fits all.
struct Suppression {
  std::string reason;
  std::string rule;    ///< "race/global-write-write", "race/*"
  std::string kernel;  ///< of any party
  std::string source;  ///< "*/reduce.hip:*": of any party
  int line = 0;        ///< in the file
  uint64_t used = 0;   ///< findings that it took
  [[nodiscard]] bool fits(const Finding& finding) const;
};

/// Reads a TOML file of
///
///   [[suppress]]
///   reason = "the flag is written by all with the same value"
///   rule = "race/global-write-write"
///   kernel = "mark*"
///
/// Error: BadInput, with the line, for what is no such file, for an unknown key and for a missing reason.
Result<std::vector<Suppression>> suppressions_of(std::string_view text, std::string_view name);

/// Takes out of the report what suppressions fit; counts in them.
void suppress(Report& report, std::vector<Suppression>& suppressions);

/// Takes out of the report what the baseline has, too: the same rule with the same instructions of the same
/// kernels, wherever these stand by now. Returns how many.
size_t take_baseline(Report& report, const Report& baseline);

}  // namespace wavesmith::check
