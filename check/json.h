// Findings as JSON, written and read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "check/report.h"

namespace wavesmith::check {

std::string to_json(const Report& report);
/// Error: BadInput.
Result<Report> report_of_json(std::string_view text);

}  // namespace wavesmith::check
