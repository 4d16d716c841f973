// A row of D is one pack (or two): for each k, a row of B is loaded once and each of a few rows of A is
// spread over a pack and multiplied with it. How many rows at once depends on the host's registers.
//
// Integers run through the same kernel: products of 8 bits and their sums over a K of at most 128 are below
// 2^24, so floats hold them exactly.
#include "emulate/engine/matrix_multiply.h"

#include "emulate/engine/io.h"
#include "isa/small_float_pack.h"

namespace wavesmith::emulate {
namespace {

using isa::bits;
using Words = Pack<uint32_t>;
using Floats = Pack<float>;

#if defined(__AVX512F__)
constexpr int kPacksAtOnce = 16;  // of the host's 32 registers
#elif defined(__AVX2__)
constexpr int kPacksAtOnce = 4;  // two registers each
#elif defined(__aarch64__)
constexpr int kPacksAtOnce = 4;
#else
constexpr int kPacksAtOnce = 2;
#endif

/// a * b + c, fused where the host does that: products of all types but F32 are exact either way.
template <class P>
[[gnu::always_inline]] inline P fused(P a, P b, P c) {
#if defined(__FMA__) || defined(__AVX512F__) || defined(__aarch64__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Subnormal numbers as 0.
[[gnu::always_inline]] inline Floats flush(Floats value) {
  const Words word = bits<Words>(value);
  return bits<Floats>((word & 0x7f800000u) == 0 ? word & 0x80000000u : word);
}

/// How C's rows become sums, and sums D's rows. An offset's bit 1 says that a 16-bit row is in the high
/// halves.
template <Sums kSums>
struct Rows {
  static constexpr bool kHalves = kSums == Sums::F16 || kSums == Sums::Bf16;
  [[gnu::always_inline]] static Words& word(std::byte* at, uint32_t offset) {
    return *reinterpret_cast<Words*>(at + (offset & ~3u));
  }
  [[gnu::always_inline]] static Words word(const std::byte* at, uint32_t offset) {
    return *reinterpret_cast<const Words*>(at + (offset & ~3u));
  }
  [[gnu::always_inline]] static Floats load(const std::byte* c, uint32_t offset) {
    if constexpr (kSums == Sums::F32) return *reinterpret_cast<const Floats*>(c + offset);
    if constexpr (kSums == Sums::F32Flushed) return flush(*reinterpret_cast<const Floats*>(c + offset));
    if constexpr (!kHalves) return Floats(0);  // integers and scaled sums meet C at the end
    const Words half = word(c, offset) >> (offset & 2 ? 16u : 0u) & 0xffffu;
    if constexpr (kSums == Sums::F16) return isa::decode_pack<kF16>(half);
    return isa::decode_pack<kBf16>(half);
  }
  [[gnu::always_inline]] static void store(std::byte* d, uint32_t offset, const std::byte* c,
                                           uint32_t c_offset, Floats sum, const float* scale_of_row,
                                           const float* scale_of_columns) {
    if constexpr (kSums == Sums::F32 || kSums == Sums::F32Flushed) {
      *reinterpret_cast<Floats*>(d + offset) = kSums == Sums::F32 ? sum : flush(sum);
      return;
    }
    if constexpr (kSums == Sums::F32Scaled || kSums == Sums::F32ScaledWide) {
      const Floats before = *reinterpret_cast<const Floats*>(c + c_offset);
      const Floats columns = *reinterpret_cast<const Floats*>(scale_of_columns);
      Floats& to = *reinterpret_cast<Floats*>(d + offset);
      if constexpr (kSums == Sums::F32Scaled) {
        to = fused(sum, *scale_of_row * columns, before);
      } else {  // in double, where no intermediate result leaves the range
        using Doubles = Pack<double>;
        const Doubles scaled = convert<double>(sum) * Doubles(*scale_of_row) * convert<double>(columns);
        to = convert<float>(convert<double>(before) + scaled);
      }
      return;
    }
    Words& to = word(d, offset);
    if constexpr (kHalves) {
      const Words code = kSums == Sums::F16 ? isa::encode_f16_pack(sum) : isa::encode_pack<kBf16>(sum);
      to = offset & 2 ? (to & 0xffffu) | code << 16 : (to & 0xffff0000u) | code;
    } else {
      const auto integers = convert<int32_t>(sum);
      const Words before = word(c, c_offset);
      if constexpr (kSums == Sums::I32Saturated)
        to = bits<Words>(__builtin_elementwise_add_sat(integers, bits<Pack<int32_t>>(before)));
      else
        to = bits<Words>(integers) + before;
    }
  }
};

template <Sums kSums, int kColumnPacks, bool kSparse, int kRows>
[[gnu::always_inline]] inline void rows(const Product& p, int row) {
  constexpr bool kScaled = kSums == Sums::F32Scaled || kSums == Sums::F32ScaledWide;
  const std::byte* const c = p.c;
  std::byte* const d = p.d;
  const uint32_t* const row_of_c = p.row_of_c + row;
  const uint32_t* const row_of_d = p.row_of_d + row;
  constexpr int kStride = 16 * kColumnPacks;
  Floats sum[kRows][kColumnPacks];
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r)
#pragma clang loop unroll(full)
    for (int column = 0; column < kColumnPacks; ++column)
      sum[r][column] = Rows<kSums>::load(c, row_of_c[r] + 64u * static_cast<uint32_t>(column));
  const float* a = p.a + row;
  const float* b = p.b;
  const uint16_t* rows_of_b = kSparse ? p.rows_of_b + row : nullptr;
  for (int k = 0; k < p.k; ++k, a += kStride) {
    Floats line[kColumnPacks];
    if constexpr (!kSparse) {
#pragma clang loop unroll(full)
      for (int column = 0; column < kColumnPacks; ++column)
        line[column] = *reinterpret_cast<const Floats*>(b + 16 * column);
      b += kStride;
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < kRows; ++r) {
      const float* const at = p.b + (kSparse ? kStride * rows_of_b[r] : 0);
#pragma clang loop unroll(full)
      for (int column = 0; column < kColumnPacks; ++column)
        sum[r][column] =
            fused(Floats(a[r]), kSparse ? *reinterpret_cast<const Floats*>(at + 16 * column) : line[column],
                  sum[r][column]);
    }
    if constexpr (kSparse) rows_of_b += kStride;
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r)
#pragma clang loop unroll(full)
    for (int column = 0; column < kColumnPacks; ++column)
      Rows<kSums>::store(d, row_of_d[r] + 64u * static_cast<uint32_t>(column), c,
                         row_of_c[r] + 64u * static_cast<uint32_t>(column), sum[r][column],
                         p.scale_of_rows + (kScaled ? row + r : 0),
                         p.scale_of_columns + (kScaled ? 16 * column : 0));
}

template <Sums kSums, int kColumnPacks, bool kSparse>
[[gnu::noinline]] void all_rows(const Product& p) {
  constexpr int kRows = kPacksAtOnce / kColumnPacks;
  for (int row = 0; row < 16 * kColumnPacks; row += kRows) rows<kSums, kColumnPacks, kSparse, kRows>(p, row);
}

template <Sums kSums>
void multiply_as(const Product& p, int columns) {
  // Not all combinations exist: 16-bit sums have 16 columns, flushed and scaled ones are dense.
  constexpr bool kWide = kSums != Sums::F16 && kSums != Sums::Bf16;
  constexpr bool kDense =
      kSums == Sums::F32Flushed || kSums == Sums::F32Scaled || kSums == Sums::F32ScaledWide;
  if constexpr (!kDense) {
    if (p.rows_of_b && columns == 16) return all_rows<kSums, 1, true>(p);
    if constexpr (kWide)
      if (p.rows_of_b) return all_rows<kSums, 2, true>(p);
  }
  if (columns == 16) return all_rows<kSums, 1, false>(p);
  if constexpr (kWide) all_rows<kSums, 2, false>(p);
}

/// Lane 4q + j gets lane 4q + kLane.
template <int kLane, class P>
[[gnu::always_inline]] inline P spread(P v) {
  return __builtin_shufflevector(v, v, kLane, kLane, kLane, kLane, kLane + 4, kLane + 4, kLane + 4, kLane + 4,
                                 kLane + 8, kLane + 8, kLane + 8, kLane + 8, kLane + 12, kLane + 12,
                                 kLane + 12, kLane + 12);
}

template <Sums kSums>
void quads_as(const Product& p) {
  for (uint32_t pack = 0; pack < 4; ++pack) {
    Floats sum[4];
    for (int r = 0; r < 4; ++r) sum[r] = Rows<kSums>::load(p.c, p.row_of_c[r] + 64 * pack);
    for (int k = 0; k < p.k; ++k) {
      const Floats a = *reinterpret_cast<const Floats*>(p.a + 64 * k + 16 * pack);
      const Floats b = *reinterpret_cast<const Floats*>(p.b + 64 * k + 16 * pack);
      sum[0] = fused(spread<0>(a), b, sum[0]);
      sum[1] = fused(spread<1>(a), b, sum[1]);
      sum[2] = fused(spread<2>(a), b, sum[2]);
      sum[3] = fused(spread<3>(a), b, sum[3]);
    }
    for (int r = 0; r < 4; ++r)
      Rows<kSums>::store(p.d, p.row_of_d[r] + 64 * pack, p.c, p.row_of_c[r] + 64 * pack, sum[r], nullptr,
                         nullptr);
  }
}

using Doubles = Pack<double>;

[[gnu::always_inline]] inline Doubles load_doubles(const std::byte* at) {
  const auto* const low = reinterpret_cast<const Words*>(at);
  const auto* const high = reinterpret_cast<const Words*>(at + kRowBytes);
  return bits<Doubles>(join(*low, *high));
}
[[gnu::always_inline]] inline void store_doubles(std::byte* at, Doubles value) {
  const auto word = bits<Pack<uint64_t>>(value);
  *reinterpret_cast<Words*>(at) = convert<uint32_t>(word);
  *reinterpret_cast<Words*>(at + kRowBytes) = convert<uint32_t>(word >> 32);
}

}  // namespace

void multiply(const Product& product, int columns, Sums sums) {
  switch (sums) {
    case Sums::F32:
      return multiply_as<Sums::F32>(product, columns);
    case Sums::F32Flushed:
      return multiply_as<Sums::F32Flushed>(product, columns);
    case Sums::F32Scaled:
      return multiply_as<Sums::F32Scaled>(product, columns);
    case Sums::F32ScaledWide:
      return multiply_as<Sums::F32ScaledWide>(product, columns);
    case Sums::F16:
      return multiply_as<Sums::F16>(product, columns);
    case Sums::Bf16:
      return multiply_as<Sums::Bf16>(product, columns);
    case Sums::I32:
      return multiply_as<Sums::I32>(product, columns);
    case Sums::I32Saturated:
      return multiply_as<Sums::I32Saturated>(product, columns);
    case Sums::F64:
      return;
  }
}

void multiply_quads(const Product& product, Sums sums) {
  if (sums == Sums::I32) return quads_as<Sums::I32>(product);
  if (sums == Sums::F32Flushed) return quads_as<Sums::F32Flushed>(product);
  quads_as<Sums::F32>(product);
}

void multiply_doubles(const MatrixPlan& plan, const std::byte* a, const std::byte* b, const std::byte* c,
                      std::byte* d) {
  // Four packs of lanes, one for each k. Everything is read before D is written.
  constexpr int kRowsAtOnce = 4;
  alignas(Doubles) double of_a[4][16];
  Doubles of_b[4], sums[16];
  for (int k = 0; k < 4; ++k) {
    const Doubles values = load_doubles(a + 64 * k), line = load_doubles(b + 64 * k);
    *reinterpret_cast<Doubles*>(of_a[k]) = plan.a.negate ? -values : values;
    of_b[k] = plan.b.negate ? -line : line;
  }
  const int rows = plan.quads ? 4 : 16;
  for (int row = 0; row < rows; row += kRowsAtOnce) {
    Doubles sum[kRowsAtOnce];
#pragma clang loop unroll(full)
    for (int r = 0; r < kRowsAtOnce; ++r) sum[r] = load_doubles(c + plan.row_of_c[row + r]);
    for (int k = 0; k < 4; ++k) {
      const Doubles line = of_b[k];
      if (plan.quads) {
        const Doubles values = *reinterpret_cast<const Doubles*>(of_a[k]);
        sum[0] = fused(spread<0>(values), line, sum[0]);
        sum[1] = fused(spread<1>(values), line, sum[1]);
        sum[2] = fused(spread<2>(values), line, sum[2]);
        sum[3] = fused(spread<3>(values), line, sum[3]);
      } else {
#pragma clang loop unroll(full)
        for (int r = 0; r < kRowsAtOnce; ++r) sum[r] = fused(Doubles(of_a[k][row + r]), line, sum[r]);
      }
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < kRowsAtOnce; ++r) sums[row + r] = sum[r];
  }
  for (int row = 0; row < rows; ++row) store_doubles(d + plan.row_of_d[row], sums[row]);
}

}  // namespace wavesmith::emulate
