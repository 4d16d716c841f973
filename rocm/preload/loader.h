// Runs programs under a newer C library than the system's, which AMD's libraries may need.
#pragma once

namespace wavesmith::rocm {

/// The program for /proc/self/exe, if another dynamic linker than its own started it (which the kernel then
/// shows); nullptr for other paths and other processes.
const char* own_program(const char* path);

}  // namespace wavesmith::rocm
