// The handler of matrix instructions: widens A and B, multiplies, and writes D. All lanes take part whatever
// EXEC says (CDNA3 ISA manual, "Matrix Arithmetic Instructions": EXEC is ignored; WMMA requires it full).
#include <cstring>

#include "emulate/engine/collect.h"
#include "emulate/engine/matrix_multiply.h"
#include "emulate/engine/matrix_widen.h"
#include "emulate/translate/matrix_plan.h"
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

/// The scales' bytes in all lanes as floats. The lanes of a run of 32 elements along K follow each other.
/// Returns whether the product of any two of such scales is a normal number.
bool read_scales(const std::byte* from, uint8_t byte, float* scales) {
  Mask wide = {};
  for (int pack = 0; pack < 4; ++pack) {
    const Words code = reinterpret_cast<const Words*>(from)[pack] >> (8u * byte) & 0xffu;
    wide |= isa::lanes(code - 64 > Words(126));  // 2^-63 to 2^63
    pack_at(scales, pack) = isa::decode_e8m0_pack(code);
  }
  return !__builtin_reduce_or(wide);
}

/// Sums of 32 elements along K are multiplied with 2^(a - 127) * 2^(b - 127) and added; a scale of 0xff is
/// NaN (OCP Microscaling specification 1.0, e8m0).
void multiply_scaled(const MatrixPlan& plan, Product product, const std::byte* scale_a,
                     const std::byte* scale_b) {
  alignas(64) float of_a[64], of_b[64];
  const bool normal_a = read_scales(scale_a, plan.scale_byte_a, of_a),
             normal_b = read_scales(scale_b, plan.scale_byte_b, of_b);
  product.k = MatrixPlan::kScaledRun;
  product.scale_of_rows = of_a;
  product.scale_of_columns = of_b;
  for (int k = 0; k < plan.k; k += MatrixPlan::kScaledRun) {
    multiply(product, plan.columns, normal_a && normal_b ? Sums::F32Scaled : Sums::F32ScaledWide);
    product.a += MatrixPlan::kScaledRun * plan.columns;
    product.b += MatrixPlan::kScaledRun * plan.columns;
    product.scale_of_rows += plan.columns;
    product.scale_of_columns += plan.columns;
    product.c = product.d;  // what comes next is added to that
    product.row_of_c = product.row_of_d;
  }
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
