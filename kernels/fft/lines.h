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
    return numbers[line * pitch + fft_place<sizeof(FftNumber<T>)>(i)];
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
  const tile::u32 all = g.length.divisor << g.shift;
  TILE_UNROLL for (tile::u32 u = 0; u < kFftElements; ++u) {
    const tile::u32 given = thread + u * g.threads, id = given < all ? given : all - 1;
    if constexpr (kOne) {
      visit(u, 0, id, given < all);
    } else {
      const tile::u32 first = g.length.quotient(id);
      const tile::u32 line = lines_first ? id & (g.together - 1) : first;
      visit(u, line, lines_first ? id >> g.shift : id - first * g.length.divisor, given < all);
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
                         values[u] = load_number<T>(address_in(x, line.x, line.q * x.q_step + i * x.i_step));
                       else
                         values[u] = load_element_of<T, kReal>(x, line, i);
                     });
  const bool so = kPlain && x.swapped != 0;
  each_element<kOne>(g, thread, g.load_lines_first != 0, [&](tile::u32 u, tile::u32 line, tile::u32 i, bool) {
    shared.at(line, i) = exchanged<T>(values[u], so);
  });
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
                         tile::arch::store_at(address_in(y, line.y, line.q * y.q_step + k * y.i_step),
                                              FftStored<T>{scaled.x, scaled.y});
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
  const tile::u32 apart = pass.butterflies.divisor, all = apart << g.shift, l = pass.l.divisor;
  TILE_UNROLL for (int b = 0; b < kCount; ++b) {
    const tile::u32 given = thread + static_cast<tile::u32>(b) * g.threads,
                    id = given < all ? given : all - 1;
    lines[b] = pass.butterflies.quotient(id);
    const tile::u32 j = id - lines[b] * apart, block_l = pass.l.quotient(j) * l;
    to[b] = j + block_l * (R - 1);
    shared.template each<R>(lines[b], j, apart, [&](int k, FftNumber<T> value) { v[b][k] = value; });
    if (l > 1) {
      const tile::u32 m = (j - block_l) * pass.step;
      TILE_UNROLL for (int k = 1; k < R; ++k) v[b][k] =
          product<T>(v[b][k], table_number<T>(g.roots, static_cast<tile::u32>(k) * m));
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
    const tile::u32 block = pass.block.quotient(k), within = k - block * pass.block.divisor;
    const tile::u32 rest = within - pass.l.quotient(within) * pass.l.divisor;
    from[u] = line << 16 | (block * pass.l.divisor + rest);
    step[u] = within * pass.step, root[u] = 0, sums[u] = {0, 0};
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
