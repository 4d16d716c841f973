// The report about a program's kernels, for people, from the JSON that the runtime writes to
// WAVESMITH_REPORT.
#pragma once

#include <string>

namespace wavesmith::cli {

struct ReportOptions {
  bool json = false;
  bool fidelity = false;  ///< every instruction that ran, with how near to the hardware it is
  int code = 0;           ///< the program's exit code
};

/// Prints on stderr (as JSON on stdout), so that the program's own output stays as it is.
void print_report(const std::string& text, const ReportOptions& options);

}  // namespace wavesmith::cli
