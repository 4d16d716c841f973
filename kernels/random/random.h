// Random numbers: a thread draws blocks of four words and makes a number of each, or of each two.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/double_functions.h"
#include "kernels/pointwise/elements.h"
#include "kernels/random/philox.h"
#include "kernels/random/random_arguments.h"

namespace wavesmith::kernels {

/// A thread's sequence.
struct Draws {
  tile::u64 seed, block, thread;

  TILE_DEVICE Draws(const RandomSource& source, tile::u64 thread_)
      : seed(source.seed), block(source.block), thread(thread_) {
    if (source.state == nullptr) return;
    seed = tile::arch::load_shared_by_lanes<tile::u64>(source.state, 0);
    block += tile::arch::load_shared_by_lanes<tile::u64>(source.state, 1) / 4;
  }
  TILE_DEVICE PhiloxBlock next() { return philox(seed, block++, thread); }
};

TILE_DEVICE tile::u32 random_thread() {
  return static_cast<tile::u32>(tile::arch::workgroup_id()) * kRandomThreads +
         static_cast<tile::u32>(tile::arch::thread_id());
}

/// Where an element lies in the first so many operands.
template <int kOperands>
struct RandomPlace {
  tile::u64 at[kOperands];

  TILE_DEVICE RandomPlace(const RandomArguments& g, tile::u32 element) {
    int offsets[kOperands] = {};
    tile::u32 rest = element;
    const int last = tile::arch::late(g.dimensions) - 1;
    const auto advance = [&](int dimension, tile::u32 count) {
      TILE_UNROLL for (int k = 0; k < kOperands; ++k) offsets[k] +=
          g.operands[k].steps[dimension] * static_cast<int>(count);
    };
    TILE_KEEP_LOOP for (int d = 0; d < last; ++d) {
      const tile::u32 quotient = g.sizes[d].quotient(rest);
      advance(d, rest - quotient * g.sizes[d].divisor);
      rest = quotient;
    }
    advance(last, rest);
    TILE_UNROLL for (int k = 0; k < kOperands; ++k) at[k] =
        reinterpret_cast<tile::u64>(g.operands[k].data) + static_cast<tile::i64>(offsets[k]);
  }
};

/// Uniform in (0, 1].
TILE_DEVICE float unit(tile::u32 bits) {
  return __builtin_fmaf(static_cast<float>(bits), 0x1p-32f, 0x1p-32f);
}
/// With 53 bits, as rocRAND takes them of two words: for numbers by themselves, and as a radius or angle.
TILE_DEVICE double unit_of(tile::u64 bits) {
  return __builtin_fma(static_cast<double>(bits), 0x1p-53, 0x1p-53);
}
TILE_DEVICE double unit(tile::u32 low, tile::u32 high) {
  return unit_of(low | static_cast<tile::u64>(high >> 11) << 32);
}
TILE_DEVICE double polar_unit(tile::u32 low, tile::u32 high) {
  return unit_of(low ^ static_cast<tile::u64>(high) << 21);
}

template <class C>
struct Two {
  C first, second;
};

/// Box and Muller's method, by the instructions that rocRAND's becomes.
TILE_DEVICE Two<float> normal_pair(tile::u32 radius, tile::u32 angle) {
  constexpr float kScale = 1.46291807e-9f;  // 2^-32 * 2 pi
  const float turns = __builtin_fmaf(static_cast<float>(angle), kScale, kScale) * 0.159154943f;
  const float size = __builtin_sqrtf(-2 * __builtin_logf(unit(radius)));
  return {__builtin_amdgcn_sinf(turns) * size, __builtin_amdgcn_cosf(turns) * size};
}
TILE_DEVICE Two<double> normal_pair(const PhiloxBlock& block) {
  const wide::Angle angle(2 * wide::kPi * polar_unit(block.words[2], block.words[3]));
  const double size = __builtin_sqrt(-2 * wide::log(polar_unit(block.words[0], block.words[1])));
  return {angle.sine * size, angle.cosine * size};
}

TILE_DEVICE float natural_log(float x) { return __builtin_logf(x); }
TILE_DEVICE double natural_log(double x) { return wide::log(x); }
TILE_DEVICE float natural_power(float x) { return __builtin_expf(x); }
TILE_DEVICE double natural_power(double x) { return wide::exp(x); }
TILE_DEVICE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TILE_DEVICE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// To a type of floats and back.
template <class C>
TILE_DEVICE C rounded_to(int type, C x) {
  if constexpr (sizeof(C) == 4) {
    const int known = tile::arch::late(type);
    if (known == WAVESMITH_POINTWISE_F16) x = static_cast<float>(static_cast<tile::f16>(x));
    if (known == WAVESMITH_POINTWISE_BF16) x = static_cast<float>(static_cast<tile::bf16>(x));
  }
  return x;
}

template <class C>
inline constexpr C kHalfUlp = sizeof(C) == 4 ? C(0x1p-24) : C(0x1p-53);

template <class C>
TILE_DEVICE C uniform_number(const RandomArguments& g, C u) {
  const int type = g.operands[0].type;
  const C from = rounded_to(type, static_cast<C>(g.p)), to = rounded_to(type, static_cast<C>(g.q));
  const C number = rounded_to(type, fused(u, rounded_to(type, to - from), from));
  return number == to ? from : number;
}

template <class C>
TILE_DEVICE C exponential_number(const RandomArguments& g, C u) {
  const C logarithm = u >= 1 - kHalfUlp<C> ? -kHalfUlp<C> : natural_log(u);
  return C(-1) / static_cast<C>(g.p) * logarithm;
}

/// With floats an angle next to a right one is as far from it as two of u's last digits.
template <class C>
TILE_DEVICE C cauchy_number(const RandomArguments& g, C u) {
  if constexpr (sizeof(C) == 4) {
    u = u > 1 - 2 * kHalfUlp<C> ? 1 - 2 * kHalfUlp<C> : u;
    u = u < 2 * kHalfUlp<C> ? 2 * kHalfUlp<C> : u;
  }
  const wide::Angle angle(static_cast<double>(static_cast<C>(wide::kPi) * (u - C(0.5))));
  return fused(static_cast<C>(g.q), static_cast<C>(angle.sine / angle.cosine), static_cast<C>(g.p));
}

template <class C>
TILE_DEVICE C number_of_unit(const RandomArguments& g, C u) {
  switch (tile::arch::late(g.operation)) {
    case WAVESMITH_RANDOM_UNIFORM:
      return uniform_number(g, u);
    case WAVESMITH_RANDOM_EXPONENTIAL:
      return exponential_number(g, u);
    case WAVESMITH_RANDOM_CAUCHY:
      return cauchy_number(g, u);
    case WAVESMITH_RANDOM_GEOMETRIC:
      return __builtin_elementwise_ceil(natural_log(u) / static_cast<C>(g.r));
    default:
      return static_cast<C>(u < static_cast<C>(g.p));
  }
}

template <class C>
TILE_DEVICE C number_of_normal(const RandomArguments& g, C z) {
  const C number = fused(z, static_cast<C>(g.q), static_cast<C>(g.p));
  return tile::arch::late(g.operation) == WAVESMITH_RANDOM_LOG_NORMAL ? natural_power(number) : number;
}

TILE_DEVICE bool is_normal(const RandomArguments& g) {
  const int operation = tile::arch::late(g.operation);
  return operation == WAVESMITH_RANDOM_NORMAL || operation == WAVESMITH_RANDOM_LOG_NORMAL;
}

/// Calls for each element of a thread with its number and the words of its block that are left, of which it
/// has the first; a block has `kCount` elements.
template <int kCount, class Visit>
TILE_DEVICE void each_spread(const RandomArguments& g, Visit visit) {
  const tile::u32 thread = random_thread();
  Draws draws(g.source, thread);
  TILE_KEEP_LOOP for (tile::u32 first = thread; first < g.elements; first += kCount * g.threads) {
    PhiloxBlock block = draws.next();
    tile::u32 element = first;
    TILE_KEEP_LOOP for (int i = 0; i < kCount && element < g.elements; ++i) {
      visit(element, block.words[0], block.words[1]);
      constexpr int kTaken = 4 / kCount;
      block = {{block.words[kTaken], block.words[kTaken + 1], block.words[3], block.words[3]}};
      element += g.threads;
    }
  }
}

template <class C>
TILE_DEVICE void store_random(const RandomArguments& g, tile::u32 element, C number) {
  store_element(RandomPlace<1>(g, element).at[0], g.operands[0].type, number);
}

/// Both of a pair, of which the second may be past the end.
template <class C>
TILE_DEVICE void store_pair(const RandomArguments& g, tile::u32 element, Two<C> pair) {
  TILE_KEEP_LOOP for (int i = 0; i < 2 && element < g.elements; ++i) {
    store_random(g, element, pair.first);
    pair.first = pair.second;
    element += g.threads;
  }
}

TILE_DEVICE void draw_floats(const RandomArguments& g) {
  const tile::u32 thread = random_thread();
  Draws draws(g.source, thread);
  TILE_KEEP_LOOP for (tile::u32 first = thread; first < g.elements; first += 4 * g.threads) {
    PhiloxBlock block = draws.next();
    tile::u32 element = first;
    TILE_KEEP_LOOP for (int i = 0; i < 2 && element < g.elements; ++i) {
      Two<float> pair;
      if (is_normal(g)) {
        const Two<float> normal = normal_pair(block.words[0], block.words[1]);
        pair = {number_of_normal(g, normal.first), number_of_normal(g, normal.second)};
      } else {
        pair = {number_of_unit(g, unit(block.words[0])), number_of_unit(g, unit(block.words[1]))};
      }
      store_pair(g, element, pair);
      block.words[0] = block.words[2], block.words[1] = block.words[3];
      element += 2 * g.threads;
    }
  }
}

TILE_DEVICE void draw_doubles(const RandomArguments& g) {
  const tile::u32 thread = random_thread();
  Draws draws(g.source, thread);
  TILE_KEEP_LOOP for (tile::u32 first = thread; first < g.elements; first += 2 * g.threads) {
    const PhiloxBlock block = draws.next();
    Two<double> pair;
    if (is_normal(g)) {
      const Two<double> normal = normal_pair(block);
      pair = {number_of_normal(g, normal.first), number_of_normal(g, normal.second)};
    } else {
      pair = {number_of_unit(g, unit(block.words[0], block.words[1])),
              number_of_unit(g, unit(block.words[2], block.words[3]))};
    }
    store_pair(g, first, pair);
  }
}

TILE_DEVICE tile::i64 integer_of(const RandomArguments& g, tile::u64 bits) {
  if (g.range != 0) bits %= g.range;
  return static_cast<tile::i64>(bits + static_cast<tile::u64>(g.base));
}
TILE_DEVICE void draw_integers(const RandomArguments& g) {
  if (tile::arch::late(g.is_wide) != 0) {
    each_spread<2>(g, [&](tile::u32 element, tile::u32 high, tile::u32 low) {
      store_random(g, element, integer_of(g, static_cast<tile::u64>(high) << 32 | low));
    });
  } else {
    const auto range = static_cast<tile::u32>(g.range);
    each_spread<4>(g, [&](tile::u32 element, tile::u32 bits, tile::u32) {
      if (range != 0) bits %= range;
      store_random(g, element, static_cast<tile::i64>(bits + static_cast<tile::u64>(g.base)));
    });
  }
}

/// Four elements that follow each other.
TILE_DEVICE void draw_chances(const RandomArguments& g) {
  const tile::u32 thread = random_thread();
  tile::u32 element = 4 * thread;
  if (element >= g.elements) return;
  PhiloxBlock block = Draws(g.source, thread).next();
  TILE_KEEP_LOOP for (int i = 0; i < 4 && element < g.elements; ++i, ++element) {
    const RandomPlace<2> place(g, element);
    const double chance = load_element<double>(place.at[1], g.operands[1].type);
    if (!(chance >= 0 && chance <= 1)) __builtin_trap();
    const bool is_one = static_cast<double>(unit(block.words[0])) <= chance;
    store_element(place.at[0], g.operands[0].type, static_cast<float>(is_one));
    block = {{block.words[1], block.words[2], block.words[3], 0}};
  }
}

template <class C>
TILE_DEVICE void drop_out(const RandomArguments& g, tile::u32 element, tile::u32 bits) {
  const RandomPlace<3> place(g, element);
  const C x = load_element<C>(place.at[1], g.operands[1].type);
  const C kept = static_cast<C>(static_cast<C>(unit(bits)) < static_cast<C>(g.p));
  store_element(place.at[0], g.operands[0].type, x * kept * static_cast<C>(g.r));
  tile::arch::store_at(place.at[2], static_cast<tile::u8>(kept != 0));
}
template <class C>
TILE_DEVICE void draw_dropout(const RandomArguments& g) {
  const auto count = static_cast<tile::u32>(tile::arch::late(g.at_once));
  if (count == 1)
    return each_spread<4>(
        g, [&](tile::u32 element, tile::u32 bits, tile::u32) { drop_out<C>(g, element, bits); });
  const tile::u32 thread = random_thread();
  Draws draws(g.source, thread);
  TILE_KEEP_LOOP for (tile::u32 first = thread * count; first < g.elements; first += g.threads * count) {
    PhiloxBlock block = draws.next();
    TILE_KEEP_LOOP for (tile::u32 i = 0; i < count; ++i) {
      drop_out<C>(g, first + i, block.words[0]);
      block = {{block.words[1], block.words[2], block.words[3], 0}};
    }
  }
}

/// A slope is rounded to the type after each of its operations, which are in double precision.
template <class C>
TILE_DEVICE void draw_rrelu(const RandomArguments& g) {
  each_spread<sizeof(C) == 4 ? 4 : 2>(g, [&](tile::u32 element, tile::u32 low, tile::u32 high) {
    const int type = g.operands[0].type;
    C u;
    if constexpr (sizeof(C) == 4)
      u = unit(low);
    else
      u = unit(low, high);
    const double slope = __builtin_fma(static_cast<double>(rounded_to(type, u)), g.q - g.p, g.p);
    const RandomPlace<3> place(g, element);
    const C x = load_element<C>(place.at[1], type);
    const C drawn = x <= 0 ? rounded_to(type, static_cast<C>(slope)) : C(1);
    store_element(place.at[0], type, x * drawn);
    store_element(place.at[2], type, drawn);
  });
}

/// A thread has the same sample of every so many rows.
TILE_DEVICE void choose(const ChoiceArguments& g) {
  const auto column = static_cast<tile::u32>(tile::arch::workgroup_id()) * kChoiceThreads +
                      static_cast<tile::u32>(tile::arch::thread_id());
  const auto columns = (g.samples + kChoiceThreads - 1) / kChoiceThreads * kChoiceThreads;
  const auto first = static_cast<tile::u32>(tile::arch::workgroup_id_y());
  if (column >= g.samples) return;
  Draws draws(g.source, first * columns + column);
  const int type = tile::arch::late(g.type), bytes = bytes_of(static_cast<Number>(type));
  TILE_KEEP_LOOP for (tile::u32 row = first; row < g.rows; row += kChoiceRows) {
    const tile::u64 begin = static_cast<tile::u64>(row) * static_cast<tile::u64>(g.categories) * bytes;
    const auto number = [&](const void* of, int category) {
      return load_element<double>(
          reinterpret_cast<tile::u64>(of) + begin + static_cast<tile::u64>(category) * bytes, type);
    };
    const auto u = static_cast<double>(rounded_to(type, unit(draws.next().words[0])));
    int low = 0, high = g.categories;
    TILE_KEEP_LOOP while (low < high) {
      const int middle = low + (high - low) / 2;
      const bool below = number(g.sums, middle) < u;
      low = below ? middle + 1 : low;
      high = below ? high : middle;
    }
    if (low == g.categories) --low;
    TILE_KEEP_LOOP while (low > 0 && number(g.weights, low) == 0)-- low;
    tile::arch::store_global(g.y, static_cast<tile::i64>(row) * g.samples + column,
                             static_cast<tile::i64>(low));
  }
}

/// The first thread of those with equal keys shuffles their values (Fisher and Yates).
TILE_DEVICE void shuffle(const ShuffleArguments& g) {
  const tile::u32 first = random_thread();
  if (first + 1 >= g.count) return;
  const auto key = [&](tile::u32 at) { return tile::arch::load_global_as<tile::i64>(g.keys, at); };
  const tile::i64 mine = key(first);
  if (key(first + 1) != mine || (first > 0 && key(first - 1) == mine)) return;
  tile::u32 size = 2;
  TILE_KEEP_LOOP while (first + size < g.count && key(first + size) == mine)++ size;
  Draws draws(g.source, first);
  PhiloxBlock block{};
  int left = 0;
  TILE_KEEP_LOOP for (tile::u32 i = size - 1; i > 0; --i) {
    if (left == 0) block = draws.next(), left = 4;
    const tile::u32 other = block.words[0] % (i + 1);
    block = {{block.words[1], block.words[2], block.words[3], 0}}, --left;
    const auto a = tile::arch::load_global_as<tile::i64>(g.values, first + i);
    tile::arch::store_global(g.values, first + i,
                             tile::arch::load_global_as<tile::i64>(g.values, first + other));
    tile::arch::store_global(g.values, first + other, a);
  }
}

}  // namespace wavesmith::kernels
