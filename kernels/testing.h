// For tests of kernels: the emulated GPUs of all targets as the devices of this process, their memory, and
// matrices of random numbers with a reference in double precision.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
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
#include "kernels/certificates/notes_testing.h"
#include "kernels/library/element_type.h"
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
inline constexpr const char* kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};

/// Before the first call of HIP: the process's GPUs.
inline const bool kMachine = [] {
  std::string all;
  for (const char* gpu : kGpus) all += (all.empty() ? "" : ",") + std::string(gpu);
  return setenv("WAVESMITH_GPU", all.c_str(), 1) == 0;
}();

using Type = wavesmith_kernels_type;
inline size_t bytes_of(Type type) { return static_cast<size_t>(size_of(type)); }

/// Of a float with less than 32 bits.
inline const FloatFormat& format_of(Type type) {
  static constexpr FloatFormat kFormats[] = {kF16, kF16, kBf16, {}, {}, kFp8, kBf8, kFp8Fnuz, kBf8Fnuz};
  return kFormats[type];
}
inline bool is_integer(Type type) { return type == WAVESMITH_KERNELS_I32 || type == WAVESMITH_KERNELS_I8; }
/// Half the distance between 1 and the next number.
inline double epsilon_of(Type type) {
  return type == WAVESMITH_KERNELS_F32 ? 0x1p-24
         : is_integer(type)            ? 0
                                       : std::ldexp(1, -format_of(type).mantissa_bits - 1);
}
inline double decoded(Type type, uint32_t bits) {
  switch (type) {
    case WAVESMITH_KERNELS_F16:
      return decode<kF16>(bits);
    case WAVESMITH_KERNELS_BF16:
      return decode<kBf16>(bits);
    case WAVESMITH_KERNELS_E4M3:
      return decode<kFp8>(bits);
    case WAVESMITH_KERNELS_E5M2:
      return decode<kBf8>(bits);
    case WAVESMITH_KERNELS_E4M3_FNUZ:
      return decode<kFp8Fnuz>(bits);
    default:
      return decode<kBf8Fnuz>(bits);
  }
}
/// The distance between subnormal numbers, at the least the smallest normal float.
inline double tiny_of(Type type) {
  if (type == WAVESMITH_KERNELS_F32) return 0x1p-126;
  if (is_integer(type)) return 0.5;
  return std::max(0x1p-126, decoded(type, 1));
}

/// An error with that of rounding the value to a type.
inline double rounded_error(Type type, double value, double error) {
  return error + epsilon_of(type) * (std::abs(value) + error) + tiny_of(type);
}

/// Elements of a type in host memory.
struct Elements {
  Type type = WAVESMITH_KERNELS_F32;
  std::vector<unsigned char> bytes;

  Elements() = default;
  /// A NaN each (of integers -1): all bits set, or minus zero in the formats without one.
  Elements(Type type_, size_t count)
      : type(type_), bytes(count * bytes_of(type_), is_fnuz(type_) ? 0x80 : 0xff) {}
  [[nodiscard]] size_t count() const { return bytes.size() / bytes_of(type); }
  void set(size_t index, double value) {
    if (type == WAVESMITH_KERNELS_F32)
      put(index, static_cast<float>(value));
    else if (type == WAVESMITH_KERNELS_I32)
      put(index, static_cast<int32_t>(value));
    else if (type == WAVESMITH_KERNELS_I8)
      put(index, static_cast<int8_t>(value));
    else if (bytes_of(type) == 2)
      put(index, static_cast<uint16_t>(encoded(value)));
    else
      put(index, static_cast<uint8_t>(encoded(value)));
  }
  [[nodiscard]] double get(size_t index) const {
    if (type == WAVESMITH_KERNELS_F32) return at<float>(index);
    if (type == WAVESMITH_KERNELS_I32) return at<int32_t>(index);
    if (type == WAVESMITH_KERNELS_I8) return at<int8_t>(index);
    return decoded(type, bytes_of(type) == 2 ? at<uint16_t>(index) : at<uint8_t>(index));
  }

 private:
  template <class T>
  void put(size_t index, T value) {
    std::memcpy(&bytes[index * sizeof(T)], &value, sizeof(T));
  }
  template <class T>
  [[nodiscard]] T at(size_t index) const {
    T value;
    std::memcpy(&value, &bytes[index * sizeof(T)], sizeof(T));
    return value;
  }
  [[nodiscard]] uint32_t encoded(double value) const {
    switch (type) {
      case WAVESMITH_KERNELS_F16:
        return encode<kF16>(value);
      case WAVESMITH_KERNELS_BF16:
        return encode<kBf16>(value);
      case WAVESMITH_KERNELS_E4M3:
        return encode<kFp8>(value);
      case WAVESMITH_KERNELS_E5M2:
        return encode<kBf8>(value);
      case WAVESMITH_KERNELS_E4M3_FNUZ:
        return encode<kFp8Fnuz>(value);
      default:
        return encode<kBf8Fnuz>(value);
    }
  }
};

/// The same on the GPU, `offset` elements into an allocation that ends with it: an access beyond it faults.
class OnGpu {
 public:
  explicit OnGpu(const Elements& elements, size_t offset = 0) : offset_(offset * bytes_of(elements.type)) {
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

/// An activation in double precision.
inline double activate(wavesmith_kernels_activation activation, double x) {
  switch (activation) {
    case WAVESMITH_KERNELS_RELU:
      return x > 0 ? x : 0;
    case WAVESMITH_KERNELS_GELU:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case WAVESMITH_KERNELS_SILU:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

/// WAVESMITH_SEED, or another seed each time.
inline unsigned test_seed() {
  const char* const given = std::getenv("WAVESMITH_SEED");
  return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
}

/// A test on each GPU, with random numbers whose seed is printed.
class OnEachGpu : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::printf("seed %u\n", seed_);
    begin_notes();
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

  const unsigned seed_ = test_seed();
  std::mt19937 random_{seed_};
};

inline std::string gpu_name(const testing::TestParamInfo<int>& info) { return kGpus[info.param]; }

}  // namespace wavesmith::kernels
