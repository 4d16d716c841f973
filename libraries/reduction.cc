#include "libraries/reduction.h"

#include <cstring>
#include <type_traits>

#include "libraries/number.h"

namespace wavesmith::libraries {
namespace {

/// Integers of a type that wraps around, floats of up to 32 bits as such.
template <class T>
auto sum_type() {
  if constexpr (std::is_integral_v<T>)
    return std::make_unsigned_t<T>{};
  else if constexpr (std::is_same_v<T, double>)
    return double{};
  else
    return float{};
}
template <class T>
using SumOf = decltype(sum_type<T>());

template <class T>
struct Block {
  static constexpr uint64_t kMost = 512;
  using Sum = SumOf<T>;
  Sum sums[kMost];
  uint64_t count;

  template <class Combine>
  void each(const T* elements, Combine combine) {
    for (uint64_t i = 0; i < count; ++i) sums[i] = combine(sums[i], widen<Sum>(elements[i]));
  }
  /// Compared as what they are, not as the unsigned integers that they are kept as.
  template <class Less>
  void choose(const T* elements, Less less) {
    using Compared = std::conditional_t<std::is_integral_v<T>, T, Sum>;
    each(elements, [&](Sum best, Sum next) {
      const auto a = static_cast<Compared>(best), b = static_cast<Compared>(next);
      return less(b, a) || a != a ? next : best;  // a NaN gives way
    });
  }
  void add(Operation operation, const T* elements, uint64_t factor) {
    switch (operation) {
      case Operation::Sum:
      case Operation::Avg:
        return each(elements, [](Sum a, Sum b) { return static_cast<Sum>(a + b); });
      case Operation::Prod:
        return each(elements, [](Sum a, Sum b) { return static_cast<Sum>(a * b); });
      case Operation::Max:
        return choose(elements, [](auto a, auto b) { return a > b; });
      case Operation::Min:
        return choose(elements, [](auto a, auto b) { return a < b; });
      case Operation::PreMulSum: {
        T stored;
        std::memcpy(&stored, &factor, sizeof stored);
        const auto scale = widen<Sum>(stored);
        return each(elements,
                    [scale](Sum a, Sum b) { return static_cast<Sum>(a + static_cast<Sum>(b * scale)); });
      }
    }
  }
  void begin(Operation operation, const T* elements, uint64_t factor) {
    for (uint64_t i = 0; i < count; ++i) sums[i] = widen<Sum>(elements[i]);
    if (operation != Operation::PreMulSum) return;
    T stored;
    std::memcpy(&stored, &factor, sizeof stored);
    const auto scale = widen<Sum>(stored);
    for (uint64_t i = 0; i < count; ++i) sums[i] = static_cast<Sum>(sums[i] * scale);
  }
  void end(Operation operation, int ranks, T* results) {
    for (uint64_t i = 0; i < count; ++i) {
      if constexpr (std::is_integral_v<T>) {
        const T sum = static_cast<T>(sums[i]);
        results[i] = operation == Operation::Avg
                         ? static_cast<T>(sum / static_cast<std::common_type_t<T, int>>(ranks))
                         : sum;
      } else {
        narrow(operation == Operation::Avg ? sums[i] / static_cast<Sum>(ranks) : sums[i], results[i]);
      }
    }
  }
};

template <class T>
void reduce_elements(const Reduction& what) {
  Block<T> block;
  T results[Block<T>::kMost];
  for (uint64_t at = what.from; at < what.to; at += block.count) {
    block.count = what.to - at < Block<T>::kMost ? what.to - at : Block<T>::kMost;
    for (int rank = 0; rank < what.ranks; ++rank) {
      const T* const elements = static_cast<const T*>(what.inputs[rank]) + at;
      const uint64_t factor = what.operation == Operation::PreMulSum ? what.factors[rank] : 0;
      if (rank == 0)
        block.begin(what.operation, elements, factor);
      else
        block.add(what.operation, elements, factor);
    }
    block.end(what.operation, what.ranks, results);
    for (int i = 0; i < what.output_count; ++i)
      std::memcpy(static_cast<T*>(what.outputs[i]) + (at - what.shift), results, block.count * sizeof(T));
  }
}

}  // namespace

size_t width_of(Element element) {
  static constexpr uint8_t kWidths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1, 1, 1};
  return kWidths[static_cast<int>(element)];
}

const char* name_of(Element element) {
  static constexpr const char* kNames[] = {"int8",     "uint8",    "int32",        "uint32",      "int64",
                                           "uint64",   "float16",  "float32",      "float64",     "bfloat16",
                                           "fp8 e4m3", "fp8 e5m2", "fp8 e4m3fnuz", "fp8 e5m2fnuz"};
  return kNames[static_cast<int>(element)];
}

const char* name_of(Operation operation) {
  static constexpr const char* kNames[] = {"sum", "prod", "max", "min", "avg", "sum of scaled"};
  return kNames[static_cast<int>(operation)];
}

void reduce(const Reduction& what) {
  switch (what.element) {
    case Element::I8:
      return reduce_elements<int8_t>(what);
    case Element::U8:
      return reduce_elements<uint8_t>(what);
    case Element::I32:
      return reduce_elements<int32_t>(what);
    case Element::U32:
      return reduce_elements<uint32_t>(what);
    case Element::I64:
      return reduce_elements<int64_t>(what);
    case Element::U64:
      return reduce_elements<uint64_t>(what);
    case Element::F16:
      return reduce_elements<_Float16>(what);
    case Element::F32:
      return reduce_elements<float>(what);
    case Element::F64:
      return reduce_elements<double>(what);
    case Element::BF16:
      return reduce_elements<Small<kBf16>>(what);
    case Element::Fp8:
      return reduce_elements<Small<kFp8>>(what);
    case Element::Bf8:
      return reduce_elements<Small<kBf8>>(what);
    case Element::Fp8Fnuz:
      return reduce_elements<Small<kFp8Fnuz>>(what);
    case Element::Bf8Fnuz:
      return reduce_elements<Small<kBf8Fnuz>>(what);
  }
}

}  // namespace wavesmith::libraries
