// Stray accesses become errors that say where and what, and the process lives on.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

class FaultTest : public testing::Test {
 protected:
  void SetUp() override {
    auto at = test.memory().allocate(4096);
    ASSERT_TRUE(at);
    buffer = reinterpret_cast<uint64_t>(*at);
    test.s64(4) = buffer;
  }
  void TearDown() override { (void)test.memory().release(reinterpret_cast<void*>(buffer)); }
  /// Runs and expects a fault whose message holds all of these.
  void expect_fault(const char* text, const std::vector<std::string>& words) {
    const auto done = test.run(text);
    ASSERT_FALSE(done) << text;
    EXPECT_EQ(done.error().kind, ErrorKind::MemoryFault) << text;
    for (const std::string& word : words)
      EXPECT_NE(done.error().what.find(word), std::string::npos)
          << text << ": " << done.error().what << " lacks " << word;
  }
  WaveTest test{"gfx942"};
  uint64_t buffer = 0;
};

TEST_F(FaultTest, AStoreBehindAnAllocationNamesLaneAndAllocation) {
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = static_cast<uint32_t>(lane * 64);
  test.v(0, 9) = 4096 + 16;
  expect_fault("global_store_dword v0, v1, s[4:5]",
               {"lane 9 writes 4 bytes", fmt::format("{:#x}", buffer + 4112),
                "16 bytes past the end of the 4096-byte allocation"});
}

TEST_F(FaultTest, AContiguousLoadAcrossTheEnd) {
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = 4096 - 40 + 4 * static_cast<uint32_t>(lane);
  expect_fault("global_load_dword v1, v0, s[4:5]",
               {"lane 10 reads 4 bytes", "0 bytes past the end of the 4096-byte allocation"});
}

TEST_F(FaultTest, InactiveLanesDoNotFault) {
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = 4096 - 40 + 4 * static_cast<uint32_t>(lane);
  test.exec() = 0x3ff;
  for (const char* text : {"global_load_dword v1, v0, s[4:5]", "global_store_dword v0, v1, s[4:5]",
                           "global_atomic_add v0, v1, s[4:5]"}) {
    const auto done = test.run(text);
    EXPECT_TRUE(done) << done.error().text();
  }
}

TEST_F(FaultTest, NullPointersAndHostMemoryAreNotVisible) {
  test.s64(4) = 0;
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = 8;
  expect_fault("global_load_dwordx2 v[2:3], v0, s[4:5]", {"lane 0 reads 8 bytes at 0x8", "null pointer"});
  expect_fault("s_load_dwordx2 s[6:7], s[4:5], 0x10", {"the wave reads 8 bytes at 0x10", "null pointer"});
  std::vector<uint32_t> host(1024, 5);
  test.s64(4) = reinterpret_cast<uint64_t>(host.data());
  expect_fault("global_atomic_add v0, v1, s[4:5]", {"lane 0 updates 4 bytes"});
  ASSERT_TRUE(test.memory().register_host(host.data(), 4096));
  const auto done = test.run("global_load_dword v3, v0, s[4:5]");
  EXPECT_TRUE(done) << done.error().text();
  EXPECT_EQ(test.v(3, 63), 5u);
  ASSERT_TRUE(test.memory().unregister_host(host.data()));
}

TEST_F(FaultTest, ScalarLoadOfFreedMemory) {
  auto gone = test.memory().allocate(1 << 20);
  ASSERT_TRUE(gone);
  test.s64(4) = reinterpret_cast<uint64_t>(*gone);
  ASSERT_TRUE(test.memory().release(*gone));
  expect_fault("s_load_dword s6, s[4:5], 0x100",
               {"the wave reads 4 bytes", "1048576-byte allocation", "which was freed"});
}

TEST_F(FaultTest, PrivateMemoryHasAnEnd) {
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = 4;
  test.v(0, 3) = 100'000;
  expect_fault("scratch_store_dword v0, v1, off", {"lane 3 writes 4 bytes at private address 0x186a0"});
}

TEST_F(FaultTest, UnalignedAtomicsFault) {
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = static_cast<uint32_t>(lane * 4 + (lane == 5));
  expect_fault("global_atomic_add v0, v1, s[4:5]", {"lane 5", "unaligned"});
}

}  // namespace
}  // namespace wavesmith::emulate
