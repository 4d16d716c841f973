// Memory of many registers or lanes at once: blocks, transposing loads, addresses by lane; and LDS reads that
// transpose.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

struct DeviceMemory {
  DeviceMemory(WaveTest& wave, size_t bytes) : test(wave), size(bytes) {
    auto at = test.memory().allocate(bytes);
    if (at) data = static_cast<uint8_t*>(*at);
  }
  ~DeviceMemory() { (void)test.memory().release(data); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void fill(std::mt19937& random) {
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<uint8_t>(random());
  }
  [[nodiscard]] uint32_t dword(size_t at) const {
    uint32_t value;
    std::memcpy(&value, data + at, 4);
    return value;
  }
  WaveTest& test;
  size_t size;
  uint8_t* data = nullptr;
};

TEST(Blocks, MoveTheDwordsThatM0Names) {
  for (const int lanes : {32, 64}) {
    std::mt19937 random(5);
    WaveTest test("gfx1201", lanes);
    DeviceMemory memory(test, 64 * 256);
    memory.fill(random);
    const uint32_t names = 0x80f0a511;
    test.s(scalar_index::kM0) = names;
    test.exec() = 0xffff7fff0f0f0f0f & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
    test.s64(2) = reinterpret_cast<uint64_t>(memory.data);
    for (int lane = 0; lane < lanes; ++lane) {
      test.v(0, lane) = static_cast<uint32_t>(63 - lane) * 128;
      for (int r = 4; r < 36; ++r) test.v(r, lane) = 0xdead0000u + static_cast<uint32_t>(r);
    }
    const auto done = test.run("global_load_block v[4:35], v0, s[2:3] offset:64");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < 32; ++i) {
        const bool moves = (names >> i & 1) != 0 && (test.exec() >> lane & 1) != 0;
        EXPECT_EQ(test.v(4 + i, lane),
                  moves ? memory.dword(static_cast<size_t>(63 - lane) * 128 + 64 + static_cast<size_t>(i) * 4)
                        : 0xdead0004u + static_cast<uint32_t>(i));
      }
    // Private memory, stored and loaded.
    test.s(scalar_index::kM0) = ~0u;
    std::vector<uint32_t> stored;
    for (int i = 0; i < 32; ++i)
      for (int lane = 0; lane < lanes; ++lane) stored.push_back(test.v(4 + i, lane) = random());
    ASSERT_TRUE(
        test.run("s_mov_b32 m0, 0x7fffffff\nscratch_store_block off, v[4:35], off offset:16\ns_mov_b32 m0, "
                 "-1\nscratch_load_block v[40:71], off, off offset:16"));
    for (int i = 0; i < 32; ++i)
      for (int lane = 0; lane < lanes; ++lane)
        if ((test.exec() >> lane & 1) != 0)
          EXPECT_EQ(test.v(40 + i, lane), i == 31 ? 0u : stored[static_cast<size_t>(i * lanes + lane)]);
  }
}

/// Loads a 16 x 16 tile (rows `pitch` bytes apart) as kernels do for WMMA: lane L is to receive column L % 16
/// of rows 8 * (L / 16) to 8 * (L / 16) + 7, and loads eight elements from the address that `row` and
/// `column` tell.
void expect_operand_of_wmma(int bits, uint32_t pitch, int (*row)(int lane), int (*column)(int lane)) {
  std::mt19937 random(6);
  WaveTest test("gfx1201", 32);
  DeviceMemory memory(test, 4096);
  memory.fill(random);
  const auto* const tile = reinterpret_cast<const uint8_t*>(memory.data) + 8;
  const auto bytes = static_cast<size_t>(bits) / 8;
  const auto at = [&](int r, int c) {
    return tile + static_cast<size_t>(r) * pitch + static_cast<size_t>(c) * bytes;
  };
  for (int lane = 0; lane < 32; ++lane)
    test.set_v64(0, lane, reinterpret_cast<uint64_t>(at(row(lane), column(lane))) - 8);
  ASSERT_TRUE(test.run(bits == 8 ? "global_load_tr_b64 v[4:5], v[0:1], off offset:8"
                                 : "global_load_tr_b128 v[4:7], v[0:1], off offset:8"));
  for (int lane = 0; lane < 32; ++lane)
    for (int j = 0; j < 8; ++j) {
      uint32_t expected = 0;
      std::memcpy(&expected, at(8 * (lane / 16) + j, lane % 16), bytes);
      EXPECT_EQ(test.v(4 + j * bits / 32, lane) >> (j * bits % 32) & ((1u << bits) - 1), expected)
          << lane << ' ' << j;
    }
}

