// The instructions of a profiled kernel beside their source lines.
#pragma once

#include <optional>

#include "report/page.h"
#include "timing/kernel_profile.h"

namespace wavesmith::cli {

/// A listing whose heat is each instruction's share of the waves' time, with its main stall; nullopt if no
/// time is known.
std::optional<report::Listing> listing_of(const timing::KernelProfile& kernel);

}  // namespace wavesmith::cli
