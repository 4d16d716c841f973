// For tests of kernels: the emulated GPUs of all targets as the devices of this process, their memory, and
// matrices of random numbers with a reference in double precision.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/small_float.h"
#include "kernels/wavesmith_kernels.h"

extern "C" {
int hipMalloc(void** pointer, size_t bytes);
int hipFree(void* pointer);
int hipMemcpy(void* to, const void* from, size_t bytes, int kind);
int hipSetDevice(int device);
int hipDeviceSynchronize();
}

namespace wavesmith::kernels {

/// One GPU of each target.
inline constexpr const char* kGpus[] = {"mi210", "mi300x", "mi355x", "rx7900xtx", "radeon8060s", "rx9070xt"};
inline constexpr int kGpuCount = 6;

/// Before the first call of HIP: the process's GPUs.
inline const bool kMachine = [] {
  std::string all;
  for (const char* gpu : kGpus) all += (all.empty() ? "" : ",") + std::string(gpu);
  return setenv("WAVESMITH_GPU", all.c_str(), 1) == 0;
}();

using Type = wavesmith_kernels_type;
inline size_t size_of(Type type) { return type == WAVESMITH_KERNELS_F32 ? 4 : 2; }
inline double epsilon_of(Type type) {
  return type == WAVESMITH_KERNELS_F32 ? 0x1p-24 : type == WAVESMITH_KERNELS_F16 ? 0x1p-11 : 0x1p-8;
}
/// Half the distance between subnormal numbers.
inline double tiny_of(Type type) {
  return type == WAVESMITH_KERNELS_F32 ? 0x1p-126 : type == WAVESMITH_KERNELS_F16 ? 0x1p-24 : 0x1p-126;
}

/// Elements of a type in host memory.
struct Elements {
  Type type = WAVESMITH_KERNELS_F32;
  std::vector<unsigned char> bytes;

  Elements() = default;
  /// All bits set: a NaN in each type.
  Elements(Type type_, size_t count) : type(type_), bytes(count * size_of(type_), 0xff) {}
  [[nodiscard]] size_t count() const { return bytes.size() / size_of(type); }
  void set(size_t index, double value) {
    if (type == WAVESMITH_KERNELS_F32) {
      const auto narrow = static_cast<float>(value);
      std::memcpy(&bytes[index * 4], &narrow, 4);
    } else {
      const auto narrow =
          static_cast<uint16_t>(type == WAVESMITH_KERNELS_F16 ? encode<kF16>(value) : encode<kBf16>(value));
      std::memcpy(&bytes[index * 2], &narrow, 2);
    }
  }
  [[nodiscard]] double get(size_t index) const {
    if (type == WAVESMITH_KERNELS_F32) {
      float value;
      std::memcpy(&value, &bytes[index * 4], 4);
      return value;
    }
    uint16_t value;
    std::memcpy(&value, &bytes[index * 2], 2);
    return type == WAVESMITH_KERNELS_F16 ? decode<kF16>(value) : decode<kBf16>(value);
  }
};

/// The same on the GPU, `offset` elements into an allocation that ends with it: an access beyond it faults.
class OnGpu {
 public:
  explicit OnGpu(const Elements& elements, size_t offset = 0) : offset_(offset * size_of(elements.type)) {
    EXPECT_EQ(hipMalloc(&memory_, offset_ + elements.bytes.size() + 1), 0);
    EXPECT_EQ(hipMemcpy(data(), elements.bytes.data(), elements.bytes.size(), 1), 0);
  }
  ~OnGpu() { hipFree(memory_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  [[nodiscard]] void* data() const { return static_cast<char*>(memory_) + offset_; }
  void copy_to(Elements& elements) const {
    EXPECT_EQ(hipMemcpy(elements.bytes.data(), data(), elements.bytes.size(), 2), 0);
  }

 private:
  void* memory_ = nullptr;
  size_t offset_;
};

/// A test on each GPU, with random numbers whose seed is printed.
class OnEachGpu : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::printf("seed %u\n", seed_);
    ASSERT_EQ(hipSetDevice(GetParam()), 0);
  }
  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[between(0, static_cast<int64_t>(all.size()) - 1)];
  }
  double normal() { return std::normal_distribution<double>()(random_); }

  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
};

inline std::string gpu_name(const testing::TestParamInfo<int>& info) { return kGpus[info.param]; }

}  // namespace wavesmith::kernels
