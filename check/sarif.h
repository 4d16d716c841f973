// Findings as SARIF 2.1.0 (OASIS), which code hosts show beside the source.
#pragma once

#include <string>

#include "check/report.h"

namespace wavesmith::check {

/// A log with one run. Findings without a source line are placed in their kernel alone.
std::string to_sarif(const Report& report);

}  // namespace wavesmith::check
