// Formatted buffer memory: the codes of formats against what LLVM prints for them, and conversions against a
// model that takes a format's name apart and computes in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"
#include "isa/llvm/assembler.h"
#include "isa/llvm/decoder.h"
#include "isa/memory/format.h"
#include "isa/target.h"

namespace wavesmith::emulate {
namespace {

/// "2_10_10_10_UNORM" taken apart; widths from the lowest bits up.
struct Model {
  std::vector<int> widths;
  std::string number;
  explicit Model(const std::string& name) {
    const size_t at = name.rfind('_');
    number = name.substr(at + 1);
    std::string widths_text = name.substr(0, at) + "_";
    for (size_t from = 0, to; (to = widths_text.find('_', from)) != std::string::npos; from = to + 1)
      widths.insert(widths.begin(), std::stoi(widths_text.substr(from, to - from)));
  }
  [[nodiscard]] int bytes() const {
    int bits = 0;
    for (const int width : widths) bits += width;
    return bits / 8;
  }
  [[nodiscard]] bool integer() const { return number == "UINT" || number == "SINT"; }
  /// Component i of an element, as a number.
  [[nodiscard]] double value(const uint8_t* element, size_t i) const {
    int at = 0;
    for (size_t before = 0; before < i; ++before) at += widths[before];
    uint64_t code = 0;
    for (int bit = 0; bit < widths[i]; ++bit)
      code |= static_cast<uint64_t>(element[(at + bit) / 8] >> ((at + bit) % 8) & 1) << bit;
    return number_of(code, widths[i]);
  }
  [[nodiscard]] double number_of(uint64_t code, int width) const {
    const double range = std::exp2(width), as_unsigned = static_cast<double>(code);
    const double as_signed = as_unsigned >= range / 2 ? as_unsigned - range : as_unsigned;
    if (number == "UNORM") return as_unsigned / (range - 1);
    if (number == "SNORM") return std::max(as_signed / (range / 2 - 1), -1.0);
    if (number == "USCALED" || number == "UINT") return as_unsigned;
    if (number == "SSCALED" || number == "SINT") return as_signed;
    const int exponent_bits = width == 32 ? 8 : 5, mantissa_bits = width == 32   ? 23
                                                                   : width == 16 ? 10
                                                                                 : width - 5;
    const double bias = width == 32 ? 127 : 15;
    const auto exponent = static_cast<double>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
    const auto mantissa =
        static_cast<double>(code & ((uint64_t{1} << mantissa_bits) - 1)) / std::exp2(mantissa_bits);
    const double sign = width >= 16 && (code >> (width - 1) & 1) != 0 ? -1 : 1;
    if (exponent == std::exp2(exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign *
           (exponent == 0 ? mantissa * std::exp2(1 - bias) : (1 + mantissa) * std::exp2(exponent - bias));
  }
};

/// What each target calls its formats in a tbuffer instruction, and their code in a resource's fourth dword.
struct Named {
  std::string name, syntax;
  uint32_t word3;
};
std::vector<Named> formats_of(const isa::Target& target) {
  std::vector<Named> result;
  if (target.has_unified_formats()) {
    for (uint32_t code = 1; code < 64; ++code) {
      const std::string name(isa::formats::kUnified[code]);
      result.push_back({name, fmt::format("[BUF_FMT_{}]", name), code << 12});
    }
  } else {
    for (uint32_t data = 1; data < 15; ++data)
      for (const uint32_t number : {0, 1, 2, 3, 4, 5, 7}) {
        const std::string d(isa::formats::kData[data]), n(isa::formats::kNumber[number]);
        if (number == 7 &&
            (d == "8" || d.find("8_8") != std::string::npos || d == "10_10_10_2" || d == "2_10_10_10"))
          continue;
        result.push_back({d + "_" + n, fmt::format("[BUF_DATA_FORMAT_{},BUF_NUM_FORMAT_{}]", d, n),
                          data << 15 | number << 12});
      }
  }
  return result;
}

class Formatted : public testing::TestWithParam<TargetLanes> {
 protected:
  void SetUp() override {
    auto at = test.memory().allocate(kBytes);
    ASSERT_TRUE(at);
    buffer = static_cast<uint8_t*>(*at);
    for (size_t i = 0; i < kBytes; ++i) buffer[i] = static_cast<uint8_t>(random());
  }
  void TearDown() override { (void)test.memory().release(buffer); }
  /// s[4:7]: records of 16 bytes.
  void resource(uint32_t word3) {
    test.s64(4) = reinterpret_cast<uint64_t>(buffer) | uint64_t{16} << 48;
    test.s(6) = 64;
    test.s(7) = word3;
  }
  std::string d16(const char* stem, const char* components) const {
    return target.is(isa::kRdna) ? fmt::format("{}_d16_format_{}", stem, components)
                                 : fmt::format("{}_format_d16_{}", stem, components);
  }
  static constexpr size_t kBytes = 4096;
  static constexpr uint32_t kXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  std::mt19937 random{77};
  WaveTest test{GetParam().target, GetParam().lanes};
  const int lanes = GetParam().lanes;
  const isa::Target& target = *isa::find_target(GetParam().target);
  const char* const zero = GetParam().target.starts_with("gfx12") ? "null" : "0";
  uint8_t* buffer = nullptr;
};

TEST_P(Formatted, LoadsOfEveryFormatByInstructionAndByResource) {
  for (const Named& format : formats_of(target)) {
    SCOPED_TRACE(format.name);
    const Model model(format.name);
    resource(format.word3 | kXyzw);
    for (int lane = 0; lane < lanes; ++lane)
      test.v(0, lane) = random() % 70;  // some records are out of range
    const auto done =
        test.run(fmt::format("tbuffer_load_format_xyzw v[4:7], v0, s[4:7], {} format:{} "
                             "idxen\nbuffer_load_format_xyz v[8:10], v0, s[4:7], {} idxen",
                             zero, format.syntax, zero));
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const uint8_t* const element = buffer + 16 * test.v(0, lane);
      for (int i = 0; i < 4; ++i) {
        const bool inside = test.v(0, lane) < 64, there = i < static_cast<int>(model.widths.size());
        const double expected = !inside  ? 0
                                : there  ? model.value(element, static_cast<size_t>(i))
                                : i == 3 ? 1
                                         : 0;
        for (const int r : {4, 8}) {
          if (r == 8 && i == 3) continue;
          const uint32_t word = test.v(r + i, lane);
          const double got = inside && model.integer()
                                 ? (model.number == "UINT" ? static_cast<double>(word)
                                                           : static_cast<double>(static_cast<int32_t>(word)))
                                 : static_cast<double>(std::bit_cast<float>(word));
          if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(got)) << lane << ' ' << i;
          else if (expected == 0)
            EXPECT_EQ(got, 0);
          else if (std::isinf(expected))
            EXPECT_EQ(got, expected);
          else
            EXPECT_LE(std::fabs(got - expected), std::ldexp(std::fabs(expected), -24))
                << lane << ' ' << i << ' ' << expected;
        }
      }
    }
  }
}

TEST_P(Formatted, StoresRoundToTheNearestAndStayWithinTheFormat) {
  for (const Named& format : formats_of(target)) {
    SCOPED_TRACE(format.name);
    const Model model(format.name);
    resource(format.word3 | kXyzw);
    const std::vector<uint8_t> before(buffer, buffer + kBytes);
    for (int lane = 0; lane < lanes; ++lane) {
      test.v(0, lane) = static_cast<uint32_t>(lane);
      for (int i = 0; i < 4; ++i) {
        if (model.integer())
          test.v(4 + i, lane) = static_cast<uint32_t>(random()) >> random() % 32;
        else
          test.set_f(4 + i, lane,
                     (static_cast<float>(random() % 20001) - 10000) *
                         std::ldexp(1.0f, static_cast<int>(random() % 24) - 18));
      }
    }
    test.exec() = 0x5a5a0ff0ffffffff & (lanes == 64 ? ~uint64_t{0} : 0x7fffffffu);
    const auto done = test.run(
        fmt::format("tbuffer_store_format_xyzw v[4:7], v0, s[4:7], {} format:{} idxen", zero, format.syntax));
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const size_t at = static_cast<size_t>(lane) * 16;
      const int written = (test.exec() >> lane & 1) != 0 ? model.bytes() : 0;
      EXPECT_EQ(std::memcmp(buffer + at + written, &before[at] + written, static_cast<size_t>(16 - written)),
                0)
          << "bytes beyond it stay";
      if (written == 0) continue;
      for (size_t i = 0; i < model.widths.size(); ++i) {
        const uint32_t word = test.v(4 + static_cast<int>(i), lane);
        const double value = model.number == "UINT"   ? static_cast<double>(word)
                             : model.number == "SINT" ? static_cast<double>(static_cast<int32_t>(word))
                                                      : static_cast<double>(std::bit_cast<float>(word));
        const double got = model.value(buffer + at, i);
        // The nearest of all codes of narrow formats; others are whole, or floats.
        if (model.widths[i] <= 11 && model.number != "FLOAT") {
          double best = HUGE_VAL;
          for (uint64_t code = 0; code < uint64_t{1} << model.widths[i]; ++code)
            best = std::min(best, std::fabs(model.number_of(code, model.widths[i]) - value));
          EXPECT_LE(std::fabs(got - value), best * (1 + 1e-12)) << value << " became " << got;
        } else if (model.number == "FLOAT") {
          const int mantissa = model.widths[i] == 32 ? 23 : model.widths[i] == 16 ? 10 : model.widths[i] - 5;
          const double wanted = model.widths[i] < 16 ? std::max(value, 0.0) : value;
          if (model.widths[i] != 32 && std::fabs(wanted) > 65504) continue;
          EXPECT_LE(std::fabs(got - wanted),
                    std::max(std::ldexp(std::fabs(wanted), -mantissa - 1), std::ldexp(1.0, -15 - mantissa)))
              << value;
        } else {
          const double range = std::exp2(model.widths[i]);
          const bool is_signed = model.number[0] == 'S';
          const double unit = model.number == "UNORM"   ? range - 1
                              : model.number == "SNORM" ? range / 2 - 1
                                                        : 1;
          const double low = model.number == "SNORM" ? -1
                             : is_signed             ? -range / 2
                                                     : 0,
                       high = model.number == "UNORM" || model.number == "SNORM" ? 1
                              : is_signed                                        ? range / 2 - 1
                                                                                 : range - 1;
          EXPECT_LE(std::fabs(got - std::clamp(value, low, high)) * unit, 0.5 * (1 + 1e-9)) << value;
        }
      }
    }
  }
}

TEST_P(Formatted, HalvesOfRegisters) {
  const std::string name = "16_16_16_16_SNORM";
  const Model model(name);
  uint32_t word3 = 0;
  for (const Named& format : formats_of(target))
    if (format.name == name) word3 = format.word3;
  resource(word3 | kXyzw);
  const std::string high =
      target.is(isa::kRdna) ? "buffer_load_d16_hi_format_x" : "buffer_load_format_d16_hi_x";
  const auto half = [](uint32_t code) {
    return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(code)));
  };
  for (const bool sram_ecc : {test.sram_ecc, false}) {
    test.sram_ecc = sram_ecc;
    for (int lane = 0; lane < lanes; ++lane) {
      test.v(0, lane) = random() % 64;
      for (int r = 1; r < 12; ++r) test.v(r, lane) = 0xabcd0000u + static_cast<uint32_t>(r);
    }
    const auto done = test.run(fmt::format(
        "{} v[2:3], v0, s[4:7], {} idxen\n{} v4, v0, s[4:7], {} idxen\n{} v5, v0, s[4:7], {} idxen\n"
        "{} v[6:7], v0, s[4:7], {} idxen",
        d16("buffer_load", "xyzw"), zero, d16("buffer_load", "x"), zero, high, zero,
        d16("buffer_load", "xyz"), zero));
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const uint8_t* const element = buffer + 16 * test.v(0, lane);
      for (size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(half(test.v(2 + static_cast<int>(i) / 2, lane) >> (16 * (i % 2)) & 0xffff),
                    model.value(element, i), 0x1p-12);
      EXPECT_NEAR(half(test.v(4, lane) & 0xffff), model.value(element, 0), 0x1p-12);
      EXPECT_EQ(test.v(4, lane) >> 16, sram_ecc ? 0 : 0xabcdu);
      EXPECT_NEAR(half(test.v(5, lane) >> 16), model.value(element, 0), 0x1p-12);
      EXPECT_EQ(test.v(5, lane) & 0xffff, sram_ecc ? 0 : 5u);
      EXPECT_EQ(test.v(6, lane), test.v(2, lane));
      EXPECT_NEAR(half(test.v(7, lane) & 0xffff), model.value(element, 2), 0x1p-12);
      EXPECT_EQ(test.v(7, lane) >> 16, sram_ecc ? 0 : 0xabcdu);
    }
  }
  // And back: what was read is what is there.
  for (int lane = 0; lane < lanes; ++lane) {
    test.v(0, lane) = static_cast<uint32_t>(lane);
    test.v(2, lane) = 0x38003c00, test.v(3, lane) = 0xbc000000;  // 1, 0.5, 0, -1
  }
  ASSERT_TRUE(test.run(fmt::format("{} v[2:3], v0, s[4:7], {} idxen", d16("buffer_store", "xyzw"), zero)));
  for (int lane = 0; lane < lanes; ++lane)
    for (size_t i = 0; i < 4; ++i) {
      static constexpr double kStored[] = {1, 0.5, 0, -1};
      EXPECT_NEAR(model.value(buffer + 16 * lane, i), kStored[i], 1e-4);
    }
}