TEST(TransposingLoads, MakeAnOperandOfWmmaOfBytes) {
  // 129: rows that are no multiple of the load apart, as hipBLASLt has them at odd leading dimensions.
  for (const uint32_t pitch : {16, 129})
    expect_operand_of_wmma(
        8, pitch, [](int lane) { return lane / 8 * 4 + lane % 4; },
        [](int lane) { return lane / 4 % 2 * 8; });
}

TEST(TransposingLoads, MakeAnOperandOfWmmaOfHalves) {
  for (const uint32_t pitch : {32, 130})
    expect_operand_of_wmma(
        16, pitch, [](int lane) { return lane / 16 * 8 + lane % 8; },
        [](int lane) { return lane / 8 % 2 * 8; });
}

TEST(TransposingLoads, AreRefusedInWavesOf64) {
  for (const std::string_view load :
       {"global_load_tr_b64 v4, v[0:1], off", "global_load_tr_b128 v[4:5], v[0:1], off"}) {
    WaveTest wide("gfx1201", 64);
    const auto refused = wide.run(load);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
  }
}

TEST(AddressesByLane, AreFourBytesApart) {
  for (const auto [target, lanes] : all_targets()) {
    if (!target.starts_with("gfx1")) continue;
    SCOPED_TRACE(target);
    std::mt19937 random(7);
    WaveTest test(target, lanes);
    DeviceMemory memory(test, 4096);
    memory.fill(random);
    test.s64(2) = reinterpret_cast<uint64_t>(memory.data);
    for (int lane = 0; lane < lanes; ++lane) test.v(1, lane) = random();
    test.exec() &= 0xf0ff0ff0ffff00ff;
    const std::vector<uint8_t> before(memory.data, memory.data + 4096);
    ASSERT_TRUE(test.run(
        "global_load_addtid_b32 v0, s[2:3] offset:12\nglobal_store_addtid_b32 v1, s[2:3] offset:1024"));
    for (int lane = 0; lane < lanes; ++lane) {
      const bool active = (test.exec() >> lane & 1) != 0;
      const auto at = static_cast<size_t>(lane) * 4;
      EXPECT_EQ(test.v(0, lane), active ? memory.dword(12 + at) : 0u);
      uint32_t old;
      std::memcpy(&old, &before[1024 + at], 4);
      EXPECT_EQ(memory.dword(1024 + at), active ? test.v(1, lane) : old);
    }
  }
}

/// CDNA4's transposed LDS reads, element by element: sixteen lanes hold a block of rows of sixteen elements,
/// a row in the lanes that it takes; lane i of them receives column i.
TEST(TransposedLdsReads, GiveColumns) {
  struct Case {
    const char* name;
    int bits, dwords;
  };
  for (const Case& c : {Case{"ds_read_b64_tr_b16", 16, 2}, Case{"ds_read_b64_tr_b8", 8, 2},
                        Case{"ds_read_b64_tr_b4", 4, 2}, Case{"ds_read_b96_tr_b6", 6, 3}}) {
    SCOPED_TRACE(c.name);
    std::mt19937 random(8);
    WaveTest test("gfx950");
    for (int i = 0; i < 8192; ++i) test.lds()[i] = static_cast<uint8_t>(random());
    for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = random() % 256 * 16;
    test.exec() = 0xffffffff0ffffff7;
    for (int r = 4; r < 7; ++r)
      for (int lane = 0; lane < 64; ++lane) test.v(r, lane) = 0x77777777;
    ASSERT_TRUE(test.run(fmt::format("{} v[4:{}], v0 offset:32", c.name, 3 + c.dwords)));
    const int elements = c.dwords * 32 / c.bits, lanes_a_row = 16 / elements;
    const auto bit = [&](int lane, int at) {  // of the data that a lane reads
      const uint8_t* const data = test.lds() + test.v(0, lane) + 32;
      return data[at / 8] >> (at % 8) & 1;
    };
    for (int lane = 0; lane < 64; ++lane)
      for (int row = 0; row < elements; ++row)
        for (int b = 0; b < c.bits; ++b) {
          const int at = row * c.bits + b;
          const auto got = static_cast<int>(test.v(4 + at / 32, lane) >> (at % 32) & 1);
          if ((test.exec() >> lane & 1) == 0) {
            EXPECT_EQ(got, static_cast<int>(0x77777777u >> (at % 32) & 1));
            continue;
          }
          const int column = lane % 16, source = lane / 16 * 16 + row * lanes_a_row + column / elements;
          ASSERT_EQ(got, bit(source, column % elements * c.bits + b)) << lane << ' ' << row;
        }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
