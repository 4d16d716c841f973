// Micro-operations that prepare sources and finish results: DPP, SDWA, halves of registers, clamp and omod.
// They are rare beside the instructions proper, so one handler serves both wave sizes.
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "emulate/engine/collect.h"
#include "emulate/translate/dpp.h"
#include "emulate/translate/operand_fields.h"

namespace wavesmith::emulate {
namespace {

using isa::bits;

/// Applies `body` to each pack: (row a, row d's former value) to d; kMasked: only in active lanes.
template <bool kMasked, class Body>
[[gnu::always_inline]] void each_pack(const Uop* uop, Wave* wave, Body body) {
  const int packs = static_cast<int>(wave->lanes / kPackLanes);
  std::byte *const d = base(wave) + uop->d, *const a = base(wave) + uop->a;
  const uint64_t exec = wave->exec();
#pragma clang loop unroll(disable)
  for (int pack = 0; pack < packs; ++pack)
    store<!kMasked>(d, pack, body(dwords(a, pack), dwords(d, pack)), mask_of(exec, pack));
}

void copy_row(const Uop* uop, Wave* wave) {
  each_pack<false>(uop, wave, [](auto a, auto) { return a; });
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// d = field of a: `b` is its lowest bit, `c` its width and whether to extend its sign.
void extract(const Uop* uop, Wave* wave) {
  const Field field = Field::unpack(uop->b, uop->c);
  const uint32_t up = 32 - field.width - field.low, down = 32 - field.width;
  if (field.sign_extend)
    each_pack<false>(uop, wave, [&](auto a, auto) {
      return bits<Pack<uint32_t>>(bits<Pack<int32_t>>(a << up) >> static_cast<int>(down));
    });
  else
    each_pack<false>(uop, wave, [&](auto a, auto) { return a << up >> down; });
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// The field of d = the low bits of a, in active lanes; the other bits of d by `rest`.
void insert(const Uop* uop, Wave* wave) {
  const Field field = Field::unpack(uop->b, uop->c);
  const uint32_t mask = (field.width == 32 ? ~0u : (1u << field.width) - 1) << field.low;
  switch (field.rest) {
    case Field::Rest::Keep:
      each_pack<true>(uop, wave, [&](auto a, auto d) { return (d & ~mask) | ((a << field.low) & mask); });
      break;
    case Field::Rest::Zero:
      each_pack<true>(uop, wave, [&](auto a, auto) { return (a << field.low) & mask; });
      break;
    case Field::Rest::Sign: {
      const uint32_t up = 32 - field.width, down = 32 - field.width - field.low;
      each_pack<true>(uop, wave, [&](auto a, auto) {
        return bits<Pack<uint32_t>>(bits<Pack<int32_t>>(a << up) >> static_cast<int>(down)) &
               ~((1u << field.low) - 1);
      });
      break;
    }
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Row d of floats in place, in active lanes.
template <class Tag, class Body>
[[gnu::always_inline]] void in_place(const Uop* uop, Wave* wave, Body body) {
  const int packs = static_cast<int>(wave->lanes / kPackLanes);
  std::byte* const d = base(wave) + uop->d;
  const uint64_t exec = wave->exec();
#pragma clang loop unroll(disable)
  for (int pack = 0; pack < packs; ++pack)
    Io<Tag>::template store_value<false>(d, pack, body(Io<Tag>::load(d, pack)), mask_of(exec, pack));
}

/// To 0..1; a NaN becomes 0, as with the DX10_CLAMP bit that AMDGPU programs have set and gfx12 always has.
template <class Tag>
void clamp(const Uop* uop, Wave* wave) {
  in_place<Tag>(uop, wave, [](auto x) {
    const decltype(x) zero = 0, one = 1;
    return x > zero ? (x < one ? x : one) : zero;
  });
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Times the float in c: the output modifier. Times 1: flushes denormals where MODE says so.
template <class Tag>
void scale(const Uop* uop, Wave* wave) {
  const auto factor = static_cast<typename Tag::value>(bits<float>(uop->c));
  if (factor == 1 || output_modifier_counts<Tag>(wave))
    in_place<Tag>(uop, wave, [&](auto x) { return x * factor; });
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// f16 denormals as zeros where MODE says so.
void flush_f16(const Uop* uop, Wave* wave) {
  const uint32_t halves = (uop->c & 1 ? 0xffffu : 0) | (uop->c & 2 ? 0xffff0000u : 0);
  const bool keeps = (wave->s[scalar_index::kMode] >> uop->b & 1) != 0;
  each_pack<true>(uop, wave, [&](auto a, auto) {
    if (keeps) return a;
    using Codes = short __attribute__((ext_vector_type(2 * kPackLanes)));
    const auto codes = bits<Codes>(a);
    const auto flushed = bits<Pack<uint32_t>>(Codes((codes & 0x7c00) == 0 ? codes & short(0x8000) : codes));
    return (flushed & halves) | (a & ~halves);
  });
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Sixteen lanes of a row, exchanged as a DPP table says.
[[gnu::always_inline]] inline Pack<uint32_t> exchanged(std::byte* row, const DppTable& table, size_t pack) {
  const auto index = reinterpret_cast<const Pack<uint32_t>*>(table.lane.data())[pack];
#if defined(__AVX512F__)
  if (table.pack[pack] >= 0) [[likely]]  // the shuffle looks at four bits of an index
    return __builtin_bit_cast(
        Pack<uint32_t>, _mm512_permutexvar_epi32(__builtin_bit_cast(__m512i, index),
                                                 __builtin_bit_cast(__m512i, dwords(row, table.pack[pack]))));
#endif
  Pack<uint32_t> result;
  const auto* const lanes = reinterpret_cast<const uint32_t*>(row);
  for (int lane = 0; lane < kPackLanes; ++lane) result[lane] = lanes[index[lane]];
  return result;
}

/// The lanes whose DPP source can be read.
uint64_t readable(const DppTable& table, uint64_t exec, int lanes) {
  const uint64_t every = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
  if (table.inactive_too || (exec & every) == every) [[likely]]
    return table.inside;
  alignas(64) uint32_t active[kRowLanes];
  uint64_t result = 0;
  for (int pack = 0; pack < lanes / kPackLanes; ++pack)
    reinterpret_cast<Pack<uint32_t>*>(active)[pack] =
        mask_of(exec, pack) ? Pack<uint32_t>(1) : Pack<uint32_t>(0);
  for (int pack = 0; pack < lanes / kPackLanes; ++pack)
    result |= bits_of(
        isa::lanes(exchanged(reinterpret_cast<std::byte*>(active), table, static_cast<size_t>(pack)) != 0u),
        pack);
  return result & table.inside;
}

void dpp_move(const Uop* uop, Wave* wave) {
  const auto& table = *static_cast<const DppTable*>(uop->pointer);
  const int lanes = static_cast<int>(wave->lanes);
  const uint64_t valid = readable(table, wave->exec(), lanes);
  for (int pack = 0; pack < lanes / kPackLanes; ++pack) {
    const auto value = exchanged(base(wave) + uop->a, table, static_cast<size_t>(pack));
    dwords(base(wave) + uop->d, pack) = mask_of(valid, pack) ? value : Pack<uint32_t>(0);
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// A move: d, which may be a, = a's lanes exchanged, in the lanes that the instruction writes.
void dpp_insert(const Uop* uop, Wave* wave) {
  const auto& table = *static_cast<const DppTable*>(uop->pointer);
  const int packs = static_cast<int>(wave->lanes) / kPackLanes;
  const uint64_t exec = wave->exec(), valid = readable(table, exec, static_cast<int>(wave->lanes));
  const uint64_t written = exec & table.written & (table.bound_ctrl ? ~uint64_t{0} : valid);
  Pack<uint32_t> values[kRowLanes / kPackLanes];
  for (int pack = 0; pack < packs; ++pack) {
    const auto value = exchanged(base(wave) + uop->a, table, static_cast<size_t>(pack));
    values[pack] = mask_of(valid, pack) ? value : Pack<uint32_t>(0);
  }
  for (int pack = 0; pack < packs; ++pack)
    store<false>(base(wave) + uop->d, pack, values[pack], mask_of(written, pack));
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// d = EXEC, then EXEC = its lanes that the DPP instruction writes.
void dpp_narrow(const Uop* uop, Wave* wave) {
  const auto& table = *static_cast<const DppTable*>(uop->pointer);
  const uint64_t exec = wave->exec();
  at<uint64_t>(wave, uop->d) = exec;
  uint64_t written = exec & table.written;
  if (!table.bound_ctrl) written &= readable(table, exec, static_cast<int>(wave->lanes));
  wave->exec() = written;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

void copy_scalar64(const Uop* uop, Wave* wave) {
  at<uint64_t>(wave, uop->d) = at<uint64_t>(wave, uop->a);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

}  // namespace

void add_operands(Engine& engine) {
  const auto both = [&](Micro operation, Handler handler) {
    engine.micro[static_cast<size_t>(operation)][0] = engine.micro[static_cast<size_t>(operation)][1] =
        handler;
  };
  both(Micro::CopyRow, copy_row);
  both(Micro::Extract, extract);
  both(Micro::Insert, insert);
  both(Micro::ClampF16, clamp<isa::f16>);
  both(Micro::ClampF32, clamp<isa::f32>);
  both(Micro::ClampF64, clamp<isa::f64>);
  both(Micro::ScaleF16, scale<isa::f16>);
  both(Micro::ScaleF32, scale<isa::f32>);
  both(Micro::ScaleF64, scale<isa::f64>);
  both(Micro::FlushF16, flush_f16);
  both(Micro::DppMove, dpp_move);
  both(Micro::DppInsert, dpp_insert);
  both(Micro::DppNarrow, dpp_narrow);
  both(Micro::CopyScalar64, copy_scalar64);
}

}  // namespace wavesmith::emulate
