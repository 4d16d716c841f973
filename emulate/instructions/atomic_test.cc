// Atomics of every operation and address space, against sequential meanings written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

using Meaning = std::function<uint64_t(uint64_t old, uint64_t data, uint64_t second)>;

struct Operation {
  const char* older;   ///< after global_atomic_; empty: not on CDNA
  const char* newer;   ///< on RDNA3; empty: not there
  const char* newest;  ///< on RDNA4; empty: not there
  const char* lds;     ///< after ds_, "!" for every target the same name; "" when there is none
  int bits;
  bool second;
  Meaning meaning;
};

int64_t s(uint64_t value, int bits) {
  return bits == 64 ? static_cast<int64_t>(value) : static_cast<int32_t>(value);
}
float f(uint64_t value) { return std::bit_cast<float>(static_cast<uint32_t>(value)); }
double d(uint64_t value) { return std::bit_cast<double>(value); }

std::vector<Operation> operations() {
  std::vector<Operation> all;
  const auto add = [&](const char* older, const char* newer, const char* newest, const char* lds, int bits,
                       bool second, Meaning meaning) {
    all.push_back({older, newer, newest, lds, bits, second, std::move(meaning)});
  };
  add("swap", "swap_b32", "swap_b32", "", 32, false, [](uint64_t, uint64_t data, uint64_t) { return data; });
  add("swap_x2", "swap_b64", "swap_b64", "", 64, false,
      [](uint64_t, uint64_t data, uint64_t) { return data; });
#define BOTH(name, suffix, expression)                                           \
  add(#name, name##_newer_32, name##_newer_32, name##_newer_32, 32, false,       \
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t {                    \
        constexpr int bits = 32;                                                 \
        (void)bits;                                                              \
        old &= 0xffffffff, data &= 0xffffffff;                                   \
        return expression;                                                       \
      });                                                                        \
  add(#name "_x2", name##_newer_64, name##_newer_64, name##_newer_64, 64, false, \
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t {                    \
        constexpr int bits = 64;                                                 \
        (void)bits;                                                              \
        return expression;                                                       \
      });
#define NAMES(name, base, letter) \
  constexpr const char *name##_newer_32 = base "_" letter "32", *name##_newer_64 = base "_" letter "64";
  // clang-format off
  NAMES(add, "add", "u")
  NAMES(sub, "sub", "u")
  NAMES(smin, "min", "i")
  NAMES(smax, "max", "i")
  NAMES(umin, "min", "u")
  NAMES(umax, "max", "u")
  NAMES(and, "and", "b")
  NAMES(or, "or", "b")
  NAMES(xor, "xor", "b")
  NAMES(inc, "inc", "u")
  NAMES(dec, "dec", "u")
  BOTH(add, u, old + data)
  BOTH(sub, u, old - data)
  BOTH(smin, i, s(old, bits) < s(data, bits) ? old : data)
  BOTH(smax, i, s(old, bits) > s(data, bits) ? old : data)
  BOTH(umin, u, std::min(old, data))
  BOTH(umax, u, std::max(old, data))
  BOTH(and, b, old & data)
  BOTH(or, b, old | data)
  BOTH(xor, b, old ^ data)
  BOTH(inc, u, old >= data ? 0 : old + 1)
  BOTH(dec, u, old == 0 || old > data ? data : old - 1)
  // clang-format on
#undef BOTH
#undef NAMES
  const auto compare = [](uint64_t old, uint64_t data, uint64_t second) {
    return old == second ? data : old;
  };
  add("cmpswap", "cmpswap_b32", "cmpswap_b32", "cmpst_b32", 32, true, compare);
  add("cmpswap_x2", "cmpswap_b64", "cmpswap_b64", "cmpst_b64", 64, true, compare);
  add("add_f32", "add_f32", "add_f32", "add_f32", 32, false,
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t {
        return std::bit_cast<uint32_t>(f(old) + f(data));
      });
  add("add_f64", "", "", "add_f64", 64, false,
      [](uint64_t old, uint64_t data, uint64_t) { return std::bit_cast<uint64_t>(d(old) + d(data)); });
  add("", "min_f32", "min_num_f32", "min_f32", 32, false,
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t { return f(data) < f(old) ? data : old; });
  add("", "max_f32", "max_num_f32", "max_f32", 32, false,
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t { return f(data) > f(old) ? data : old; });
  add("min_f64", "", "", "min_f64", 64, false,
      [](uint64_t old, uint64_t data, uint64_t) { return d(data) < d(old) ? data : old; });
  add("max_f64", "", "", "max_f64", 64, false,
      [](uint64_t old, uint64_t data, uint64_t) { return d(data) > d(old) ? data : old; });
  add("", "csub_u32", "sub_clamp_u32", "", 32, false,
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t { return old < data ? 0 : old - data; });
  add("", "", "cond_sub_u32", "", 32, false,
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t { return old < data ? old : old - data; });
  add("", "", "", "rsub_u32", 32, false,
      [](uint64_t old, uint64_t data, uint64_t) -> uint64_t { return data - old; });
  add("", "", "", "mskor_b32", 32, true,
      [](uint64_t old, uint64_t data, uint64_t second) -> uint64_t { return (old & ~data) | second; });
  add("", "", "", "mskor_b64", 64, true,
      [](uint64_t old, uint64_t data, uint64_t second) -> uint64_t { return (old & ~data) | second; });
  return all;
}

