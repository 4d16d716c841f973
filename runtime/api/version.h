// The version of HIP that this process speaks.
//
// One library answers to libamdhip64.so.5, .6 and .7. What differs between them (numbers of memory types,
// layouts) follows the headers that the program was compiled with, where that is known, else the name that it
// asked for; WAVESMITH_HIP_VERSION ("6.3") overrules both.
#pragma once

namespace wavesmith::runtime {

/// As HIP counts: major * 10^7 + minor * 10^5 + patch.
int hip_version();
inline int hip_major() { return hip_version() / 10'000'000; }

}  // namespace wavesmith::runtime
