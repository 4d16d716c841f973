// Code that the MI300A programs share: options, buffers, and the timing loop. A program runs its work once to
// warm up and then `--iterations` times between two events, and prints
//   name,size,iterations,average ms,least ms,most ms
// The work is that of the programs of the same names in sarchlab/mgpusim, gpu_perf_scripts (MIT), whose times
// on an MI300A are validate/data/mi300a.csv.gz: the same grids, blocks and accesses, and the same work
// between the events. The code is our own.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

inline void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

class Options {
 public:
  Options(int count, char** words) : words_(words, words + count) {}
  long value(const char* name, long otherwise) const {
    for (size_t i = 1; i + 1 < words_.size(); ++i)
      if (words_[i] == name) return std::atol(words_[i + 1].c_str());
    return otherwise;
  }
  int iterations() const { return static_cast<int>(value("--iterations", 3)); }

 private:
  std::vector<std::string> words_;
};

/// A pseudo-random value per index, without table or state, so that programs can fill their buffers on the
/// GPU.
__host__ __device__ inline unsigned scramble(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

static __global__ void fill_kernel(float* to, size_t count, float low, float high) {
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x)
    to[i] = low + (high - low) * static_cast<float>(scramble(static_cast<unsigned>(i)) >> 8) / 16777216.f;
}

template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) { check(hipMalloc(&data_, count * sizeof(T)), "hipMalloc"); }
  ~Buffer() { (void)hipFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }
  /// Fills the buffer with numbers spread evenly from low to high.
  const Buffer& fill(float low, float high) const {
    const size_t floats = bytes() / sizeof(float);
    const unsigned blocks = static_cast<unsigned>(std::min<size_t>((floats + 255) / 256, 4096));
    fill_kernel<<<blocks, 256>>>(reinterpret_cast<float*>(data_), floats, low, high);
    check(hipDeviceSynchronize(), "fill");
    return *this;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

template <class Work>
void measure(const char* name, const std::string& size, int iterations, Work work) {
  hipEvent_t start, stop;
  check(hipEventCreate(&start), "hipEventCreate");
  check(hipEventCreate(&stop), "hipEventCreate");
  work();
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  double sum = 0, least = 1e30, most = 0;
  for (int i = 0; i < iterations; ++i) {
    check(hipEventRecord(start, nullptr), "hipEventRecord");
    work();
    check(hipEventRecord(stop, nullptr), "hipEventRecord");
    check(hipEventSynchronize(stop), "hipEventSynchronize");
    float milliseconds = 0;
    check(hipEventElapsedTime(&milliseconds, start, stop), "hipEventElapsedTime");
    sum += milliseconds;
    least = std::min<double>(least, milliseconds);
    most = std::max<double>(most, milliseconds);
  }
  std::printf("%s,%s,%d,%.6f,%.6f,%.6f\n", name, size.c_str(), iterations, sum / iterations, least, most);
  (void)hipEventDestroy(start);
  (void)hipEventDestroy(stop);
}

inline unsigned blocks_for(size_t count, unsigned block) {
  return static_cast<unsigned>((count + block - 1) / block);
}

}  // namespace bench
