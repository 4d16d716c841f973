// For tests of lists of arrays: arrays of many sizes on a GPU, and numbers with the error that they may have.
#pragma once

#include <cmath>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/optimiser/arguments.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {

/// A number, and how far one that is computed in floats may be off; each operation is rounded.
struct Rounded {
  double value = 0, error = 0;

  static constexpr double kUnit = 0x1p-24, kTiny = 0x1p-126;
  /// A number of double precision that was rounded to a float.
  static Rounded of(double value) { return Rounded{value, 0}.rounded(); }
  [[nodiscard]] Rounded rounded(double unit = kUnit) const {
    return {value, error + unit * (std::abs(value) + error) + kTiny};
  }
  Rounded operator-() const { return {-value, error}; }
  Rounded operator+(const Rounded& b) const { return Rounded{value + b.value, error + b.error}.rounded(); }
  Rounded operator-(const Rounded& b) const { return *this + -b; }
  Rounded operator*(const Rounded& b) const {
    const double off = std::abs(value) * b.error + std::abs(b.value) * error + error * b.error;
    return Rounded{value * b.value, off}.rounded();
  }
  Rounded operator/(const Rounded& b) const {
    const double quotient = value / b.value;
    return Rounded{quotient, (error + std::abs(quotient) * b.error) / (std::abs(b.value) - b.error)}
        .rounded();
  }
  [[nodiscard]] Rounded root() const {
    const double low = std::sqrt(std::max(value - error, 0.0)), here = std::sqrt(value);
    return Rounded{here, std::max(here - low, std::sqrt(value + error) - here)}.rounded();
  }
};

/// A GPU, and arrays in its memory for as long as the test.
class OnLists : public OnEachGpu {
 protected:
  struct Array {
    Elements elements;
    std::unique_ptr<OnGpu> memory;

    [[nodiscard]] void* data() const { return memory->data(); }
    void read() { memory->copy_to(elements); }
  };

  Type any_float() { return one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}); }
  /// How many elements an array has: mostly few, some as many as a workgroup takes, and around that.
  int64_t any_count() {
    constexpr int64_t kChunk = kListChunk;
    if (between(0, 9) == 0) return one_of({kChunk - 1, kChunk, kChunk + 1, 2 * kChunk + between(1, 200)});
    return one_of<int64_t>({0, 1, 2, 3, 4, 5, 31, 256, 257, between(1, 600)});
  }
  /// `fill` gives each element; an array of these starts so many elements into its allocation.
  template <class Fill>
  Array array(Type type, int64_t count, Fill fill) {
    Array made{Elements(type, static_cast<size_t>(count)), nullptr};
    for (size_t i = 0; i < made.elements.count(); ++i) made.elements.set(i, fill());
    made.memory = std::make_unique<OnGpu>(made.elements, offset_);
    return made;
  }
  Array poisoned(Type type, int64_t count) {
    Array made{Elements(type, static_cast<size_t>(count)), nullptr};
    made.memory = std::make_unique<OnGpu>(made.elements, offset_);
    return made;
  }
  /// Elements between an allocation's begin and an array: not always a multiple of what is one access.
  void choose_offset() { offset_ = static_cast<size_t>(between(0, 2) ? 0 : between(1, 5)); }

  /// A result that may be off by as much, and by its rounding to the type.
  static void expect(const Array& array, size_t i, const Rounded& exact, ErrorNote& note) {
    const double found = array.elements.get(i);
    const double allowed = rounded_error(array.elements.type, exact.value, exact.error);
    note.add(std::abs(found - exact.value), allowed);
    ASSERT_NEAR(found, exact.value, allowed) << "element " << i << " of " << array.elements.count();
  }

 private:
  size_t offset_ = 0;
};

}  // namespace wavesmith::kernels
