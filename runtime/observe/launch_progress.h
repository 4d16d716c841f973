// How far a long program is, told on stderr where WAVESMITH_PROGRESS=1 asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace wavesmith::runtime {

/// A launch begins. What it returns is called now and then with the number of workgroups that have begun, of
/// all, and of wave-instructions that are done; it is empty where nobody asked.
std::function<void(uint64_t begun, uint64_t workgroups, uint64_t instructions)> launch_progress(
    const std::string& kernel);

}  // namespace wavesmith::runtime
