// Buffer instructions: addressing and bounds of raw, structured and swizzled resources; loads that go to LDS;
// scalar buffers. The model computes each lane's address on its own.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

class Buffers : public testing::TestWithParam<TargetLanes> {
 protected:
  void SetUp() override {
    random.seed(11);
    auto at = test.memory().allocate(kBytes);
    ASSERT_TRUE(at);
    buffer = static_cast<uint8_t*>(*at);
    for (size_t i = 0; i < kBytes; ++i) buffer[i] = static_cast<uint8_t>(random());
  }
  void TearDown() override { (void)test.memory().release(buffer); }
  /// s[4:7]
  void resource(uint32_t records, uint32_t stride, uint32_t more = 0, uint32_t top = 0) {
    test.s64(4) = reinterpret_cast<uint64_t>(buffer) | uint64_t{stride} << 48 | uint64_t{top} << 32;
    test.s(6) = records;
    test.s(7) = more;
  }
  [[nodiscard]] uint32_t dword(uint64_t at) const {
    uint32_t value;
    std::memcpy(&value, buffer + at, 4);
    return value;
  }
  static constexpr size_t kBytes = 65536;
  std::mt19937 random;
  WaveTest test{GetParam().target, GetParam().lanes};
  const int lanes = GetParam().lanes;
  const bool newer = GetParam().target.starts_with("gfx1");
  const char* const zero = GetParam().target.starts_with("gfx12") ? "null" : "0";
  const uint32_t raw = newer ? 3u << 28 : 0, structured = 0;  // OOB_SELECT
  uint8_t* buffer = nullptr;
};

TEST_P(Buffers, RawLoadsReadZeroBeyondTheirRecords) {
  resource(1000, 0, raw);
  test.s(9) = 100;
  for (int lane = 0; lane < lanes; ++lane) test.v(0, lane) = lane == 3 ? 0xfffffff0u : random() % 1200;
  const char* name = newer ? "buffer_load_b32" : "buffer_load_dword";
  for (const int offset : {0, 12}) {
    const auto done = test.run(fmt::format("{} v1, v0, s[4:7], s9 offen offset:{}", name, offset));
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const uint64_t at = uint64_t{test.v(0, lane)} + static_cast<uint64_t>(offset);
      EXPECT_EQ(test.v(1, lane), at + 4 <= 900 ? dword(at + 100) : 0u) << lane;
    }
  }
}

TEST_P(Buffers, EachDwordOfARawAccessIsCheckedOnItsOwn) {
  constexpr uint32_t kScalar = 100, kRecords = 1003, kRoom = kRecords - kScalar, kMark = 0xabcd0000;
  resource(kRecords, 0, raw);
  test.s(9) = kScalar;
  for (const int dwords : {2, 3, 4}) {
    const auto name = [&](const char* verb) {
      return newer ? fmt::format("buffer_{}_b{}", verb, 32 * dwords)
                   : fmt::format("buffer_{}_dwordx{}", verb, dwords);
    };
    for (const bool near : {true, false}) {  // else every lane is beyond as a whole, some in part
      for (int lane = 0; lane < lanes; ++lane) {
        test.v(0, lane) = near ? kRoom - 40 + random() % 50 : kRoom - 7 + random() % 30;
        for (int i = 0; i < 4; ++i) test.v(8 + i, lane) = kMark | static_cast<uint32_t>(lane * 4 + i);
      }
      test.v(0, 5) = 0xfffffff8u;
      auto done = test.run(fmt::format("{} v[4:{}], v0, s[4:7], s9 offen", name("load"), 3 + dwords));
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane)
        for (uint32_t i = 0; i < static_cast<uint32_t>(dwords); ++i) {
          const uint64_t at = uint64_t{test.v(0, lane)} + 4 * i;
          EXPECT_EQ(test.v(4 + static_cast<int>(i), lane), at + 4 <= kRoom ? dword(at + kScalar) : 0u)
              << name("load") << " lane " << lane << " dword " << i << " at " << at;
        }
      // One lane, so that no other one writes there too.
      for (const uint32_t from : {kRoom - 3, kRoom - 4, kRoom - 7, kRoom - 8, kRoom - 13, kRoom - 16}) {
        std::vector<uint8_t> expected(buffer, buffer + kBytes);
        test.v(0, 7) = from;
        for (uint32_t i = 0; i < static_cast<uint32_t>(dwords) && from + 4 * i + 4 <= kRoom; ++i)
          std::memcpy(&expected[from + 4 * i + kScalar], &test.v(8 + static_cast<int>(i), 7), 4);
        test.exec() = 1u << 7;
        done = test.run(fmt::format("{} v[8:{}], v0, s[4:7], s9 offen", name("store"), 7 + dwords));
        test.exec() = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(std::memcmp(buffer, expected.data(), kBytes), 0) << name("store") << " at " << from;
      }
    }
  }
}

