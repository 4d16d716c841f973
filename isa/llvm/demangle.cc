#include "isa/llvm/demangle.h"

#include <llvm/Demangle/Demangle.h>

#include <cstdlib>
#include <memory>

namespace wavesmith::isa {

std::string demangle(const std::string& name) { return llvm::demangle(name); }

std::string function_name(const std::string& name) {
  llvm::ItaniumPartialDemangler parts;
  if (parts.partialDemangle(name.c_str()) || !parts.isFunction()) return name;
  const std::unique_ptr<char, void (*)(void*)> text(parts.getFunctionName(nullptr, nullptr), std::free);
  return text ? text.get() : name;
}

}  // namespace wavesmith::isa
