// Every matrix instruction, in assembly text on each target, against a reference in double that walks the
// matrices element by element through isa/matrix/layout.h (itself proved against AMD's calculator).
// Tolerance: the bound of the row.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/small_float.h"
#include "emulate/testing.h"
#include "isa/matrix/layout.h"
#include "isa/matrix/row.h"
#include "isa/matrix/table.h"

namespace wavesmith::emulate {
namespace {

using isa::MatrixElement;
using isa::MatrixInstruction;
using isa::MatrixPlace;

enum class Numbers { Ordinary, Special };

/// How an instruction is written, and what the reference needs to know of that.
struct Case {
  const MatrixInstruction* in = nullptr;
  const isa::Target* target = nullptr;
  int lanes = 64;
  MatrixElement a{}, b{};
  char file = 'v';
  bool in_place = false;      // D is C
  std::string constant = {};  // C, when it is one
  double constant_value = 0;
  int cbsz = 0, abid = 0, blgp = 0, index_set = 0;
  int neg_lo = 0, neg_hi = 0, op_sel = 0, scale_byte_a = 0, scale_byte_b = 0;
  bool clamp = false;
  std::string modifiers = {};
};

constexpr int kA = 64, kB = 96, kC = 32, kIndex = 130, kScaleA = 131, kScaleB = 132;

std::string registers(char file, int first, int count) {
  const std::string number = std::to_string(first);
  return count == 1 ? file + number : file + ("[" + number + ":" + std::to_string(first + count - 1) + "]");
}

std::string text_of(const Case& c) {
  const MatrixInstruction& in = *c.in;
  const int d = isa::registers_of_d(in, c.lanes);
  std::string text = std::string(in.mnemonic()) + " " + registers(c.file, c.in_place ? kC : 0, d) + ", " +
                     registers(c.file, kA, isa::registers_of_a(in, c.a, c.lanes)) + ", " +
                     registers(c.file, kB, isa::registers_of_b(in, c.b, c.lanes)) + ", ";
  if (in.sparse)
    text += "v" + std::to_string(kIndex);
  else if (!c.constant.empty())
    text += c.constant;
  else
    text += registers(c.file, kC, d);
  if (in.modifiers & isa::kScaled) text += ", v" + std::to_string(kScaleA) + ", v" + std::to_string(kScaleB);
  return text + c.modifiers;
}

class Machine {
 public:
  Machine(const Case& c, uint64_t seed, Numbers numbers)
      : case_(c), wave_(c.target->name, c.lanes), random_(seed), numbers_(numbers) {}

  void check() {
    fill();
    const std::string text = text_of(case_);
    SCOPED_TRACE(text);
    if (case_.file == 'v') wave_.exec() = random_();  // MFMA ignores EXEC
    if (case_.target->is(isa::kRdna)) wave_.exec() = case_.lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
    const std::vector<double> expected = reference();
    const std::vector<uint32_t> before = snapshot_d();
    const auto done = wave_.run(text);
    ASSERT_TRUE(done) << done.error().text();
    compare(expected, before);
  }

 private:
  uint32_t& reg(int index, int lane) {
    return case_.file == 'v' ? wave_.v(index, lane) : wave_.a(index, lane);
  }

  uint64_t get(int first, MatrixPlace place, int bits) {
    const int r = first + place.bit / 32, shift = place.bit % 32;
    if (bits == 64) return reg(r, place.lane) | uint64_t{reg(r + 1, place.lane)} << 32;
    uint64_t word = reg(r, place.lane);
    if (shift + bits > 32) word |= uint64_t{reg(r + 1, place.lane)} << 32;
    return word >> shift & ((uint64_t{1} << bits) - 1);
  }
  void put(int first, MatrixPlace place, int bits, uint64_t value) {
    for (int i = 0; i < bits; ++i) {
      uint32_t& word = reg(first + (place.bit + i) / 32, place.lane);
      const uint32_t one = 1u << (place.bit + i) % 32;
      word = value >> i & 1 ? word | one : word & ~one;
    }
  }

  double ordinary() { return std::uniform_real_distribution<double>(-2, 2)(random_); }

