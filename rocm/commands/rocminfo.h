// rocminfo: HSA's agents, as ROCm 7's prints them.
#pragma once

#include <string>
#include <vector>

#include "rocm/commands/card.h"

namespace wavesmith::rocm {

/// `visible`: what ROCR_VISIBLE_DEVICES says, numbers and UUIDs ("GPU-" and 16 digits) separated by commas;
/// null: all.
std::string rocminfo(const Machine& machine, const char* visible);

/// What runs on a GPU, as HSA names it behind "amdgcn-amd-amdhsa--": its own code, then its family's.
std::vector<std::string> isa_names(const gpus::Gpu& gpu);

}  // namespace wavesmith::rocm
