// Finds the library of a process to which an address belongs.
#pragma once

#include <string>

namespace wavesmith::runtime {

/// The file that holds an address of code or data: "/usr/lib/x86_64-linux-gnu/librocblas.so.5", or the
/// program's own. Empty: none, as for code generated at run time.
std::string file_of(const void* address);

}  // namespace wavesmith::runtime