std::string registers(int first, int count) {
  return count == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + count - 1);
}

class Atomics : public testing::TestWithParam<TargetLanes> {
 protected:
  void SetUp() override {
    random.seed(seed);
    auto allocated = test.memory().allocate(4096);
    ASSERT_TRUE(allocated);
    buffer = static_cast<uint8_t*>(*allocated);
  }
  uint64_t value(bool floats, int bits) {
    if (!floats) {
      const uint64_t any = random() | uint64_t{random()} << 32;
      return random() % 4 == 0 ? any % 5 : any;  // small ones meet
    }
    const double number = (static_cast<int>(random() % 2001) - 1000) / 8.0;
    return bits == 64 ? std::bit_cast<uint64_t>(number) : std::bit_cast<uint32_t>(static_cast<float>(number));
  }

  void one(const Operation& operation, const std::string& name, bool lds, bool returns, int layout,
           uint64_t exec) {
    const int lanes = test.lanes(), words = operation.bits / 32;
    uint8_t* const memory = lds ? test.lds() : buffer;
    const bool floats = name.find("_f32") != std::string::npos || name.find("_f64") != std::string::npos;
    const auto bytes = static_cast<size_t>(operation.bits / 8);
    for (size_t i = 0; i < 4096; i += bytes) {
      const uint64_t content = value(floats, operation.bits);
      std::memcpy(memory + i, &content, bytes);
    }
    std::vector<uint8_t> model(memory, memory + 4096);
    test.exec() = exec;
    const auto set = [&](int index, int lane, uint64_t content) {
      test.v(index, lane) = static_cast<uint32_t>(content);
      if (words == 2) test.v(index + 1, lane) = static_cast<uint32_t>(content >> 32);
    };
    std::vector<uint64_t> expected(64);
    std::vector<size_t> offsets(64);
    for (int lane = 0; lane < lanes; ++lane) {
      const size_t offset = layout == 0   ? 64
                            : layout == 1 ? static_cast<size_t>(lane) * bytes
                                          : random() % 12 * bytes;
      offsets[static_cast<size_t>(lane)] = offset;
      test.v(0, lane) = static_cast<uint32_t>(offset);
      set(2, lane, value(floats, operation.bits));
      set(2 + words, lane, random() % 2 ? 3 : value(floats, operation.bits));
      if (random() % 2) {  // some comparisons succeed
        uint64_t there = 0;
        std::memcpy(&there, memory + offset, bytes);
        set(2 + words, lane, there);
      }
      set(8, lane, 0xdeadbeefcafe);
    }
    for (int lane = 0; lane < lanes; ++lane) {
      if (!(exec >> lane & 1)) continue;
      uint64_t old = 0;
      std::memcpy(&old, &model[offsets[static_cast<size_t>(lane)]], bytes);
      const auto get = [&](int index) { return words == 2 ? test.v64(index, lane) : test.v(index, lane); };
      const uint64_t after = operation.meaning(old, get(2), get(2 + words));
      std::memcpy(&model[offsets[static_cast<size_t>(lane)]], &after, bytes);
      expected[static_cast<size_t>(lane)] = old;
    }
    test.s64(4) = reinterpret_cast<uint64_t>(buffer);
    std::string text;
    const std::string result = returns ? registers(8, words) + ", " : "";
    if (lds) {
      const bool swapped = name.starts_with("ds_cmpst_");
      const std::string data = registers(swapped ? 2 + words : 2, words),
                        second = registers(swapped ? 2 : 2 + words, words);
      text = fmt::format("{} {}v0, {}{}", name, result, data, operation.second ? ", " + second : "");
    } else {
      const bool newest = test_target.starts_with("gfx12"),
                 cdna3 = test_target == "gfx942" || test_target == "gfx950";
      const char* back = newest ? " th:TH_ATOMIC_RETURN" : cdna3 ? " sc0" : " glc";
      text = fmt::format("{} {}v0, {}, s[4:5]{}", name, result,
                         registers(2, words * (operation.second ? 2 : 1)), returns ? back : "");
    }
    const auto done = test.run(text);
    ASSERT_TRUE(done) << text << ": " << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const uint64_t got = words == 2 ? test.v64(8, lane) : test.v(8, lane);
      uint64_t want = (exec >> lane & 1) && returns ? expected[static_cast<size_t>(lane)]
                      : words == 2                  ? 0xdeadbeefcafe
                                                    : 0xbeefcafe;
      ASSERT_EQ(got, want) << test_target << ' ' << text << " lane " << lane << " layout " << layout
                           << " exec " << exec << " seed " << seed;
    }
    ASSERT_EQ(std::memcmp(memory, model.data(), 4096), 0)
        << test_target << ' ' << text << " layout " << layout << " exec " << exec << " seed " << seed;
  }

  void all(const Operation& operation, const std::string& name, bool lds, bool also_without_result) {
    const uint64_t full = test.lanes() == 64 ? ~uint64_t{0} : 0xffffffffu;
    for (const int layout : {0, 1, 2})
      for (const uint64_t exec : {full, full & 0x00ff'0f0f'8001'1003, uint64_t{16}, uint64_t{0}}) {
        std::string returning = name;
        if (lds && name.find("_rtn_") == std::string::npos) returning.insert(name.rfind('_'), "_rtn");
        one(operation, returning, lds, true, layout, exec);
        if (also_without_result) one(operation, name, lds, false, layout, exec);
        if (HasFatalFailure()) return;
      }
  }
  static constexpr uint32_t seed = 7;
  std::mt19937 random;
  const std::string_view test_target = GetParam().target;
  WaveTest test{GetParam().target, GetParam().lanes};
  uint8_t* buffer = nullptr;
};

