// Lines of numbers transformed in shared memory, by the passes of Stockham's algorithm, which leaves results
// in their order (N. K. Govindaraju et al., "High Performance Discrete Fourier Transforms on Graphics
// Processors", 2008).
#pragma once

#include "kernels/fft/butterflies.h"
#include "kernels/fft/fft_arguments.h"
#include "kernels/pointwise/argument.h"

namespace wavesmith::kernels {

/// Where a line's place of the batch begins on either side, and its number within that place.
struct alignas(16) FftLine {
  tile::i64 x, y;
  tile::u32 q, is_there;
};
static_assert(sizeof(FftLine) == kFftLineBytes);

/// A product of numbers below 2^24.
TILE_DEVICE tile::u32 small_product(tile::u32 a, tile::u32 b) { return (a & 0xffffff) * (b & 0xffffff); }

/// Numbers of the argument in scalar registers: what branches need would be loaded again in each of them.
TILE_DEVICE tile::u32 held(tile::u32 value) {
  return static_cast<tile::u32>(tile::arch::late(static_cast<int>(value)));
}
TILE_DEVICE Division held(const Division& by) {
  return {held(by.divisor), held(by.multiplier), held(by.shift)};
}

/// A quotient, and the rest, of a number below 2^24. The divisor is the same for all lanes, and mostly a
/// power of two.
struct FftQuotient {
  tile::u32 quotient, rest;
  TILE_DEVICE FftQuotient(const Division& by, tile::u32 dividend) {
    if (by.multiplier == 1) {
      tile::arch::keep_branch();
      quotient = dividend >> by.shift;
    } else {
      quotient = by.quotient(dividend);
    }
    rest = dividend - small_product(quotient, by.divisor);
  }
};

/// Where a number of the lines lies for a workgroup that has several: before their elements in shared memory.
template <class T>
struct FftShared {
  TILE_IN_SHARED FftLine* lines;
  TILE_IN_SHARED FftNumber<T>* numbers;
  tile::u32 pitch;

