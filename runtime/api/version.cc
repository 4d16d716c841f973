#include "runtime/api/version.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/rocm_release.h"
#include "runtime/api/error.h"

/// The major version of the headers that a program was compiled with, where `wavesmith cc` did it.
extern "C" [[gnu::weak]] const int wavesmith_hip_headers;

namespace wavesmith::runtime {
namespace {

int number(const RocmRelease& release) {
  return release.major * 10'000'000 + release.minor * 100'000 + release.hip_patch;
}

// Others whose headers runtime/abi was checked against: 5's and 6's last.
constexpr RocmRelease kFive{5, 2, 0, 21153}, kSix{6, 4, 0, 43484};

RocmRelease named_by_file() {
  if (&wavesmith_hip_headers)
    return wavesmith_hip_headers < 6 ? kFive : wavesmith_hip_headers < 7 ? kSix : kRocmRelease;
  Dl_info info{};
  // dli_fname is the name that the loader was asked for, a link's included.
  if (!dladdr(reinterpret_cast<const void*>(&hip_version), &info) || !info.dli_fname) return kRocmRelease;
  const std::string_view file = info.dli_fname;
  if (file.ends_with(".so.5")) return kFive;
  if (file.ends_with(".so.6")) return kSix;
  return kRocmRelease;
}

RocmRelease decide() {
  const char* const asked = std::getenv("WAVESMITH_HIP_VERSION");
  if (!asked || !*asked) return named_by_file();
  if (const auto release = rocm_release_named(asked)) return *release;
  report(Error{ErrorKind::BadInput,
               fmt::format("WAVESMITH_HIP_VERSION='{}' is ignored", asked),
               {},
               "write a version from 4 to 7, as 6.3"});
  return named_by_file();
}

}  // namespace

int hip_version() {
  static const int version = number(decide());
  return version;
}

}  // namespace wavesmith::runtime