TEST_P(Atomics, Global) {
  int tried = 0;
  for (const Operation& operation : operations()) {
    const char* name = test_target.starts_with("gfx12")   ? operation.newest
                       : test_target.starts_with("gfx11") ? operation.newer
                                                          : operation.older;
    if (!*name) continue;
    all(operation, fmt::format("global_atomic_{}", name), false, std::string_view(name) != "csub_u32");
    if (HasFatalFailure()) return;
    ++tried;
  }
  EXPECT_GT(tried, 20);
}

TEST_P(Atomics, Lds) {
  int tried = 0;
  for (const Operation& operation : operations()) {
    std::string name = operation.lds;
    if (name.empty()) continue;
    if (test_target.starts_with("gfx1") && name.starts_with("cmpst_")) name.insert(5, "ore");
    if (test_target.starts_with("gfx12") && (name == "min_f32" || name == "max_f32")) name.insert(4, "num_");
    if (test_target.starts_with("gfx1") && name.ends_with("_f64")) continue;
    all(operation, "ds_" + name, true, true);
    if (HasFatalFailure()) return;
    ++tried;
  }
  EXPECT_GT(tried, 20);
}

TEST_P(Atomics, PackedHalves) {
  if (isa::find_target(test_target)->is(isa::kRdna3)) GTEST_SKIP();
  const uint32_t ones = 0x3c003c00, two_and_minus = 0xc0004000;  // (1, 1); (2, -2)
  std::memcpy(buffer, &ones, 4);
  test.exec() = 5;
  test.s64(4) = reinterpret_cast<uint64_t>(buffer);
  for (int lane = 0; lane < test.lanes(); ++lane) test.v(0, lane) = 0, test.v(1, lane) = two_and_minus;
  ASSERT_TRUE(test.run("global_atomic_pk_add_f16 v0, v1, s[4:5]"));
  uint32_t now;
  std::memcpy(&now, buffer, 4);
  EXPECT_EQ(now, 0xc2004500u);  // (5, -3)
  if (test_target == "gfx90a") return;
  const uint32_t bf16_ones = 0x3f803f80;
  std::memcpy(buffer, &bf16_ones, 4);
  for (int lane = 0; lane < test.lanes(); ++lane) test.v(1, lane) = 0xc0004000;  // (2, -2) too
  ASSERT_TRUE(test.run("global_atomic_pk_add_bf16 v0, v1, s[4:5]"));
  std::memcpy(&now, buffer, 4);
  EXPECT_EQ(now, 0xc04040a0u);  // (5, -3)
}

