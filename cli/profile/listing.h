// The instructions of a profiled kernel beside the lines of source that they are of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "report/page.h"

namespace wavesmith::cli {

/// Warm by the share of the waves' time, each with what it mostly waited for; none where no time is known.
std::optional<report::Listing> listing_of(const nlohmann::ordered_json& kernel);

}  // namespace wavesmith::cli
