#include "check/init/shadow.h"

#include <gtest/gtest.h>

#include "check/init/bits.h"
#include "check/init/global_shadow.h"

namespace wavesmith::check::init {
namespace {

TEST(GlobalShadow, KnowsBytes) {
  const auto shadow = std::make_unique<GlobalShadow>();
  EXPECT_FALSE(shadow->any(0x10000, 1 << 20));
  shadow->undefine(0x10010, 3 * 4096);
  EXPECT_FALSE(shadow->any(0x10000, 16));
  EXPECT_TRUE(shadow->any(0x10000, 17));
  EXPECT_EQ(shadow->at(0x10008, 16), 0xff00u);
  shadow->define(0x11000, 4096);
  EXPECT_FALSE(shadow->any(0x11000, 4096));
  EXPECT_TRUE(shadow->any(0x11000, 4097));
  shadow->set(0x1100e, 4, 0b1001);
  EXPECT_EQ(shadow->at(0x1100c, 8), 0b100100u);
  shadow->copy(0x20000, 0x1100c, 8);
  EXPECT_EQ(shadow->at(0x20000, 8), 0b100100u);
  shadow->define(0x10000, 1 << 16);
  EXPECT_FALSE(shadow->any(0x10000, 1 << 16));
}

TEST(WaveShadow, KeepsPartsOfRegisters) {
  const auto wave = std::make_unique<WaveShadow>();
  wave->begin();
  EXPECT_TRUE(wave->dirty(5));
  wave->define(5, 0xf, 0xffff);
  EXPECT_EQ(wave->bits(5, 0), 0xffff0000u);
  EXPECT_EQ(wave->bits(5, 4), 0xffffffffu);
  EXPECT_EQ(wave->lanes(5, 0xff), ~uint64_t{0xf});
  wave->define(5, 0xff);
  EXPECT_EQ(wave->row(5).lanes(), ~uint64_t{0xff});
  wave->define(5, ~uint64_t{0});
  EXPECT_FALSE(wave->dirty(5));
}

/// Every result that the numbers' undefined bits allow is one that the undefined bits of the result allow.
TEST(Bits, CoverAllThatMayCome) {
  using isa::Op;
  for (const Op op : {Op::Add, Op::Subtract, Op::Multiply, Op::And, Op::Or, Op::Xor, Op::ShiftLeft,
                      Op::ShiftRight, Op::ShiftRightSigned, Op::Equal, Op::Less, Op::LessSigned,
                      Op::LeadingZeros, Op::TrailingZeros, Op::Ones, Op::ReverseBits, Op::SignExtend}) {
    const bool compares = op == Op::Equal || op == Op::Less || op == Op::LessSigned;
    const isa::Node node{.op = op, .bits = static_cast<uint8_t>(compares ? 1 : 4), .from = 4, .count = 2};
    const auto each = [](uint64_t undefined, auto call) {
      for (uint64_t bits = 0; bits < 16; ++bits)
        if ((bits & ~undefined) == 0) call(bits);
    };
    for (uint64_t case_ = 0; case_ < 1 << 16; ++case_) {
      const Bits a{case_ & 15, case_ >> 4 & 15}, b{case_ >> 8 & 15, case_ >> 12 & 15};
      if ((a.value & a.undefined) || (b.value & b.undefined)) continue;
      const uint64_t expected = isa::compute(node, a.value, b.value, 0);
      const uint64_t undefined = undefined_after(node, a, b, {});
      each(a.undefined, [&](uint64_t x) {
        each(b.undefined, [&](uint64_t y) {
          const uint64_t got = isa::compute(node, a.value | x, b.value | y, 0);
          ASSERT_EQ((got ^ expected) & ~undefined, 0u)
              << "operation " << static_cast<int>(op) << " on " << a.value << "/" << a.undefined << " and "
              << b.value << "/" << b.undefined;
        });
      });
    }
  }
}

}  // namespace
}  // namespace wavesmith::check::init
