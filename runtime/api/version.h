// The version of HIP that this process speaks.
//
// One library serves as libamdhip64.so.5, .6 and .7. Where these differ (values of memory types, layouts), it
// follows the headers that the program was compiled with, if known, else the soname that it loaded;
// WAVESMITH_HIP_VERSION ("6.3") overrules both.
#pragma once

namespace wavesmith::runtime {

/// The version as HIP encodes it: major * 10^7 + minor * 10^5 + patch.
int hip_version();
inline int hip_major() { return hip_version() / 10'000'000; }

}  // namespace wavesmith::runtime