  uint64_t random_code(MatrixElement element) {
    const bool special = numbers_ == Numbers::Special && random_() % 16 == 0;
    const uint64_t pick = random_() % 6;
    const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-130};
    const double value = special ? specials[pick] : ordinary();
    switch (element) {
      case MatrixElement::F64:
        return std::bit_cast<uint64_t>(value);
      case MatrixElement::F32:
      case MatrixElement::Xf32:
        return std::bit_cast<uint32_t>(static_cast<float>(value));
      case MatrixElement::F16:
        return special && pick == 5 ? random_() % 0x400 : encode<kF16>(value);
      case MatrixElement::Bf16:
        return special && pick == 5 ? random_() % 0x80 : encode<kBf16>(value);
      case MatrixElement::Fp8:
      case MatrixElement::Bf8: {
        if (special) return random_() & 0xff;
        const bool bf8 = element == MatrixElement::Bf8;
        if (case_.target->fp8_is_fnuz()) return bf8 ? encode<kBf8Fnuz>(value) : encode<kFp8Fnuz>(value);
        return bf8 ? encode<kBf8>(value) : encode<kFp8>(value);
      }
      case MatrixElement::I32:
        return static_cast<uint32_t>(numbers_ == Numbers::Special ? random_() : random_() % 1000);
      default:
        return random_();
    }
  }

  double flushed(double value, double smallest) const {
    return case_.target->matrix_flushes_subnormals() && std::fabs(value) < smallest
               ? std::copysign(0.0, value)
               : value;
  }

  double decoded(MatrixElement element, uint64_t bits, bool is_signed) const {
    const auto code = static_cast<uint32_t>(bits);
    const bool fnuz = case_.target->fp8_is_fnuz();
    switch (element) {
      case MatrixElement::F64:
        return std::bit_cast<double>(bits);
      case MatrixElement::F32:
        return std::bit_cast<float>(code);
      case MatrixElement::Xf32: {
        const double value = std::bit_cast<float>(code);
        if (!std::isfinite(value) || value == 0) return value;
        const double step = std::exp2(std::ilogb(value) - 10);
        return std::nearbyint(value / step) * step;
      }
      case MatrixElement::F16:
        return flushed(decode<kF16>(code), 0x1p-14);
      case MatrixElement::Bf16:
        return flushed(decode<kBf16>(code), 0x1p-126);
      case MatrixElement::Fp8:
        return fnuz ? decode<kFp8Fnuz>(code) : decode<kFp8>(code);
      case MatrixElement::Bf8:
        return fnuz ? decode<kBf8Fnuz>(code) : decode<kBf8>(code);
      case MatrixElement::Fp6:
        return decode<kFp6>(code);
      case MatrixElement::Bf6:
        return decode<kBf6>(code);
      case MatrixElement::Fp4:
        return decode<kFp4>(code);
      case MatrixElement::I8:
        return static_cast<int8_t>(code);
      case MatrixElement::Iu8:
        return is_signed ? static_cast<int8_t>(code) : static_cast<uint8_t>(code);
      case MatrixElement::Iu4:
        return is_signed ? static_cast<int>(code ^ 8) - 8 : static_cast<int>(code);
      default:
        return static_cast<int32_t>(code);
    }
  }

  void fill() {
    const MatrixInstruction& in = *case_.in;
    for (int r = 0; r < 160; ++r)
      for (int lane = 0; lane < case_.lanes; ++lane)
        wave_.v(r, lane) = wave_.a(r, lane) = static_cast<uint32_t>(random_());
    const int bits_a = isa::bits_of_element(case_.a), bits_b = isa::bits_of_element(case_.b),
              bits_d = isa::bits_of_element(in.d);
    for (int block = 0; block < in.blocks; ++block) {
      for (int k = 0; k < isa::held_k(in); ++k)
        for (int i = 0; i < in.m; ++i)
          put(kA, isa::place_a(in, case_.a, case_.lanes, i, k, block), bits_a, random_code(case_.a));
      for (int k = 0; k < in.k; ++k)
        for (int j = 0; j < in.n; ++j)
          put(kB, isa::place_b(in, case_.b, case_.lanes, k, j, block), bits_b, random_code(case_.b));
      for (int i = 0; i < in.m; ++i)
        for (int j = 0; j < in.n; ++j)
          put(case_.in_place || !in.sparse ? kC : 0, place_d(i, j, block), bits_d, random_code(in.d));
    }
    for (int lane = 0; lane < case_.lanes; ++lane) {
      for (int byte = 0; byte < 4; ++byte) {  // scales near 1, so that sums stay in range
        reinterpret_cast<uint8_t*>(&wave_.v(kScaleA, lane))[byte] =
            static_cast<uint8_t>(117 + random_() % 20);
        reinterpret_cast<uint8_t*>(&wave_.v(kScaleB, lane))[byte] =
            static_cast<uint8_t>(117 + random_() % 20);
      }
      if (numbers_ == Numbers::Special && random_() % 16 == 0)
        wave_.v(kScaleA, lane) = random_() % 2 ? 0xffffffffu : 0;
    }
  }

