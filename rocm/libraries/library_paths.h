// How a program is led to the copies of AMD's libraries that were chosen for it.
#pragma once

#include <string>

#include "base/result.h"
#include "rocm/installation/environment.h"
#include "rocm/installation/tree.h"
#include "rocm/libraries/libraries.h"

namespace wavesmith::rocm {

/// LD_LIBRARY_PATH for it; where AMD's need a newer C library than this machine's, WAVESMITH_LOADER and
/// WAVESMITH_LOADER_PATH too, by which libwavesmith_machine.so starts every program anew
/// (rocm/preload/loader.cc). Error: BadInput where the cache cannot be written.
Result<Environment> library_variables(const Libraries& libraries);

/// Links to each library that answers, by each of its names, and to the folders of kernels beside it: `at` is
/// a folder of the tree.
void add_libraries(Tree& tree, const std::string& at, const Libraries& libraries);

}  // namespace wavesmith::rocm
