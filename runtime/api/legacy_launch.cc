// Launches as compilers before HIP-Clang's <<<...>>> made them: a configuration, the arguments one by one,
// then the kernel.
#include <cstring>
#include <vector>

#include "runtime/abi/launch.h"
#include "runtime/launch/fat_binary.h"
#include "runtime/launch/launch.h"

using namespace wavesmith::runtime;

extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t, hipStream_t);
extern "C" hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);

namespace {
thread_local std::vector<uint8_t> argument_bytes;
}

HIP_API hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
  argument_bytes.clear();
  return __hipPushCallConfiguration(grid, block, shared, stream);
}

HIP_API hipError_t hipSetupArgument(const void* argument, size_t size, size_t offset) {
  return plain_api([&] {
    constexpr size_t kMost = 4096;  // bytes of arguments that a kernel may have
    if (!argument || offset > kMost || size > kMost - offset) return hipErrorInvalidValue;
    if (argument_bytes.size() < offset + size) argument_bytes.resize(offset + size);
    std::memcpy(argument_bytes.data() + offset, argument, size);
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchByPtr(const void* host) {
  return api([&](Platform& platform) {
    dim3 grid, block;
    size_t shared = 0;
    hipStream_t stream = nullptr;
    if (const hipError_t error = __hipPopCallConfiguration(&grid, &block, &shared, &stream);
        error != hipSuccess)
      return error;
    const auto function = registered_function(platform, platform.current(), host);
    if (!function) return hipErrorInvalidDeviceFunction;
    argument_bytes.resize(std::max<size_t>(argument_bytes.size(), (*function)->kernel->kernarg_size));
    std::vector<void*> pointers;
    for (const auto& argument : (*function)->kernel->arguments)
      if (!argument.hidden()) pointers.push_back(argument_bytes.data() + argument.offset);
    return hipLaunchKernel(host, grid, block, pointers.data(), shared, stream);
  });
}
