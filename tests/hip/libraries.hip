// Code compiled at run time and loaded as a library, where the headers know libraries.
#include <hip/hip_runtime.h>

#include <cstring>
#include <string>
#include <vector>

#include "check.h"

// hiprtc and libraries by their binary interface, so that any HIP headers will do.
extern "C" {
int hiprtcCreateProgram(void**, const char*, const char*, int, const char**, const char**);
int hiprtcCompileProgram(void*, int, const char**);
int hiprtcGetCodeSize(void*, size_t*);
int hiprtcGetCode(void*, char*);
int hiprtcDestroyProgram(void**);
// Names of our own: newer headers declare these, with their types.
hipError_t library_load(void**, const void*, void*, void**, unsigned, void*, void**,
                        unsigned) __asm__("hipLibraryLoadData");
hipError_t library_unload(void*) __asm__("hipLibraryUnload");
hipError_t library_kernel(void**, void*, const char*) __asm__("hipLibraryGetKernel");
hipError_t library_kernel_count(unsigned*, void*) __asm__("hipLibraryGetKernelCount");
}

int main() {
  void* program = nullptr;
  const char* source =
      "extern \"C\" __global__ void twice(int* data, int count) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < count) data[i] *= 2;\n"
      "}\n"
      "extern \"C\" __global__ void nothing() {}\n";
  hipDeviceProp_t properties;
  CHECK_HIP(hipGetDeviceProperties(&properties, 0));
  const std::string target = std::string("--offload-arch=") + properties.gcnArchName;
  const char* options[] = {target.c_str()};
  CHECK(hiprtcCreateProgram(&program, source, "twice.hip", 0, nullptr, nullptr) == 0);
  CHECK(hiprtcCompileProgram(program, 1, options) == 0);
  size_t size = 0;
  CHECK(hiprtcGetCodeSize(program, &size) == 0);
  std::vector<char> code(size);
  CHECK(hiprtcGetCode(program, code.data()) == 0);
  CHECK(hiprtcDestroyProgram(&program) == 0);

  void *library = nullptr, *kernel = nullptr;
  unsigned count = 0;
  CHECK_HIP(library_load(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK_HIP(library_kernel_count(&count, library));
  CHECK(count == 2);
  CHECK_ERROR(library_kernel(&kernel, library, "absent"), hipErrorNotFound);
  CHECK_HIP(library_kernel(&kernel, library, "twice"));
  int *data, items = 1000;
  CHECK_HIP(hipMalloc(&data, items * sizeof(int)));
  std::vector<int> host(items);
  for (int i = 0; i < items; ++i) host[i] = i;
  CHECK_HIP(hipMemcpy(data, host.data(), items * sizeof(int), hipMemcpyHostToDevice));
  void* arguments[] = {&data, &items};
  CHECK_HIP(hipModuleLaunchKernel(static_cast<hipFunction_t>(kernel), (items + 63) / 64, 1, 1, 64, 1, 1, 0,
                                  nullptr, arguments, nullptr));
  CHECK_HIP(hipMemcpy(host.data(), data, items * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < items; ++i) CHECK(host[i] == 2 * i);

  // The same code as a module.
  hipModule_t module;
  hipFunction_t function;
  CHECK_HIP(hipModuleLoadData(&module, code.data()));
  CHECK_HIP(hipModuleGetFunction(&function, module, "twice"));
  int grid = 0, block = 0, blocks = 0;
  CHECK_HIP(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, 0, 0));
  CHECK(block > 0 && block <= 1024 && grid >= properties.multiProcessorCount);
  CHECK_HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
  CHECK(blocks == properties.maxThreadsPerMultiProcessor / 256);
  CHECK_HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 40000));
  CHECK(blocks >= 1 && blocks <= 3);  // LDS is the limit
  CHECK_ERROR(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0),
              hipErrorInvalidValue);
  CHECK_HIP(hipModuleUnload(module));

  CHECK_HIP(library_unload(library));
  CHECK_HIP(hipFree(data));
  return finish();
}
