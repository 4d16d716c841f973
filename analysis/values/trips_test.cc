// How often loops run: numbers against the emulator, which runs them; formulas against what was written down
// by hand.
#include "analysis/values/trips.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "analysis/testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::analysis {
namespace {

/// What registers hold in all of these: arguments 0 and 1 are n and m.
EntryValues named() {
  EntryValues entry;
  entry.registers = {{reg::kSgpr, Formula::name(kArguments)},
                     {reg::kSgpr + 8, Formula::name("workgroup x")},
                     {reg::kVgpr, Formula::name("work-item")}};
  entry.arguments = {
      {0, 4, "n", 0}, {4, 4, "m", 1}, {8, 2, "workgroup size x", -1}, {12, 4, "block count x", -1}};
  return entry;
}

std::vector<Loop> loops_of(std::string_view target, std::string_view text,
                           const EntryValues& entry = named()) {
  const Code code = code_of(target, text);
  const Graph graph = make_graph(code);
  std::vector<Loop> loops = graph.loops;
  find_trips(code, graph, entry, loops);
  return loops;
}

/// The formula, or the number, or why there is neither, of the innermost loop.
std::string trips(std::string_view text, std::string_view target = "gfx942") {
  const std::vector<Loop> loops = loops_of(target, text);
  if (loops.empty()) return "no loop";
  const Loop& loop = loops.back();
  if (loop.trips.value) return fmt::format("{}", *loop.trips.value);
  return loop.trips_formula.empty() ? loop.trips.unknown_because : loop.trips_formula;
}

/// A loop that counts its passes in s20: from a start by a step as long as a relation to a bound holds,
/// tested before or behind the increment, at its beginning or at its end.
std::string random_loop(std::mt19937& random, bool rdna4) {
  const auto pick = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<uint32_t>(to - from + 1));
  };
  const char* const add = rdna4 ? "s_add_co_i32" : "s_add_i32";
  const bool down = random() % 2, is_signed = random() % 2, top = random() % 2, before = random() % 2;
  const int step = pick(1, 9), start = is_signed ? pick(-60, 60) : pick(400, 600);
  int distance = pick(0, 90);
  const char* relation = down ? (random() % 2 ? "gt" : "ge") : (random() % 2 ? "lt" : "le");
  if (random() % 4 == 0) relation = "lg", distance = step * pick(2, 12);
  const int bound = down ? start - distance : start + distance;
  const std::string move = random() % 2 ? "s_mov_b32 s4, s6\n" : "";  // by way of another register
  std::string text = fmt::format("s_mov_b32 s20, 0\n{}\ns_mov_b32 s5, {}\nloop:\n",
                                 random() % 3 == 0 ? fmt::format("s_movk_i32 s4, {:#x}", start & 0xffff)
                                                   : fmt::format("s_mov_b32 s4, {}", start),
                                 bound);
  const std::string increment =
      fmt::format("{} {}, s4, {}\n{}", add, move.empty() ? "s4" : "s6", down ? -step : step, move);
  const bool as_signed = is_signed || relation[0] == 'l';
  const bool constant = !rdna4 && (as_signed || bound >= 0) && random() % 3 == 0;
  const std::string test =
      fmt::format("s_cmp{}_{}_{} s4, {}\n", constant ? "k" : "", relation, as_signed ? "i32" : "u32",
                  constant ? fmt::format("{:#x}", bound & 0xffff) : "s5");
  const std::string pass = fmt::format("{} s20, s20, 1\n", add);
  // "lg" goes by signed or unsigned the same; lt and le are signed here.
  if (top) return text + test + "s_cbranch_scc0 out\n" + increment + pass + "s_branch loop\nout:\n";
  if (before) return text + pass + increment + test + "s_cbranch_scc1 loop\n";
  // SCC is saved over the increment.
  return text + pass + test + "s_cselect_b64 s[10:11], -1, 0\n" + increment +
         "s_and_b64 vcc, exec, s[10:11]\ns_cbranch_vccnz loop\n";
}

