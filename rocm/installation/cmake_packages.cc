#include "rocm/installation/cmake_packages.h"

#include <fmt/format.h>

#include <filesystem>

#include "toolchain/process.h"

namespace wavesmith::rocm {
namespace {

struct Library {
  const char* package;
  const char* targets;  ///< as the package of ROCm 6 and 7 names them, separated by semicolons
  const char* file;     ///< of lib<file>.so; empty: headers alone
  const char* header;
};
// clang-format off
constexpr Library kLibraries[] = {
    {"hiprtc",    "hiprtc::hiprtc",              "hiprtc",    "hip/hiprtc.h"},
    {"hipblas",   "roc::hipblas",                "hipblas",   "hipblas/hipblas.h"},
    {"hipblaslt", "roc::hipblaslt",              "hipblaslt", "hipblaslt/hipblaslt.h"},
    {"hipfft",    "hip::hipfft",                 "hipfft",    "hipfft/hipfft.h"},
    {"hiprand",   "hip::hiprand",                "hiprand",   "hiprand/hiprand.h"},
    {"hipsolver", "roc::hipsolver",              "hipsolver", "hipsolver/hipsolver.h"},
    {"hipsparse", "roc::hipsparse",              "hipsparse", "hipsparse/hipsparse.h"},
    {"miopen",    "MIOpen",                      "MIOpen",    "miopen/miopen.h"},
    {"rccl",      "roc::rccl",                   "rccl",      "rccl/rccl.h"},
    {"rocblas",   "roc::rocblas",                "rocblas",   "rocblas/rocblas.h"},
    {"rocfft",    "roc::rocfft",                 "rocfft",    "rocfft/rocfft.h"},
    {"rocsolver", "roc::rocsolver",              "rocsolver", "rocsolver/rocsolver.h"},
    {"hipcub",    "hip::hipcub",                 "",          "hipcub/hipcub.hpp"},
    {"rocprim",   "roc::rocprim;roc::rocprim_hip", "",        "rocprim/rocprim.hpp"},
    {"rocthrust", "roc::rocthrust",              "",          "thrust/version.h"},
    {"rocwmma",   "roc::rocwmma",                "",          "rocwmma/rocwmma.hpp"},
};
// clang-format on

constexpr const char* kRoot =
    "get_filename_component(_wavesmith_root \"${CMAKE_CURRENT_LIST_DIR}/../../..\" ABSOLUTE)\n";

constexpr const char* kNeedsHip =
    "include(CMakeFindDependencyMacro)\n"
    "find_dependency(hip PATHS \"${_wavesmith_root}/lib/cmake/hip\" NO_DEFAULT_PATH)\n";

// What ROCm's hip-config.cmake is used for: host code that calls HIP (hip::host), and C++ sources that are
// compiled as HIP (hip::device).
constexpr const char* kHip = R"(set(HIP_PLATFORM amd)
set(HIP_COMPILER clang)
set(HIP_RUNTIME rocclr)
set(hip_INCLUDE_DIR "${_wavesmith_root}/lib/hip-clang/include")
set(hip_INCLUDE_DIRS "${hip_INCLUDE_DIR}")
set(hip_LIB_INSTALL_DIR "${_wavesmith_root}/lib")
set(hip_BIN_INSTALL_DIR "${_wavesmith_root}/bin")
set(hip_LIBRARIES hip::host hip::device)
set(hip_LIBRARY hip::host)
set(HIP_HIPCC_EXECUTABLE "${hip_BIN_INSTALL_DIR}/hipcc")
set(HIP_HIPCONFIG_EXECUTABLE "${hip_BIN_INSTALL_DIR}/hipconfig")
if(NOT TARGET hip::amdhip64)
  add_library(hip::amdhip64 SHARED IMPORTED)
  set_target_properties(hip::amdhip64 PROPERTIES IMPORTED_LOCATION "${_wavesmith_root}/lib/libamdhip64.so"
    INTERFACE_INCLUDE_DIRECTORIES "${hip_INCLUDE_DIR}" INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
  add_library(hip::host INTERFACE IMPORTED)
  set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64)
  add_library(hip::device INTERFACE IMPORTED)
  set(_wavesmith_options "SHELL:-x hip")
  foreach(_wavesmith_target IN LISTS GPU_TARGETS AMDGPU_TARGETS)
    list(APPEND _wavesmith_options --offload-arch=${_wavesmith_target})
  endforeach()
  set_target_properties(hip::device PROPERTIES INTERFACE_LINK_LIBRARIES hip::host
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:${_wavesmith_options}>")
endif()
)";

// CMake's HIP language links every program with this target. Its compiler knows the library.
constexpr const char* kHipLanguage = R"(set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
if(NOT TARGET hip-lang::device)
  add_library(hip-lang::device INTERFACE IMPORTED)
endif()
)";

// Any older version that is asked for will do.
constexpr const char* kVersionFile = R"(set(PACKAGE_VERSION {})
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
)";

