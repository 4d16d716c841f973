#include "bench/gpu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace wavesmith::bench {
namespace {

/// Wavesmith's own entry points beside the HIP API; absent on a real GPU.
template <class F>
F extension(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  fmt::print(stderr, "bench: {}: {}\n", what, hipGetErrorString(error));
  std::exit(1);
}

Buffer::Buffer(size_t bytes) : bytes_(bytes) { check(hipMalloc(&data_, bytes), "hipMalloc"); }
Buffer::~Buffer() { (void)hipFree(data_); }

Module::Module(const std::string& name) {
  const std::string path = std::string(WAVESMITH_BENCH_KERNELS) + "/" + name + ".co";
  check(hipModuleLoad(&module_, path.c_str()), path.c_str());
}
Module::~Module() { (void)hipModuleUnload(module_); }

hipFunction_t Module::function(const char* name) const {
  hipFunction_t function = nullptr;
  check(hipModuleGetFunction(&function, module_, name), name);
  return function;
}

void launch(hipFunction_t function, uint32_t blocks, uint32_t threads, std::vector<void*> arguments) {
  check(hipModuleLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments.data(), nullptr),
        "launch");
  check(hipDeviceSynchronize(), "kernel");
}

uint64_t instructions() {
  static const auto query = extension<uint64_t (*)()>("wavesmith_instructions");
  return query ? query() : 0;
}

void set_threads(int threads) {
  static const auto set = extension<void (*)(int)>("wavesmith_set_threads");
  if (set) set(threads);
}

}  // namespace wavesmith::bench
