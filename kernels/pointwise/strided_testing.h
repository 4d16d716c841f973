// For tests: strided arrays of any type, on the host and on a GPU.
#pragma once

#include "kernels/certificates/notes_testing.h"
#include "kernels/pointwise/number_types.h"
#include "kernels/testing.h"

namespace wavesmith::kernels {

/// Elements as doubles, of real types.
inline double number_at(const unsigned char* bytes, Number type) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  };
  switch (type) {
    case WAVESMITH_POINTWISE_BOOL:
      return as(uint8_t{}) != 0;
    case WAVESMITH_POINTWISE_U8:
      return as(uint8_t{});
    case WAVESMITH_POINTWISE_I8:
      return as(int8_t{});
    case WAVESMITH_POINTWISE_I16:
      return as(int16_t{});
    case WAVESMITH_POINTWISE_I32:
      return as(int32_t{});
    case WAVESMITH_POINTWISE_I64:
      return static_cast<double>(as(int64_t{}));
    case WAVESMITH_POINTWISE_F16:
      return decode<kF16>(as(uint16_t{}));
    case WAVESMITH_POINTWISE_BF16:
      return decode<kBf16>(as(uint16_t{}));
    case WAVESMITH_POINTWISE_F32:
      return static_cast<double>(as(float{}));
    default:
      return as(double{});
  }
}
inline void put_number(unsigned char* bytes, Number type, double value) {
  const auto as = [&]<class T>(T converted) { std::memcpy(bytes, &converted, sizeof(T)); };
  switch (type) {
    case WAVESMITH_POINTWISE_BOOL:
      return as(static_cast<uint8_t>(value != 0));
    case WAVESMITH_POINTWISE_U8:
      return as(static_cast<uint8_t>(static_cast<int>(value)));
    case WAVESMITH_POINTWISE_I8:
      return as(static_cast<int8_t>(value));
    case WAVESMITH_POINTWISE_I16:
      return as(static_cast<int16_t>(value));
    case WAVESMITH_POINTWISE_I32:
      return as(static_cast<int32_t>(value));
    case WAVESMITH_POINTWISE_I64:
      return as(static_cast<int64_t>(value));
    case WAVESMITH_POINTWISE_F16:
      return as(static_cast<uint16_t>(encode<kF16>(value)));
    case WAVESMITH_POINTWISE_BF16:
      return as(static_cast<uint16_t>(encode<kBf16>(value)));
    case WAVESMITH_POINTWISE_F32:
      return as(static_cast<float>(value));
    default:
      return as(value);
  }
}

/// An array with its memory; everything that is not an element is 0xff.
struct Strided {
  Number type;
  std::vector<int64_t> sizes, strides;  ///< bytes
  Elements memory;
  int64_t first = 0;  ///< byte of the first element

  Strided(Number type_, std::vector<int64_t> sizes_, std::vector<int64_t> strides_)
      : type(type_), sizes(std::move(sizes_)), strides(std::move(strides_)) {
    int64_t last = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t reach = (sizes[d] - 1) * strides[d];
      (reach < 0 ? first : last) += reach < 0 ? -reach : reach;
    }
    memory = Elements(WAVESMITH_KERNELS_I8, static_cast<size_t>(first + last + size_of(type)));
  }
  [[nodiscard]] int64_t count() const {
    int64_t all = 1;
    for (const int64_t size : sizes) all *= size;
    return all;
  }
  /// The byte of an element, by its number: the first dimension is the fastest.
  [[nodiscard]] size_t at(int64_t number) const {
    int64_t byte = first;
    for (size_t d = 0; d < sizes.size(); ++d) byte += number % sizes[d] * strides[d], number /= sizes[d];
    return static_cast<size_t>(byte);
  }
  [[nodiscard]] double get(int64_t number) const { return number_at(&memory.bytes[at(number)], type); }
  void set(int64_t number, double value) { put_number(&memory.bytes[at(number)], type, value); }
};

/// The same on the GPU.
struct StridedOnGpu {
  Strided& array;
  OnGpu memory;

  explicit StridedOnGpu(Strided& array_, size_t offset = 0) : array(array_), memory(array_.memory, offset) {}
  [[nodiscard]] wavesmith_pointwise_operand operand() const {
    wavesmith_pointwise_operand made{};
    made.data = static_cast<char*>(memory.data()) + array.first;
    made.type = array.type;
    for (size_t d = 0; d < array.strides.size(); ++d) made.strides[d] = array.strides[d];
    return made;
  }
  void read() const { memory.copy_to(array.memory); }
};

/// Strides of sizes: contiguous, with gaps, some 0 (broadcast), some negative, or dimensions in another
/// order.
class OnStrides : public OnEachGpu {
 protected:
  std::vector<int64_t> any_sizes(int64_t most) {
    std::vector<int64_t> sizes;
    for (int64_t dims = between(0, 5); dims > 0; --dims)
      sizes.push_back(one_of<int64_t>({1, 2, 3, 8, 16, between(1, 40)}));
    int64_t all = 1;
    for (int64_t& size : sizes) size = all * size > most ? 1 : size, all *= size;
    return sizes;
  }
  Strided any_strided(Number type, const std::vector<int64_t>& sizes, bool broadcast) {
    std::vector<size_t> order(sizes.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (between(0, 3) == 0) std::shuffle(order.begin(), order.end(), random_);
    std::vector<int64_t> strides(sizes.size());
    int64_t next = size_of(type);
    for (const size_t d : order) {
      if (between(0, 4) == 0) next += size_of(type) * between(0, 3);
      strides[d] = next;
      next *= sizes[d];
      if (between(0, 8) == 0) strides[d] = -strides[d];
      if (broadcast && between(0, 3) == 0) strides[d] = 0;
    }
    return {type, sizes, strides};
  }
  Number any_real() {
    return static_cast<Number>(between(WAVESMITH_POINTWISE_BOOL, WAVESMITH_POINTWISE_F64));
  }
};

}  // namespace wavesmith::kernels
