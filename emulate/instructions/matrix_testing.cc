#include "emulate/instructions/matrix_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "base/small_float.h"
#include "emulate/instructions/testing.h"
#include "isa/matrix/layout.h"

namespace wavesmith::emulate {
namespace {

using isa::MatrixElement;
using isa::MatrixInstruction;
using isa::MatrixPlace;

class Machine {
 public:
  Machine(const MatrixCase& c, uint64_t seed, MatrixNumbers numbers)
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
    const bool special = numbers_ == MatrixNumbers::Special && random_() % 16 == 0;
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
        return static_cast<uint32_t>(numbers_ == MatrixNumbers::Special ? random_() : random_() % 1000);
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
      if (numbers_ == MatrixNumbers::Special && random_() % 16 == 0)
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

  const MatrixCase& case_;
  WaveTest wave_;
  std::mt19937_64 random_;
  MatrixNumbers numbers_;
  std::vector<double> tolerance_;
};

}  // namespace

std::string registers(char file, int first, int count) {
  const std::string number = std::to_string(first);
  return count == 1 ? file + number : file + ("[" + number + ":" + std::to_string(first + count - 1) + "]");
}

std::string text_of(const MatrixCase& c) {
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

void check_matrix(const MatrixCase& c, uint64_t seed, MatrixNumbers numbers) {
  Machine(c, seed, numbers).check();
}

}  // namespace wavesmith::emulate
