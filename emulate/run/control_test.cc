// Control in assembly text: branches, calls, hardware registers, messages, traps, barriers, relative
// registers, skips.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "emulate/instructions/testing.h"
#include "emulate/run/dispatch.h"
#include "emulate/run/workgroup.h"
#include "emulate/translate/program.h"
#include "isa/llvm/assembler.h"

namespace wavesmith::emulate {
namespace {

bool is(std::string_view target, std::string_view prefix) { return target.starts_with(prefix); }

#define RUN(test, assembly)                                     \
  do {                                                          \
    const auto done = (test).run(assembly);                     \
    ASSERT_TRUE(done) << target << ": " << done.error().text(); \
  } while (false)

TEST(Control, ConditionalBranchesTestTheirCondition) {
  for (const auto [target, lanes] : all_targets()) {
    for (const bool set : {false, true}) {
      WaveTest test(target, lanes);
      // vcc has its one bit in the highest lane, so that a 64-bit test differs from a 32-bit one.
      test.vcc() = set ? uint64_t{1} << (lanes - 1) : 0;
      test.exec() = set ? uint64_t{1} << (lanes - 1) : 0;
      std::string text = "s_mov_b32 s0, 0\n";
      int bit = 0;
      for (const std::string_view branch : {"scc0", "scc1", "vccz", "vccnz", "execz", "execnz"}) {
        text += fmt::format("s_cmp_lg_u32 {}, 0\ns_cbranch_{} l{}\ns_bitset1_b32 s0, {}\nl{}:\n", int{set},
                            branch, bit, bit, bit);
        ++bit;
      }
      RUN(test, text);
      // A bit is set where the branch was not taken.
      EXPECT_EQ(test.s(0), set ? 0b010101u : 0b101010u) << target;
    }
  }
}

TEST(Control, CallsReturnToTheirCaller) {
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    RUN(test, R"(
      s_mov_b32 s0, 0
      s_getpc_b64 s[4:5]
    here:
      s_add_u32 s4, s4, function-here
      s_addc_u32 s5, s5, 0
      s_movk_i32 s10, 100
    again:
      s_swappc_b64 s[30:31], s[4:5]
      s_call_b64 s[30:31], function
      s_add_u32 s10, s10, -1
      s_cmp_lg_u32 s10, 0
      s_cbranch_scc1 again
      s_branch end
    function:
      s_add_u32 s0, s0, 1
      s_setpc_b64 s[30:31]
    end:
    )");
    EXPECT_EQ(test.s(0), 200u) << target;
  }
}

TEST(Control, AJumpOutOfTheCodeIsAnError) {
  WaveTest test("gfx942");
  const auto done = test.run("s_mov_b64 s[0:1], 64\ns_setpc_b64 s[0:1]");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::BadInput);
}

TEST(Control, ModeIsReadAndWrittenByFields) {
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    test.s(1) = 0xabcd1235;
    RUN(test, R"(
      s_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 4)
      s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1
      s_getreg_b32 s3, hwreg(HW_REG_MODE, 0, 8)
      s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1
      s_getreg_b32 s4, hwreg(HW_REG_MODE)
    )");
    EXPECT_EQ(test.s(2), 0xfu) << target;
    EXPECT_EQ(test.s(3), 0xd0u) << target;
    EXPECT_EQ(test.s(4), 0xd5u) << target;
    if (is(target, "gfx9")) continue;
    RUN(test, "s_round_mode 0x3\ns_denorm_mode 0xc\ns_getreg_b32 s4, hwreg(HW_REG_MODE)");
    EXPECT_EQ(test.s(4), 0xc3u) << target;
  }
}

TEST(Control, StatusTellsOfFlags) {
  WaveTest test("gfx90a");
  const std::string_view target = "gfx90a";
  test.exec() = 0, test.vcc() = 0;
  RUN(test,
      "s_cmp_eq_u32 0, 0\ns_getreg_b32 s0, hwreg(HW_REG_STATUS)\ns_mov_b32 vcc_hi, 1\ns_getreg_b32 s1, "
      "hwreg(HW_REG_STATUS, 9, 2)");
  EXPECT_EQ(test.s(0) & 0x601u, 0x601u);
  EXPECT_EQ(test.s(1), 1u);
  RUN(test, "s_add_u32 s2, src_vccz, 4\ns_add_u32 s3, src_execz, 4");
  EXPECT_EQ(test.s(2), 4u);
  EXPECT_EQ(test.s(3), 5u);
}

