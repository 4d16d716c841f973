#include "isa/llvm/target_registry.h"

#include <llvm/MC/TargetRegistry.h>

#include <string>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
void LLVMInitializeAMDGPUAsmParser();
}

namespace wavesmith::isa {

const llvm::Target* llvm_target() {
  static const llvm::Target* const target = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMInitializeAMDGPUAsmParser();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), error);
  }();
  return target;
}

}  // namespace wavesmith::isa
