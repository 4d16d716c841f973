#include "emulate/run/order.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

TEST(Order, VisitsEachOnce) {
  EXPECT_EQ(Order(0).at(7, 9), 7u);
  for (const uint64_t count : {1, 2, 3, 12, 100, 4096, 65537}) {
    std::set<std::vector<uint64_t>> orders;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      std::vector<uint64_t> order;
      for (uint64_t place = 0; place < count; ++place) order.push_back(Order(seed).at(place, count, 3));
      EXPECT_EQ(std::set<uint64_t>(order.begin(), order.end()).size(), count);
      orders.insert(order);
    }
    EXPECT_GE(orders.size(), count < 3 ? count : count < 12 ? 4 : 15) << count;
  }
}

/// Workgroup n puts n + 1 into the next free place.
TEST(Order, ChoosesWhichWorkgroupsAndWavesComeFirst) {
  const char* const text =
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s8, v0\n"
      "s_lshr_b32 s8, s8, 6\ns_lshl_b32 s9, s2, 2\ns_add_u32 s8, s8, s9\ns_add_u32 s8, s8, 1\n"
      "s_mov_b64 exec, 1\nv_mov_b32 v1, 0\nv_mov_b32 v2, 4\nv_mov_b32 v4, s8\n"
      "global_atomic_add v3, v1, v2, s[4:5] sc0\ns_waitcnt vmcnt(0)\nglobal_store_dword v3, v4, s[4:5] offset:4";
  std::set<std::vector<uint32_t>> orders;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    KernelTest kernel("gfx942", text);
    kernel.prepare = [&](Dispatch& dispatch, const Memory&) { dispatch.order = Order(seed); };
    uint32_t* const log = kernel.allocate(33);
    const auto done = kernel.launch(8, 256, {reinterpret_cast<uint64_t>(log)}, {.threads = 1});
    ASSERT_TRUE(done) << done.error().text();
    std::vector<uint32_t> order(log + 1, log + 33), sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(sorted[i], i + 1);
    if (seed == 0) EXPECT_EQ(order, sorted);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 4u);
}

}  // namespace
}  // namespace wavesmith::emulate
