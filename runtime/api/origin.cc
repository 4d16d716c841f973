#include "runtime/api/origin.h"

#include <dlfcn.h>

#include <filesystem>

namespace wavesmith::runtime {

std::string file_of(const void* address) {
  Dl_info info{};
  if (!address || !dladdr(address, &info) || !info.dli_fname) return {};
  const std::string name = info.dli_fname;
  // A library has its path here; a program what it was called by.
  if (name.find(".so") != name.npos) return name;
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? name : program.string();
}

}  // namespace wavesmith::runtime
