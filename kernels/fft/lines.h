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

/// Behind the lines of a workgroup their elements: one is left free after each 16 (8 of f64), which keeps
/// banks apart.
template <class T>
struct FftShared {
  static constexpr int kFreeAfter = sizeof(T) == 4 ? 4 : 3;
  TILE_IN_SHARED FftLine* lines;
  TILE_IN_SHARED FftNumber<T>* numbers;
  tile::u32 pitch;

  TILE_DEVICE FftShared(const FftArguments& g, TILE_IN_SHARED char* memory)
      : lines((TILE_IN_SHARED FftLine*)memory),
        numbers((TILE_IN_SHARED FftNumber<T>*)(memory + g.together * sizeof(FftLine))),
        pitch(g.pitch) {}
  TILE_DEVICE TILE_IN_SHARED FftNumber<T>& at(tile::u32 line, tile::u32 i) const {
    return numbers[line * pitch + i + (i >> kFreeAfter)];
  }
};

template <class T>
struct FftStored {
  T real, imaginary;  ///< aligned as one of them
};

/// Calls with the lines and elements that are a thread's; of what is beyond the last one again.
template <class Visit>
TILE_DEVICE void each_element(const FftArguments& g, tile::u32 thread, bool lines_first, Visit visit) {
  const tile::u32 all = g.length.divisor << g.shift;
  TILE_UNROLL for (tile::u32 u = 0; u < kFftElements; ++u) {
    const tile::u32 given = thread + u * g.threads, id = given < all ? given : all - 1;
    const tile::u32 first = g.length.quotient(id);
    const tile::u32 line = lines_first ? id & (g.together - 1) : first;
    visit(u, line, lines_first ? id >> g.shift : id - first * g.length.divisor, given < all);
  }
}

template <class T>
TILE_DEVICE FftNumber<T> exchanged(FftNumber<T> a, bool so) {
  return {so ? a.y : a.x, so ? a.x : a.y};
}

template <class T, bool kReal>
TILE_DEVICE void load_lines(const FftArguments& g, const FftShared<T>& shared, tile::u32 thread) {
  const FftSide& x = g.x;
  FftNumber<T> values[kFftElements];
  each_element(g, thread, g.load_lines_first != 0, [&](tile::u32 u, tile::u32 number, tile::u32 i, bool) {
    const FftLine line = shared.lines[number];
    tile::u32 index = line.q * x.q_step + i * x.i_step;
    const bool inside = index < x.count;
    const bool folded = x.numbers == kFftHalf && inside && 2 * index > x.whole;
    const bool is_real = x.numbers == kFftHalf && (index == 0 || 2 * index == x.whole);
    index = folded ? x.whole - index : inside ? index : 0;
    const tile::u64 address = reinterpret_cast<tile::u64>(x.data) + line.x +
                              static_cast<tile::i64>(static_cast<int>(index)) * x.stride;
    FftNumber<T> value = {0, 0};
    if constexpr (kReal) {
      value.x = tile::arch::load_at<T>(address);
    } else {
      const auto stored = tile::arch::load_at<FftStored<T>>(address);
      value = {stored.real, is_real ? T(0) : folded ? -stored.imaginary : stored.imaginary};
    }
    value = exchanged<T>(value, x.swapped != 0);
    if (x.table) {
      const tile::u32 at = folded ? x.whole - index : index;
      value = product<T>(value, tile::arch::load_global_as<FftNumber<T>>(x.table, at));
    }
    value = exchanged<T>(value, x.swapped_inside != 0);
    values[u] = inside ? value : FftNumber<T>{0, 0};
  });
  each_element(g, thread, g.load_lines_first != 0,
               [&](tile::u32 u, tile::u32 line, tile::u32 i, bool) { shared.at(line, i) = values[u]; });
}

template <class T>
TILE_DEVICE void store_lines(const FftArguments& g, const FftShared<T>& shared, tile::u32 thread) {
  const FftSide& y = g.y;
  const T scale = static_cast<T>(g.scale);
  each_element(g, thread, g.store_lines_first != 0, [&](tile::u32, tile::u32 number, tile::u32 k, bool so) {
    const FftLine line = shared.lines[number];
    const tile::u32 index = line.q * y.q_step + k * y.i_step;
    if (!so || line.is_there == 0 || index >= y.count) return;
    FftNumber<T> value = shared.at(number, k);
    if (g.fine) {
      const tile::u32 m = line.q * k;
      const auto fine = tile::arch::load_global_as<FftNumber<T>>(g.fine, m & ((1U << g.split) - 1));
      const auto coarse = tile::arch::load_global_as<FftNumber<T>>(g.coarse, m >> g.split);
      value = product<T>(value, product<T>(fine, coarse));
    }
    value = exchanged<T>(value, y.swapped_inside != 0);
    if (y.table) value = product<T>(value, tile::arch::load_global_as<FftNumber<T>>(y.table, index));
    value = scale * exchanged<T>(value, y.swapped != 0);
    const tile::u64 address = reinterpret_cast<tile::u64>(y.data) + line.y +
                              static_cast<tile::i64>(static_cast<int>(index)) * y.stride;
    if (y.numbers == kFftReal)
      tile::arch::store_at<T>(address, value.x);
    else
      tile::arch::store_at(address, FftStored<T>{value.x, value.y});
  });
}

