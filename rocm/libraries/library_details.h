// What a person asks about a library of AMD's that is on this machine.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rocm/libraries/libraries.h"

namespace wavesmith::rocm {

/// What is known of a file that a process has loaded; no `library` for one that is none of AMD's.
LibraryProvider loaded_library(const std::string& path);

/// Its release, as the package that it came in says it: "Debian 7.2.4-1", "ROCm 7.1.0"; empty: nobody says.
std::string version_of(const LibraryProvider& provider);

/// The targets that its kernels are compiled for, those in the files beside it too ("gfx942",
/// "gfx11-generic"); empty for a library without kernels, or that compiles them when it runs.
std::vector<std::string> targets_of(const LibraryProvider& provider);

/// Why a program with these GPUs (`arch_name`: "gfx942:sramecc+:xnack-") cannot run its kernels: "it has no
/// kernels for gfx942, ..."; empty: it can, or the library has none or compiles them when it runs.
std::string missing_kernels(const LibraryProvider& provider, const std::set<std::string>& gpus);

}  // namespace wavesmith::rocm
