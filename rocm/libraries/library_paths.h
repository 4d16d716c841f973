// Leads a program to the chosen copies of AMD's libraries.
#pragma once

#include <string>

#include "base/result.h"
#include "rocm/installation/environment.h"
#include "rocm/installation/tree.h"
#include "rocm/libraries/libraries.h"

namespace wavesmith::rocm {

/// The variables for it: LD_LIBRARY_PATH; if AMD's libraries need a newer C library than this machine's,
/// WAVESMITH_LOADER and WAVESMITH_LOADER_PATH too, by which libwavesmith_machine.so starts every program anew
/// (rocm/preload/loader.cc). Error: BadInput where the cache cannot be written.
Result<Environment> library_variables(const Libraries& libraries);

/// Adds links below `at` in the tree to each chosen library, by all of its names, and to the folders of
/// kernels beside it.
void add_libraries(Tree& tree, const std::string& at, const Libraries& libraries);

}  // namespace wavesmith::rocm
