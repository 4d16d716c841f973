// Programs under a newer C library than the system's, which AMD's libraries may need.
#pragma once

namespace wavesmith::rocm {

/// The program that /proc/self/exe means where another dynamic linker than its own started it, which is what
/// the kernel says there; nullptr for other paths and other processes.
const char* own_program(const char* path);

}  // namespace wavesmith::rocm