TEST_P(Buffers, ContiguousLoadsAndStores) {
  resource(kBytes, 0, raw);
  for (int lane = 0; lane < lanes; ++lane) test.v(0, lane) = static_cast<uint32_t>(lane) * 16;
  const char* load = newer ? "buffer_load_b128" : "buffer_load_dwordx4";
  const char* store = newer ? "buffer_store_b128" : "buffer_store_dwordx4";
  const auto done = test.run(
      fmt::format("{} v[4:7], v0, s[4:7], {} offen offset:32\n{} v[4:7], v0, s[4:7], {} offen offset:4080",
                  load, zero, store, zero));
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(test.v(4 + i, lane),
                dword(32 + static_cast<uint64_t>(lane) * 16 + 4 * static_cast<uint64_t>(i)));
  EXPECT_EQ(std::memcmp(buffer + 4080, buffer + 32, static_cast<size_t>(lanes) * 16), 0);
}

TEST_P(Buffers, StructuredLoadsCountRecords) {
  resource(20, 24, structured);
  for (int lane = 0; lane < lanes; ++lane)
    test.v(0, lane) = random() % 30, test.v(1, lane) = random() % 4 * 4;
  const char* name = newer ? "buffer_load_b32" : "buffer_load_dword";
  const auto done = test.run(fmt::format("{} v2, v[0:1], s[4:7], {} idxen offen offset:4", name, zero));
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane) {
    const uint32_t index = test.v(0, lane), at = index * 24 + test.v(1, lane) + 4;
    EXPECT_EQ(test.v(2, lane), index < 20 ? dword(at) : 0u) << lane;
  }
}

TEST_P(Buffers, SwizzledByIndex) {
  // Index stride 16, elements of four bytes: bytes of sixteen records are interleaved.
  resource(1000, 32, structured | 1u << 21, newer ? 1u << 30 : 1u << 31);
  for (int lane = 0; lane < lanes; ++lane) test.v(0, lane) = random() % 64, test.v(1, lane) = random() % 28;
  const char* name = newer ? "buffer_load_u8" : "buffer_load_ubyte";
  const auto done = test.run(fmt::format("{} v2, v[0:1], s[4:7], {} idxen offen", name, zero));
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane) {
    const uint32_t index = test.v(0, lane), offset = test.v(1, lane);
    const uint32_t at = (index / 16 * 32 + offset / 4 * 4) * 16 + index % 16 * 4 + offset % 4;
    EXPECT_EQ(test.v(2, lane), buffer[at]) << lane;
  }
}

TEST_P(Buffers, AtomicsReturnTheOldValueAndDropWhatIsOutside) {
  resource(64, 0, raw);
  const std::vector<uint8_t> before(buffer, buffer + kBytes);
  for (int lane = 0; lane < lanes; ++lane)
    test.v(0, lane) = static_cast<uint32_t>(lane) * 4, test.v(1, lane) = 7;
  const bool newest = GetParam().target.starts_with("gfx12"),
             cdna3 = GetParam().target == "gfx942" || GetParam().target == "gfx950";
  const auto done = test.run(fmt::format("{} v1, v0, s[4:7], {} offen {}",
                                         newer ? "buffer_atomic_add_u32" : "buffer_atomic_add", zero,
                                         newest  ? "th:TH_ATOMIC_RETURN"
                                         : cdna3 ? "sc0"
                                                 : "glc"));
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane) {
    uint32_t old;
    std::memcpy(&old, &before[static_cast<size_t>(lane) * 4], 4);
    EXPECT_EQ(test.v(1, lane), lane < 16 ? old : 0u);
    EXPECT_EQ(dword(static_cast<uint64_t>(lane) * 4), lane < 16 ? old + 7 : old);
  }
}

TEST_P(Buffers, ScalarBuffersReadZeroBeyond) {
  resource(40, 0, raw);
  test.s(9) = 8;
  const auto done = test.run(fmt::format("{} s[12:15], s[4:7], s9{}",
                                         newer ? "s_buffer_load_b128" : "s_buffer_load_dwordx4",
                                         GetParam().target == "gfx90a" ? "" : " offset:0x14"));
  ASSERT_TRUE(done) << done.error().text();
  const uint32_t start = GetParam().target == "gfx90a" ? 8 : 28;
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(test.s(12 + static_cast<int>(i)), start + 4 * i + 4 <= 40 ? dword(start + 4 * i) : 0u);
}

