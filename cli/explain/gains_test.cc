// What findings promise against what the cycle model says once the change is made: pairs of kernels that
// differ by that change alone. The rule finds it before and not behind, and the modelled time of the launch
// falls by what was estimated, within a factor of two.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "study/code_testing.h"

namespace wavesmith::cli {
namespace {

/// A loop of 200 passes in workgroups of 256; v1 is the work-item's address, 1 << shift bytes apart.
struct Variant {
  std::string body;
  int shift = 2;  ///< work-items are 1 << shift bytes apart
  int lds = 0;    ///< bytes; 65536 leaves room for one wave a SIMD
  int vgprs = 32;
  std::string before;  ///< the loop; s6 has the workgroup's number
  int trips = 200;
};

struct Pair {
  const char* rule;
  const char* change;
  Variant before, after;
  bool gone = true;  ///< nothing is left to find
};

template <class Line>
std::string times(int count, Line line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i) + "\n";
  return text;
}

constexpr int kOneWave = 65536;
std::string fma(int i) { return fmt::format("v_fma_f32 v{0}, v5, v2, v{0}", 12 + i % 8); }
std::string add(int i) { return fmt::format("v_add_f32 v{0}, v{0}, v2", 6 + i); }
std::string chain(int) { return "v_fma_f32 v5, v5, v2, v5"; }

std::vector<Pair> memory_pairs() {
  const auto sum = [](int i) { return fmt::format("v_add_f32 v5, v5, v{}", 8 + i); };
  const std::string two_reads =
      "ds_read_b32 v2, v1\nds_read_b32 v3, v1 offset:64\ns_waitcnt lgkmcnt(0)\nv_add_f32 v5, v2, v3\n";
  const std::string read_and_use = "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n" + times(2, chain);
  const auto waits_for = [&](int left) {
    return "ds_read_b32 v2, v1\n" +
           times(4, [](int i) { return fmt::format("v_add_f32 v{0}, v{0}, v6", 12 + i); }) +
           fmt::format("ds_read_b32 v3, v1 offset:64\ns_waitcnt lgkmcnt({})\n", left) +
           times(20, [](int) { return std::string("v_fma_f32 v5, v2, v2, v5"); }) +
           "s_waitcnt lgkmcnt(0)\nv_add_f32 v5, v3, v5\n";
  };
  return {
      {"lds-bank-conflict", "rows padded", {two_reads, 7, 32768, 32, {}}, {two_reads, 2, 32768, 32, {}}},
      {"occupancy-limited-by-vgprs",
       "256 to 168 VGPRs: one more wave",
       {read_and_use, 2, 4096, 256, {}},
       {read_and_use, 2, 4096, 168, {}},
       false},
      {"redundant-wait",
       "waits for nothing taken out",
       {times(8, [&](int i) { return add(i) + "\ns_waitcnt vmcnt(0) lgkmcnt(0)"; }), 2, kOneWave, 32, {}},
       {times(8, add), 2, kOneWave, 32, {}}},
      {"narrow-global-loads",
       "4 dwords in one load",
       {times(
            4,
            [](int i) { return fmt::format("global_load_dword v{}, v1, s[2:3] offset:{}", 8 + i, 4 * i); }) +
            "s_waitcnt vmcnt(0)\n" + times(4, sum),
        4,
        kOneWave,
        32,
        {}},
       {"global_load_dwordx4 v[8:11], v1, s[2:3]\ns_waitcnt vmcnt(0)\n" + times(4, sum),
        4,
        kOneWave,
        32,
        {}}},
      {"narrow-lds-reads",
       "4 dwords in one read",
       {times(4, [](int i) { return fmt::format("ds_read_b32 v{}, v1 offset:{}", 8 + i, 4 * i); }) +
            "s_waitcnt lgkmcnt(0)\n" + times(4, sum),
        4,
        kOneWave,
        32,
        {}},
       {"ds_read_b128 v[8:11], v1\ns_waitcnt lgkmcnt(0)\n" + times(4, sum), 4, kOneWave, 32, {}}},
      {"exposed-load-latency",
       "loaded a pass ahead",
       {"global_load_dword v2, v1, s[2:3]\ns_waitcnt vmcnt(0)\n" + times(130, fma), 2, kOneWave, 32, {}},
       {"s_waitcnt vmcnt(0)\nv_mov_b32 v2, v3\nglobal_load_dword v3, v1, s[2:3]\n" + times(130, fma), 2,
        kOneWave, 32, "global_load_dword v3, v1, s[2:3]"}},
      {"repeated-load-in-loop",
       "read once, before the loop",
       {"global_load_dword v2, v1, s[2:3]\ns_waitcnt vmcnt(0)\n" + times(60, fma), 2, kOneWave, 32, {}},
       {times(60, fma), 2, kOneWave, 32, "global_load_dword v2, v1, s[2:3]\ns_waitcnt vmcnt(0)"}},
      {"wait-stricter-than-needed",
       "the count that is enough",
       {waits_for(0), 2, kOneWave, 32, {}},
       {waits_for(1), 2, kOneWave, 32, {}}},
  };
}

std::vector<Pair> vector_pairs() {
  const auto exponentials = [](int count) {
    return times(count, [](int i) { return fmt::format("v_exp_f32 v{0}, v{0}", 6 + i); }) +
           times(30, [](int i) { return fmt::format("v_max_f32 v{0}, v{0}, v5", 16 + i % 10); });
  };
  const std::string rotated =
      times(4, [](int i) { return fmt::format("v_fma_f32 v5, v{}, v2, v5", 8 + i); }) +
      times(4, [](int i) { return fmt::format("v_fma_f32 v{0}, v5, v2, v{0}", 12 + i); });
  const std::string reciprocal =
      "v_cvt_f32_u32 v8, v2\nv_rcp_iflag_f32 v8, v8\nv_mul_f32 v8, 0x4f7ffffe, v8\nv_cvt_u32_f32 v8, v8\n";
  const std::string newton_step =
      "v_sub_u32 v9, 0, v2\nv_mul_lo_u32 v9, v9, v8\nv_mul_hi_u32 v9, v8, v9\nv_add_u32 v8, v8, v9\n";
  const std::string quotient =
      "v_mul_hi_u32 v10, v5, v8\nv_mul_lo_u32 v11, v10, v2\nv_sub_u32 v5, v5, v11\n" + times(20, chain);
  return {
      {"transcendental-bound",
       "half of them",
       {exponentials(8), 2, 0, 32, {}},
       {exponentials(4), 2, 0, 32, {}}},
      {"hazard-nops",
       "something else in their place",
       {times(6, [&](int i) { return add(i) + "\ns_nop 4"; }), 2, kOneWave, 32, {}},
       {times(6, add), 2, kOneWave, 32, {}}},
      {"packed-math-chance",
       "pairs of values",
       {times(16, [](int i) { return fmt::format("v_fma_f32 v{0}, v{0}, v2, v{0}", 6 + i); }),
        2,
        kOneWave,
        32,
        {}},
       {times(8,
              [](int i) {
                return fmt::format("v_pk_fma_f32 v[{0}:{1}], v[{0}:{1}], v[2:3], v[{0}:{1}]", 6 + 2 * i,
                                   7 + 2 * i);
              }),
        2,
        kOneWave,
        32,
        {}}},
      {"valu-moves",
       "unrolled, so that names rotate",
       {rotated + times(8, [](int i) { return fmt::format("v_mov_b32 v{}, v{}", 20 + i, 8 + i); }),
        2,
        0,
        32,
        {}},
       {rotated, 2, 0, 32, {}}},
      {"integer-division-in-loop",
       "a reciprocal from before the loop",
       {reciprocal + newton_step + quotient, 2, 0, 32, {}},
       {quotient, 2, 0, 32, reciprocal + newton_step}},
  };
}

std::vector<Pair> pairs() {
  std::vector<Pair> all = memory_pairs();
  std::ranges::move(vector_pairs(), std::back_inserter(all));
  return all;
}

std::string assembly(const Variant& v) {
  return fmt::format(R"(.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.globl k
.p2align 8
.type k,@function
k:
s_mov_b32 s6, s2
s_load_dwordx2 s[2:3], s[0:1], 0x0
v_lshlrev_b32 v1, {}, v0
s_movk_i32 s4, {}
s_waitcnt lgkmcnt(0)
{}
loop:
{}s_sub_i32 s4, s4, 1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 loop
v_lshlrev_b32 v1, 2, v0
global_store_dword v1, v5, s[2:3]
s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_group_segment_fixed_size {}
.amdhsa_kernarg_size 8
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr {}
.amdhsa_next_free_sgpr 32
.amdhsa_accum_offset {}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: {}
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [256, 1, 1]
    .args:
      - {{.address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}}
...
.end_amdgpu_metadata
)",
                     v.shift, v.trips, v.before, v.body, v.lds, v.vgprs, v.vgprs, v.lds, v.vgprs);
}

