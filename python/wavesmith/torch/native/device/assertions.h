// Assertions of device code: a kernel that stops says which one failed, and the next error names it.
#pragma once

#include <cstdint>
#include <string_view>

namespace wavesmith::device {

// A number for a kernel to say that this failed; not 0.
std::int64_t number_of_assertion(std::string_view text);

// Memory of the host, where a kernel says it before it stops.
std::int64_t* failed_assertion();

}  // namespace wavesmith::device