TEST(Trips, AreAsManyAsTheEmulatorRuns) {
  const uint32_t seed = std::random_device{}();
  std::mt19937 random(seed);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const bool rdna4 = random() % 4 == 0;
    std::string text = random_loop(random, rdna4);
    if (rdna4 && text.find("_b64") != text.npos) continue;  // a wave of 32 lanes has masks of 32 bits
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    emulate::WaveTest test(rdna4 ? "gfx1201" : "gfx942", rdna4 ? 32 : 64);
    test.most_instructions = 20'000;
    if (!test.run(text)) continue;  // it runs until its count overflows
    const std::vector<Loop> loops = loops_of(rdna4 ? "gfx1201" : "gfx942", text + "s_endpgm");
    ASSERT_EQ(loops.size(), 1);
    ASSERT_TRUE(loops[0].trips.value) << loops[0].trips.unknown_because;
    EXPECT_EQ(*loops[0].trips.value, test.s(20));
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST(Trips, OfArgumentsAreFormulas) {
  // for (i = 0; i < n; i += 64)
  EXPECT_EQ(trips(R"(
      s_load_dword s6, s[0:1], 0x0
      s_mov_b32 s4, 0
    l: s_add_i32 s4, s4, 64
      s_cmp_ge_i32 s4, s6
      s_cbranch_scc0 l
      s_endpgm)"),
            "n / 64 rounded up (n: argument 0)");
  // for (i = n / 32; i != 0; --i)
  EXPECT_EQ(trips(R"(
      s_load_dwordx2 s[6:7], s[0:1], 0x0
      s_lshr_b32 s4, s6, 5
    l: s_add_i32 s4, s4, -1
      s_cmp_lg_u32 s4, 0
      s_cbranch_scc1 l
      s_endpgm)"),
            "n / 32 (n: argument 0)");
  // for (i = 0; i != (m & ~7); i += 8): what a loop unrolled by 8 is
  EXPECT_EQ(trips(R"(
      s_load_dwordx2 s[6:7], s[0:1], 0x0
      s_and_b32 s7, s7, 0x7ffffff8
      s_mov_b32 s4, 0
    l: s_add_i32 s4, s4, 8
      s_cmp_lg_u32 s4, s7
      s_cbranch_scc1 l
      s_endpgm)"),
            "m / 8 (m: argument 1)");
  // for (i = workgroup x; i < n; i += block count x)
  EXPECT_EQ(trips(R"(
      s_load_dwordx4 s[4:7], s[0:1], 0x0
      s_mov_b32 s10, s8
    l: s_add_i32 s10, s10, s7
      s_cmp_lt_i32 s10, s4
      s_cbranch_scc1 l
      s_endpgm)"),
            "(n - workgroup x) / block count x rounded up (n: argument 0)");
  // The same by lanes: i = workgroup x * 256 + work-item; lanes leave one after another.
  EXPECT_EQ(trips(R"(
      s_load_dword s4, s[0:1], 0x0
      v_lshl_add_u32 v1, s8, 8, v0
      s_mov_b64 s[6:7], 0
    l: v_add_u32 v1, 0x400, v1
      v_cmp_le_i32 vcc, s4, v1
      s_or_b64 s[6:7], vcc, s[6:7]
      s_andn2_b64 exec, exec, s[6:7]
      s_cbranch_execnz l
      s_endpgm)"),
            "(n - work-item - workgroup x * 256) / 1024 rounded up (n: argument 0)");
  EXPECT_EQ(trips(R"(
      s_load_b32 s4, s[0:1], 0x0
      v_lshl_add_u32 v1, s8, 8, v0
      s_mov_b32 s6, 0
    l: v_add_nc_u32 v1, 0x400, v1
      v_cmp_le_i32 vcc_lo, s4, v1
      s_or_b32 s6, vcc_lo, s6
      s_and_not1_b32 exec_lo, exec_lo, s6
      s_cbranch_execnz l
      s_endpgm)",
                  "gfx1201"),
            "(n - work-item - workgroup x * 256) / 1024 rounded up (n: argument 0)");
}

TEST(Trips, OfTwoExitsAreThoseOfTheFirst) {
  EXPECT_EQ(trips(R"(
      s_mov_b32 s4, 0
    l: s_cmp_ge_i32 s4, 40
      s_cbranch_scc1 out
      s_add_i32 s4, s4, 3
      s_cmp_lt_i32 s4, 20
      s_cbranch_scc1 l
    out: s_endpgm)"),
            "7");
}

TEST(Trips, OfLoopsInsideOfOthers) {
  const std::vector<Loop> loops = loops_of("gfx942", R"(
      s_load_dword s6, s[0:1], 0x0
      s_mov_b32 s4, 0
    outer: s_mov_b32 s5, 24
    inner: s_add_i32 s5, s5, -3
      s_cmp_lg_u32 s5, 0
      s_cbranch_scc1 inner
      s_add_i32 s4, s4, 1
      s_cmp_lt_i32 s4, s6
      s_cbranch_scc1 outer
      s_endpgm)");
  ASSERT_EQ(loops.size(), 2);
  EXPECT_EQ(loops[0].trips_formula, "n (n: argument 0)");
  EXPECT_EQ(loops[1].trips.value, 8);
}

TEST(Trips, WhatIsNotKnownHasAReason) {
  EXPECT_EQ(trips("l: s_load_dword s4, s[6:7], 0x0\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 l\ns_endpgm"),
            "what ends it is loaded from memory");
  EXPECT_EQ(
      trips("s_mov_b32 s4, 1\nl: s_add_i32 s4, s4, s4\ns_cmp_lt_u32 s4, 64\ns_cbranch_scc1 l\ns_endpgm"),
      "what it counts with does not grow by the same amount each pass");
  EXPECT_EQ(trips("l: s_add_i32 s5, s5, 1\ns_cmp_lt_i32 s4, s6\ns_cbranch_scc1 l\ns_endpgm").substr(0, 20),
            "of what ends it, not");
  EXPECT_EQ(
      trips("s_mov_b32 s4, 1\nl: s_add_i32 s4, s4, -1\ns_cmp_lt_i32 s4, 64\ns_cbranch_scc1 l\ns_endpgm"),
      "it runs for more than 16 million passes");
  EXPECT_EQ(trips("l: global_load_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\nv_cmp_lt_i32 vcc, v1, v2\n"
                  "s_cbranch_vccnz l\ns_endpgm"),
            "what ends it is loaded from memory");
}

}  // namespace
}  // namespace wavesmith::analysis
