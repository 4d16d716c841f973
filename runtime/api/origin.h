// Which of a process's libraries asks for something.
#pragma once

#include <string>

namespace wavesmith::runtime {

/// The file that an address of code or data is of: "/usr/lib/x86_64-linux-gnu/librocblas.so.5"; the program's
/// for its own. Empty: of none, as code that was made when the program ran.
std::string file_of(const void* address);

}  // namespace wavesmith::runtime
