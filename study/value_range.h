// Parses values and ranges of options: "4096", "1024,2048", "1024:16384:1024" (steps of 1,024), "1:65536:*4"
// (each four times the last), and the points that several of them span.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wavesmith::study {

/// The values of one option, in order; sizes may have units: 64KiB, 1GiB, 4k (4,000), 2M. Error: not a list
/// or range, or more than 10,000 values.
Result<std::vector<std::string>> values_of(std::string_view text);

using Point = std::map<std::string, std::string, std::less<>>;

/// Every combination, the last option fastest. Error: more than 100,000.
Result<std::vector<Point>> points_of(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& options);

}  // namespace wavesmith::study