struct Judged {
  bool found = false;
  double estimate = 0, cycles = 0;
  std::string unknown_because;
};

/// A launch of `workgroups` with a buffer of `floats`.
Judged judge(const char* rule, const Variant& variant, const std::string& which, int workgroups = 2432,
             int floats = 65536) {
  const study::CodeSamples& samples = study::CodeSamples::get();
  const std::string name = fmt::format("{}-{}", rule, which);
  const std::string object = samples.clang(name + ".co", "--target=amdgcn-amd-amdhsa -mcpu=gfx942",
                                           samples.write(name + ".s", assembly(variant)));
  const CommandResult explained = run_wavesmith("explain --json " + object);
  EXPECT_EQ(explained.code, 0) << explained.err;
  Judged out;
  const auto kernel = nlohmann::json::parse(explained.out)["kernels"][0];
  EXPECT_EQ(kernel["loops"][0]["trips"]["value"], variant.trips);
  for (const auto& finding : kernel["findings"])
    if (finding["rule"] == rule) {
      out.found = true;
      const auto& gain = finding["gain_percent"];
      if (gain["value"].is_number())
        out.estimate = gain["value"];
      else
        out.unknown_because = gain["unknown_because"];
    }
  // As many workgroups as fill the GPU.
  const CommandResult profiled = run_wavesmith(
      fmt::format("profile --json --sampled --kernel k --grid {} --block 256 --arg f32[{}]=zeros {}",
                  workgroups, floats, object));
  EXPECT_EQ(profiled.code, 0) << profiled.err;
  out.cycles = nlohmann::json::parse(profiled.out)["kernels"][0]["cycles"];
  return out;
}

