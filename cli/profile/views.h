// The kernels of a profile as a page and as a trace.
#pragma once

#include "report/page.h"
#include "report/trace.h"
#include "timing/kernel_profile.h"

namespace wavesmith::cli {

/// One section per kernel, the costliest first: time, roofline, exposed and hidden stalls, pipes, a timeline
/// of waves, source beside instructions. Parts that need a time are left out of kernels without one.
report::Page page_of_profile(const timing::ProgramProfile& profile);

/// The replayed waves of every kernel: an event for each instruction and for each wait before one.
report::Trace trace_of_profile(const timing::ProgramProfile& profile);

}  // namespace wavesmith::cli
