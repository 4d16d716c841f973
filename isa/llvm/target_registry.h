// LLVM's AMDGPU target, initialised once.
#pragma once

namespace llvm {
class Target;
}

namespace wavesmith::isa {

/// The target for triple amdgcn-amd-amdhsa; nullptr when LLVM lacks it. Safe to call from any thread.
const llvm::Target* llvm_target();

}  // namespace wavesmith::isa
