// rocminfo: HSA's agents, as ROCm 7's prints them.
#pragma once

#include <string>
#include <vector>

#include "rocm/commands/card.h"

namespace wavesmith::rocm {

/// The output of rocminfo. `visible` is the value of ROCR_VISIBLE_DEVICES, numbers and UUIDs ("GPU-" and 16
/// digits) separated by commas; null: all GPUs.
std::string rocminfo(const Machine& machine, const char* visible);

/// The instruction sets that a GPU runs, as HSA names them after "amdgcn-amd-amdhsa--": its own, then its
/// family's.
std::vector<std::string> isa_names(const gpus::Gpu& gpu);

}  // namespace wavesmith::rocm