TEST_P(Formatted, TheResourceChoosesComponents) {
  uint32_t word3 = 0;
  for (const Named& format : formats_of(target))
    if (format.name == "8_8_8_8_UINT") word3 = format.word3;
  resource(word3 | 7 | 1 << 3 | 0 << 6 | 4 << 9);  // w, 1, 0, x
  for (int lane = 0; lane < lanes; ++lane) test.v(0, lane) = static_cast<uint32_t>(lane);
  ASSERT_TRUE(test.run(fmt::format("buffer_load_format_xyzw v[4:7], v0, s[4:7], {} idxen", zero)));
  for (int lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(test.v(4, lane), buffer[16 * lane + 3]);
    EXPECT_EQ(test.v(5, lane), 1u);
    EXPECT_EQ(test.v(6, lane), 0u);
    EXPECT_EQ(test.v(7, lane), buffer[16 * lane]);
  }
  resource(kXyzw);  // no format: reads 0, writes nothing
  const std::vector<uint8_t> before(buffer, buffer + kBytes);
  ASSERT_TRUE(test.run(fmt::format(
      "buffer_store_format_x v0, v0, s[4:7], {} idxen\nbuffer_load_format_xy v[4:5], v0, s[4:7], {} idxen",
      zero, zero)));
  EXPECT_EQ(std::memcmp(buffer, before.data(), kBytes), 0);
  EXPECT_EQ(test.v(4, 3) | test.v(5, 3), 0u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Formatted, testing::ValuesIn(all_targets()), [](const auto& info) {
  return fmt::format("{}_{}", info.param.target, info.param.lanes);
});

/// LLVM's assembler takes the names; its codes are those of the resource.
TEST(FormatCodes, AreLlvms) {
  for (const isa::Target& target : isa::kTargets) {
    auto decoder = isa::Decoder::create(target, 64);
    ASSERT_TRUE(decoder);
    const char* const zero = target.is(isa::kRdna4) ? "null" : "0";
    for (const Named& format : formats_of(target)) {
      const uint32_t code = target.has_unified_formats()
                                ? format.word3 >> 12
                                : (format.word3 >> 15 & 15) | (format.word3 >> 12 & 7) << 4;
      const auto by_name = isa::assemble(
          target, 64,
          fmt::format("tbuffer_load_format_x v0, v1, s[4:7], {} format:{} idxen", zero, format.syntax));
      const auto by_number = isa::assemble(
          target, 64, fmt::format("tbuffer_load_format_x v0, v1, s[4:7], {} format:{} idxen", zero, code));
      ASSERT_TRUE(by_name && by_number) << format.syntax;
      EXPECT_EQ(*by_name, *by_number) << target.name << ' ' << format.syntax;
    }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