TEST(Gains, AreWhatTheCycleModelSaysWithinAFactorOfTwo) {
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(fmt::format("{}: {}", pair.rule, pair.change));
    const Judged before = judge(pair.rule, pair.before, "before"),
                 after = judge(pair.rule, pair.after, "after");
    EXPECT_TRUE(before.found);
    EXPECT_TRUE(!pair.gone || !after.found);
    const double gained = 100 * (before.cycles - after.cycles) / before.cycles;
    fmt::print("| {} | {} | {:.1f} % | {:.1f} % |\n", pair.rule, pair.change, before.estimate, gained);
    EXPECT_GT(gained, 0);
    EXPECT_LE(before.estimate, 2 * gained);
    EXPECT_GE(before.estimate, gained / 2);
  }
}

/// Each workgroup reads a part of its own, 1 KiB at a time: `loads` of them in flight, then some arithmetic.
Variant stream(int vgprs, int trips, int loads) {
  Variant v;
  v.vgprs = vgprs;
  v.trips = trips;
  v.lds = 4096;
  v.before = fmt::format("s_mul_i32 s6, s6, {}\nv_add_u32 v1, s6, v1", 1024 * trips * loads);
  v.body = times(loads,
                 [](int i) {
                   return fmt::format("global_load_dword v{}, v1, s[2:3]\nv_add_u32 v1, 0x400, v1", 8 + i);
                 }) +
           "s_waitcnt vmcnt(0)\n" +
           times(loads, [](int i) { return fmt::format("v_add_f32 v5, v5, v{}", 8 + i); });
  return v;
}

// What more waves gain depends on what serves the loads: where the memory's bandwidth is the limit, nothing.
TEST(Gains, OfAnOccupancyStepAreNotPromisedWhereMemoryMayBind) {
  constexpr const char* kRule = "occupancy-limited-by-vgprs";
  constexpr int kWorkgroups = 304 * 6;  // whole rounds of two and of three waves per SIMD
  const auto percent = [&](int trips, int loads, Judged& before) {
    const int floats = kWorkgroups * 256 * trips * loads;
    const std::string name = fmt::format("{}-in-flight", loads);
    before = judge(kRule, stream(256, trips, loads), name + "-two-waves", kWorkgroups, floats);
    const Judged after = judge(kRule, stream(168, trips, loads), name + "-three-waves", kWorkgroups, floats);
    EXPECT_TRUE(before.found);
    const double gained = 100 * (before.cycles - after.cycles) / before.cycles;
    fmt::print(
        "| {} | {} loads in flight | {} | {:.1f} % |\n", kRule, loads,
        before.unknown_because.empty() ? fmt::format("{:.1f} %", before.estimate) : before.unknown_because,
        gained);
    return gained;
  };
  // Four loads at once take all that the memory has.
  Judged bound, late;
  EXPECT_LT(std::abs(percent(24, 4, bound)), 5);
  EXPECT_NE(bound.unknown_because.find(" 0 % where the memory"), std::string::npos) << bound.unknown_because;
  // One at a time waits, wherever it comes from.
  const double gained = percent(96, 1, late);
  EXPECT_EQ(late.unknown_because, "");
  EXPECT_LE(late.estimate, 2 * gained);
  EXPECT_GE(late.estimate, gained / 2);
}

}  // namespace
}  // namespace wavesmith::cli
