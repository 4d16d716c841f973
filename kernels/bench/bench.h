// What the programs in this folder share: memory, times, words for types.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/library/element_type.h"
#include "kernels/wavesmith_kernels.h"

extern "C" {
int hipMalloc(void** pointer, size_t bytes);
int hipMemcpy(void* to, const void* from, size_t bytes, int kind);
int hipMemset(void* pointer, int value, size_t bytes);
int hipDeviceSynchronize();
int hipEventCreate(void** event);
int hipEventRecord(void* event, void* stream);
int hipEventElapsedTime(float* milliseconds, void* start, void* stop);
const char* hipGetErrorName(int error);
}

namespace wavesmith::kernels::bench {

/// What stands behind the operation's name.
using Words = std::vector<std::string>;

int convolution(const Words& words);
int cross_entropy(const Words& words);
int linear_cross_entropy(const Words& words);
int adam(const Words& words);
int experts(const Words& words);
int topk(const Words& words);
int gather(const Words& words);
int expert_sort(const Words& words);
int combine(const Words& words);
int combine_backward(const Words& words);
int router(const Words& words);
int router_backward(const Words& words);
int sample(const Words& words);
int verify(const Words& words);
int all_reduce(const Words& words);

inline std::string word(const Words& words, size_t index, const char* otherwise) {
  return index < words.size() ? words[index] : std::string(otherwise);
}
inline int64_t number(const Words& words, size_t index, int64_t otherwise = 0) {
  return index < words.size() ? std::atoll(words[index].c_str()) : otherwise;
}

inline void check(int error, const char* what) {
  if (error == 0) return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorName(error));
  std::exit(1);
}

inline void* memory(int64_t bytes) {
  void* pointer = nullptr;
  check(hipMalloc(&pointer, static_cast<size_t>(bytes)), "hipMalloc");
  check(hipMemset(pointer, 0, static_cast<size_t>(bytes)), "hipMemset");
  return pointer;
}

/// The shortest of ROUNDS launches, 1 where that is not set.
template <class Launch>
float milliseconds_of(Launch launch) {
  void *start = nullptr, *stop = nullptr;
  check(hipEventCreate(&start), "hipEventCreate");
  check(hipEventCreate(&stop), "hipEventCreate");
  float best = 0;
  const int rounds = std::getenv("ROUNDS") ? std::atoi(std::getenv("ROUNDS")) : 1;
  for (int round = 0; round < rounds; ++round) {
    check(hipEventRecord(start, nullptr), "hipEventRecord");
    if (launch() != WAVESMITH_KERNELS_SUCCESS) {
      std::fprintf(stderr, "%s\n", wavesmith_kernels_message());
      std::exit(1);
    }
    check(hipEventRecord(stop, nullptr), "hipEventRecord");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    float milliseconds = 0;
    check(hipEventElapsedTime(&milliseconds, start, stop), "hipEventElapsedTime");
    best = round == 0 ? milliseconds : std::min(best, milliseconds);
  }
  return best;
}

inline wavesmith_kernels_type type_of(const std::string& name) {
  for (int type = 0; type < static_cast<int>(std::size(wavesmith::kernels::kElementTypes)); ++type)
    if (wavesmith::kernels::kElementTypes[type].word == name)
      return static_cast<wavesmith_kernels_type>(type);
  std::fprintf(stderr, "there is no type %s\n", name.c_str());
  std::exit(2);
}

/// Where a name stands among those that there are.
template <size_t kCount>
int index_of(const std::string& name, const char* const (&names)[kCount], const char* what) {
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found != std::end(names)) return static_cast<int>(found - std::begin(names));
  std::fprintf(stderr, "there is no %s %s\n", what, name.c_str());
  std::exit(2);
}

/// Prints an operation's time, and the bytes that it has to move per second.
inline int report(const std::string& operation, int64_t height, int64_t width, float best, int64_t moved) {
  std::printf("%s %lld %lld: %.2f us, %.1f GB/s\n", operation.c_str(), static_cast<long long>(height),
              static_cast<long long>(width), static_cast<double>(best) * 1e3,
              static_cast<double>(moved) * 1e-6 / static_cast<double>(best));
  return 0;
}

/// A copy in the GPU's memory.
template <class T>
T* on_gpu(const std::vector<T>& all) {
  void* const at = memory(static_cast<int64_t>(all.size() * sizeof(T)));
  check(hipMemcpy(at, all.data(), all.size() * sizeof(T), 1), "hipMemcpy");
  return static_cast<T*>(at);
}

}  // namespace wavesmith::kernels::bench
