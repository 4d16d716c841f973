// What `wavesmith profile` knows of its kernels, as a page and as a trace.
#pragma once

#include "report/page.h"
#include "report/trace.h"
#include "timing/kernel_profile.h"

namespace wavesmith::cli {

/// One section a kernel, the costliest first: time, roofline, stalls exposed and hidden, pipes, a timeline of
/// waves, source beside instructions. What a kernel without a time lacks is left out.
report::Page page_of_profile(const timing::ProgramProfile& profile);

/// The replayed waves of every kernel: an event for each instruction and for each wait before one.
report::Trace trace_of_profile(const timing::ProgramProfile& profile);

}  // namespace wavesmith::cli
