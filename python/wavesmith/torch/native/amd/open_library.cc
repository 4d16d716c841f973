#include "amd/open_library.h"

#include <filesystem>

#include "device/hip.h"

namespace wavesmith::device::amd {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const void* function) {
  Dl_info found{};
  if (dladdr(function, &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code ignored;
  const fs::path file = fs::weakly_canonical(found.dli_fname, ignored);
  return file.empty() ? fs::path(found.dli_fname) : file;
}

}  // namespace

void* open_library(std::initializer_list<const char*> sonames, const char* stand_in) {
  for (const char* const soname : sonames)
    if (void* const found = dlopen(soname, RTLD_NOW | RTLD_LOCAL)) return found;
  Dl_info runtime{};
  if (dladdr(reinterpret_cast<const void*>(&hipGetDeviceCount), &runtime) == 0) return nullptr;
  const fs::path folder = fs::path(runtime.dli_fname).parent_path() / "stand-ins";
  return dlopen((folder / stand_in).c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string whose(const void* function) {
  const fs::path file = file_of(function);
  const bool ours = file.parent_path().filename() == "stand-ins";
  return (ours ? "Wavesmith's stand-in, " : "AMD's, ") + file.string();
}

}  // namespace wavesmith::device::amd