TEST(Control, MemoryBasesAreTheApertures) {
  WaveTest test("gfx90a");
  const std::string_view target = "gfx90a";
  test.wave().scalar64(scalar_index::kSharedBase) = uint64_t{0x1234} << 48;
  test.wave().scalar64(scalar_index::kPrivateBase) = uint64_t{0x5678} << 48;
  RUN(test,
      "s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)\ns_getreg_b32 s1, hwreg(HW_REG_SH_MEM_BASES, 0, "
      "16)");
  EXPECT_EQ(test.s(0), 0x1234u);
  EXPECT_EQ(test.s(1), 0x5678u);
}

TEST(Control, UnknownHardwareRegisterIsNamed) {
  WaveTest test("gfx942");
  const auto done = test.run("s_getreg_b32 s0, hwreg(50, 0, 32)");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(done.error().what.find("hwreg(50"), std::string::npos);
}

TEST(Control, TrapsEndTheKernelAndDebugTrapsDoNot) {
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    RUN(test, "s_trap 3\ns_movk_i32 s0, 7");
    EXPECT_EQ(test.s(0), 7u) << target;
    const auto done = test.run("s_movk_i32 s0, 8\ns_trap 2\ns_movk_i32 s0, 9");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::Trap);
    EXPECT_EQ(test.s(0), 8u) << target;
    EXPECT_FALSE(test.run("s_sethalt 1")) << target;
  }
}

TEST(Control, InterruptsGiveTheHostTime) {
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    RUN(test, "s_nop 0");
    EXPECT_EQ(test.wave().may_wait, 0u) << target;
    RUN(test, "s_mov_b32 m0, 42\ns_sendmsg sendmsg(MSG_INTERRUPT)");
    EXPECT_EQ(test.wave().may_wait, 1u) << target;
  }
}

TEST(Control, RealtimeClockRuns) {
  for (const auto [target, lanes] : all_targets()) {
    if (is(target, "gfx9")) continue;
    WaveTest test(target, lanes);
    RUN(test, "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)");
    const uint64_t first = test.s64(0);
    RUN(test, "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)");
    EXPECT_GT(test.s64(0), first) << target;
  }
}

TEST(Control, RelativeMovesAddM0) {
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    for (int i = 0; i < 30; ++i) test.s(20 + i) = 1000 + static_cast<uint32_t>(i);
    RUN(test,
        "s_mov_b32 m0, 6\ns_movrels_b32 s0, s21\ns_movrels_b64 s[2:3], s[22:23]\ns_movreld_b32 s60, "
        "s20\ns_movreld_b64 s[62:63], s[22:23]");
    EXPECT_EQ(test.s(0), 1007u) << target;
    EXPECT_EQ(test.s64(2), 1008u | uint64_t{1009} << 32) << target;
    EXPECT_EQ(test.s(66), 1000u) << target;
    EXPECT_EQ(test.s(68), 1002u) << target;
    EXPECT_EQ(test.s(69), 1003u) << target;
    // Out of range: a source is s0, a result is dropped.
    test.s(0) = 77;
    RUN(test, "s_mov_b32 m0, 0x1000\ns_movrels_b32 s1, s21\ns_movreld_b32 s60, s20");
    EXPECT_EQ(test.s(1), 77u) << target;
    if (is(target, "gfx9")) continue;
    RUN(test, "s_mov_b32 m0, 0x30002\ns_movrelsd_2_b32 s70, s24");
    EXPECT_EQ(test.s(73), 1006u) << target;
  }
}

TEST(Control, IndexedVectorRegisters) {
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"}) {
    WaveTest test(target);
    for (int i = 0; i < 20; ++i)
      for (int lane = 0; lane < 64; ++lane) test.v(10 + i, lane) = static_cast<uint32_t>(100 * i + lane);
    test.exec() = 0xffff;
    test.s(0) = 3;
    RUN(test, R"(
      s_set_gpr_idx_on s0, gpr_idx(SRC0)
      v_mov_b32 v0, v10
      v_add_u32 v1, v12, v20
      s_set_gpr_idx_mode gpr_idx(DST)
      v_mov_b32 v40, v10
      s_mov_b32 s1, 5
      s_set_gpr_idx_idx s1
      v_lshlrev_b64 v[50:51], 0, v[10:11]
      s_set_gpr_idx_off
      v_mov_b32 v2, v10
    )");
    for (int lane = 0; lane < 16; ++lane) {
      const auto n = static_cast<uint32_t>(lane);
      EXPECT_EQ(test.v(0, lane), 300 + n);
      EXPECT_EQ(test.v(1, lane), 500 + n + 1000 + n);
      EXPECT_EQ(test.v(43, lane), n);
      EXPECT_EQ(test.v(55, lane), n);
      EXPECT_EQ(test.v(56, lane), 100 + n);
      EXPECT_EQ(test.v(2, lane), n);
    }
    EXPECT_EQ(test.v(43, 20), 0u) << "an inactive lane was written";
    EXPECT_EQ(test.v(0, 20), 0u) << "an inactive lane was written";
  }
}

