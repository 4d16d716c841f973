// The progress of a long program, on stderr if WAVESMITH_PROGRESS is 1.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace wavesmith::runtime {

/// Notes that a launch begins. The returned function is called now and then with the number of workgroups
/// begun and in all, and of wave-instructions executed; it is empty if progress is not wanted.
std::function<void(uint64_t begun, uint64_t workgroups, uint64_t instructions)> launch_progress(
    const std::string& kernel);

}  // namespace wavesmith::runtime