  MatrixPlace place_d(int i, int j, int block) const {
    MatrixPlace place = isa::place_d(*case_.in, case_.lanes, i, j, block);
    if (case_.op_sel & 4) place.bit += 16;
    return place;
  }

  /// Lane and register of B after blgp's permutation of lanes.
  MatrixPlace permuted(MatrixPlace place) const {
    const int lane = place.lane,
              blgp = case_.in->d == MatrixElement::F64 || case_.b != case_.in->b ? 0 : case_.blgp;
    if (blgp == 1) place.lane = lane % 32;
    if (blgp == 2) place.lane = lane % 32 + 32;
    if (blgp == 3) place.lane = (lane + 16) % 64;
    if (blgp >= 4) place.lane = lane % 16 + 16 * (blgp - 4);
    return place;
  }

  double scale(int index_register, int byte, int row, int run) {
    const uint32_t code = wave_.v(index_register, row + case_.in->m * run) >> (8 * byte) & 0xff;
    return code == 0xff ? NAN : std::exp2(static_cast<int>(code) - 127);
  }

  /// A[i][.] as it meets B[.][j]: element, k of B.
  double element_of_a(int i, int k, int block) {
    const MatrixInstruction& in = *case_.in;
    if (in.modifiers & isa::kBroadcastA) block = block / (1 << case_.cbsz) * (1 << case_.cbsz) + case_.abid;
    const uint64_t bits =
        get(kA, isa::place_a(in, case_.a, case_.lanes, i, k, block), isa::bits_of_element(case_.a));
    double value = decoded(case_.a, bits, case_.neg_lo & 1);
    if (in.d != MatrixElement::I32) {
      const bool halves = isa::bits_of_element(case_.a) == 16;
      if ((halves && k % 2 ? case_.neg_hi : case_.neg_lo) & 1) value = -value;
    }
    return value;
  }
  double element_of_b(int k, int j, int block) {
    const MatrixInstruction& in = *case_.in;
    const uint64_t bits =
        get(kB, permuted(isa::place_b(in, case_.b, case_.lanes, k, j, block)), isa::bits_of_element(case_.b));
    double value = decoded(case_.b, bits, case_.neg_lo & 2);
    if (in.d != MatrixElement::I32) {
      const bool halves = isa::bits_of_element(case_.b) == 16;
      if ((halves && k % 2 ? case_.neg_hi : case_.neg_lo) & 2) value = -value;
    }
    return value;
  }

