#include "runtime/version.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "runtime/error.h"

/// The major version of the headers that a program was compiled with, where `wavesmith cc` did it.
extern "C" [[gnu::weak]] const int wavesmith_hip_headers;

namespace wavesmith::runtime {
namespace {

struct Version {
  int major, minor, patch;
  [[nodiscard]] int number() const { return major * 10'000'000 + minor * 100'000 + patch; }
};

// The releases whose headers runtime/abi was checked against, and 6's last.
constexpr Version kFive{5, 2, 21153}, kSix{6, 4, 43484}, kSeven{7, 1, 25424};

Version named_by_file() {
  if (&wavesmith_hip_headers)
    return wavesmith_hip_headers < 6 ? kFive : wavesmith_hip_headers < 7 ? kSix : kSeven;
  Dl_info info{};
  // dli_fname is the name that the loader was asked for, a link's included.
  if (!dladdr(reinterpret_cast<const void*>(&hip_version), &info) || !info.dli_fname) return kSeven;
  const std::string_view file = info.dli_fname;
  if (file.ends_with(".so.5")) return kFive;
  if (file.ends_with(".so.6")) return kSix;
  return kSeven;
}

Version decide() {
  const char* const asked = std::getenv("WAVESMITH_HIP_VERSION");
  if (!asked || !*asked) return named_by_file();
  char* end = nullptr;
  const long major = std::strtol(asked, &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, &end, 10) : 0;
  if (*end == '\0' && major >= 4 && major <= 7 && minor >= 0 && minor < 100)
    return {static_cast<int>(major), static_cast<int>(minor), 0};
  report(Error{ErrorKind::BadInput,
               fmt::format("WAVESMITH_HIP_VERSION='{}' is ignored", asked),
               {},
               "write a version from 4 to 7, as 6.3"});
  return named_by_file();
}

}  // namespace

int hip_version() {
  static const int version = decide().number();
  return version;
}

}  // namespace wavesmith::runtime
