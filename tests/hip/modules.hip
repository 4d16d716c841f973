// Driver style: code loaded from a file and from memory, kernels by name, launches by handle.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check.h"

extern "C" {
__device__ int offset_by = 100;
__global__ void scale(int* values, int factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = values[i] * factor + offset_by;
}
}

/// The values 0..count-1 after `launch`, which is given their address.
template <class Launch>
std::vector<int> after(int count, Launch launch) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = i;
  int* device;
  CHECK_HIP(hipMalloc((void**)&device, count * sizeof(int)));
  CHECK_HIP(hipMemcpy(device, values.data(), count * sizeof(int), hipMemcpyHostToDevice));
  launch(device);
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipMemcpy(values.data(), device, count * sizeof(int), hipMemcpyDeviceToHost));
  CHECK_HIP(hipFree(device));
  return values;
}

void use(hipModule_t module) {
  hipFunction_t function;
  CHECK_HIP(hipModuleGetFunction(&function, module, "scale"));
  CHECK_ERROR(hipModuleGetFunction(&function, module, "no_such_kernel"), hipErrorNotFound);
  CHECK_HIP(hipModuleGetFunction(&function, module, "scale"));
  int count = 1000, factor = 3;

  // a pointer to each argument
  const auto first = after(count, [&](int* device) {
    void* arguments[] = {&device, &factor, &count};
    CHECK_HIP(hipModuleLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  });
  for (int i = 0; i < count; ++i) CHECK(first[i] == 3 * i + 100);

  // the arguments packed, the grid in work-items that are no multiple of the block
  hipDeviceptr_t variable;
  size_t size = 0;
  CHECK_HIP(hipModuleGetGlobal(&variable, &size, module, "offset_by"));
  CHECK(size == sizeof(int));
  const int seven = 7;
  CHECK_HIP(hipMemcpyHtoD(variable, (void*)&seven, sizeof seven));
  const auto second = after(count, [&](int* device) {
    struct {
      int* values;
      int factor, count;
    } packed = {device, 2, 900};
    size_t bytes = sizeof packed;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     HIP_LAUNCH_PARAM_END};
    CHECK_HIP(hipExtModuleLaunchKernel(function, 890, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  });
  for (int i = 0; i < count; ++i) CHECK(second[i] == (i < 890 ? 2 * i + 7 : i));
  const int hundred = 100;
  CHECK_HIP(hipMemcpyHtoD(variable, (void*)&hundred, sizeof hundred));

  int value = 0;
  CHECK_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  CHECK(value == 1024);
  // The calls that take a host function take the handle as well.
  const void* const either = reinterpret_cast<const void*>(function);
  hipFuncAttributes attributes;
  CHECK_HIP(hipFuncGetAttributes(&attributes, either));
  CHECK(attributes.maxThreadsPerBlock == value);
  const int most = attributes.maxDynamicSharedSizeBytes;
  CHECK_HIP(hipFuncSetAttribute(either, hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
  CHECK_HIP(hipFuncGetAttributes(&attributes, either));
  CHECK(attributes.maxDynamicSharedSizeBytes == 1024);
  CHECK_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
  CHECK(value == most);
  hipDeviceProp_t properties;
  CHECK_HIP(hipGetDeviceProperties(&properties, 0));
  CHECK_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, function));
  CHECK(value == properties.major * 10 + properties.minor && value == attributes.binaryVersion);
  CHECK_ERROR(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, nullptr), hipErrorInvalidHandle);
  CHECK_ERROR(hipModuleGetGlobal(&variable, nullptr, module, ""), hipErrorInvalidValue);
  CHECK_HIP(hipFuncSetAttribute(either, hipFuncAttributeMaxDynamicSharedMemorySize, most));
  CHECK_ERROR(hipFuncSetAttribute(either, hipFuncAttributeMaxDynamicSharedMemorySize, most + 1),
              hipErrorInvalidValue);
  CHECK_ERROR(hipFuncSetAttribute(&value, hipFuncAttributeMaxDynamicSharedMemorySize, 64),
              hipErrorInvalidDeviceFunction);
  void* both[] = {nullptr};
  CHECK_ERROR(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr),
              hipErrorInvalidValue);
  CHECK_ERROR(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, both, both),
              hipErrorInvalidValue);
  CHECK_ERROR(hipModuleLaunchKernel(function, 1u << 31, 1, 1, 1, 1, 1, 0, nullptr, both, nullptr),
              hipErrorInvalidValue);
  CHECK_ERROR(hipModuleLaunchKernel(function, 1, 65537, 1, 1, 1, 1, 0, nullptr, both, nullptr),
              hipErrorInvalidValue);
  CHECK_ERROR(hipModuleLaunchKernel(function, 1, 1, 65537, 1, 1, 1, 0, nullptr, both, nullptr),
              hipErrorInvalidValue);
}

int main() {
  hipModule_t module;
  CHECK_HIP(hipModuleLoad(&module, "/proc/self/exe"));  // a program with GPU code inside
  use(module);
  CHECK_HIP(hipModuleUnload(module));
  CHECK_ERROR(hipModuleUnload(module), hipErrorNotFound);

  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  // The section of bundles begins at a page; the text in this program's own constants does not.
  size_t bundle = bytes.find("__CLANG_OFFLOAD_BUNDLE__");
  while (bundle != std::string::npos && bundle % 4096 != 0)
    bundle = bytes.find("__CLANG_OFFLOAD_BUNDLE__", bundle + 1);
  if (bundle != std::string::npos) {
    CHECK_HIP(hipModuleLoadData(&module, bytes.data() + bundle));
    use(module);
    CHECK_HIP(hipModuleUnload(module));
  }
  return finish();
}
