// The symbols of a program's name expressions.
//
// "f<int>" names a symbol that only the compiler knows. So a variable is added to the source for each
// expression, initialised with its address; in the linked object a relative relocation at the variable holds
// the address, and the symbol table says what lies there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace wavesmith::rtc {

/// The lines to add to the source for these expressions.
std::string name_variables(const std::vector<std::string>& expressions);

/// The symbols, in the order of the expressions. Error: BadInput if the object is malformed or lacks one of
/// them.
Result<std::vector<std::string>> lowered_names(std::span<const uint8_t> object, size_t expressions);

}  // namespace wavesmith::rtc