  std::vector<double> reference() {
    const MatrixInstruction& in = *case_.in;
    std::vector<double> expected;
    tolerance_.clear();
    for (int block = 0; block < in.blocks; ++block)
      for (int i = 0; i < in.m; ++i)
        for (int j = 0; j < in.n; ++j) {
          double c = case_.constant_value;
          if (case_.constant.empty()) {
            const uint64_t bits =
                get(in.sparse && !case_.in_place ? 0 : kC, place_d(i, j, block), isa::bits_of_element(in.d));
            c = decoded(in.d, bits, true);
            if (in.d == MatrixElement::F32 && (in.a == MatrixElement::F16 || in.a == MatrixElement::Bf16))
              c = flushed(c, 0x1p-126);
          }
          if (in.d != MatrixElement::I32) {
            if (case_.neg_hi & 4) c = std::fabs(c);
            if (case_.neg_lo & 4) c = -c;
          }
          long double sum = c, magnitude = std::fabs(c);
          for (int held = 0; held < isa::held_k(in); ++held) {
            int k = held;
            if (in.sparse) {
              const MatrixPlace place = isa::place_index(in, case_.lanes, i, held, case_.index_set);
              k = held / 2 * 4 + static_cast<int>(wave_.v(kIndex, place.lane) >> place.bit & 3);
            }
            double product = element_of_a(i, held, block) * element_of_b(k, j, block);
            if (in.modifiers & isa::kScaled)
              product *= scale(kScaleA, case_.scale_byte_a, i, k / 32) *
                         scale(kScaleB, case_.scale_byte_b, j, k / 32);
            sum += product;
            magnitude += std::fabs(product);
          }
          expected.push_back(static_cast<double>(sum));
          const double unit = in.d == MatrixElement::F64 ? 0x1p-53 : 0x1p-24;
          tolerance_.push_back((in.k + 1) * unit * static_cast<double>(magnitude) + 0x1p-126);
        }
    return expected;
  }

  std::vector<uint32_t> snapshot_d() {
    std::vector<uint32_t> words;
    for (int r = 0; r < isa::registers_of_d(*case_.in, case_.lanes); ++r)
      for (int lane = 0; lane < case_.lanes; ++lane)
        words.push_back(reg((case_.in_place ? kC : 0) + r, lane));
    return words;
  }

  void compare(const std::vector<double>& expected, const std::vector<uint32_t>& before) {
    const MatrixInstruction& in = *case_.in;
    const int first = case_.in_place ? kC : 0, bits = isa::bits_of_element(in.d);
    size_t n = 0;
    for (int block = 0; block < in.blocks; ++block)
      for (int i = 0; i < in.m; ++i)
        for (int j = 0; j < in.n; ++j, ++n) {
          const uint64_t code = get(first, place_d(i, j, block), bits);
          const double exact = expected[n];
          if (in.d == MatrixElement::I32) {
            int64_t value = static_cast<int64_t>(exact);
            if (case_.clamp) value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
            ASSERT_EQ(static_cast<int32_t>(code), static_cast<int32_t>(value))
                << i << " " << j << " " << block;
            continue;
          }
          const double value = decoded(in.d, code, true);
          double tolerance = tolerance_[n];
          if (bits == 16)
            tolerance += std::fabs(exact) * (in.d == MatrixElement::F16 ? 0x1p-11 : 0x1p-8) + 0x1p-25;
          if (std::isnan(exact))
            ASSERT_TRUE(std::isnan(value)) << value << " at " << i << " " << j << " " << block;
          else if (std::isinf(exact))
            ASSERT_EQ(value, exact) << i << " " << j << " " << block;
          else
            ASSERT_LE(std::fabs(value - exact), tolerance)
                << value << " for " << exact << " at " << i << " " << j << " " << block;
        }
    // The half of a register that op_sel does not name stays.
    if (in.layout != isa::MatrixLayout::Wmma3 || bits != 16) return;
    for (size_t w = 0; w < before.size(); ++w) {
      const uint32_t after =
          reg(first + static_cast<int>(w) / case_.lanes, static_cast<int>(w) % case_.lanes);
      const uint32_t kept = case_.op_sel & 4 ? 0xffffu : 0xffff0000u;
      ASSERT_EQ(after & kept, before[w] & kept);
    }
  }

