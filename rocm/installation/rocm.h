// A ROCm folder for programs that look for one: it links what toolchain/ finds on this computer to ROCm's
// paths.
#pragma once

#include <set>
#include <string>

#include "rocm/installation/tree.h"
#include "rocm/libraries/libraries.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {

/// The ROCm commands that `wavesmith` provides when it is called by their names.
inline constexpr const char* kCommands[] = {
    "amd-smi", "amdclang", "amdclang++", "rocm-smi", "rocm_agent_enumerator", "rocminfo"};

/// Adds device bitcode, compiler and linker, HIP headers, our libraries and AMD's, ROCm's version and its
/// commands except `left_alone` below `at` in the tree. Parts that this computer lacks are left out.
void add_rocm(Tree& tree, const std::string& at, const toolchain::Toolchain& tools,
              const std::set<std::string>& left_alone, const Libraries& libraries);

}  // namespace wavesmith::rocm