TEST(Control, IndexedRegistersInALoop) {
  WaveTest test("gfx942");
  const std::string_view target = "gfx942";
  for (int i = 0; i < 8; ++i)
    for (int lane = 0; lane < 64; ++lane) test.v(10 + i, lane) = static_cast<uint32_t>(1 + i * lane);
  RUN(test, R"(
      v_mov_b32 v0, 0
      s_mov_b32 s0, 0
    loop:
      s_set_gpr_idx_on s0, gpr_idx(SRC0)
      v_add_u32 v0, v10, v0
      s_set_gpr_idx_off
      s_add_u32 s0, s0, 1
      s_cmp_lt_u32 s0, 8
      s_cbranch_scc1 loop
  )");
  for (int lane = 0; lane < 64; ++lane) EXPECT_EQ(test.v(0, lane), 8u + 28u * static_cast<uint32_t>(lane));
}

TEST(Control, SkippedVectorInstructions) {
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"})
    for (const uint32_t bits : {0u, 4u}) {
      WaveTest test(target);
      test.s(0) = bits;
      RUN(test, R"(
        s_setvskip s0, 2
        v_mov_b32 v0, 5
        s_mov_b32 s1, 6
        s_cbranch_scc1 over
        v_mov_b32 v1, 7
      over:
        s_setvskip 0, 0
        v_mov_b32 v2, 8
      )");
      EXPECT_EQ(test.v(0, 9), bits ? 0u : 5u);
      EXPECT_EQ(test.v(1, 9), bits ? 0u : 7u);
      EXPECT_EQ(test.s(1), 6u);
      EXPECT_EQ(test.v(2, 9), 8u);
    }
}

TEST(Control, ScalarAtomics) {
  struct Case {
    std::string_view name;
    uint64_t memory, data, result, compare = 0;
  };
  static constexpr Case kCases[] = {
      {"swap", 5, 9, 9},
      {"cmpswap", 5, 9, 9, 5},
      {"cmpswap", 5, 9, 5, 6},
      {"add", 5, 9, 14},
      {"sub", 5, 9, ~uint64_t{3}},
      {"smin", 5, ~0ull, ~0ull},
      {"umin", 5, ~0ull, 5},
      {"smax", 5, ~0ull, 5},
      {"umax", 5, ~0ull, ~0ull},
      {"and", 12, 10, 8},
      {"or", 12, 10, 14},
      {"xor", 12, 10, 6},
      {"inc", 5, 9, 6},
      {"inc", 9, 9, 0},
      {"dec", 5, 9, 4},
      {"dec", 0, 9, 9},
      {"dec", 10, 9, 9},
  };
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"})
    for (const Case& c : kCases)
      for (const bool wide : {false, true}) {
        WaveTest test(target);
        auto buffer = test.memory().allocate(64);
        ASSERT_TRUE(buffer);
        auto* const words = static_cast<uint32_t*>(*buffer);
        std::memcpy(words + 6, &c.memory, 8);
        words[8] = 77;
        test.s64(2) = reinterpret_cast<uint64_t>(*buffer), test.s(8) = 8;
        test.s64(4) = c.data, test.s64(wide ? 6 : 5) = c.compare;
        const int dwords = (wide ? 2 : 1) * (c.name == "cmpswap" ? 2 : 1);
        RUN(test, fmt::format("s_atomic_{}{} {}, s[2:3], s8 offset:0x10 glc", c.name, wide ? "_x2" : "",
                              dwords == 1   ? "s4"
                              : dwords == 2 ? "s[4:5]"
                                            : "s[4:7]"));
        uint64_t after = 0;
        std::memcpy(&after, words + 6, wide ? 8 : 4);
        EXPECT_EQ(after, wide ? c.result : c.result & 0xffffffff) << c.name;
        EXPECT_EQ(wide ? test.s64(4) : test.s(4), c.memory) << c.name;
        EXPECT_EQ(words[8], 77u);
        ASSERT_TRUE(test.memory().release(*buffer));
      }
}