/// A pass whose radix is known: a thread has kCount butterflies of R numbers.
template <int R, int kCount, class T>
TILE_DEVICE void pass_of(const FftArguments& g, const FftPass& pass, const FftShared<T>& shared,
                         tile::u32 thread) {
  FftNumber<T> v[kCount][R];
  const tile::u32 apart = pass.butterflies.divisor, all = apart << g.shift, l = pass.l.divisor;
  const auto place = [&](int b, tile::u32& line, tile::u32& j, tile::u32& block) {
    const tile::u32 given = thread + static_cast<tile::u32>(b) * g.threads,
                    id = given < all ? given : all - 1;
    line = pass.butterflies.quotient(id);
    j = id - line * apart;
    block = pass.l.quotient(j);
  };
  TILE_UNROLL for (int b = 0; b < kCount; ++b) {
    tile::u32 line, j, block;
    place(b, line, j, block);
    TILE_UNROLL for (int k = 0; k < R; ++k) v[b][k] = shared.at(line, j + static_cast<tile::u32>(k) * apart);
    if (l > 1) {
      const tile::u32 m = (j - block * l) * pass.step;
      TILE_UNROLL for (int k = 1; k < R; ++k) v[b][k] = product<T>(
          v[b][k], tile::arch::load_global_as<FftNumber<T>>(g.roots, static_cast<tile::u32>(k) * m));
    }
    transform(v[b]);
  }
  tile::arch::barrier();
  TILE_UNROLL for (int b = 0; b < kCount; ++b) {
    tile::u32 line, j, block;
    place(b, line, j, block);
    const tile::u32 to = j + block * l * (R - 1);
    TILE_UNROLL for (int k = 0; k < R; ++k) shared.at(line, to + static_cast<tile::u32>(k) * l) = v[b][k];
  }
}

/// A pass of any radix: each result by itself, of numbers times roots from the table.
template <class T>
TILE_DEVICE void pass_of_any(const FftArguments& g, const FftPass& pass, const FftShared<T>& shared,
                             tile::u32 thread) {
  FftNumber<T> sums[kFftElements];
  tile::u32 from[kFftElements], step[kFftElements], root[kFftElements];
  each_element(g, thread, false, [&](tile::u32 u, tile::u32 line, tile::u32 k, bool) {
    const tile::u32 block = pass.block.quotient(k), within = k - block * pass.block.divisor;
    const tile::u32 rest = within - pass.l.quotient(within) * pass.l.divisor;
    from[u] = line << 16 | (block * pass.l.divisor + rest);
    step[u] = within * pass.step, root[u] = 0, sums[u] = {0, 0};
  });
  TILE_KEEP_LOOP for (tile::u32 i = 0; i < pass.radix; ++i) {
    TILE_UNROLL for (tile::u32 u = 0; u < kFftElements; ++u) {
      const FftNumber<T> value = shared.at(from[u] >> 16, (from[u] & 0xffff) + i * pass.butterflies.divisor);
      sums[u] += product<T>(value, tile::arch::load_global_as<FftNumber<T>>(g.roots, root[u]));
      root[u] += step[u];
      root[u] -= root[u] >= g.length.divisor ? g.length.divisor : 0;
    }
  }
  tile::arch::barrier();
  each_element(g, thread, false,
               [&](tile::u32 u, tile::u32 line, tile::u32 k, bool) { shared.at(line, k) = sums[u]; });
}

/// Where the workgroup's lines lie. Of those beyond the last one nothing is stored.
template <class T>
TILE_DEVICE void find_lines(const FftArguments& g, const FftShared<T>& shared, tile::u32 thread) {
  const tile::u32 first = static_cast<tile::u32>(tile::arch::workgroup_id()) << g.shift;
  TILE_KEEP_LOOP for (tile::u32 number = thread; number < g.together; number += g.threads) {
    const bool is_there = first + number < g.lines;
    tile::u32 rest = g.inner.quotient(is_there ? first + number : first);
    FftLine line{0, 0, (is_there ? first + number : first) - rest * g.inner.divisor, is_there ? 1U : 0U};
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
      const tile::u32 quotient = g.sizes[d].quotient(rest), at = rest - quotient * g.sizes[d].divisor;
      line.x += at * g.x.steps[d], line.y += at * g.y.steps[d];
      rest = quotient;
    }
    shared.lines[number] = line;
  }
}

template <class T>
TILE_DEVICE void transform_lines(const FftArguments& g, TILE_IN_SHARED char* memory) {
  const FftShared<T> shared(g, memory);
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  find_lines(g, shared, thread);
  tile::arch::barrier();
  if (g.x.numbers == kFftReal)
    load_lines<T, true>(g, shared, thread);
  else
    load_lines<T, false>(g, shared, thread);
  tile::arch::barrier();
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
  store_lines(g, shared, thread);
}

}  // namespace wavesmith::kernels
