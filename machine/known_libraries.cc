#include "machine/known_libraries.h"

namespace wavesmith::machine {
namespace {

using enum KnownLibrary::Prefer;

// rocBLAS is called by most programs through hipBLAS: one without the other would change nothing for them.
// clang-format off
constexpr KnownLibrary kLibraries[] = {
    {"amd_smi",        "AMD SMI",         "amdsmi",    StandIn, ""},
    {"amd_comgr",      "comgr",           "comgr",     Chosen,  "libamd-comgr"},
    {"hipblas",        "hipBLAS",         "hipblas",   Amd,     "libhipblas"},
    {"hipblaslt",      "hipBLASLt",       "hipblaslt", Amd,     "libhipblaslt"},
    {"hipfft",         "hipFFT",          "hipfft",    Amd,     "libhipfft"},
    {"hiprand",        "hipRAND",         "hiprand",   Amd,     "libhiprand"},
    {"hiprtc",         "hiprtc",          "hiprtc",    Chosen,  "libhiprtc libhiprtc-builtins libamd-comgr"},
    {"hipsolver",      "hipSOLVER",       "hipsolver", Amd,     "libhipsolver"},
    {"hipsparse",      "hipSPARSE",       "hipsparse", Amd,     "libhipsparse"},
    {"migraphx_c",     "MIGraphX",        "migraphx",  Amd,     ""},
    {"MIOpen",         "MIOpen",          "miopen",    Amd,     "libmiopen"},
    {"rccl",           "RCCL",            "rccl",      Amd,     "librccl"},
    {"rocalution",     "rocALUTION",      "rocalution", Amd,    "librocalution"},
    {"rocblas",        "rocBLAS",         "rocblas",   Amd,     "librocblas libhipblas"},
    {"rocfft",         "rocFFT",          "rocfft",    Amd,     "librocfft libhipfft"},
    {"rocm_smi64",     "ROCm SMI",        "rocmsmi",   StandIn, "librocm-smi64-"},
    {"rocprofiler-sdk", "ROCprofiler-SDK", "rocprofiler", StandIn, ""},
    {"rocrand",        "rocRAND",         "rocrand",   Amd,     "librocrand libhiprand"},
    {"rocsolver",      "rocSOLVER",       "rocsolver", Amd,     "librocsolver libhipsolver"},
    {"rocsparse",      "rocSPARSE",       "rocsparse", Amd,     "librocsparse libhipsparse"},
    {"roctracer64",    "ROCTracer",       "roctracer", StandIn, ""},
    {"roctx64",        "ROCTX",           "roctx",     StandIn, "libroctx64-"},
};
// clang-format on

/// "rocblas" and ".so.5" of "librocblas.so.5".
std::pair<std::string_view, std::string_view> parts_of(std::string_view file) {
  const size_t end = file.find(".so");
  if (!file.starts_with("lib") || end == file.npos) return {};
  return {file.substr(3, end - 3), file.substr(end)};
}

}  // namespace

std::span<const KnownLibrary> known_libraries() { return kLibraries; }

const KnownLibrary* known_library(std::string_view name) {
  for (const KnownLibrary& one : kLibraries)
    if (name == one.name || name == one.file) return &one;
  return nullptr;
}

const KnownLibrary* library_of_file(std::string_view file) {
  const auto [stem, rest] = parts_of(file);
  for (const KnownLibrary& one : kLibraries)
    if (stem == one.file && (rest == ".so" || rest.starts_with(".so."))) return &one;
  return nullptr;
}

std::string soname_of_file(std::string_view file) {
  const auto [stem, rest] = parts_of(file);
  if (!rest.starts_with(".so.") || rest.size() == 4) return {};
  const size_t number = file.size() - rest.size() + 4, end = file.find('.', number);
  const std::string_view digits = file.substr(number, end == file.npos ? file.npos : end - number);
  if (digits.find_first_not_of("0123456789") != digits.npos) return {};
  return std::string(file.substr(0, end));
}

}  // namespace wavesmith::machine
