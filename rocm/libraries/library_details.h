// Details about a library of AMD's on this machine, for people.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rocm/libraries/libraries.h"

namespace wavesmith::rocm {

/// Describes a file that a process has loaded; `library` is null unless it is AMD's.
LibraryProvider loaded_library(const std::string& path);

/// Its release by the package that it came in: "Debian 7.2.4-1", "ROCm 7.1.0"; empty: unknown.
std::string version_of(const LibraryProvider& provider);

/// The targets of its kernels, including those in files beside it ("gfx942", "gfx11-generic"); empty for a
/// library without kernels, or one that compiles them at run time.
std::vector<std::string> targets_of(const LibraryProvider& provider);

/// Why a program with these GPUs (`arch_name`: "gfx942:sramecc+:xnack-") cannot run its kernels: "it has no
/// kernels for gfx942, ..."; empty if it can, or if the library has no kernels or compiles them at run time.
std::string missing_kernels(const LibraryProvider& provider, const std::set<std::string>& gpus);

}  // namespace wavesmith::rocm
