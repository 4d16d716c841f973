#include "isa/cost/cost.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "isa/llvm/decoder.h"
#include "isa/matrix/table.h"
#include "isa/rows.h"

namespace wavesmith::isa {
namespace {

const Row* row_of(std::string_view mnemonic, const Target& target) {
  for (const Row& row : rows()) {
    if (!target.is(row.facts.generations)) continue;
    for (std::string_view rest = row.mnemonics; !rest.empty();) {
      const size_t space = rest.find(' ');
      if (rest.substr(0, space) == mnemonic) return &row;
      rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    }
  }
  return nullptr;
}

Cost of(std::string_view target_name, std::string_view text, int lanes) {
  const Target& target = *find_target(target_name);
  const auto instruction = parse_instruction(text);
  EXPECT_TRUE(instruction) << text;
  return cost_of(*instruction, row_of(instruction->mnemonic, target), target, lanes);
}

/// One instruction for each pipe and counter that a target has.
struct Machine {
  std::string_view targets, text;
  Pipe pipe;
  std::vector<Counter> counters;
};

TEST(Cost, EachPipeAndCounterOfEachTarget) {
  using enum Counter;
  constexpr std::string_view kCdnaNames = "gfx90a gfx942 gfx950", kRdna3Names = "gfx1100 gfx1151",
                             kRdna4Name = "gfx1201", kRdnaNames = "gfx1100 gfx1151 gfx1201",
                             kAll = "gfx90a gfx942 gfx950 gfx1100 gfx1151 gfx1201";
  const Machine kMachines[] = {
      {kAll, "v_add_f32_e32 v0, v1, v2", Pipe::Valu, {}},
      {kAll, "v_readfirstlane_b32 s0, v1", Pipe::Valu, {}},
      {kAll, "v_nop", Pipe::Valu, {}},
      {kAll, "v_exp_f32_e32 v0, v1", Pipe::Transcendental, {}},
      {kRdna4Name, "v_s_rcp_f32 s0, s1", Pipe::Transcendental, {}},
      {kCdnaNames, "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", Pipe::Matrix, {}},
      {kRdna4Name, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]", Pipe::Matrix, {}},
      {kRdna3Names, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", Pipe::Matrix, {}},
      {kAll, "s_add_u32 s0, s1, s2", Pipe::Salu, {}},
      {kAll, "s_getpc_b64 s[0:1]", Pipe::Salu, {}},
      {kCdnaNames, "s_load_dword s0, s[2:3], 0x0", Pipe::Smem, {Lgkm}},
      {kCdnaNames, "s_memtime s[0:1]", Pipe::Smem, {Lgkm}},
      {kRdna3Names, "s_load_b32 s0, s[2:3], 0x0", Pipe::Smem, {Lgkm}},
      {kRdna4Name, "s_load_b32 s0, s[2:3], 0x0", Pipe::Smem, {Km}},
      {kCdnaNames, "s_dcache_wb", Pipe::Smem, {}},
      {kCdnaNames, "global_load_dword v0, v1, s[0:1]", Pipe::Vmem, {Vm}},
      {kCdnaNames, "global_store_dword v0, v1, s[0:1]", Pipe::Vmem, {Vm}},
      {kCdnaNames, "flat_load_dword v0, v[2:3]", Pipe::Vmem, {Vm, Lgkm}},
      {kCdnaNames, "buffer_load_dword v0, v1, s[0:3], 0 offen", Pipe::Vmem, {Vm}},
      {kCdnaNames, "buffer_wbl2", Pipe::Vmem, {Vm}},
      {"gfx942 gfx950", "buffer_inv sc1", Pipe::Vmem, {}},
      {kRdna3Names, "global_load_b32 v0, v1, s[0:1]", Pipe::Vmem, {Vm}},
      {kRdna3Names, "global_store_b32 v0, v1, s[0:1]", Pipe::Vmem, {Vs}},
      {kRdna3Names, "global_atomic_add_u32 v0, v1, s[0:1]", Pipe::Vmem, {Vs}},
      {kRdna3Names, "global_atomic_add_u32 v2, v0, v1, s[0:1] glc", Pipe::Vmem, {Vm}},
      {kRdna3Names, "flat_store_b32 v[0:1], v2", Pipe::Vmem, {Vs, Lgkm}},
      {kRdna4Name, "global_load_b32 v0, v1, s[0:1]", Pipe::Vmem, {Load}},
      {kRdna4Name, "global_store_b32 v0, v1, s[0:1]", Pipe::Vmem, {Store}},
      {kRdna4Name, "flat_load_b32 v0, v[2:3]", Pipe::Vmem, {Load, Ds}},
      {kRdna4Name, "global_inv", Pipe::Vmem, {Load}},
      {kRdna4Name, "global_wb", Pipe::Vmem, {Store}},
      {kCdnaNames, "ds_read_b32 v0, v1", Pipe::Lds, {Lgkm}},
      {kRdna3Names, "ds_load_b32 v0, v1", Pipe::Lds, {Lgkm}},
      {kRdna4Name, "ds_load_b32 v0, v1", Pipe::Lds, {Ds}},
      {kAll, "ds_nop", Pipe::Lds, {}},
      {kRdnaNames, "exp mrt0 v0, v1, v2, v3", Pipe::Export, {Exp}},
      {kAll, "s_cbranch_scc1 4", Pipe::Branch, {}},
      {kAll, "s_setpc_b64 s[0:1]", Pipe::Branch, {}},
      {kCdnaNames, "s_sendmsg sendmsg(MSG_INTERRUPT)", Pipe::Message, {Lgkm}},
      {kRdna4Name, "s_sendmsg sendmsg(MSG_INTERRUPT)", Pipe::Message, {Km}},
      {kAll, "s_trap 2", Pipe::Message, {}},
      {kCdnaNames, "s_waitcnt vmcnt(0)", Pipe::Internal, {}},
      {kRdna4Name, "s_barrier_signal -1", Pipe::Internal, {}},
      {kAll, "s_endpgm", Pipe::Internal, {}},
  };
  std::set<std::pair<std::string_view, Pipe>> pipes;
  std::set<std::pair<std::string_view, Counter>> counters;
  for (const Machine& machine : kMachines)
    for (const Target& target : kTargets) {
      if (machine.targets.find(target.name) == std::string_view::npos) continue;
      const auto instruction = parse_instruction(machine.text);
      ASSERT_TRUE(instruction) << machine.text;
      const Row* const row = find_row(instruction->mnemonic, target);
      EXPECT_EQ(pipe_of(*instruction, row), machine.pipe) << machine.text << " on " << target.name;
      EXPECT_EQ(counters_of(*instruction, row, target), machine.counters)
          << machine.text << " on " << target.name;
      pipes.emplace(target.name, machine.pipe);
      for (const Counter counter : machine.counters) counters.emplace(target.name, counter);
    }
  for (const Target& target : kTargets) {
    for (int pipe = 0; pipe < kPipes; ++pipe) {
      const auto each = static_cast<Pipe>(pipe);
      if (each == Pipe::Export && target.is(kCdna)) continue;
      EXPECT_TRUE(pipes.contains({target.name, each})) << name_of(each) << " on " << target.name;
    }
    const std::vector<Counter> all = target.is(kCdna)    ? std::vector{Vm, Lgkm}
                                     : target.is(kRdna4) ? std::vector{Load, Store, Ds, Km, Exp}
                                                         : std::vector{Vm, Lgkm, Exp, Vs};
    for (const Counter counter : all)
      EXPECT_TRUE(counters.contains({target.name, counter}))
          << static_cast<int>(counter) << " on " << target.name;
  }
}

TEST(Cost, VectorInstructionsTakeFourCyclesOnCdnaAndOneOnRdna) {
  EXPECT_EQ(of("gfx90a", "v_fma_f32 v0, v1, v2, v3", 64).issue, 4);
  EXPECT_EQ(of("gfx942", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 64).issue, 4);
  EXPECT_EQ(of("gfx1100", "v_fma_f32 v0, v1, v2, v3", 32).issue, 1);
  EXPECT_EQ(of("gfx1100", "v_fma_f32 v0, v1, v2, v3", 64).issue, 2);
  EXPECT_EQ(of("gfx1201", "v_lshlrev_b64 v[30:31], 2, v[12:13]", 32).issue, 2);
  for (const char* const target : {"gfx1100", "gfx1201"}) {  // thread traces of discover_ops
    EXPECT_EQ(of(target, "v_cmp_lt_f64_e32 vcc_lo, v[0:1], v[2:3]", 32).issue, 2);
    EXPECT_EQ(of(target, "v_cmp_eq_u64_e32 vcc_lo, v[0:1], v[2:3]", 32).issue, 2);
    EXPECT_EQ(of(target, "v_cmp_eq_u32_e32 vcc_lo, v0, v1", 32).issue, 1);
    EXPECT_EQ(of(target, "v_mul_hi_u32_u24_e32 v0, v1, v2", 32).issue, 1);
    EXPECT_EQ(of(target, "v_mul_hi_u32 v0, v1, v2", 32).issue, 4);
  }
}

TEST(Cost, IntegerMultiplicationsRunAtFullRateOnCdna4) {
  for (const char* text : {"v_mul_lo_u32 v0, v1, v2", "v_mul_hi_i32 v0, v1, v2",
                           "v_mad_u64_u32 v[0:1], s[2:3], v4, s5, v[6:7]"}) {
    EXPECT_EQ(of("gfx950", text, 64).issue, 4) << text;
    EXPECT_EQ(of("gfx950", text, 64).result, 4) << text;
    EXPECT_EQ(of("gfx942", text, 64).issue, 16) << text;
    EXPECT_EQ(of("gfx1100", text, 32).issue, 4) << text;  // a quarter of the rate
  }
}

TEST(Cost, ScalarResultsOnRdna) {
  EXPECT_EQ(of("gfx1100", "s_add_u32 s0, s1, s2", 32).result, 2);
  EXPECT_EQ(of("gfx1201", "s_add_co_u32 s0, s1, s2", 32).result, 2);
  EXPECT_EQ(of("gfx1201", "s_add_f16 s0, s1, s2", 32).result, 4);
  EXPECT_EQ(of("gfx1201", "s_add_f32 s0, s1, s2", 32).result, 4);
  EXPECT_EQ(of("gfx1100", "s_mul_hi_u32 s0, s1, s2", 32).result, 3);
  EXPECT_EQ(of("gfx1100", "s_mulk_i32 s0, 0x3", 32).result, 2);
  EXPECT_EQ(of("gfx1100", "v_swap_b32 v0, v1", 32).issue, 2);  // two results
}

TEST(Cost, CallsOnRdnaGetToTheirTargetLaterThanBranches) {
  for (const char* const target : {"gfx1100", "gfx1151", "gfx1201"}) {
    EXPECT_EQ(of(target, "s_branch 0", 32).result, 1) << target;
    EXPECT_EQ(of(target, "s_cbranch_scc0 0", 32).result, 1) << target;
    EXPECT_EQ(of(target, "s_call_b64 s[0:1], 0", 32).result, 5) << target;
    EXPECT_EQ(of(target, "s_setpc_b64 s[0:1]", 32).result, 5) << target;
    EXPECT_EQ(of(target, "s_swappc_b64 s[0:1], s[2:3]", 32).result, 5) << target;
    EXPECT_EQ(of(target, "v_mullit_f32 v0, v1, v2, v3", 32).issue, 1) << target;
  }
  EXPECT_EQ(of("gfx942", "s_setpc_b64 s[0:1]", 64).result, of("gfx942", "s_branch 0", 64).result);
}

TEST(Cost, SwapsOfLanesAndTruthTablesOf16BitsTakeTwoPasses) {
  for (const char* text : {"v_permlane32_swap_b32_e64 v0, v1 bound_ctrl:1",
                           "v_permlane16_swap_b32_e32 v0, v1", "v_bitop3_b16 v0, v1, v2, v3 bitop3:0x36"}) {
    EXPECT_EQ(of("gfx950", text, 64).issue, 8) << text;
    EXPECT_EQ(of("gfx950", text, 64).result, 8) << text;
  }
  EXPECT_EQ(of("gfx950", "v_bitop3_b32 v0, v1, v2, v3 bitop3:0x36", 64).issue, 4);
}

TEST(Cost, TranscendentalsRunAtAQuarterOfTheRateAndAtHalfOnCdna4) {
  for (const char* target : {"gfx90a", "gfx942"}) EXPECT_EQ(of(target, "v_exp_f32_e32 v0, v1", 64).issue, 16);
  EXPECT_EQ(of("gfx950", "v_exp_f32_e32 v0, v1", 64).issue, 8);
  EXPECT_EQ(of("gfx1100", "v_rcp_f32_e32 v0, v1", 32).issue, 4);
  EXPECT_EQ(of("gfx1201", "v_s_rcp_f32 s0, s1", 32).issue, 1);
}

TEST(Cost, MatrixCyclesAreTheTables) {
  for (const MatrixInstruction& matrix : kMatrixInstructions)
    for (const Target& target : kTargets) {
      if (!target.is(matrix.generations)) continue;
      const Row* row = row_of(matrix.mnemonic(), target);
      ASSERT_NE(row, nullptr) << matrix.mnemonic();
      Instruction instruction;
      instruction.mnemonic = matrix.mnemonic();
      const Cost cost = cost_of(instruction, row, target, target.wave64_only ? 64 : 32);
      EXPECT_EQ(cost.issue, matrix.cycles) << matrix.mnemonic();
    }
}

TEST(Cost, NarrowFormatsOfF8f6f4TakeHalfTheCycles) {
  const auto wide = of("gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]", 64);
  const auto narrow =
      of("gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3] cbsz:4 blgp:4", 64);
  const auto mixed = of("gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:15], a[0:3] cbsz:4", 64);
  EXPECT_EQ(wide.issue, 2 * narrow.issue);
  EXPECT_EQ(mixed.issue, wide.issue);
}

TEST(Cost, AnAccumulationGoesOnAtThePipesRateAndOtherUsesWait) {
  const Target& target = *find_target("gfx942");
  const Cost cost = of("gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 64);
  EXPECT_EQ(cost.issue, 32);
  EXPECT_EQ(matrix_result_cycles(cost, MatrixUse::Accumulate, target), 32);
  EXPECT_GT(matrix_result_cycles(cost, MatrixUse::Operand, target), 32);
}

}  // namespace
}  // namespace wavesmith::isa