TEST_P(Buffers, LoadsToLds) {
  if (newer) return;  // not in RDNA's instruction sets
  resource(4096, 0, raw);
  test.s64(10) = reinterpret_cast<uint64_t>(buffer);
  for (int lane = 0; lane < lanes; ++lane)
    test.v(0, lane) = random() % 1000 * 4, test.v(2, lane) = random() % 1000;
  test.wave().s[scalar_index::kM0] = 512;
  const std::vector<uint8_t> before(test.lds(), test.lds() + 4096);
  test.exec() = 0x0ffffffffffffff0;
  auto done = test.run("buffer_load_dword v0, s[4:7], 0 offen offset:4 lds");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane) {
    uint32_t stored;
    std::memcpy(&stored, test.lds() + 516 + 4 * lane, 4);
    const bool active = lane >= 4 && lane < 60;
    uint32_t old;
    std::memcpy(&old, &before[516 + 4 * static_cast<size_t>(lane)], 4);
    const uint32_t at = test.v(0, lane) + 4;
    EXPECT_EQ(stored, active ? (at + 4 <= 4096 ? dword(at) : 0) : old) << lane;
  }
  if (GetParam().target == "gfx90a") return;
  test.exec() = ~uint64_t{0};
  done = test.run("global_load_lds_ubyte v2, s[10:11] offset:4");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane) {
    uint32_t stored;
    std::memcpy(&stored, test.lds() + 516 + 4 * lane, 4);
    EXPECT_EQ(stored, buffer[test.v(2, lane) + 4]);
  }
  if (GetParam().target != "gfx950") return;
  done = test.run("global_load_lds_dwordx4 v0, s[10:11]");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < lanes; ++lane)
    EXPECT_EQ(std::memcmp(test.lds() + 512 + 16 * lane, buffer + test.v(0, lane), 16), 0);
}

TEST(PrivateBuffer, SwizzledScratchIsTheLanesOwn) {
  WaveTest test("gfx90a");
  test.s64(0) = reinterpret_cast<uint64_t>(test.wave().scratch) | uint64_t{1} << 63;
  test.s(2) = ~0u;
  test.s(3) = 3u << 21 | 1u << 23;
  test.s(32) = 64 * 32;  // the stack pointer counts the wave's bytes: 32 a lane
  for (int lane = 0; lane < 64; ++lane)
    test.v(1, lane) = 1000u + static_cast<uint32_t>(lane),
              test.v(5, lane) = static_cast<uint32_t>(lane % 8) * 4;
  const auto done = test.run(R"(
    buffer_store_dword v1, off, s[0:3], s32 offset:8
    buffer_load_dword v2, off, s[0:3], s32 offset:8
    buffer_store_byte v1, v5, s[0:3], s32 offen offset:16
    buffer_load_ubyte v3, v5, s[0:3], s32 offen offset:16
    v_mov_b32 v10, 40
    v_mov_b32 v11, 0x10000
    flat_load_dword v4, v[10:11]
  )");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(test.v(2, lane), 1000u + static_cast<uint32_t>(lane));
    EXPECT_EQ(test.v(3, lane), (1000u + static_cast<uint32_t>(lane)) & 255);
    EXPECT_EQ(test.v(4, lane), 1000u + static_cast<uint32_t>(lane))
        << "the same bytes through the private aperture";
  }
}