std::string of_library(const Library& library) {
  std::string text = fmt::format("foreach(_wavesmith_target IN ITEMS {})\n", library.targets) +
                     "  if(NOT TARGET ${_wavesmith_target})\n";
  text += fmt::format("    add_library(${{_wavesmith_target}} {} IMPORTED)\n",
                      *library.file ? "SHARED" : "INTERFACE");
  if (*library.file)
    text += fmt::format(
        "    set_target_properties(${{_wavesmith_target}} PROPERTIES IMPORTED_LOCATION "
        "\"${{_wavesmith_root}}/lib/lib{}.so\")\n",
        library.file);
  text += "    set_target_properties(${_wavesmith_target} PROPERTIES INTERFACE_LINK_LIBRARIES hip::host)\n";
  return text + "  endif()\nendforeach()\n";
}

}  // namespace

const toolchain::Headers* headers_of_packages(const toolchain::Toolchain& tools) {
  const toolchain::Headers* best = nullptr;
  size_t most = 0;
  for (const toolchain::Headers& headers : tools.headers) {
    size_t count = 0;
    for (const Library& library : kLibraries) count += headers.has(library.header);
    if (!best || count > most) best = &headers, most = count;
  }
  return best;
}

void add_cmake_packages(Tree& tree, const std::string& at, const toolchain::Headers& headers,
                        const std::string& include, const std::string& command, const std::string& version) {
  const auto add = [&](const std::string& name, const std::string& text) {
    const std::string file = fmt::format("{}/lib/cmake/{}/{}-config", at, name, name);
    tree.files[file + ".cmake"] = text;
    tree.files[file + "-version.cmake"] = fmt::format(kVersionFile, version);
  };
  add("hip", std::string(kRoot) + kHip);
  add("hip-lang", kHipLanguage);
  for (const Library& library : kLibraries) {
    const bool there =
        !*library.file || tree.links.contains(fmt::format("{}/lib/lib{}.so", at, library.file));
    if (there && headers.has(library.header))
      add(library.package, std::string(kRoot) + kNeedsHip + of_library(library));
  }
  const std::string compiler = at + "/lib/hip-clang";
  tree.links[compiler + "/include"] = include;
  // The same headers wherever the project is built, and whatever is installed later.
  const bool given = headers.origin == toolchain::Headers::Origin::Given;
  tree.files[compiler + "/clang++"] =
      "#!/bin/sh\n" +
      (given ? fmt::format("export WAVESMITH_HIP_PATH={}\n",
                           toolchain::quoted({std::filesystem::path(headers.include).parent_path().string()}))
             : "") +
      fmt::format("exec {}{} \"$@\"\n", toolchain::quoted({command, "cc"}),
                  given ? "" : " --hip-headers=" + name_of(headers.origin));
}

}  // namespace wavesmith::rocm