  TILE_DEVICE FftShared(const FftArguments& g, TILE_IN_SHARED char* memory)
      : lines((TILE_IN_SHARED FftLine*)memory),
        numbers((TILE_IN_SHARED FftNumber<T>*)(memory + (g.together > 1 ? g.together * sizeof(FftLine) : 0))),
        pitch(g.pitch) {}
  TILE_DEVICE TILE_IN_SHARED FftNumber<T>& at(tile::u32 line, tile::u32 i) const {
    return numbers[small_product(line, pitch) + fft_place<sizeof(FftNumber<T>)>(i)];
  }
  /// Elements that lie `apart`, and their numbers, one by one.
  template <int kCount, class Visit>
  TILE_DEVICE void each(tile::u32 line, tile::u32 first, tile::u32 apart, Visit visit) const {
    if (apart % kFftRegular == 0) {
      TILE_IN_SHARED FftNumber<T>* const begin = &at(line, first);
      TILE_UNROLL for (int k = 0; k < kCount; ++k) visit(k, begin[static_cast<tile::u32>(k) * apart]);
    } else {
      TILE_UNROLL for (int k = 0; k < kCount; ++k)
          visit(k, at(line, first + static_cast<tile::u32>(k) * apart));
    }
  }
};

template <class T>
struct FftStored {
  T real, imaginary;  ///< aligned as one of them
};

/// A number of a table: 32 bits of offset, which loads add by themselves.
template <class T>
TILE_DEVICE FftNumber<T> table_number(const void* table, tile::u32 number) {
  const tile::u32 bytes = number * static_cast<tile::u32>(sizeof(FftNumber<T>));
  return tile::arch::load_at<FftNumber<T>>(reinterpret_cast<tile::u64>(table) + bytes);
}

/// Calls with the lines and elements that are a thread's; of what is beyond the last one again.
template <bool kOne, class Visit>
TILE_DEVICE void each_element(const FftArguments& g, tile::u32 thread, bool lines_first, Visit visit) {
  const Division length = kOne ? g.length : held(g.length);
  const tile::u32 threads = held(g.threads), shift = held(g.shift), all = length.divisor << shift;
  TILE_UNROLL for (tile::u32 u = 0; u < kFftElements; ++u) {
    const tile::u32 given = thread + u * threads, id = given < all ? given : all - 1;
    if constexpr (kOne) {
      visit(u, 0, id, given < all);
    } else {
      if (lines_first) {
        visit(u, id & ((1U << shift) - 1), id >> shift, given < all);
      } else {
        const FftQuotient line(length, id);
        visit(u, line.quotient, line.rest, given < all);
      }
    }
  }
}

template <class T>
TILE_DEVICE FftNumber<T> exchanged(FftNumber<T> a, bool so) {
  return {so ? a.y : a.x, so ? a.x : a.y};
}

template <class T>
TILE_DEVICE FftNumber<T> load_number(tile::u64 address) {
  const auto stored = tile::arch::load_at<FftStored<T>>(address);
  return {stored.real, stored.imaginary};
}

/// The address of element i of a line.
TILE_DEVICE tile::u64 address_in(const FftSide& side, tile::i64 line, tile::u32 index) {
  return reinterpret_cast<tile::u64>(side.data) + line +
         static_cast<tile::i64>(static_cast<int>(index)) * side.stride;
}

/// The same where it is plain: the line's own place has its number in it.
TILE_DEVICE tile::u64 plain_address(const FftSide& side, tile::i64 line, tile::u32 i) {
  return reinterpret_cast<tile::u64>(side.data) + line + static_cast<int>(i) * side.i_bytes;
}

template <class T, bool kReal>
TILE_DEVICE FftNumber<T> load_element_of(const FftSide& x, const FftLine& line, tile::u32 i) {
  tile::u32 index = line.q * x.q_step + i * x.i_step;
  const bool inside = index < x.count;
  const bool folded = x.numbers == kFftHalf && inside && 2 * index > x.whole;
  const bool is_real = x.numbers == kFftHalf && (index == 0 || 2 * index == x.whole);
  index = folded ? x.whole - index : inside ? index : 0;
  const tile::u64 address = address_in(x, line.x, index);
  FftNumber<T> value = {0, 0};
  if constexpr (kReal) {
    value.x = tile::arch::load_at<T>(address);
  } else {
    value = load_number<T>(address);
    value.y = is_real ? T(0) : folded ? -value.y : value.y;
  }
  value = exchanged<T>(value, x.swapped != 0);
  if (x.table) value = product<T>(value, table_number<T>(x.table, folded ? x.whole - index : index));
  value = exchanged<T>(value, x.swapped_inside != 0);
  return inside ? value : FftNumber<T>{0, 0};
}

/// kPlain: what FftSide::is_plain says.
template <class T, bool kOne, bool kReal, bool kPlain>
TILE_DEVICE void load_lines(const FftArguments& g, const FftShared<T>& shared, const FftLine& only,
                            tile::u32 thread) {
  const FftSide& x = g.x;
  FftNumber<T> values[kFftElements];
  each_element<kOne>(g, thread, g.load_lines_first != 0,
                     [&](tile::u32 u, tile::u32 number, tile::u32 i, bool) {
                       const FftLine line = kOne ? only : shared.lines[number];
                       if constexpr (kPlain)
                         values[u] = load_number<T>(plain_address(x, line.x, i));
                       else
                         values[u] = load_element_of<T, kReal>(x, line, i);
                     });
  if (kPlain && x.swapped != 0) {
    tile::arch::keep_branch();
    TILE_UNROLL for (auto& value : values) value = value.yx;
  }
  each_element<kOne>(g, thread, g.load_lines_first != 0,
                     [&](tile::u32 u, tile::u32 line, tile::u32 i, bool) { shared.at(line, i) = values[u]; });
}
template <class T, bool kOne>
TILE_DEVICE void load_lines(const FftArguments& g, const FftShared<T>& shared, const FftLine& only,
                            tile::u32 thread) {
  if (g.x.is_plain != 0)
    load_lines<T, kOne, false, true>(g, shared, only, thread);
  else if (g.x.numbers == kFftReal)
    load_lines<T, kOne, true, false>(g, shared, only, thread);
  else
    load_lines<T, kOne, false, false>(g, shared, only, thread);
}

template <class T>
TILE_DEVICE void store_element_of(const FftArguments& g, const FftLine& line, tile::u32 k,
                                  FftNumber<T> value) {
  const FftSide& y = g.y;
  const tile::u32 index = line.q * y.q_step + k * y.i_step;
  if (index >= y.count) return;
  if (g.fine) {
    const tile::u32 m = line.q * k;
    value = product<T>(value, product<T>(table_number<T>(g.fine, m & ((1U << g.split) - 1)),
                                         table_number<T>(g.coarse, m >> g.split)));
  }
  value = exchanged<T>(value, y.swapped_inside != 0);
  if (y.table) value = product<T>(value, table_number<T>(y.table, index));
  value = static_cast<T>(g.scale) * exchanged<T>(value, y.swapped != 0);
  const tile::u64 address = address_in(y, line.y, index);
  if (y.numbers == kFftReal)
    tile::arch::store_at<T>(address, value.x);
  else
    tile::arch::store_at(address, FftStored<T>{value.x, value.y});
}

template <class T, bool kOne, bool kPlain>
TILE_DEVICE void store_lines(const FftArguments& g, const FftShared<T>& shared, const FftLine& only,
                             tile::u32 thread) {
  const FftSide& y = g.y;
  const auto scale = static_cast<T>(g.scale);
  const bool exchanges = y.swapped != 0;
  each_element<kOne>(g, thread, g.store_lines_first != 0,
                     [&](tile::u32, tile::u32 number, tile::u32 k, bool so) {
                       const FftLine line = kOne ? only : shared.lines[number];
                       if (!so || line.is_there == 0) return;
                       const FftNumber<T> value = shared.at(number, k);
                       if constexpr (kPlain) {
                         const FftNumber<T> scaled = scale * exchanged<T>(value, exchanges);
                         tile::arch::store_at(plain_address(y, line.y, k), FftStored<T>{scaled.x, scaled.y});
                       } else {
                         store_element_of<T>(g, line, k, value);
                       }
                     });
}
template <class T, bool kOne>
TILE_DEVICE void store_lines(const FftArguments& g, const FftShared<T>& shared, const FftLine& only,
                             tile::u32 thread) {
  if (g.y.is_plain != 0)
    store_lines<T, kOne, true>(g, shared, only, thread);
  else
    store_lines<T, kOne, false>(g, shared, only, thread);
}

/// A pass whose radix is known: a thread has kCount butterflies of R numbers.
template <int R, int kCount, class T>
TILE_DEVICE void pass_of(const FftArguments& g, const FftPass& pass, const FftShared<T>& shared,
                         tile::u32 thread) {
  FftNumber<T> v[kCount][R];
  tile::u32 lines[kCount], to[kCount];
  const Division by_butterflies = held(pass.butterflies), by_l = held(pass.l);
  const tile::u32 threads = held(g.threads), step = held(pass.step);
  const tile::u32 apart = by_butterflies.divisor, all = apart << g.shift, l = by_l.divisor;
  TILE_UNROLL for (int b = 0; b < kCount; ++b) {
    const tile::u32 given = thread + static_cast<tile::u32>(b) * threads, id = given < all ? given : all - 1;
    const FftQuotient line(by_butterflies, id);
    const FftQuotient block(by_l, line.rest);
    const tile::u32 j = line.rest;
    lines[b] = line.quotient;
    to[b] = small_product(j - block.rest, R - 1) + j;
    shared.template each<R>(lines[b], j, apart, [&](int k, FftNumber<T> value) { v[b][k] = value; });
    if (l > 1) {
      const tile::u32 m = small_product(block.rest, step);
      tile::u32 root = 0;
      TILE_UNROLL for (int k = 1; k < R; ++k) {
        root += m;
        v[b][k] = product<T>(v[b][k], table_number<T>(g.roots, root));
      }
    }
    transform(v[b]);
  }
  tile::arch::barrier();
  TILE_UNROLL for (int b = 0; b < kCount; ++b) shared.template each<R>(
      lines[b], to[b], l, [&](int k, TILE_IN_SHARED FftNumber<T>& value) { value = v[b][k]; });
}

/// A pass of any radix: each result by itself, of numbers times roots from the table.
template <class T>
TILE_DEVICE void pass_of_any(const FftArguments& g, const FftPass& pass, const FftShared<T>& shared,
                             tile::u32 thread) {
  FftNumber<T> sums[kFftElements];
  tile::u32 from[kFftElements], step[kFftElements], root[kFftElements];
  each_element<false>(g, thread, false, [&](tile::u32 u, tile::u32 line, tile::u32 k, bool) {
    const FftQuotient block(pass.block, k);
    const FftQuotient within(pass.l, block.rest);
    from[u] = line << 16 | (small_product(block.quotient, pass.l.divisor) + within.rest);
    step[u] = small_product(block.rest, pass.step), root[u] = 0, sums[u] = {0, 0};
  });
  TILE_KEEP_LOOP for (tile::u32 i = 0; i < pass.radix; ++i) {
    TILE_UNROLL for (tile::u32 u = 0; u < kFftElements; ++u) {
      const FftNumber<T> value = shared.at(from[u] >> 16, (from[u] & 0xffff) + i * pass.butterflies.divisor);
      sums[u] += product<T>(value, table_number<T>(g.roots, root[u]));
      root[u] += step[u];
      root[u] -= root[u] >= g.length.divisor ? g.length.divisor : 0;
    }
  }
  tile::arch::barrier();
  each_element<false>(g, thread, false,
                      [&](tile::u32 u, tile::u32 line, tile::u32 k, bool) { shared.at(line, k) = sums[u]; });
}

TILE_DEVICE FftLine line_of(const FftArguments& g, tile::u32 number, bool is_there) {
  tile::u32 rest = g.inner.quotient(number);
  FftLine line{0, 0, number - rest * g.inner.divisor, is_there ? 1U : 0U};
  TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
    const tile::u32 quotient = g.sizes[d].quotient(rest), at = rest - quotient * g.sizes[d].divisor;
    line.x += at * g.x.steps[d], line.y += at * g.y.steps[d];
    rest = quotient;
  }
  const auto plain = [&](const FftSide& side) {
    return side.is_plain != 0 ? static_cast<tile::i64>(line.q * side.q_step) * side.stride : 0;
  };
  line.x += plain(g.x), line.y += plain(g.y);
  return line;
}

