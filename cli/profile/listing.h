// The instructions of a profiled kernel beside the lines of source that they are of.
#pragma once

#include <optional>

#include "report/page.h"
#include "timing/kernel_profile.h"

namespace wavesmith::cli {

/// Warm by the share of the waves' time, each with what it mostly waited for; none where no time is known.
std::optional<report::Listing> listing_of(const timing::KernelProfile& kernel);

}  // namespace wavesmith::cli
