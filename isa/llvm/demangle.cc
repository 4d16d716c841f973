#include "isa/llvm/demangle.h"

#include <llvm/Demangle/Demangle.h>

namespace wavesmith::isa {

std::string demangle(const std::string& name) { return llvm::demangle(name); }

}  // namespace wavesmith::isa
