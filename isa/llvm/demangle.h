// C++ names as their source has them. LLVM's demangler knows types that the host's C++ library does not: half
// floats, vectors.
#pragma once

#include <string>

namespace wavesmith::isa {

/// "axpy(float const*, float*)" for "_Z4axpyPKfPf"; a name that is not mangled as it is.
std::string demangle(const std::string& name);
/// The function alone: "mul_mat<(kind)12, true>" for "_Z7mul_matIL4kind12ELb1EEvPKc".
std::string function_name(const std::string& name);

}  // namespace wavesmith::isa
