// The folders of shared libraries on this machine.
#pragma once

#include <string>
#include <vector>

namespace wavesmith::rocm {

/// The dynamic linker's own folders, in its order: those of /etc/ld.so.conf, then the usual ones.
std::vector<std::string> system_folders();

/// The lib folders of AMD's installations: ROCM_PATH's, unless that is what `wavesmith run` shows, and
/// /opt/rocm's.
std::vector<std::string> rocm_folders();

/// The folders of LD_LIBRARY_PATH, without Wavesmith's own.
std::vector<std::string> given_folders();

}  // namespace wavesmith::rocm