  const Case& case_;
  WaveTest wave_;
  std::mt19937_64 random_;
  Numbers numbers_;
  std::vector<double> tolerance_;
};

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
      Case c;
      c.in = &in, c.target = target, c.lanes = lanes, c.a = in.a, c.b = in.b;
      if (in.a == MatrixElement::F8f6f4) c.a = c.b = MatrixElement::Fp8;
      if (in.modifiers & isa::kScaled) c.modifiers = " op_sel_hi:[0,0,0]";
      SCOPED_TRACE(std::string(name) + " wave" + std::to_string(lanes));
      each(c, [&](const Case& one, Numbers numbers = Numbers::Ordinary) {
        Machine(one, ++seed, numbers).check();
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Matrix, OrdinaryNumbers) {
  for_every([](const Case& c, auto check) { check(c); });
}

TEST(Matrix, NansInfinitiesZerosAndSubnormals) {
  for_every([](const Case& c, auto check) { check(c, Numbers::Special); });
}

TEST(Matrix, AccumulatesInPlace) {
  for_every([](Case c, auto check) {
    c.in_place = true;
    check(c);
  });
}

TEST(Matrix, AccumulationRegisters) {
  for_every([](Case c, auto check) {
    if (!c.target->has_accumulators()) return;
    c.file = 'a';
    check(c);
  });
}

TEST(Matrix, ConstantC) {
  for_every([](Case c, auto check) {
    if (c.in->sparse) return;
    c.constant = "0";
    check(c);
    c.constant = c.in->d == MatrixElement::I32 ? "-7" : "-0.5";
    c.constant_value = c.in->d == MatrixElement::I32 ? -7 : -0.5;
    check(c);
  });
}

TEST(Matrix, BroadcastsBlocksOfA) {
  for_every([](Case c, auto check) {
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
  for_every([](Case c, auto check) {
    if (!(c.in->modifiers & isa::kPermuteB)) return;
    for (int blgp = 1; blgp < 8; ++blgp) {
      c.blgp = blgp;
      c.modifiers = " blgp:" + std::to_string(blgp);
      check(c);
    }
  });
}

TEST(Matrix, NegatesDoubles) {
  for_every([](Case c, auto check) {
    if (c.in->d != MatrixElement::F64) return;
    for (int mask = 1; mask < 8; ++mask) {
      c.neg_lo = mask;
      c.modifiers = c.target->is(isa::kCdna2) ? " blgp:" + std::to_string(mask) : list("neg", mask);
      check(c);
    }
  });
}

TEST(Matrix, NegatesWmmaSources) {
  for_every([](Case c, auto check) {
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
  for_every([](Case c, auto check) {
    if (c.a != MatrixElement::Iu8 && c.a != MatrixElement::Iu4) return;
    for (int signs = 0; signs < 4; ++signs)
      for (const bool clamp : {false, true}) {
        c.neg_lo = signs, c.clamp = clamp;
        c.modifiers = list("neg_lo", signs) + (clamp ? " clamp" : "");
        check(c);
        check(c, Numbers::Special);
      }
  });
}

TEST(Matrix, SelectsIndicesOfSparseForms) {
  for_every([](Case c, auto check) {
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
  for_every([](Case c, auto check) {
    if (!(c.in->modifiers & isa::kSelectHalf)) return;
    c.op_sel = 4;
    c.modifiers = " op_sel:[0,0,1]";
    check(c);
    c.in_place = true;
    check(c);
  });
}

TEST(Matrix, EveryPairOfFormats) {
  for_every([](Case c, auto check) {
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
        check(c, Numbers::Special);
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
      {"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[12:15]",     0x0010,     kOneF16,    0,   0        },
      {"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[12:15]",     0,          kOneF16,    f32, 0        },
      {"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[12:15]",     kOneF16,    kOneF16,    0,   1        },
      {"gfx90a", "v_mfma_f32_16x16x16bf16_1k v[0:3], v[8:9], v[10:11], v[12:15]", 0x0010,     kOneBf16,   0,   0        },
      {"gfx90a", "v_mfma_f32_16x16x16bf16_1k v[0:3], v[8:9], v[10:11], v[12:15]", kSmallBf16, kSmallBf16, 0,
       0                                                                                                                },
      {"gfx90a", "v_mfma_f32_4x4x4f16 v[0:3], v[8:9], v[10:11], v[12:15]",        0,          kOneF16,    f32, 0        },
      {"gfx90a", "v_mfma_f32_16x16x4f32 v[0:3], v8, v10, v[12:15]",               f32,        one,        f32, 0x1p-129f},
      {"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[12:15]",    0x0010,     kOneF16,    0,   0x1p-20f },
      {"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[12:15]",    0,          kOneF16,    f32, 0x1p-130f},
      {"gfx942", "v_mfma_f32_16x16x16_bf16 v[0:3], v[8:9], v[10:11], v[12:15]",   kSmallBf16, kSmallBf16, 0,
       0x1p-128f                                                                                                        },
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
