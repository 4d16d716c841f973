// Every matrix instruction, in assembly text on each target, against a reference in double. Tolerance: the
// bound of the row.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/small_float.h"
#include "emulate/instructions/matrix_testing.h"
#include "emulate/instructions/testing.h"
#include "isa/matrix/layout.h"
#include "isa/matrix/row.h"
#include "isa/matrix/table.h"

namespace wavesmith::emulate {
namespace {

using isa::MatrixElement;
using isa::MatrixInstruction;

std::string list(const char* name, int mask) {
  return std::string(" ") + name + ":[" + std::to_string(mask & 1) + "," + std::to_string(mask >> 1 & 1) +
         "," + std::to_string(mask >> 2 & 1) + "]";
}

uint64_t seed_of_run() {
  static const uint64_t seed = [] {
    const char* given = std::getenv("WAVESMITH_SEED");
    const uint64_t value = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("WAVESMITH_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

/// Calls `each` for every instruction of every target and wave size.
template <class Each>
void for_every(Each each) {
  uint64_t seed = seed_of_run();
  for (const auto [name, lanes] : all_targets()) {
    const isa::Target* target = isa::find_target(name);
    for (const MatrixInstruction& in : isa::kMatrixInstructions) {
      if (!target->is(in.generations)) continue;
      MatrixCase c;
      c.in = &in, c.target = target, c.lanes = lanes, c.a = in.a, c.b = in.b;
      if (in.a == MatrixElement::F8f6f4) c.a = c.b = MatrixElement::Fp8;
      if (in.modifiers & isa::kScaled) c.modifiers = " op_sel_hi:[0,0,0]";
      SCOPED_TRACE(std::string(name) + " wave" + std::to_string(lanes));
      each(c, [&](const MatrixCase& one, MatrixNumbers numbers = MatrixNumbers::Ordinary) {
        check_matrix(one, ++seed, numbers);
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Matrix, OrdinaryNumbers) {
  for_every([](const MatrixCase& c, auto check) { check(c); });
}

TEST(Matrix, NansInfinitiesZerosAndSubnormals) {
  for_every([](const MatrixCase& c, auto check) { check(c, MatrixNumbers::Special); });
}

TEST(Matrix, AccumulatesInPlace) {
  for_every([](MatrixCase c, auto check) {
    c.in_place = true;
    check(c);
  });
}

TEST(Matrix, AccumulationRegisters) {
  for_every([](MatrixCase c, auto check) {
    if (!c.target->has_accumulators()) return;
    c.file = 'a';
    check(c);
  });
}

TEST(Matrix, ConstantC) {
  for_every([](MatrixCase c, auto check) {
    if (c.in->sparse) return;
    c.constant = "0";
    check(c);
    c.constant = c.in->d == MatrixElement::I32 ? "-7" : "-0.5";
    c.constant_value = c.in->d == MatrixElement::I32 ? -7 : -0.5;
    check(c);
  });
}

TEST(Matrix, BroadcastsBlocksOfA) {
  for_every([](MatrixCase c, auto check) {
    if (!(c.in->modifiers & isa::kBroadcastA)) return;
    for (int cbsz = 1; 1 << cbsz <= c.in->blocks; ++cbsz)
      for (int abid = 0; abid < 1 << cbsz; ++abid) {
        c.cbsz = cbsz, c.abid = abid;
        c.modifiers = " cbsz:" + std::to_string(cbsz) + " abid:" + std::to_string(abid);
        check(c);
      }
  });
}

TEST(Matrix, PermutesLanesOfB) {
  for_every([](MatrixCase c, auto check) {
    if (!(c.in->modifiers & isa::kPermuteB)) return;
    for (int blgp = 1; blgp < 8; ++blgp) {
      c.blgp = blgp;
      c.modifiers = " blgp:" + std::to_string(blgp);
      check(c);
    }
  });
}

TEST(Matrix, NegatesDoubles) {
  for_every([](MatrixCase c, auto check) {
    if (c.in->d != MatrixElement::F64) return;
    for (int mask = 1; mask < 8; ++mask) {
      c.neg_lo = mask;
      c.modifiers = c.target->is(isa::kCdna2) ? " blgp:" + std::to_string(mask) : list("neg", mask);
      check(c);
    }
  });
}

TEST(Matrix, NegatesWmmaSources) {
  for_every([](MatrixCase c, auto check) {
    if (!(c.in->modifiers & isa::kNegate) || c.in->d == MatrixElement::F64 || c.in->d == MatrixElement::I32)
      return;
    for (int low = 0; low < 8; ++low)
      for (int high = 0; high < 8; ++high) {
        const bool halves = isa::bits_of_element(c.a) == 16;
        if (!halves && ((low | high) & 3)) continue;
        if (c.in->sparse && ((low | high) & 4)) continue;
        c.neg_lo = low, c.neg_hi = high;
        c.modifiers = list("neg_lo", low) + list("neg_hi", high);
        check(c);
      }
  });
}

TEST(Matrix, SignedAndUnsignedIntegersAndSaturation) {
  for_every([](MatrixCase c, auto check) {
    if (c.a != MatrixElement::Iu8 && c.a != MatrixElement::Iu4) return;
    for (int signs = 0; signs < 4; ++signs)
      for (const bool clamp : {false, true}) {
        c.neg_lo = signs, c.clamp = clamp;
        c.modifiers = list("neg_lo", signs) + (clamp ? " clamp" : "");
        check(c);
        check(c, MatrixNumbers::Special);
      }
  });
}

TEST(Matrix, SelectsIndicesOfSparseForms) {
  for_every([](MatrixCase c, auto check) {
    if (!c.in->sparse) return;
    const bool mfma = c.in->layout == isa::MatrixLayout::Mfma;
    for (int set = 0; set < isa::index_sets(*c.in, c.lanes); ++set) {
      c.index_set = set;
      if (set != 0) c.modifiers = (mfma ? " abid:" : " index_key:") + std::to_string(set);
      check(c);
    }
    if (!mfma) return;
    c.index_set = 0;
    c.modifiers = " cbsz:1 abid:1";
    check(c);
  });
}

TEST(Matrix, SelectsHalvesOfRegisters) {
  for_every([](MatrixCase c, auto check) {
    if (!(c.in->modifiers & isa::kSelectHalf)) return;
    c.op_sel = 4;
    c.modifiers = " op_sel:[0,0,1]";
    check(c);
    c.in_place = true;
    check(c);
  });
}

TEST(Matrix, EveryPairOfFormats) {
  for_every([](MatrixCase c, auto check) {
    if (c.in->a != MatrixElement::F8f6f4) return;
    int byte = 0;
    for (int a = 0; a < isa::kF8f6f4Formats; ++a)
      for (int b = 0; b < isa::kF8f6f4Formats; ++b) {
        c.a = isa::f8f6f4_element(a), c.b = isa::f8f6f4_element(b);
        c.cbsz = a, c.blgp = b;
        c.modifiers.clear();
        if (c.in->modifiers & isa::kScaled) {
          ++byte;
          c.scale_byte_a = byte % 4, c.scale_byte_b = byte / 4 % 4;
          c.modifiers = list("op_sel", (byte & 1) | (byte >> 2 & 1) << 1) +
                        list("op_sel_hi", (byte >> 1 & 1) | (byte >> 3 & 1) << 1);
        }
        if (a) c.modifiers += " cbsz:" + std::to_string(a);
        if (b) c.modifiers += " blgp:" + std::to_string(b);
        check(c);
        check(c, MatrixNumbers::Special);
      }
  });
}

/// CDNA2 takes and gives subnormal numbers of 16-bit products as 0, CDNA3 keeps them; F32 products always do.
TEST(Matrix, SubnormalNumbersAsTheGenerationTreatsThem) {
  struct Expected {
    const char* target;
    const char* text;
    uint32_t a, b, c;
    float d;
  };
  const auto bits_of = [](float value) { return std::bit_cast<uint32_t>(value); };
  constexpr uint32_t kOneF16 = 0x3c00, kOneBf16 = 0x3f80, kSmallBf16 = 0x1f80;  // 2^-64
  const uint32_t f32 = bits_of(0x1p-130f), one = bits_of(1);
  const Expected cases[] = {
      {"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[12:15]", 0x0010, kOneF16, 0, 0},
      {"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[12:15]", 0, kOneF16, f32, 0},
      {"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[12:15]", kOneF16, kOneF16, 0, 1},
      {"gfx90a", "v_mfma_f32_16x16x16bf16_1k v[0:3], v[8:9], v[10:11], v[12:15]", 0x0010, kOneBf16, 0, 0},
      {"gfx90a", "v_mfma_f32_16x16x16bf16_1k v[0:3], v[8:9], v[10:11], v[12:15]", kSmallBf16, kSmallBf16, 0,
       0},
      {"gfx90a", "v_mfma_f32_4x4x4f16 v[0:3], v[8:9], v[10:11], v[12:15]", 0, kOneF16, f32, 0},
      {"gfx90a", "v_mfma_f32_16x16x4f32 v[0:3], v8, v10, v[12:15]", f32, one, f32, 0x1p-129f},
      {"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[12:15]", 0x0010, kOneF16, 0, 0x1p-20f},
      {"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[12:15]", 0, kOneF16, f32, 0x1p-130f},
      {"gfx942", "v_mfma_f32_16x16x16_bf16 v[0:3], v[8:9], v[10:11], v[12:15]", kSmallBf16, kSmallBf16, 0,
       0x1p-128f},
  };
  for (const Expected& one_case : cases) {
    WaveTest wave(one_case.target);
    for (int lane = 0; lane < 64; ++lane) {
      // One element along K: the first of the lanes that hold k = 0.
      const bool quads = std::string_view(one_case.text).find("4x4x4") != std::string_view::npos;
      wave.v(8, lane) = quads || lane < 16 ? one_case.a : 0;
      wave.v(10, lane) = quads || lane < 16 ? one_case.b : 0;
      for (int r = 12; r < 16; ++r) wave.v(r, lane) = one_case.c;
    }
    const auto done = wave.run(one_case.text);
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < 64; ++lane)
      ASSERT_EQ(wave.f(0, lane), one_case.d) << one_case.target << " " << one_case.text;
  }
}

TEST(Matrix, PartlyOverlappingCAndD) {
  // D = v[0:3], C = v[2:5]: each element of C is read before any of D is written.
  WaveTest wave("gfx942");
  for (int r = 0; r < 8; ++r)
    for (int lane = 0; lane < 64; ++lane) wave.set_f(r, lane, static_cast<float>(100 * r + lane));
  ASSERT_TRUE(wave.run("v_mfma_f32_16x16x16_f16 v[0:3], v[20:21], v[22:23], v[2:5]"));
  for (int r = 0; r < 4; ++r)
    for (int lane = 0; lane < 64; ++lane)
      ASSERT_EQ(wave.f(r, lane), static_cast<float>(100 * (r + 2) + lane));
}

TEST(Matrix, ScalesFromScalarsAndSubnormalScales) {
  WaveTest wave("gfx950");
  for (int r = 16; r < 32; ++r)
    for (int lane = 0; lane < 64; ++lane) wave.v(r, lane) = 0x38383838u;               // e4m3: 1.0
  for (int lane = 0; lane < 64; ++lane) wave.v(40, lane) = 0, wave.v(41, lane) = 254;  // 2^-127, 2^127
  const auto done =
      wave.run("v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[16:23], v[24:31], 0, v40, v41 op_sel_hi:[0,0,0]");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < 64; ++lane) EXPECT_EQ(wave.f(0, lane), 128.0f);
}

/// Operands that were widened before are used again only while their registers stay as they are: programs of
/// matrix instructions and moves over few registers give the same bits at once and instruction by
/// instruction.
TEST(Matrix, OperandsAreWidenedAgainAfterTheyChange) {
  std::mt19937_64 random(seed_of_run());
  const auto any = [&](int count) { return static_cast<int>(random() % static_cast<uint64_t>(count)); };
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> program;
    for (int i = 0; i < 40; ++i) {
      const int d = 4 * any(6), a = 2 * any(12), b = 2 * any(12), kind = any(8);
      if (kind == 0)
        program.push_back("v_mov_b32 v" + std::to_string(any(24)) + ", v" + std::to_string(24 + any(8)));
      else if (kind == 1)
        program.push_back("s_nop 3");
      else if (kind == 2)
        program.push_back("v_mfma_f32_16x16x16_bf16 " + registers('v', d, 4) + ", " + registers('v', a, 2) +
                          ", " + registers('v', b, 2) + ", 0");
      else
        program.push_back("v_mfma_f32_16x16x16_f16 " + registers('v', d, 4) + ", " + registers('v', a, 2) +
                          ", " + registers('v', b, 2) + ", 0");
    }
    WaveTest whole("gfx942"), steps("gfx942");
    for (int r = 0; r < 32; ++r)
      for (int lane = 0; lane < 64; ++lane) {
        const uint32_t half = encode<kF16>(std::uniform_real_distribution<double>(-1, 1)(random));
        whole.v(r, lane) = steps.v(r, lane) = half | encode<kF16>(-0.3) << 16;
      }
    std::string text;
    for (const std::string& line : program) {
      text += line + "\n";
      ASSERT_TRUE(steps.run(line)) << line;
    }
    SCOPED_TRACE(text);
    ASSERT_TRUE(whole.run(text));
    for (int r = 0; r < 32; ++r)
      for (int lane = 0; lane < 64; ++lane) ASSERT_EQ(whole.v(r, lane), steps.v(r, lane)) << r << " " << lane;
  }
}

TEST(Matrix, OperandsAreWidenedAgainInEveryTurnOfALoop) {
  WaveTest wave("gfx942");
  for (int lane = 0; lane < 64; ++lane)
    for (int r = 16; r < 20; ++r) wave.v(r, lane) = 0x3c003c00;  // f16: 1
  const auto done = wave.run(R"(
    s_mov_b32 s0, 3
  turn:
    v_mfma_f32_16x16x16_f16 v[0:3], v[16:17], v[18:19], v[0:3]
    v_pk_add_f16 v16, v16, v16
    v_pk_add_f16 v17, v17, v17
    s_sub_u32 s0, s0, 1
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 turn
  )");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < 64; ++lane) EXPECT_EQ(wave.f(0, lane), 16.0f * (1 + 2 + 4));
}

TEST(Matrix, ModifiersThatAnInstructionLacksAreRefused) {
  WaveTest wave("gfx942");
  for (const char* text : {"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], 0 blgp:3",
                           "v_mfma_f32_16x16x16_f16 v[0:3], v[16:17], v[18:19], 0 cbsz:1",
                           "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], 0 cbsz:2 abid:1"}) {
    const auto done = wave.run(text);
    ASSERT_FALSE(done) << text;
    EXPECT_EQ(done.error().kind, ErrorKind::Unsupported);
  }
}

}  // namespace
}  // namespace wavesmith::emulate
