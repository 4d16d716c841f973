// Looking functions up by name.
#include <cstdio>
#include <string>
#include <string_view>

#include "runtime/abi/device.h"
#include "runtime/api/error.h"
#include "runtime/api/exports.h"
#include "runtime/api/version.h"

using namespace wavesmith::runtime;

namespace {

enum Flags : uint64_t { kDefault = 0, kLegacyStream = 1, kPerThreadStream = 2 };

/// The symbol that a name means to a program built for `version` (6.1: 601), or nullptr.
const Export* resolve(std::string_view name, int version, uint64_t flags) {
  // Headers from 6.0 on rename the functions whose structures changed.
  constexpr int kRenamed = 600;
  if (version >= kRenamed) {
    if (name == "hipGetDeviceProperties") name = "hipGetDevicePropertiesR0600";
    if (name == "hipChooseDevice") name = "hipChooseDeviceR0600";
  }
  if (flags == kPerThreadStream)
    if (const Export* const own = find_export(std::string(name) + "_spt")) return own;
  return find_export(name);
}

bool are_flags(uint64_t flags) {
  return flags == kDefault || flags == kLegacyStream || flags == kPerThreadStream;
}

/// "hip_6.1" as 601.
int since(const Export& function) {
  int major = 0, minor = 0;
  if (std::sscanf(function.version.data(), "hip_%d.%d", &major, &minor) != 2) return 0;
  return major * 100 + minor;
}

}  // namespace

HIP_API hipError_t hipGetProcAddress(const char* symbol, void** function, int version, uint64_t flags,
                                     hipDriverProcAddressQueryResult* status) {
  return plain_api([&] {
    if (!symbol || !*symbol || !function || !are_flags(flags)) return hipErrorInvalidValue;
    const Export* const found = resolve(symbol, version, flags);
    *function = found ? reinterpret_cast<void*>(found->function) : nullptr;
    if (!found) {
      if (status) *status = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
      return hipErrorInvalidValue;
    }
    if (status) *status = HIP_GET_PROC_ADDRESS_SUCCESS;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                          hipDriverEntryPointQueryResult* status) {
  return plain_api([&] {
    if (!symbol || !*symbol || !function || !are_flags(flags)) return hipErrorInvalidValue;
    const int version = hip_version() / 100'000;
    const Export* const found = resolve(symbol, version, flags);
    *function = nullptr;
    if (!found) {
      if (status) *status = hipDriverEntryPointSymbolNotFound;
    } else if (since(*found) > version) {
      if (status) *status = hipDriverEntryPointVersionNotSufficent;
    } else {
      if (status) *status = hipDriverEntryPointSuccess;
      *function = reinterpret_cast<void*>(found->function);
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDriverEntryPoint_spt(const char* symbol, void** function, unsigned long long flags,
                                              hipDriverEntryPointQueryResult* status) {
  return hipGetDriverEntryPoint(symbol, function, flags == kDefault ? kPerThreadStream : flags, status);
}
