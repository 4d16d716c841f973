// Packs against the scalar conversions, which have an independent test of their own.
#include "isa/small_float_pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace wavesmith::isa {
namespace {

template <FloatFormat F>
void check_decode() {
  for (uint32_t code = 0; code < 2 * F.sign_bit(); code += kPackLanes) {
    Pack<uint32_t> codes;
    for (int i = 0; i < kPackLanes; ++i)
      codes[i] = (code + static_cast<uint32_t>(i)) | ~(2 * F.sign_bit() - 1);  // and rubbish above
    const Pack<float> got = decode_pack<F>(codes);
    for (int i = 0; i < kPackLanes; ++i) {
      const float want = decode<F>(codes[i]);
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(got[i])) << codes[i];
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(float{got[i]}), std::bit_cast<uint32_t>(want)) << codes[i];
    }
  }
}

template <FloatFormat F, Rounding R, Overflow O>
void check_encode(std::mt19937& random) {
  for (int round = 0; round < 20000; ++round) {
    Pack<float> values;
    Pack<uint32_t> noise;
    for (int i = 0; i < kPackLanes; ++i) {
      uint32_t word = static_cast<uint32_t>(random());
      // Every second value lies in the format's range, every fourth on or beside a middle.
      if (i % 2 == 1)
        word =
            (word & 0x807fffffu) |
            (127u - static_cast<uint32_t>(F.bias) - 6 + word / 3 % (static_cast<uint32_t>(F.bias) * 2 + 12))
                << 23;
      if (i % 4 == 1)
        word = (word & ~((1u << (23 - F.mantissa_bits)) - 1)) + (1u << (22 - F.mantissa_bits)) +
               static_cast<uint32_t>(i / 4 - 1);
      if (round == 0)
        word = (i % 2 ? 0x80000000u : 0) | (i < 4 ? 0u : i < 8 ? 0x7f800000u : i < 12 ? 0x7fc00000u : i);
      values[i] = std::bit_cast<float>(word);
      noise[i] = static_cast<uint32_t>(random());
    }
    const Pack<uint32_t> got = encode_pack<F, R, O>(values, noise);
    const Pack<uint32_t> host = encode_f16_pack(values);
    for (int i = 0; i < kPackLanes; ++i) {
      const float value = values[i];
      ASSERT_EQ(uint32_t{got[i]}, (encode<F>(value, R, O, noise[i])))
          << value << " bits " << std::hex << std::bit_cast<uint32_t>(value) << " random " << noise[i];
      ASSERT_EQ(uint32_t{host[i]}, encode<kF16>(value)) << value;
    }
  }
}

template <FloatFormat F>
void check_format() {
  constexpr unsigned kSeed = 11;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  check_decode<F>();
  check_encode<F, Rounding::NearestEven, Overflow::Special>(random);
  check_encode<F, Rounding::NearestEven, Overflow::Saturate>(random);
  check_encode<F, Rounding::TowardZero, Overflow::Special>(random);
  check_encode<F, Rounding::Stochastic, Overflow::Special>(random);
  check_encode<F, Rounding::Stochastic, Overflow::Saturate>(random);
}

TEST(SmallFloatPack, F16) { check_format<kF16>(); }
TEST(SmallFloatPack, Bf16) { check_format<kBf16>(); }
TEST(SmallFloatPack, Fp8) { check_format<kFp8>(); }
TEST(SmallFloatPack, Bf8) { check_format<kBf8>(); }
TEST(SmallFloatPack, Fp8Fnuz) { check_format<kFp8Fnuz>(); }
TEST(SmallFloatPack, Bf8Fnuz) { check_format<kBf8Fnuz>(); }
TEST(SmallFloatPack, Fp6) { check_format<kFp6>(); }
TEST(SmallFloatPack, Bf6) { check_format<kBf6>(); }
TEST(SmallFloatPack, Fp4) { check_format<kFp4>(); }

TEST(SmallFloatPack, Scales) {
  for (uint32_t code = 0; code < 256; ++code) {
    const Pack<float> got = decode_e8m0_pack(Pack<uint32_t>(code));
    EXPECT_EQ(std::bit_cast<uint32_t>(float{got[code % 16]}), std::bit_cast<uint32_t>(decode_e8m0(code)));
  }
}

}  // namespace
}  // namespace wavesmith::isa
