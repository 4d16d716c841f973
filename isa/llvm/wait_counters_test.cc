#include "isa/wait_counters.h"

#include <gtest/gtest.h>

#include "isa/llvm/assembler.h"
#include "isa/llvm/decoder.h"

namespace wavesmith::isa {
namespace {

WaitCounters of(std::string_view target_name, const std::string& text) {
  const Target& target = *find_target(target_name);
  const int lanes = target.wave64_only ? 64 : 32;
  const auto code = assemble(target, lanes, text + "\n");
  EXPECT_TRUE(code) << text;
  auto decoder = Decoder::create(target, lanes);
  const auto instruction = decoder->decode(*code, 0);
  EXPECT_TRUE(instruction) << text;
  return wait_counters(*instruction);
}

TEST(WaitCounters, OfOneInstructionForAll) {
  EXPECT_EQ(of("gfx942", "s_waitcnt vmcnt(3)"), (WaitCounters{.vm = 3}));
  EXPECT_EQ(of("gfx942", "s_waitcnt vmcnt(47) lgkmcnt(2)"), (WaitCounters{.vm = 47, .lgkm = 2}));
  EXPECT_EQ(of("gfx1100", "s_waitcnt vmcnt(0) expcnt(1) lgkmcnt(0)"),
            (WaitCounters{.vm = 0, .lgkm = 0, .exp = 1}));
  EXPECT_EQ(of("gfx942", "s_waitcnt 0"), (WaitCounters{.vm = 0, .lgkm = 0, .exp = 0}));
}

TEST(WaitCounters, OfInstructionsForOne) {
  EXPECT_EQ(of("gfx1100", "s_waitcnt_vscnt null, 0x5"), (WaitCounters{.vs = 5}));
  EXPECT_EQ(of("gfx1201", "s_wait_loadcnt 0x7"), (WaitCounters{.load = 7}));
  EXPECT_EQ(of("gfx1201", "s_wait_storecnt 0x0"), (WaitCounters{.store = 0}));
  EXPECT_EQ(of("gfx1201", "s_wait_kmcnt 0x1"), (WaitCounters{.km = 1}));
  EXPECT_EQ(of("gfx1201", "s_wait_loadcnt_dscnt 0x302"), (WaitCounters{.load = 3, .ds = 2}));
}

TEST(WaitCounters, OfOthersAreAny) {
  EXPECT_FALSE(of("gfx942", "s_nop 0").waits());
  EXPECT_FALSE(of("gfx1201", "s_add_co_u32 s0, s1, 3").waits());
}

}  // namespace
}  // namespace wavesmith::isa