template <class T>
TILE_DEVICE void transform_in_shared(const FftArguments& g, const FftShared<T>& shared, tile::u32 thread) {
  TILE_KEEP_LOOP for (int number = 0; number < tile::arch::late(g.passes); ++number) {
    const FftPass& pass = g.pass[number];
    switch (tile::arch::late(static_cast<int>(pass.radix))) {
      case 2:
        pass_of<2, 4>(g, pass, shared, thread);
        break;
      case 3:
        pass_of<3, 3>(g, pass, shared, thread);
        break;
      case 4:
        pass_of<4, 2>(g, pass, shared, thread);
        break;
      case 5:
        pass_of<5, 2>(g, pass, shared, thread);
        break;
      case 7:
        pass_of<7, 2>(g, pass, shared, thread);
        break;
      case 8:
        pass_of<8, 1>(g, pass, shared, thread);
        break;
      default:
        pass_of_any(g, pass, shared, thread);
    }
    tile::arch::barrier();
  }
}

template <class T>
TILE_DEVICE void transform_lines(const FftArguments& g, TILE_IN_SHARED char* memory) {
  const FftShared<T> shared(g, memory);
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const tile::u32 first = static_cast<tile::u32>(tile::arch::workgroup_id()) << g.shift;
  const bool is_one = g.together == 1;
  FftLine only{};
  if (is_one) {
    only = line_of(g, first, true);
    load_lines<T, true>(g, shared, only, thread);
  } else {
    // Of those beyond the last one nothing is stored.
    TILE_KEEP_LOOP for (tile::u32 number = thread; number < g.together; number += g.threads) {
      const bool is_there = first + number < g.lines;
      shared.lines[number] = line_of(g, is_there ? first + number : first, is_there);
    }
    tile::arch::barrier();
    load_lines<T, false>(g, shared, only, thread);
  }
  tile::arch::barrier();
  transform_in_shared(g, shared, thread);
  if (is_one)
    store_lines<T, true>(g, shared, only, thread);
  else
    store_lines<T, false>(g, shared, only, thread);
}

}  // namespace wavesmith::kernels
