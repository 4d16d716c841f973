// Dot products of packed values, and the multiply-adds that mix f16 and f32 (v_fma_mix).
#pragma once

#include "isa/fused.h"
#include "isa/packed.h"
#include "isa/small_float_pack.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {

namespace dot_product {

/// Element i of packed integers of kBits.
template <int kBits, bool kSigned>
[[gnu::always_inline]] inline auto element(Pack<uint32_t> word, int i) {
  if constexpr (kSigned)
    return bits<Pack<int32_t>>(word << (32 - kBits - kBits * i)) >> (32 - kBits);
  else
    return bits<Pack<int32_t>>((word >> (kBits * i)) & ((1u << kBits) - 1));
}

/// Sum of the products of 8-bit or 4-bit integers plus c; saturated when clamped. The sum of products fits in
/// 32 bits.
template <int kBits, bool kSignedA, bool kSignedB, bool kClamp, class C>
[[gnu::always_inline]] inline C integers(Pack<uint32_t> a, Pack<uint32_t> b, C c) {
  Pack<int32_t> sum = 0;
  for (int i = 0; i < 32 / kBits; ++i) sum += element<kBits, kSignedA>(a, i) * element<kBits, kSignedB>(b, i);
  if constexpr (kClamp)
    return __builtin_elementwise_add_sat(bits<C>(sum), c);
  else
    return bits<C>(bits<Pack<uint32_t>>(sum) + bits<Pack<uint32_t>>(c));
}

/// The same with each side's signedness chosen by a bit of `is_signed`.
template <int kBits, bool kClamp>
[[gnu::always_inline]] inline Pack<int32_t> either(Pack<uint32_t> a, Pack<uint32_t> b, Pack<int32_t> c,
                                                   uint32_t is_signed) {
  switch (is_signed & 3) {
    case 0:
      return integers<kBits, false, false, kClamp>(a, b, c);
    case 1:
      return integers<kBits, true, false, kClamp>(a, b, c);
    case 2:
      return integers<kBits, false, true, kClamp>(a, b, c);
    default:
      return integers<kBits, true, true, kClamp>(a, b, c);
  }
}

/// Two 16-bit products. Only their sum with c, not one of them, can leave 32 bits.
template <bool kClamp, class V, class C>
[[gnu::always_inline]] inline C halves(Parts<V> a, Parts<V> b, C c) {
  using Wide = std::conditional_t<std::is_same_v<C, Pack<int32_t>>, int64_t, uint64_t>;
  using Narrow = std::conditional_t<std::is_same_v<C, Pack<int32_t>>, int32_t, uint32_t>;
  if constexpr (kClamp) {
    const auto sum = convert<Wide>(convert<Narrow>(a.low) * convert<Narrow>(b.low)) +
                     convert<Wide>(convert<Narrow>(a.high) * convert<Narrow>(b.high)) + convert<Wide>(c);
    const Pack<Wide> least(std::is_signed_v<Wide> ? -Wide{0x80000000} : 0),
        most(std::is_signed_v<Wide> ? 0x7fffffff : 0xffffffff);
    return convert<Narrow>(__builtin_elementwise_max(__builtin_elementwise_min(sum, most), least));
  } else {
    using Words = Pack<uint32_t>;
    return bits<C>(bits<Words>(convert<Narrow>(a.low) * convert<Narrow>(b.low)) +
                   bits<Words>(convert<Narrow>(a.high) * convert<Narrow>(b.high)) + bits<Words>(c));
  }
}

/// f32 denormals as zeros, whatever MODE says: so the dot products of 16-bit floats take their addend and
/// give their result (LLVM, SIISelLowering.cpp on fdot2).
[[gnu::always_inline]] inline Pack<float> flushed(Pack<float> x) { return detail::flush_denormals(x); }

/// Floats, in the manual's order of additions: c first.
inline constexpr auto floats = [](auto a, auto b, auto c) {
  return flushed((flushed(c) + a.low * b.low) + a.high * b.high);
};
/// The order of V_DOT2_F32_BF16 in CDNA4 and of the dot products in RDNA3: c last.
inline constexpr auto floats_last = [](auto a, auto b, auto c) {
  return flushed((a.low * b.low + a.high * b.high) + flushed(c));
};
/// CDNA2 takes denormal f16 sources as zeros too (PyTorch documentation, "Numerical accuracy", on MI200).
template <class V>
[[gnu::always_inline]] Parts<V> without_half_denormals(Parts<V> x) {
  const auto kept = [](V half) { return detail::absolute(half) < V(0x1p-14f) ? half * 0.0f : half; };
  return {kept(x.low), kept(x.high)};
}
inline constexpr auto floats_of_normals = [](auto a, auto b, auto c) {
  return floats(without_half_denormals(a), without_half_denormals(b), c);
};

template <FloatFormat A, FloatFormat B>
[[gnu::always_inline]] inline Pack<float> bytes(Pack<uint32_t> a, Pack<uint32_t> b, Pack<float> c) {
  for (int i = 0; i < 4; ++i) c += decode_pack<A>(a >> (8 * i)) * decode_pack<B>(b >> (8 * i));
  return c;
}

/// A float clamped where the instruction asks for it.
template <class Clamp>
[[gnu::always_inline]] inline Pack<float> clamped(Clamp clamp, Pack<float> value) {
  if constexpr (clamp()) {
    value = value > 0.0f ? value : Pack<float>(0.0f);
    value = value < 1.0f ? value : Pack<float>(1.0f);
  }
  return value;
}

}  // namespace dot_product

