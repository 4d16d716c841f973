// What a profiled kernel computed and what each level of memory gave for it, against what the GPU has to
// give.
#pragma once

#include <optional>

#include "gpus/gpu.h"
#include "report/page.h"
#include "timing/kernel_profile.h"

namespace wavesmith::cli {

/// A point a level of memory, of the matrix pipes' or the VALU's work, whichever is more; none where that or
/// the GPU is not known.
std::optional<report::Roofline> roofline_of(const timing::KernelProfile& kernel, const gpus::Gpu* gpu);

/// A row a level; none where the GPU is not known.
report::Table memory_of(const timing::KernelProfile& kernel, const gpus::Gpu* gpu);

}  // namespace wavesmith::cli