TEST(Control, ScalarAtomicsOfBuffersStayWithinThem) {
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"})
    for (const uint32_t offset : {0u, 12u, 16u, 0xfffffff0u}) {
      WaveTest test(target);
      auto buffer = test.memory().allocate(64);
      ASSERT_TRUE(buffer);
      auto* const words = static_cast<uint32_t*>(*buffer);
      for (uint32_t i = 0; i < 16; ++i) words[i] = 100 + i;
      test.s64(4) = reinterpret_cast<uint64_t>(*buffer), test.s(6) = 16;  // 16 bytes
      test.s(8) = offset, test.s(9) = 5;
      RUN(test, "s_buffer_atomic_add s9, s[4:7], s8 glc");
      const bool inside = offset < 16;
      EXPECT_EQ(test.s(9), inside ? 100 + offset / 4 : 0u);
      for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(words[i], 100 + i + (inside && i == offset / 4 ? 5 : 0));
      ASSERT_TRUE(test.memory().release(*buffer));
    }
}

TEST(Control, FourMaskedSumsOfDifferences) {
  std::mt19937 random(12);
  for (const auto [target, lanes] : all_targets())
    for (const char* const text :
         {"v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]", "v_mqsad_u32_u8 v[4:7], v[0:1], v2, v[4:7]"}) {
      SCOPED_TRACE(std::string(target) + " " + text);
      WaveTest test(target, lanes);
      test.exec() &= 0xfffffff0ffffff0f;
      uint32_t before[12][64];
      for (int r = 0; r < 12; ++r)
        for (int lane = 0; lane < lanes; ++lane)
          before[r][lane] = test.v(r, lane) = r == 2 && lane % 3 != 0 ? random() & 0xff00ff00 : random();
      RUN(test, text);
      const int to = text[17] == '8' ? 8 : 4;
      for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < 4; ++i) {
          uint32_t expected = before[4 + i][lane];
          for (int byte = 0; byte < 4; ++byte) {
            const int at = i + byte;
            const int a = static_cast<int>(before[at / 4][lane] >> (at % 4 * 8) & 0xff),
                      b = static_cast<int>(before[2][lane] >> (8 * byte) & 0xff);
            if (b != 0) expected += static_cast<uint32_t>(std::abs(a - b));
          }
          const bool active = (test.exec() >> lane & 1) != 0;
          EXPECT_EQ(test.v(to + i, lane), active ? expected : before[to + i][lane]) << lane << ' ' << i;
        }
    }
}

TEST(Control, SwappedHalves) {
  for (const std::string_view target : {"gfx1100", "gfx1201"}) {
    WaveTest test(target, 32);
    test.exec() = 1;
    test.v(0, 0) = test.v(0, 1) = 0x11112222, test.v(1, 0) = 0x33334444;
    RUN(test, "v_swap_b16 v0.l, v1.h");
    EXPECT_EQ(test.v(0, 0), 0x11113333u);
    EXPECT_EQ(test.v(1, 0), 0x22224444u);
    EXPECT_EQ(test.v(0, 1), 0x11112222u);
  }
}

/// Runs a kernel of one workgroup; the waves are told apart by v0, the work-item's number.
Result<Statistics> run_group(std::string_view name, int lanes, uint32_t items, std::string_view assembly,
                             std::vector<uint32_t>& result) {
  const isa::Target& target = *isa::find_target(name);
  auto code = isa::assemble(target, lanes, std::string(assembly));
  if (!code) return tl::unexpected(code.error());
  auto program = Program::create(target, lanes, *code);
  if (!program) return tl::unexpected(program.error());
  static const auto memory = Memory::create(uint64_t{1} << 32);
  if (!memory) return tl::unexpected(memory.error());
  auto buffer = (*memory)->allocate(4 * items);
  if (!buffer) return tl::unexpected(buffer.error());
  std::memset(*buffer, 0, 4 * items);
  object::Kernel kernel;
  kernel.name = "test";
  kernel.vgpr_count = 16;
  kernel.fields.group_segment_fixed_size = 4 * items;
  kernel.fields.kernel_code_properties = 1u << 3;  // kernarg in s[0:1]
  kernel.fields.compute_pgm_rsrc2 = 2u << 1;
  Dispatch dispatch;
  dispatch.program = program->get();
  dispatch.kernel = &kernel;
  dispatch.entry = reinterpret_cast<uint64_t>(code->data());
  dispatch.grid[0] = dispatch.workgroup[0] = items;
  dispatch.kernarg = *buffer;
  auto done = run(dispatch, **memory, Limits{.threads = 1, .instructions = 1'000'000});
  result.assign(static_cast<uint32_t*>(*buffer), static_cast<uint32_t*>(*buffer) + items);
  if (const auto released = (*memory)->release(*buffer); !released) return tl::unexpected(released.error());
  return done;
}

