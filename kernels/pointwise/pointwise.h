// A pointwise kernel: each thread loads a group of elements of every input, computes, and stores.
#pragma once

#include "kernels/pointwise/arguments.h"
#include "kernels/pointwise/elements.h"
#include "kernels/pointwise/functions.h"

namespace wavesmith::kernels {

template <class C>
TILE_DEVICE C number_of(const Immediate& immediate) {
  static_assert(sizeof(C) <= sizeof(Immediate));
  struct Parts {
    C number;
  };
  if constexpr (sizeof(C) == 4)
    return tile::bits_as<C>(static_cast<tile::u32>(immediate.bits[0]));
  else if constexpr (sizeof(C) == 8)
    return tile::bits_as<C>(immediate.bits[0]);
  else
    return tile::bits_as<C>(immediate);
}

/// Where a thread's group lies in each operand.
struct GroupPlace {
  tile::u32 group;
  int offsets[4] = {};

  TILE_DEVICE GroupPlace(const PointwiseArguments& g, tile::u32 group_) : group(group_) {
    tile::u32 rest = group;
    const int last = tile::arch::late(g.dimensions) - 1;
    TILE_KEEP_LOOP for (int d = 0; d < last; ++d) {
      const tile::u32 quotient = g.sizes[d].quotient(rest);
      advance(g, d, static_cast<int>(rest - quotient * g.sizes[d].divisor));
      rest = quotient;
    }
    advance(g, last, static_cast<int>(rest));
  }

 private:
  TILE_DEVICE void advance(const PointwiseArguments& g, int dimension, int count) {
    TILE_UNROLL for (int k = 0; k < 4; ++k) offsets[k] += g.operands[k].steps[dimension] * count;
  }
};

/// Its elements, of which the last group may have fewer.
struct GroupSpan {
  tile::u64 address;
  int count;

  TILE_DEVICE GroupSpan(const PointwiseOperand& operand, int offset, int count_)
      : address(reinterpret_cast<tile::u64>(operand.data) + static_cast<tile::i64>(offset)), count(count_) {}

  template <class C, int kCount>
  TILE_DEVICE void load(C (&numbers)[kCount], int type) const {
    if (count == kCount) {
      load_elements(numbers, address, type);
    } else {
      TILE_KEEP_LOOP for (int i = 0; i < count; ++i) {
        const C one = load_element<C>(address + i * bytes_of(static_cast<Number>(type)), type);
        TILE_UNROLL for (int j = 0; j < kCount; ++j) numbers[j] = i == j ? one : numbers[j];
      }
    }
  }
  template <class C, int kCount>
  TILE_DEVICE void store(const C (&numbers)[kCount], int type) const {
    if (count == kCount) {
      store_elements(address, type, numbers);
    } else {
      TILE_KEEP_LOOP for (int i = 0; i < count; ++i) {
        C one = numbers[0];
        TILE_UNROLL for (int j = 1; j < kCount; ++j) one = i == j ? numbers[j] : one;
        store_element(address + i * bytes_of(static_cast<Number>(type)), type, one);
      }
    }
  }
};

template <class C, int kCount>
TILE_DEVICE void load_input(C (&numbers)[kCount], const PointwiseArguments& g, const GroupPlace& place,
                            int input, int count) {
  const PointwiseOperand& operand = g.operands[input + 1];
  if (!operand.data) {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) numbers[i] = number_of<C>(g.inputs_numbers[input]);
    return;
  }
  const GroupSpan span(operand, place.offsets[input + 1], count);
  if constexpr (kCount == 1) {
    numbers[0] = load_element<C>(span.address, operand.type);
  } else if (tile::arch::late(operand.repeats)) {
    const C one = load_element<C>(span.address, operand.type);
    TILE_UNROLL for (int i = 0; i < kCount; ++i) numbers[i] = one;
  } else {
    span.load(numbers, operand.type);
  }
}

/// Functions of an element's number.
template <class C, int kCount>
TILE_DEVICE void count_elements(Pointwise operation, C (&x)[kCount], const C (&numbers)[3], tile::u32 first,
                                tile::u32 elements) {
  TILE_UNROLL for (int i = 0; i < kCount; ++i) {
    const tile::u32 number = first + i, back = elements - 1 - number;
    const bool second = operation == WAVESMITH_POINTWISE_SPACED && number >= elements / 2;
    x[i] = second ? numbers[2] - static_cast<C>(back) * numbers[1]
                  : numbers[0] + static_cast<C>(number) * numbers[1];
  }
}

/// `apply` gets the operation, the group, the numbers and the number of the group's first element.
template <class C, int kCount, class Apply>
TILE_DEVICE void pointwise_by(const PointwiseArguments& g, Apply apply) {
  const tile::u32 group = static_cast<tile::u32>(tile::arch::workgroup_id()) * kPointwiseThreads +
                          static_cast<tile::u32>(tile::arch::thread_id());
  if (group >= g.groups) return;
  const GroupPlace place(g, group);
  const tile::u32 first = group * kCount;
  const int count =
      g.dimensions > 1 || first + kCount <= g.elements ? kCount : static_cast<int>(g.elements - first);
  const int inputs = tile::arch::late(g.inputs);
  const auto operation = static_cast<Pointwise>(tile::arch::late(g.operation));
  const C numbers[3] = {number_of<C>(g.numbers[0]), number_of<C>(g.numbers[1]), number_of<C>(g.numbers[2])};
  Group<C, kCount> v{};
  if (inputs > 0) load_input(v.x, g, place, 0, count);
  if (inputs > 1) load_input(v.z, g, place, 1, count);
  if (inputs > 2) load_input(v.w, g, place, 2, count);
  apply(operation, v, numbers, first);
  const GroupSpan span(g.operands[0], place.offsets[0], count);
  if constexpr (kCount == 1)
    store_element(span.address, g.operands[0].type, v.x[0]);
  else
    span.store(v.x, g.operands[0].type);
}

template <class C, int kCount>
TILE_DEVICE void pointwise(const PointwiseArguments& g) {
  pointwise_by<C, kCount>(
      g, [&](Pointwise operation, Group<C, kCount>& v, const C(&numbers)[3], tile::u32 first) {
        if constexpr (!kIsComplex<C>) {
          if (operation == WAVESMITH_POINTWISE_RANGE || operation == WAVESMITH_POINTWISE_SPACED)
            count_elements(operation, v.x, numbers, first, g.elements);
        }
        apply(operation, v, numbers);
      });
}

}  // namespace wavesmith::kernels
