// Findings as JSON, written and read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/finding.h"

namespace wavesmith::check {

/// What a process found.
struct Report {
  std::vector<Topic> topics;  ///< that were checked
  uint64_t launches = 0;      ///< that were checked
  std::vector<Finding> findings;
};

std::string to_json(const Report& report);
/// Error: BadInput.
Result<Report> report_of_json(std::string_view text);

}  // namespace wavesmith::check
