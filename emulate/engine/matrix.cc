// The handler of matrix instructions: widens A and B, multiplies, and writes D. All lanes take part whatever
// EXEC says (CDNA3 ISA manual, "Matrix Arithmetic Instructions": EXEC is ignored; WMMA requires it full).
#include <cstring>

#include "emulate/engine/collect.h"
#include "emulate/engine/matrix_multiply.h"
#include "emulate/engine/matrix_widen.h"
#include "emulate/matrix_plan.h"
#include "isa/matrix/row.h"
#include "isa/small_float_pack.h"

namespace wavesmith::emulate {
namespace {

using isa::bits;
using Words = Pack<uint32_t>;
using Floats = Pack<float>;

constexpr int kMostRegisters = 32;  // of D

[[gnu::always_inline]] inline Floats& pack_at(float* floats, int index) {
  return *reinterpret_cast<Floats*>(floats + 16 * index);
}
[[gnu::always_inline]] inline Words& words_at(std::byte* bytes, int index) {
  return reinterpret_cast<Words*>(bytes)[index];
}

/// Signs, and subnormal numbers to zero: what few instructions ask for.
[[gnu::noinline]] void adjust_input(const MatrixPlan::Input& input, float* floats) {
  const bool halves = input.widening == Widening::F16 || input.widening == Widening::Bf16;
  const Words smallest(input.widening == Widening::F16 ? 0x38800000u : 0x00800000u);  // 2^-14, 2^-126
  const int elements = input.registers * (halves ? 2 : 1);
  for (int pack = 0; pack < input.packs; ++pack)
    for (int e = 0; e < elements; ++e) {
      Words word = bits<Words>(pack_at(floats, input.to[pack][e]));
      if (input.flush) word = (word & 0x7fffffffu) < smallest ? word & 0x80000000u : word;
      if (input.negate >> (halves ? e % 2 : 0) & 1) word ^= 0x80000000u;
      pack_at(floats, input.to[pack][e]) = bits<Floats>(word);
    }
}

/// C as the instruction uses it, in `copy`.
[[gnu::noinline]] void prepare_c(const MatrixPlan& plan, const std::byte* c, std::byte* copy) {
  const bool doubles = plan.sums == Sums::F64, halves = plan.sums == Sums::F16 || plan.sums == Sums::Bf16;
  const uint32_t sign = halves ? 0x80008000u : 0x80000000u;
  for (int i = 0; i < 4 * plan.registers_of_d; ++i) {
    const bool high = i / 4 % 2 != 0;
    Words word(static_cast<uint32_t>(doubles && high ? plan.constant >> 32 : plan.constant));
    if (halves) word |= word << 16;
    if (!plan.c_is_constant) std::memcpy(&word, c + static_cast<size_t>(i) * sizeof word, sizeof word);
    if (plan.c_absolute && (!doubles || high)) word &= ~sign;
    if (plan.c_negate && (!doubles || high)) word ^= sign;
    words_at(copy, i) = word;
  }
}

/// The constant that stands for every row of C.
void fill_constant(const MatrixPlan& plan, std::byte* copy) {
  const bool doubles = plan.sums == Sums::F64, halves = plan.sums == Sums::F16 || plan.sums == Sums::Bf16;
  Words low(static_cast<uint32_t>(plan.constant));
  if (halves) low |= low << 16;
  for (int i = 0; i < 4; ++i) words_at(copy, i) = low;
  if (doubles)
    for (int i = 4; i < 8; ++i) words_at(copy, i) = Words(static_cast<uint32_t>(plan.constant >> 32));
}

/// Sparse A: which k of B each held element meets.
void read_indices(const MatrixPlan& plan, const std::byte* index, uint16_t* rows_of_b) {
  using Shorts = Pack<uint16_t>;
  for (int k = 0; k < plan.k; ++k)
    for (int i = 0; i < plan.columns; i += 16) {
      Words word;
      std::memcpy(&word, index + (plan.index_lane[k] + i) * 4, sizeof word);
      const Words row =
          (word >> static_cast<uint32_t>(plan.index_shift[k]) & 3u) + static_cast<uint32_t>(k / 2 * 4);
      *reinterpret_cast<Shorts*>(rows_of_b + k * plan.columns + i) = convert<uint16_t>(row);
    }
}

/// Blocks of A that others multiply too (cbsz), where blocks are lanes.
void broadcast_quads(const MatrixPlan& plan, const float* of_a, float* broadcast) {
  for (int k = 0; k < plan.k; ++k)
    for (int lane = 0; lane < 64; ++lane)
      broadcast[64 * k + lane] = of_a[64 * k + plan.block_of_a[lane / 4] * 4 + lane % 4];
}

/// Sums of 32 elements along K are multiplied with 2^(a - 127) * 2^(b - 127) and added. In double, where no
/// intermediate result leaves the range; a scale of 0xff is NaN (OCP Microscaling specification 1.0, e8m0).
[[gnu::noinline]] void multiply_scaled(const MatrixPlan& plan, Product product, const std::byte* scale_a,
                                       const std::byte* scale_b) {
  using Doubles = Pack<double>;
  alignas(64) float part[32 * 32], sum[32 * 32];
  alignas(64) static constexpr uint32_t kZero[64] = {};
  uint32_t rows[32];
  const int size = plan.columns, packs = size / 16;
  for (int row = 0; row < size; ++row) rows[row] = static_cast<uint32_t>(row * size * 4);
  for (int row = 0; row < size; ++row)
    for (int p = 0; p < packs; ++p)
      std::memcpy(sum + row * size + 16 * p, product.c + product.row_of_c[row] + 64 * p, 64);
  for (int run = 0; run * MatrixPlan::kScaledRun < plan.k; ++run) {
    Product some = product;
    some.a += run * MatrixPlan::kScaledRun * size;
    some.b += run * MatrixPlan::kScaledRun * size;
    some.k = MatrixPlan::kScaledRun;
    some.c = reinterpret_cast<const std::byte*>(kZero);
    uint32_t none[32] = {};
    some.row_of_c = none;
    some.d = reinterpret_cast<std::byte*>(part);
    some.row_of_d = rows;
    multiply(some, size, Sums::F32);
    alignas(64) float of_a[32], of_b[32];
    for (int p = 0; p < packs; ++p) {
      const auto scale = [&](const std::byte* from, uint32_t byte) {
        Words word;
        std::memcpy(&word, from + 4 * (run * size + 16 * p), sizeof word);
        return isa::decode_e8m0_pack(word >> (8 * byte) & 0xffu);
      };
      pack_at(of_a, p) = scale(scale_a, plan.scale_byte_a);
      pack_at(of_b, p) = scale(scale_b, plan.scale_byte_b);
    }
    for (int row = 0; row < size; ++row)
      for (int p = 0; p < packs; ++p) {
        const Doubles scaled = convert<double>(pack_at(part, row * packs + p)) *
                               static_cast<double>(of_a[row]) * convert<double>(pack_at(of_b, p));
        Floats& to = pack_at(sum, row * packs + p);
        to = convert<float>(convert<double>(to) + scaled);
      }
  }
  for (int row = 0; row < size; ++row)
    for (int p = 0; p < packs; ++p)
      std::memcpy(product.d + product.row_of_d[row] + 64 * p, sum + row * size + 16 * p, 64);
}

void widen_and_adjust(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  widen(input, registers, floats);
  if (input.negate || input.flush) [[unlikely]]
    adjust_input(input, floats);
}

[[gnu::noinline]] void execute(const MatrixPlan& plan, const Uop* uop, Wave* wave) {
  alignas(64) std::byte of_c[kMostRegisters * kRowBytes];
  alignas(64) uint16_t rows_of_b[kWidenedFloats / 2];
  const std::byte* const a = base(wave) + uop->a;
  const std::byte* const b = base(wave) + uop->b;
  std::byte* const d = base(wave) + uop->d;
  const std::byte* c = plan.sparse ? d : base(wave) + uop->c;
  if (plan.copy_c) {
    prepare_c(plan, c, of_c);
    c = of_c;
  } else if (plan.c_is_constant) {
    fill_constant(plan, of_c);
    c = of_c;
  }
  if (plan.sums == Sums::F64) return multiply_doubles(plan, a, b, c, d);

  float* of_a = wave->widened[plan.slot_of_a];
  float* const of_b = wave->widened[plan.slot_of_b];
  if (!plan.a_is_ready) widen_and_adjust(plan.a, a, of_a);
  if (!plan.b_is_ready) widen_and_adjust(plan.b, b, of_b);

  Product product{of_a, of_b, plan.k, plan.row_of_d, plan.row_of_c, d, c};
  if (plan.quads) {
    alignas(64) float broadcast[4 * 64];
    if (plan.broadcast) {
      broadcast_quads(plan, of_a, broadcast);
      product.a = broadcast;
    }
    multiply_quads(product, plan.sums);
  } else if (plan.scaled) {
    multiply_scaled(plan, product, base(wave) + plan.scale_a, base(wave) + plan.scale_b);
  } else {
    if (plan.sparse) {
      read_indices(plan, base(wave) + uop->c, rows_of_b);
      product.rows_of_b = rows_of_b;
    }
    const int elements = plan.k * plan.columns;
    for (int block = 0; block < plan.blocks; ++block) {
      product.a = of_a + plan.block_of_a[block] * elements;
      multiply(product, plan.columns, plan.sums);
      product.b += elements;
      product.row_of_c += plan.columns;
      product.row_of_d += plan.columns;
    }
  }
}

void run(const Uop* uop, Wave* wave) {
  execute(*static_cast<const MatrixPlan*>(uop->pointer), uop, wave);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

}  // namespace

void Collector::operator()(const isa::MatrixInstruction& instruction) {
  Implementation implementation{isa::make_matrix_row(instruction)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = run;
  table.push_back(implementation);
}

void add_matrix(Collector& collector) { isa::matrix(collector); }

}  // namespace wavesmith::emulate
