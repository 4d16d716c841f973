#include "libraries/rccl/reduction.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "libraries/shim/number.h"

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
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

// Blocks of elements, between the type that they are stored in and that of their sums.

template <class T>
void widen_block(const T* from, SumOf<T>* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) to[i] = widen<SumOf<T>>(from[i]);
}
template <class T>
void narrow_block(const SumOf<T>* from, T* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) narrow(from[i], to[i]);
}

/// To nearest, ties to even; a NaN stays one.
void narrow_block(const float* from, Small<kBf16>* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<uint32_t>(from[i]);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    to[i].bits = static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
  }
}

#ifdef __x86_64__
// The first x86-64 converts halves in software, forty times slower than AVX2's hosts do.
[[gnu::target("avx2,f16c")]] void widen_fast(const _Float16* from, float* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}
[[gnu::target("avx2,f16c")]] void narrow_fast(const float* from, _Float16* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<_Float16>(from[i]);
}
void widen_block(const _Float16* from, float* to, uint64_t count) {
  return __builtin_cpu_supports("avx2") ? widen_fast(from, to, count)
                                        : widen_block<_Float16>(from, to, count);
}
void narrow_block(const float* from, _Float16* to, uint64_t count) {
  return __builtin_cpu_supports("avx2") ? narrow_fast(from, to, count)
                                        : narrow_block<_Float16>(from, to, count);
}
#endif

template <class T>
struct Block {
  static constexpr uint64_t kMost = 512;
  using Sum = SumOf<T>;
  Sum sums[kMost], next[kMost];
  uint64_t count;

  template <class Combine>
  void each(Combine combine) {
    for (uint64_t i = 0; i < count; ++i) sums[i] = static_cast<Sum>(combine(sums[i], next[i]));
  }
  /// Compared as what they are, not as the unsigned integers that they are kept as.
  template <class Before>
  void choose(Before before) {
    using Compared = std::conditional_t<std::is_integral_v<T>, T, Sum>;
    each([&](Sum best, Sum other) {
      const auto a = static_cast<Compared>(best), b = static_cast<Compared>(other);
      return before(b, a) || is_nan(a) ? other : best;  // a NaN gives way
    });
  }
  /// The elements of a rank, times its factor where there is one.
  void load(Operation operation, const T* elements, uint64_t factor, Sum* to) const {
    widen_block(elements, to, count);
    if (operation != Operation::PreMulSum) return;
    T stored;
    Sum scale;
    std::memcpy(&stored, &factor, sizeof stored);
    widen_block(&stored, &scale, 1);
    for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<Sum>(to[i] * scale);
  }
  void combine(Operation operation) {
    switch (operation) {
      case Operation::Sum:
      case Operation::Avg:
      case Operation::PreMulSum:
        return each([](Sum a, Sum b) { return a + b; });
      case Operation::Prod:
        return each([](Sum a, Sum b) { return a * b; });
      case Operation::Max:
        return choose([](auto a, auto b) { return a > b; });
      case Operation::Min:
        return choose([](auto a, auto b) { return a < b; });
    }
  }
  void store(Operation operation, int ranks, T* results) {
    if constexpr (std::is_integral_v<T>) {
      for (uint64_t i = 0; i < count; ++i) {
        const T sum = static_cast<T>(sums[i]);
        results[i] = operation == Operation::Avg
                         ? static_cast<T>(sum / static_cast<std::common_type_t<T, int>>(ranks))
                         : sum;
      }
    } else {
      if (operation == Operation::Avg)
        for (uint64_t i = 0; i < count; ++i) sums[i] /= static_cast<Sum>(ranks);
      narrow_block(sums, results, count);
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
      block.load(what.operation, elements, factor, rank == 0 ? block.sums : block.next);
      if (rank > 0) block.combine(what.operation);
    }
    block.store(what.operation, what.ranks, results);
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
