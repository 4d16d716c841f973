// What `wavesmith profile` knows of its kernels, as a page and as a trace. Read from the JSON that the
// runtime writes (runtime/observe/profile.cc).
#pragma once

#include <nlohmann/json.hpp>

#include "report/page.h"
#include "report/trace.h"

namespace wavesmith::cli {

/// One section a kernel, the costliest first: time, roofline, stalls exposed and hidden, pipes, a timeline of
/// waves, source beside instructions. Parts that the profile lacks are left out.
report::Page page_of_profile(const nlohmann::ordered_json& profile);

/// The replayed waves of every kernel: an event for each instruction and for each wait before one.
report::Trace trace_of_profile(const nlohmann::ordered_json& profile);

}  // namespace wavesmith::cli
