// AMD's libraries that programs link: their names, the copy to prefer, and Debian's packages of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::rocm {

struct KnownLibrary {
  /// The copy that serves a program if both exist.
  enum class Prefer : unsigned char {
    Amd,      ///< AMD's: it computes by kernels, which run as they are
    StandIn,  ///< ours, but for a library of AMD's that needs AMD's: it speaks to the driver or to tools
    Chosen,   ///< ours, but where a user has installed AMD's by name: the compilers
  };
  const char* file;   ///< of lib<file>.so.<number>; empty: headers alone
  const char* title;  ///< as AMD writes it
  const char* name;   ///< as `wavesmith libraries install` takes it
  Prefer prefer;
  /// Debian's packages, without a number at the end of their names, separated by spaces.
  const char* packages;
};

/// All of them, by title. What is loaded into programs (preload/) reads this list, too.
// rocBLAS is called by most programs through hipBLAS: one without the other would change nothing for them,
// or, where MIOpen brings rocBLAS, give hipBLAS's handles of the stand-in to AMD's rocBLAS.
// clang-format off
inline constexpr KnownLibrary kKnownLibraries[] = {
    {"amd_smi",        "AMD SMI",         "amdsmi",    KnownLibrary::Prefer::StandIn, ""},
    {"amd_comgr",      "comgr",           "comgr",     KnownLibrary::Prefer::Chosen,  "libamd-comgr"},
    {"",               "HIP headers",     "hip",       KnownLibrary::Prefer::Amd,     "libamdhip64-dev rocm-device-libs-"},
    {"hipblas",        "hipBLAS",         "hipblas",   KnownLibrary::Prefer::Amd,     "libhipblas"},
    {"hipblaslt",      "hipBLASLt",       "hipblaslt", KnownLibrary::Prefer::Amd,     "libhipblaslt"},
    {"hipfft",         "hipFFT",          "hipfft",    KnownLibrary::Prefer::Amd,     "libhipfft"},
    {"hiprand",        "hipRAND",         "hiprand",   KnownLibrary::Prefer::Amd,     "libhiprand"},
    {"hiprtc",         "hiprtc",          "hiprtc",    KnownLibrary::Prefer::Chosen,  "libhiprtc libhiprtc-builtins libamd-comgr"},
    {"hipsolver",      "hipSOLVER",       "hipsolver", KnownLibrary::Prefer::Amd,     "libhipsolver"},
    {"hipsparse",      "hipSPARSE",       "hipsparse", KnownLibrary::Prefer::Amd,     "libhipsparse"},
    {"migraphx_c",     "MIGraphX",        "migraphx",  KnownLibrary::Prefer::Amd,     ""},
    {"MIOpen",         "MIOpen",          "miopen",    KnownLibrary::Prefer::Amd,     "libmiopen libhipblas"},
    {"rccl",           "RCCL",            "rccl",      KnownLibrary::Prefer::Amd,     "librccl"},
    {"rocalution",     "rocALUTION",      "rocalution", KnownLibrary::Prefer::Amd,    "librocalution"},
    {"rocblas",        "rocBLAS",         "rocblas",   KnownLibrary::Prefer::Amd,     "librocblas libhipblas"},
    {"rocfft",         "rocFFT",          "rocfft",    KnownLibrary::Prefer::Amd,     "librocfft libhipfft"},
    {"rocm_smi64",     "ROCm SMI",        "rocmsmi",   KnownLibrary::Prefer::StandIn, "librocm-smi64-"},
    {"rocprofiler-sdk", "ROCprofiler-SDK", "rocprofiler", KnownLibrary::Prefer::StandIn, ""},
    {"rocrand",        "rocRAND",         "rocrand",   KnownLibrary::Prefer::Amd,     "librocrand libhiprand"},
    {"rocsolver",      "rocSOLVER",       "rocsolver", KnownLibrary::Prefer::Amd,     "librocsolver libhipsolver"},
    {"rocsparse",      "rocSPARSE",       "rocsparse", KnownLibrary::Prefer::Amd,     "librocsparse libhipsparse"},
    {"roctracer64",    "ROCTracer",       "roctracer", KnownLibrary::Prefer::StandIn, ""},
    {"roctx64",        "ROCTX",           "roctx",     KnownLibrary::Prefer::StandIn, "libroctx64-"},
};
// clang-format on

/// By the name that `install` takes, or the file's; nullptr: there is none.
const KnownLibrary* known_library(std::string_view name);

/// The library that a file of that name is: "librocblas.so.5"; nullptr for others.
const KnownLibrary* library_of_file(std::string_view file);

/// "librocblas.so.5.2" becomes "librocblas.so.5", the soname; empty without a number.
std::string soname_of_file(std::string_view file);

}  // namespace wavesmith::rocm
