// Helpers over the HIP API for benchmarks: load a kernel, launch it, time it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

namespace wavesmith::bench {

/// Ends the program with a message when a HIP call fails.
void check(hipError_t error, const char* what);

/// Memory on the device, freed with the object.
class Buffer {
 public:
  explicit Buffer(size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] void* get() const { return data_; }
  [[nodiscard]] size_t size() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};

/// A code object built from bench/kernels.
class Module {
 public:
  /// `name` as in bench/kernels/NAME.hip.
  explicit Module(const std::string& name);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  [[nodiscard]] hipFunction_t function(const char* name) const;

 private:
  hipModule_t module_ = nullptr;
};

/// Launches and waits. Arguments are passed by value, as the kernel declares them.
void launch(hipFunction_t function, uint32_t blocks, uint32_t threads, std::vector<void*> arguments);

template <class... A>
void run(hipFunction_t function, uint32_t blocks, uint32_t threads, A... arguments) {
  launch(function, blocks, threads, {&arguments...});
}

/// Wave-instructions that the emulated GPU has executed since the program began; 0 on a real GPU.
uint64_t instructions();

/// Host threads that the emulated GPU uses; nothing happens on a real GPU.
void set_threads(int threads);

}  // namespace wavesmith::bench