TEST_P(Buffers, LanesExchangeThroughLds) {
  const bool halves = isa::find_target(GetParam().target)->is(isa::kRdna3);
  std::vector<uint32_t> address, data;
  for (int lane = 0; lane < lanes; ++lane) {
    address.push_back(test.v(0, lane) = random());
    data.push_back(test.v(1, lane) = random());
  }
  const uint64_t exec = test.exec() &= 0xffff'fffe'ffff'7ff7;
  const auto active = [&](uint32_t lane) { return (exec >> lane & 1) != 0; };
  const auto destination = [&](uint32_t lane, uint32_t pick) {
    return halves ? pick % 32 + lane / 32 * 32 : pick % static_cast<uint32_t>(lanes);
  };
  const auto check = [&](const std::string& text, auto expected) {
    for (int lane = 0; lane < lanes; ++lane) test.v(2, lane) = 99;
    const auto done = test.run(text);
    ASSERT_TRUE(done) << text << done.error().text();
    for (uint32_t lane = 0; lane < static_cast<uint32_t>(lanes); ++lane)
      EXPECT_EQ(test.v(2, static_cast<int>(lane)), active(lane) ? expected(lane) : 99u)
          << GetParam().target << ' ' << text << ' ' << lane;
  };
  const auto from = [&](uint32_t lane) { return active(lane) ? data[lane] : 0u; };
  check("ds_bpermute_b32 v2, v0, v1 offset:8",
        [&](uint32_t lane) { return from(destination(lane, (address[lane] + 8) / 4)); });
  std::vector<uint32_t> pushed(64);
  for (uint32_t lane = 0; lane < static_cast<uint32_t>(lanes); ++lane)
    if (active(lane)) pushed[destination(lane, address[lane] / 4)] = data[lane];
  check("ds_permute_b32 v2, v0, v1", [&](uint32_t lane) { return pushed[lane]; });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(SWAP,8)", [&](uint32_t lane) { return from(lane ^ 8); });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(REVERSE,16)",
        [&](uint32_t lane) { return from(lane / 16 * 16 + 15 - lane % 16); });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(BROADCAST,8,3)",
        [&](uint32_t lane) { return from(lane / 8 * 8 + 3); });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(QUAD_PERM,3,0,0,1)", [&](uint32_t lane) {
    constexpr uint32_t kFrom[] = {3, 0, 0, 1};
    return from(lane / 4 * 4 + kFrom[lane % 4]);
  });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(BITMASK_PERM,\"01pip\")",
        [&](uint32_t lane) { return from((lane & 32) | 8 | (lane & 4) | (~lane & 2) | (lane & 1)); });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(ROTATE,0,5)",
        [&](uint32_t lane) { return from((lane & 32) | ((lane + 5) & 31)); });
  check("ds_swizzle_b32 v2, v1 offset:swizzle(ROTATE,1,5)",
        [&](uint32_t lane) { return from((lane & 32) | ((lane - 5) & 31)); });
  // Rotations within groups of 8 lanes, of 16 towards higher ones: the low bits are a mask of what stays.
  check("ds_swizzle_b32 v2, v1 offset:0xc078",
        [&](uint32_t lane) { return from(lane / 8 * 8 + (lane + 3) % 8); });
  check("ds_swizzle_b32 v2, v1 offset:0xc4b0",
        [&](uint32_t lane) { return from(lane / 16 * 16 + (lane + 11) % 16); });
}

TEST(LdsCounters, AppendAndConsume) {
  WaveTest test("gfx942");
  test.wave().s[scalar_index::kM0] = 64;
  test.exec() = 0xff0;
  const uint32_t start = 100;
  std::memcpy(test.lds() + 80, &start, 4);
  ASSERT_TRUE(test.run("ds_append v1 offset:16\nds_consume v2 offset:16\nds_consume v3 offset:16"));
  EXPECT_EQ(test.v(1, 4), 100u);
  EXPECT_EQ(test.v(2, 11), 108u);
  EXPECT_EQ(test.v(3, 4), 100u);
  EXPECT_EQ(test.v(1, 0), 0u);
}

TEST(LdsTranspose, EachLaneGetsAColumn) {
  WaveTest test("gfx950");
  // Row k of a block of 16 columns holds 100 k + column, in 16 bits: four lanes read a row.
  for (uint32_t block = 0; block < 4; ++block)
    for (uint32_t k = 0; k < 4; ++k)
      for (uint32_t column = 0; column < 16; ++column) {
        const auto value = static_cast<uint16_t>(block * 1000 + k * 100 + column);
        std::memcpy(test.lds() + block * 128 + k * 32 + column * 2, &value, 2);
      }
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = static_cast<uint32_t>(lane) * 8;
  const auto done = test.run("ds_read_b64_tr_b16 v[2:3], v0");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < 64; ++lane)
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t got = test.v(2 + static_cast<int>(k / 2), lane) >> (16 * (k % 2)) & 0xffff;
      EXPECT_EQ(got, static_cast<uint32_t>(lane / 16) * 1000 + k * 100 + static_cast<uint32_t>(lane % 16));
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Buffers, testing::ValuesIn(all_targets()), [](const auto& info) {
  return fmt::format("{}_{}", info.param.target, info.param.lanes);
});

}  // namespace
}  // namespace wavesmith::emulate
