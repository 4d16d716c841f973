// A profiled kernel's arithmetic and its traffic at each level of memory, against the peaks of the GPU.
#pragma once

#include <optional>

#include "gpus/gpu.h"
#include "report/page.h"
#include "timing/kernel_profile.h"

namespace wavesmith::cli {

/// One point per level of memory, for the work of matrix pipes or VALU, whichever is more; nullopt if that or
/// the GPU is unknown.
std::optional<report::Roofline> roofline_of(const timing::KernelProfile& kernel, const gpus::Gpu* gpu);

/// One row per level; no rows if the GPU is unknown.
report::Table memory_of(const timing::KernelProfile& kernel, const gpus::Gpu* gpu);

}  // namespace wavesmith::cli
