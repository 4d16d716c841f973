// A fixture for tests of MIOpen: tensors of any type and layout, with random numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libraries/shim/handle_test.h"

namespace wavesmith::libraries::testing_miopen {

enum Type : int { kHalf = 0, kFloat = 1, kInt32 = 2, kInt8 = 3, kBrain = 5, kDouble = 6 };

inline size_t size_of(int type) {
  switch (type) {
    case kDouble:
      return 8;
    case kFloat:
    case kInt32:
      return 4;
    case kInt8:
      return 1;
    default:
      return 2;
  }
}

inline double read(int type, const unsigned char* at) {
  const auto as = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (type == kDouble) return as(double{});
  if (type == kFloat) return as(float{});
  if (type == kInt32) return as(int32_t{});
  if (type == kInt8) return as(int8_t{});
  if (type == kHalf) return as(_Float16{});
  float single = 0;
  std::memcpy(reinterpret_cast<unsigned char*>(&single) + 2, at, 2);
  return single;
}
inline void write(int type, double value, unsigned char* at) {
  const auto as = [at](auto narrow) { std::memcpy(at, &narrow, sizeof narrow); };
  if (type == kDouble) as(value);
  if (type == kFloat) as(static_cast<float>(value));
  if (type == kInt32) as(static_cast<int32_t>(value));
  if (type == kInt8) as(static_cast<int8_t>(value * 60));
  if (type == kHalf) as(static_cast<_Float16>(value));
  const auto single = static_cast<float>(value);
  if (type == kBrain) std::memcpy(at, reinterpret_cast<const unsigned char*>(&single) + 2, 2);
}

/// Elements by their indices, in any layout.
struct Tensor {
  int type;
  std::vector<int> sizes, strides;
  std::vector<unsigned char> bytes;
  void* descriptor = nullptr;

  [[nodiscard]] size_t place(const std::vector<int>& at) const {
    size_t offset = 0;
    for (size_t i = 0; i < at.size(); ++i) offset += static_cast<size_t>(at[i] * strides[i]);
    return offset * size_of(type);
  }
  [[nodiscard]] double operator[](const std::vector<int>& at) const {
    return read(type, bytes.data() + place(at));
  }
};

/// Calls `use` with every index below the sizes.
template <class Use>
void each(const std::vector<int>& sizes, Use use) {
  std::vector<int> at(sizes.size(), 0);
  for (const int size : sizes)
    if (size == 0) return;
  for (;;) {
    use(at);
    size_t i = sizes.size();
    while (i > 0 && ++at[i - 1] == sizes[i - 1]) at[--i] = 0;
    if (i == 0) return;
  }
}

/// Half of the step between numbers of a type around 1; 0 for integers.
inline double epsilon_of(int type) {
  return type == kHalf     ? 0x1p-11
         : type == kBrain  ? 0x1p-8
         : type == kFloat  ? 0x1p-24
         : type == kDouble ? 0x1p-53
                           : 0;
}

class MiopenTest : public HandleTest {
 protected:
  MiopenTest() : HandleTest("libMIOpen.so.1", "miopenCreate", "miopenDestroy") {}

  /// A random tensor in [-1, 1), or of integers in [-60, 60), with padded strides and channels last at
  /// random.
  Tensor tensor(int type, const std::vector<int>& sizes) {
    Tensor t{type, sizes, std::vector<int>(sizes.size()), {}};
    std::vector<size_t> order(sizes.size());  // the slowest first
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (below(2) && order.size() > 2) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    int stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      t.strides[order[i]] = stride;
      stride *= sizes[order[i]];
      if (below(4) == 0) stride += below(3);
    }
    t.bytes.resize(static_cast<size_t>(std::max(stride, 1)) * size_of(type));
    for (size_t i = 0; i < t.bytes.size(); i += size_of(type)) write(type, number(), t.bytes.data() + i);
    EXPECT_EQ(call(library_, "miopenCreateTensorDescriptor", &t.descriptor), 0);
    EXPECT_EQ(call(library_, "miopenSetTensorDescriptor", t.descriptor, type, static_cast<int>(sizes.size()),
                   t.sizes.data(), t.strides.data()),
              0);
    return t;
  }
  void forget(Tensor& t) { EXPECT_EQ(call(library_, "miopenDestroyTensorDescriptor", t.descriptor), 0); }
};

}  // namespace wavesmith::libraries::testing_miopen
