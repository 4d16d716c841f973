// Stray accesses: how they are found, and how they stop the kernel instead of the process.
//
// Address micro-operations compare a wave's addresses with the device's range; what lies outside is looked up
// here (registered host memory, the kernel's arguments). What lies inside but on pages that are not allocated
// raises SIGSEGV, which the handler turns into a jump back to run_slice.
#pragma once

#include <cstdint>

namespace wavesmith::emulate {

struct Uop;
struct Wave;

/// Whether the `lanes` whose addresses (Wave::address) left the device's range may access `bytes` each. When
/// one may not, the wave is stopped with a MemoryFault. Called by the engine.
bool admit(const Uop* uop, Wave* wave, uint64_t lanes, uint32_t bytes);

/// The same for one address of the wave as a whole.
bool admit_scalar(const Uop* uop, Wave* wave, uint64_t address, uint32_t bytes);

/// Stops the wave: an access beyond the private segment, or on another place that no lookup could allow.
void stray_access(const Uop* uop, Wave* wave, int lane, uint64_t address, uint32_t bytes);

/// Stops the wave: the hardware's atomics are aligned to their size.
void misaligned_atomic(const Uop* uop, Wave* wave, int lane, uint64_t address);

/// Runs the wave from Wave::resume, and those that it gives way to, until one stops: Workgroup::running. A
/// stray access that the host's memory protection catches ends it with a MemoryFault.
void run_slice(Wave& first);

}  // namespace wavesmith::emulate
