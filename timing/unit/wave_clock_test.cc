// Clocks that waves read under modelled time.
#include "timing/unit/wave_clock.h"

#include <gtest/gtest.h>

#include "emulate/instructions/testing.h"
#include "isa/target.h"

namespace wavesmith::timing {
namespace {

struct Clocks final : emulate::Listener {
  MemoryParameters memory = memory_parameters(**gpus::find_gpu("mi300a"));
  UnitParameters unit{16, 128, isa::find_target("gfx942")};
  uint64_t begin = 5000;
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView&) override {
    return std::make_unique<WaveClocks>(memory, unit, begin, 0);
  }
};

/// Cycles between two readings around `code`, which may use s[4:5], the address of 1 MiB of zeros.
uint64_t cycles_of(const std::string& code, Clocks& clocks) {
  emulate::KernelTest test("gfx942",
                           "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_mov_b32 v0, 0\ns_waitcnt lgkmcnt(0)\n"
                           "s_memtime s[8:9]\ns_waitcnt lgkmcnt(0)\n" +
                               code +
                               "\ns_memtime s[10:11]\ns_waitcnt lgkmcnt(0)\n"
                               "v_mov_b32 v8, s8\nv_mov_b32 v9, s9\nv_mov_b32 v10, s10\nv_mov_b32 v11, s11\n"
                               "global_store_dwordx4 v0, v[8:11], s[6:7]\n");
  uint32_t* const data = test.allocate(1 << 18);
  auto* const result = reinterpret_cast<uint64_t*>(test.allocate(4));
  test.listeners = {&clocks};
  EXPECT_TRUE(test.launch(1, 64, {reinterpret_cast<uint64_t>(data), reinterpret_cast<uint64_t>(result)}));
  EXPECT_GT(result[0], clocks.begin);
  EXPECT_LT(result[0], clocks.begin + 5000);
  return result[1] - result[0];
}

std::string times(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

TEST(WaveClock, VectorInstructionsTakeFourCyclesEach) {
  Clocks clocks;
  const std::string one = "v_fma_f32 v1, v1, v1, v1";
  EXPECT_EQ(cycles_of(times(101, one), clocks) - cycles_of(one, clocks), 400);
}

TEST(WaveClock, ALoadThatIsWaitedForTakesTheLatencyOfWhereItsLineIs) {
  Clocks clocks;
  const std::string load = "global_load_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\n";
  const auto nothing = static_cast<double>(cycles_of("", clocks));
  const auto cold = static_cast<double>(cycles_of(load, clocks)) - nothing,
             warm = static_cast<double>(cycles_of(load + load, clocks)) - nothing - cold;
  EXPECT_NEAR(cold, clocks.memory.memory_latency, 30);
  EXPECT_NEAR(warm, clocks.memory.l1_latency, 30);
}

TEST(WaveClock, TheSameRunTellsTheSameTime) {
  Clocks clocks;
  const std::string code = times(20, "global_load_dword v1, v0, s[4:5] offset:128\nv_add_f32 v1, v1, v1");
  EXPECT_EQ(cycles_of(code, clocks), cycles_of(code, clocks));
}

}  // namespace
}  // namespace wavesmith::timing
