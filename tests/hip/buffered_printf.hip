// printf in kernels that was compiled with -mprintf-kind=buffered: the host prints when the kernel is done.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <string>

#include "check.h"
#include "printed.h"

using GlobalMemory = __attribute__((address_space(1))) char;

/// Room for a message; the device libraries have it, but HIP 5.2's only for OpenCL.
extern "C" __device__ __attribute__((used)) GlobalMemory* __printf_alloc(unsigned bytes) {
  constexpr int kPrintfBuffer = 72;  // of the hidden arguments, from code objects of version 5 on
  const auto* const hidden = (const char*)__builtin_amdgcn_implicitarg_ptr();
  unsigned* const buffer = *(unsigned* const*)(hidden + kPrintfBuffer);
  unsigned used = __atomic_load_n(buffer, __ATOMIC_RELAXED);
  do {
    if (used + bytes > buffer[1]) return nullptr;
  } while (
      !__atomic_compare_exchange_n(buffer, &used, used + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return (GlobalMemory*)((char*)(buffer + 2) + used);
}

__global__ void greet(int number, double real, const char* name, const char* format) {
  if (threadIdx.x == 0)
    printf("number %d, real: %.3f, name %s, percent %%, %s\n", number, real, name, "constant");
  if (threadIdx.x == 1) printf(format, number, real);
  if (threadIdx.x >= 62) printf("lane %u of %lld %c %p\n", unsigned(threadIdx.x), -1ll, 'x', (void*)0x1234);
}

__global__ void many() { printf("%d %d\n", int(blockIdx.x), int(threadIdx.x)); }

__global__ void flood(const char* text) {
  for (int i = 0; i < 100; ++i) printf("%s\n", text);
}

int main() {
  char* name;
  CHECK_HIP(hipHostMalloc((void**)&name, 1024, 0));
  std::snprintf(name, 16, "wave");
  std::snprintf(name + 16, 32, "%s", "given %d %g\n");
  const auto greeting = [&](hipStream_t stream) {
    return printed(stdout, [&] {
      greet<<<1, 64, 0, stream>>>(7, 2.5, name, name + 16);
      CHECK_HIP(hipDeviceSynchronize());
    });
  };
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  const std::string text = greeting(nullptr);
  for (const char* line : {"number 7, real: 2.500, name wave, percent %, constant\n", "given 7 2.5\n",
                           "lane 62 of -1 x 0x1234\n", "lane 63 of -1 x 0x1234\n"})
    CHECK(text.find(line) != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(greeting(stream).size() == text.size());  // nothing is left of the first one
  if (failures) std::printf("it printed: %s\n", text.c_str());

  const std::string lines = printed(stdout, [&] {
    many<<<50, 100>>>();
    CHECK_HIP(hipDeviceSynchronize());
  });
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 5000);
  for (const char* line : {"0 0\n", "\n49 99\n", "\n17 64\n"})
    CHECK(("\n" + lines).find(line) != std::string::npos);

  // What does not fit is lost, and only that.
  std::fill_n(name, 1000, 'y');
  name[1000] = 0;
  const std::string much = printed(stdout, [&] {
    flood<<<4, 64>>>(name);
    CHECK_HIP(hipDeviceSynchronize());
  });
  CHECK(much.size() % 1001 == 0);
  CHECK(much.size() > 1000000 && much.size() < 4 * 64 * 100 * 1001);
  CHECK(greeting(stream) != "");
  CHECK_HIP(hipStreamDestroy(stream));
  return finish();
}
