// ROCm's CMake packages, for projects that use find_package(hip) or enable_language(HIP).
#pragma once

#include <string>

#include "rocm/installation/tree.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {

/// The set of headers that the packages describe: the one with the most of ROCm's libraries. Null: there is
/// none.
const toolchain::Headers* headers_of_packages(const toolchain::Toolchain& tools);

/// Below `at`, a ROCm folder of the tree that has lib/lib*.so: lib/cmake/<package>, for the libraries whose
/// headers and files are there, all of HIP's `version`; and the compiler that CMake finds through
/// bin/hipconfig, which is `command` cc with these headers. `include`: the headers as prepared.
void add_cmake_packages(Tree& tree, const std::string& at, const toolchain::Headers& headers,
                        const std::string& include, const std::string& command, const std::string& version);

}  // namespace wavesmith::rocm