/// Every work-item stores a value in LDS; after the barrier it reads its neighbour's of another wave.
std::string exchange(bool gfx12, std::string_view before, std::string_view barrier) {
  const std::string_view wait = gfx12 ? "s_wait_dscnt 0x0" : "s_waitcnt lgkmcnt(0)";
  return fmt::format(R"(
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v2, 2, v0
    v_mov_b32 v5, 0x200
    v_add_nc_u32 v2, v2, v5
    v_and_b32 v2, 0x3ff, v2
    v_add_nc_u32 v3, 7, v0
    {}
    ds_{} v1, v3
    {}
    {}
    ds_{} v4, v2
    {}
    {} v1, v4, s[0:1]
    s_endpgm
  )",
                     before, "write_b32", wait, barrier, "read_b32", wait, "global_store_dword");
}

TEST(Barrier, WavesMeet) {
  for (const auto [target, lanes] : all_targets()) {
    const bool gfx12 = is(target, "gfx12");
    std::string text = exchange(gfx12, "", gfx12 ? "s_barrier_signal -1\ns_barrier_wait -1" : "s_barrier");
    if (is(target, "gfx9"))
      for (size_t at = 0; (at = text.find("v_add_nc_u32")) != std::string::npos;)
        text.replace(at, 12, "v_add_u32");
    std::vector<uint32_t> result;
    const auto done = run_group(target, lanes, 256, text, result);
    ASSERT_TRUE(done) << target << done.error().text();
    for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(result[i], (i ^ 128u) + 7) << target << " item " << i;
  }
}

TEST(Barrier, EndedWavesAreNotWaitedFor) {
  for (const auto [target, lanes] : all_targets()) {
    const bool gfx12 = is(target, "gfx12");
    // The first wave ends before the barrier.
    const std::string text = fmt::format(R"(
      v_and_b32 v0, 0x3ff, v0
      v_cmp_gt_u32 vcc{}, {}, v0
      s_cbranch_vccnz end
      {}
      v_lshlrev_b32 v1, 2, v0
      global_store_dword v1, v0, s[0:1]
    end:
      s_endpgm
    )",
                                         lanes == 32 ? "_lo" : "", lanes,
                                         gfx12 ? "s_barrier_signal -1\ns_barrier_wait -1" : "s_barrier");
    std::vector<uint32_t> result;
    const auto done = run_group(target, lanes, 256, text, result);
    ASSERT_TRUE(done) << target << done.error().text();
    for (uint32_t i = 0; i < 256; ++i)
      ASSERT_EQ(result[i], i < static_cast<uint32_t>(lanes) ? 0 : i) << target;
  }
}

TEST(Barrier, FirstSignalIsTold) {
  for (const int lanes : {32, 64}) {
    std::vector<uint32_t> result;
    const auto done = run_group("gfx1201", lanes, 256, R"(
      v_and_b32 v0, 0x3ff, v0
      v_lshlrev_b32 v1, 2, v0
      s_barrier_signal_isfirst -1
      s_cselect_b32 s4, 1, 0
      s_barrier_wait -1
      v_mov_b32 v2, s4
      global_store_dword v1, v2, s[0:1]
      s_endpgm
    )",
                                result);
    ASSERT_TRUE(done) << done.error().text();
    uint32_t first = 0;
    for (const uint32_t each : result) first += each;
    EXPECT_EQ(first, static_cast<uint32_t>(lanes)) << "not exactly one wave was first";
  }
}

TEST(Barrier, WaitingForASignalThatNeverComesIsAnError) {
  std::vector<uint32_t> result;
  const auto done = run_group("gfx1201", 32, 256, "s_barrier_wait -1\ns_endpgm", result);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Trap);
  EXPECT_NE(done.error().where.find("s_barrier_wait"), std::string::npos);
}

}  // namespace
}  // namespace wavesmith::emulate