template <class Visitor>
void dot_instructions(Visitor& v) {
  using namespace dot_product;
  // The manual gives the order of additions but not how wide the adder is.
  constexpr std::string_view kBound = "each addition rounded; hardware may keep more bits between them";
  constexpr Facts kNotCdna2{
      .generations = kEvery & ~kCdna2, .fidelity = Fidelity::Approximate, .bound = kBound, .nearest = true};
  constexpr Facts kCdna2Only{
      .generations = kCdna2, .fidelity = Fidelity::Approximate, .bound = kBound, .nearest = true};
  constexpr Facts kRdnaOnly{
      .generations = kRdna, .fidelity = Fidelity::Approximate, .bound = kBound, .nearest = true};
  constexpr Facts kCdna4Only{
      .generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kBound, .nearest = true};
  constexpr Facts kRdna4Only{
      .generations = kRdna4, .fidelity = Fidelity::Approximate, .bound = kBound, .nearest = true};
  // V_DOT2_F32_F16 takes CLAMP for nothing: ROCm's device library always sets it (ockl, fdot2), and AMD's
  // tests of amd_mixed_dot, which is made of that, expect a sum of 14.
  // clang-format off
  v(packed<f32(v2f16, v2f16, f32)>,        "v_dot2_f32_f16", [](auto, auto a, auto b, auto c) { return floats(a, b, c); }, kNotCdna2);
  v(packed<f32(v2f16, v2f16, old<f32>)>,   "v_dot2c_f32_f16 v_dot2acc_f32_f16", [](auto a, auto b, auto c) { return floats(a, b, c); }, kNotCdna2);
  v(packed<f32(v2f16, v2f16, f32)>,        "v_dot2_f32_f16", [](auto, auto a, auto b, auto c) { return floats_of_normals(a, b, c); }, kCdna2Only);
  v(packed<f32(v2f16, v2f16, old<f32>)>,   "v_dot2c_f32_f16", [](auto a, auto b, auto c) { return floats_of_normals(a, b, c); }, kCdna2Only);
  v(packed<f32(v2bf16, v2bf16, f32)>,      "v_dot2_f32_bf16", [](auto a, auto b, auto c) { return floats_last(a, b, c); }, kCdna4Only);
  v(packed<f32(v2bf16, v2bf16, f32)>,      "v_dot2_f32_bf16", [](auto a, auto b, auto c) { return floats(a, b, c); }, kRdnaOnly);
  v(packed<f32(v2bf16, v2bf16, old<f32>)>, "v_dot2c_f32_bf16", [](auto a, auto b, auto c) { return floats(a, b, c); }, kCdna4Only);
  v(packed<f32(v2bf16, v2bf16, old<f32>)>, "v_dot2acc_f32_bf16", [](auto a, auto b, auto c) { return floats(a, b, c); }, kRdnaOnly);  // as half of a dual instruction
  v(packed<insert<16>(v2f16, v2f16, part<16>)>, "v_dot2_f16_f16", [](auto clamp, auto a, auto b, auto c) {
    const auto half = [](auto value) { return decode_pack<kF16>(encode_f16_pack(value)); };
    return encode_f16_pack(clamped(clamp, half(half(decode_pack<kF16>(c & 0xffff) + a.low * b.low) + a.high * b.high)));
  }, kRdnaOnly);
  v(packed<insert<16>(v2bf16, v2bf16, part<16>)>, "v_dot2_bf16_bf16", [](auto clamp, auto a, auto b, auto c) {
    const auto half = [](auto value) { return decode_pack<kBf16>(encode_pack<kBf16>(value)); };
    return encode_pack<kBf16>(clamped(clamp, half(half(decode_pack<kBf16>(c) + a.low * b.low) + a.high * b.high)));
  }, kRdnaOnly);
  v(packed<f32(u32, u32, f32)>,            "v_dot4_f32_fp8_fp8", [](auto a, auto b, auto c) { return bytes<kFp8, kFp8>(a, b, c); }, kRdna4Only);
  v(packed<f32(u32, u32, f32)>,            "v_dot4_f32_fp8_bf8", [](auto a, auto b, auto c) { return bytes<kFp8, kBf8>(a, b, c); }, kRdna4Only);
  v(packed<f32(u32, u32, f32)>,            "v_dot4_f32_bf8_fp8", [](auto a, auto b, auto c) { return bytes<kBf8, kFp8>(a, b, c); }, kRdna4Only);
  v(packed<f32(u32, u32, f32)>,            "v_dot4_f32_bf8_bf8", [](auto a, auto b, auto c) { return bytes<kBf8, kBf8>(a, b, c); }, kRdna4Only);

  v(packed<i32(v2i16, v2i16, i32)>,        "v_dot2_i32_i16", [](auto clamp, auto a, auto b, auto c) { return halves<clamp()>(a, b, c); }, {.generations = kCdna});
  v(packed<u32(v2u16, v2u16, u32)>,        "v_dot2_u32_u16", [](auto clamp, auto a, auto b, auto c) { return halves<clamp()>(a, b, c); }, {.generations = kCdna});
  v(packed<i32(v2i16, v2i16, old<i32>)>,   "v_dot2c_i32_i16", [](auto clamp, auto a, auto b, auto c) { return halves<clamp()>(a, b, c); }, {.generations = kCdna});
  v(packed<i32(u32, u32, i32)>,            "v_dot4_i32_i8", [](auto clamp, auto a, auto b, auto c) { return integers<8, true, true, clamp()>(a, b, c); }, {.generations = kCdna});
  v(packed<u32(u32, u32, u32)>,            "v_dot4_u32_u8", [](auto clamp, auto a, auto b, auto c) { return integers<8, false, false, clamp()>(a, b, c); });
  v(packed<i32(u32, u32, old<i32>)>,       "v_dot4c_i32_i8", [](auto clamp, auto a, auto b, auto c) { return integers<8, true, true, clamp()>(a, b, c); }, {.generations = kCdna});
  v(packed<i32(u32, u32, i32)>,            "v_dot8_i32_i4", [](auto clamp, auto a, auto b, auto c) { return integers<4, true, true, clamp()>(a, b, c); }, {.generations = kCdna});
  v(packed<u32(u32, u32, u32)>,            "v_dot8_u32_u4", [](auto clamp, auto a, auto b, auto c) { return integers<4, false, false, clamp()>(a, b, c); });
  v(packed<i32(u32, u32, old<i32>)>,       "v_dot8c_i32_i4", [](auto clamp, auto a, auto b, auto c) { return integers<4, true, true, clamp()>(a, b, c); }, {.generations = kCdna});
  // neg_lo says which side is signed.
  v(packed<i32(u32, u32, i32, immediate)>, "v_dot4_i32_iu8", [](auto clamp, auto a, auto b, auto c, auto is_signed) { return either<8, clamp()>(a, b, c, is_signed); }, {.generations = kRdna, .alias = "v_dot4_i32_i8"});
  v(packed<i32(u32, u32, i32, immediate)>, "v_dot8_i32_iu4", [](auto clamp, auto a, auto b, auto c, auto is_signed) { return either<4, clamp()>(a, b, c, is_signed); }, {.generations = kRdna, .alias = "v_dot8_i32_i4"});

  v(packed<f32(mixed, mixed, mixed)>,      "v_fma_mix_f32", [](auto a, auto b, auto c) { return fused(a, b, c); });
  v(packed<insert<16>(mixed, mixed, mixed)>, "v_fma_mixlo_f16", [](auto clamp, auto a, auto b, auto c) { return encode_f16_pack(clamped(clamp, fused(a, b, c))); });
  v(packed<insert<16>(mixed, mixed, mixed)>, "v_fma_mixhi_f16", [](auto clamp, auto a, auto b, auto c) { return encode_f16_pack(clamped(clamp, fused(a, b, c))); });
  // clang-format on
}

}  // namespace wavesmith::isa
