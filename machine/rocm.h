// A ROCm installation's folder, for programs that look for one: what toolchain/ finds on this computer, where
// ROCm has it.
#pragma once

#include <span>
#include <string>

#include "gpus/gpu.h"
#include "machine/libraries.h"
#include "machine/tree.h"
#include "toolchain/discover.h"

namespace wavesmith::machine {

/// Device bitcode, compiler and linker, HIP headers, our libraries and AMD's, and ROCm's version, below `at`
/// in the tree. What is not on this computer is left out.
void add_rocm(Tree& tree, const std::string& at, const toolchain::Toolchain& tools,
              std::span<const gpus::Gpu* const> machine, const Libraries& libraries);

}  // namespace wavesmith::machine