INSTANTIATE_TEST_SUITE_P(Targets, Atomics, testing::ValuesIn(all_targets()), [](const auto& info) {
  return fmt::format("{}_{}", info.param.target, info.param.lanes);
});

TEST(LdsPairs, ReadAndWriteTwoPlaces) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    const bool newer = target.starts_with("gfx1");
    for (uint32_t i = 0; i < 16384; ++i) std::memcpy(test.lds() + 4 * i, &i, 4);
    const auto reset = [&] {
      for (int lane = 0; lane < lanes; ++lane)
        test.v(3, lane) = static_cast<uint32_t>((lane * 7) % lanes * 16);
    };
    const auto name = [&](const char* older, const char* newest) {
      return std::string(newer ? newest : older);
    };
    reset();
    ASSERT_TRUE(test.run(name("ds_read2_b32", "ds_load_2addr_b32") + " v[4:5], v3 offset0:3 offset1:9"));
    for (int lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(test.v(4, lane), test.v(3, lane) / 4 + 3);
      EXPECT_EQ(test.v(5, lane), test.v(3, lane) / 4 + 9);
    }
    ASSERT_TRUE(test.run(name("ds_read2_b32", "ds_load_2addr_b32") + " v[4:5], v3 offset0:3 offset1:4"));
    for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(test.v(5, lane), test.v(3, lane) / 4 + 4);
    // The result may hold the address.
    ASSERT_TRUE(
        test.run(name("ds_read2st64_b64", "ds_load_2addr_stride64_b64") + " v[2:5], v3 offset0:1 offset1:5"));
    for (int lane = 0; lane < lanes; ++lane) {
      const auto at = static_cast<uint32_t>((lane * 7) % lanes * 4);
      EXPECT_EQ(test.v(2, lane), at + 128);
      EXPECT_EQ(test.v(3, lane), at + 129);
      EXPECT_EQ(test.v(4, lane), at + 640);
      EXPECT_EQ(test.v(5, lane), at + 641);
    }
    reset();
    for (int lane = 0; lane < lanes; ++lane)
      test.set_v64(6, lane, 100000u + static_cast<unsigned>(lane)),
          test.set_v64(8, lane, 200000u + static_cast<unsigned>(lane));
    ASSERT_TRUE(
        test.run(name("ds_write2_b64", "ds_store_2addr_b64") + " v3, v[6:7], v[8:9] offset0:200 offset1:1"));
    for (int lane = 0; lane < lanes; ++lane) {
      uint64_t first, second;
      std::memcpy(&first, test.lds() + test.v(3, lane) + 1600, 8);
      std::memcpy(&second, test.lds() + test.v(3, lane) + 8, 8);
      EXPECT_EQ(first, 100000u + static_cast<unsigned>(lane));
      EXPECT_EQ(second, 200000u + static_cast<unsigned>(lane));
    }
    // Out of range: reads give 0, writes are dropped.
    for (int lane = 0; lane < lanes; ++lane)
      test.v(3, lane) = 65536 - 4 * 32 + 4 * static_cast<uint32_t>(lane), test.v(4, lane) = 77;
    ASSERT_TRUE(test.run(name("ds_read_b32", "ds_load_b32") + " v4, v3 offset:64"));
    for (int lane = 0; lane < lanes; ++lane)
      EXPECT_EQ(test.v(4, lane), lane < 16 ? 16384u - 16 + static_cast<unsigned>(lane) : 0u);
    ASSERT_TRUE(test.run(name("ds_write_b32", "ds_store_b32") + " v3, v3 offset:64"));
  }
}

}  // namespace
}  // namespace wavesmith::emulate
