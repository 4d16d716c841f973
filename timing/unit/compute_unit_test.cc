#include "timing/unit/compute_unit.h"

#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <tuple>

#include "isa/llvm/decoder.h"
#include "isa/matrix/instruction.h"
#include "isa/matrix/table.h"
#include "isa/rows.h"

namespace wavesmith::timing {
namespace {

const gpus::Gpu& gpu(std::string_view id) { return **gpus::find_gpu(id); }

/// Counts what it is asked.
class CountedLatency final : public MemoryPort {
 public:
  Completion access(uint64_t cycle, uint32_t unit, uint32_t wave, const WaveRecord& record,
                    const AccessRecord& access) override {
    ++asked;
    return latency_.access(cycle, unit, wave, record, access);
  }
  uint64_t fetch(uint64_t cycle, uint32_t unit, uint64_t pc) override {
    return latency_.fetch(cycle, unit, pc);
  }
  size_t asked = 0;

 private:
  FixedLatency latency_;
};

/// Waves that execute the same lines of assembly text, as if recorded.
class Trace {
 public:
  Trace(std::string_view gpu_id, int lanes)
      : gpu_(gpu(gpu_id)), target_(*isa::find_target(gpu_.target)), ops_(target_, lanes) {}

  /// Appends to a wave; LDS accesses take `lds` as the stride between lanes, in bytes.
  void add(WaveRecord& wave, const std::string& text, int64_t lds = 4) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      isa::Instruction instruction = *isa::parse_instruction(line);
      instruction.pc = pc_;
      instruction.size = 4;
      pc_ += 4;
      const uint32_t site = ops_.add(instruction, isa::find_row(instruction.mnemonic, target_));
      wave.sites.push_back(site);
      if (!ops_[site].memory) continue;
      AccessRecord access;
      access.space = ops_[site].lds                            ? AccessSpace::Lds
                     : ops_[site].cost.pipe == isa::Pipe::Smem ? AccessSpace::Scalar
                                                               : AccessSpace::Global;
      access.kind = ops_[site].store ? AccessKind::Store : AccessKind::Load;
      access.bytes = ops_[site].bytes;
      access.lanes = ops_.wave_lanes() == 64 ? ~uint64_t{0} : 0xffffffffu;
      access.stride = lds;
      wave.accesses.push_back(access);
      wave.access_counts.push_back(1);
    }
    wave.executed = wave.sites.size();
  }

  /// Cycles at which each instruction of each wave issued, all waves at cycle 0, on SIMD 0 unless `simds`
  /// says.
  std::vector<std::vector<uint64_t>> run(const std::vector<WaveRecord>& waves,
                                         const std::vector<uint32_t>& simds = {}) {
    ComputeUnit unit(gpu_, ops_, memory, {.fetches = false});
    std::deque<Observed> observed;
    for (const WaveRecord& wave : waves) {
      observed.push_back({std::vector<uint64_t>(wave.sites.size(), Observed::kFree), {}});
      const size_t number = observed.size() - 1;
      unit.start(wave, number < simds.size() ? simds[number] : 0, 0, &observed.back());
    }
    while (unit.step()) {
    }
    time = unit.time();
    std::vector<std::vector<uint64_t>> cycles;
    for (const Observed& each : observed) cycles.push_back(each.issued);
    return cycles;
  }
  UnitProfile time;
  CountedLatency memory;
  const OpTable& ops() const { return ops_; }

 private:
  const gpus::Gpu& gpu_;
  const isa::Target& target_;
  OpTable ops_;
  uint64_t pc_ = 0x1000;
};

std::vector<uint64_t> one(std::string_view gpu_id, int lanes, const std::string& text) {
  Trace trace(gpu_id, lanes);
  WaveRecord wave;
  trace.add(wave, text);
  return trace.run({wave}).front();
}

TEST(ComputeUnit, SimdsWithoutAWaveAreEmpty) {
  Trace trace("mi300x", 64);
  WaveRecord lone, two[2];
  trace.add(lone, "v_add_f32 v1, v2, v3\ns_endpgm");
  trace.run({lone});
  EXPECT_GT(trace.time.cycles, 0u);
  EXPECT_EQ(trace.time.empty, 3 * trace.time.cycles);
  // The shorter one leaves SIMD 0 to the other: never empty.
  trace.add(two[0], "v_add_f32 v1, v2, v3\ns_endpgm");
  std::string adds;
  for (int i = 0; i < 50; ++i) adds += "v_add_f32 v1, v1, v3\n";
  trace.add(two[1], adds + "s_endpgm");
  trace.run({two[0], two[1]});
  EXPECT_EQ(trace.time.empty, 3 * trace.time.cycles);
}

TEST(ComputeUnit, MatrixInstructionsIssueAtTheTablesRate) {
  for (const isa::MatrixInstruction& matrix : isa::kMatrixInstructions)
    for (const char* id : {"mi210", "mi300x", "mi355x"}) {
      const isa::Target& target = *isa::find_target(gpu(id).target);
      if (!target.is(matrix.generations)) continue;
      const isa::Row* row = isa::find_row(matrix.mnemonic(), target);
      ASSERT_NE(row, nullptr);
      OpTable ops(target, 64);
      isa::Instruction instruction;
      instruction.mnemonic = matrix.mnemonic();
      const auto registers = [](int first, int count) {
        isa::Operand operand;
        operand.kind = isa::Operand::Kind::Vgpr;
        operand.index = static_cast<uint16_t>(first), operand.count = static_cast<uint16_t>(count);
        return operand;
      };
      // Each of its own registers, none of them another's.
      WaveRecord wave;
      for (int i = 0; i < 4; ++i) {
        instruction.operands = {registers(64 * i, 4), registers(64 * i + 32, 2), registers(64 * i + 40, 2),
                                registers(64 * i, 4)};
        instruction.pc = static_cast<uint64_t>(i) * 8;
        wave.sites.push_back(ops.add(instruction, row));
      }
      FixedLatency memory;
      ComputeUnit unit(gpu(id), ops, memory, {.fetches = false});
      Observed observed{std::vector<uint64_t>(4, Observed::kFree), {}};
      unit.start(wave, 0, 0, &observed);
      while (unit.step()) {
      }
      for (int i = 1; i < 4; ++i)
        EXPECT_EQ(observed.issued[static_cast<size_t>(i)] - observed.issued[static_cast<size_t>(i) - 1],
                  matrix.cycles)
            << matrix.mnemonic() << " on " << id;
    }
}

TEST(ComputeUnit, AnAccumulationChainRunsAtTheMatrixPipesRateAndAnOperandWaits) {
  const std::string mfma = "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]\n";
  const auto chain = one("mi300x", 64, mfma + mfma + mfma);
  EXPECT_EQ(chain[1] - chain[0], 16u);
  EXPECT_EQ(chain[2] - chain[1], 16u);
  const auto operand =
      one("mi300x", 64, mfma + "v_mfma_f32_16x16x16_f16 v[20:23], v[0:1], v[10:11], v[20:23]\n");
  EXPECT_GT(operand[1] - operand[0], 16u);
}

TEST(ComputeUnit, TheValuWorksBesideTheMatrixPipe) {
  const auto cycles = one("mi300x", 64,
                          "v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], v[0:15]\n"
                          "v_add_f32_e32 v30, v31, v32\n"
                          "v_add_f32_e32 v33, v34, v35\n");
  EXPECT_LT(cycles[2] - cycles[0], 16u);
}

// Thread traces of an MI350X (isa/cost/cdna.cc).
TEST(ComputeUnit, WhatChangesPipesOnCdnaWaitsAsThreadTracesShow) {
  const auto apart = [](const std::string& text) {
    const std::vector<uint64_t> cycles = one("mi355x", 64, "s_nop 0\n" + text + "\ns_endpgm");
    return cycles[2] - cycles[1];
  };
  EXPECT_EQ(apart("v_add_f32 v1, v2, v3\nds_read_b32 v4, v1"), 12U);
  EXPECT_EQ(apart("v_add_f32 v1, v2, v3\nds_read_b32 v4, v5"), 12U);  // also where nothing is used
  EXPECT_EQ(apart("ds_read_b32 v4, v5\nv_add_f32 v1, v2, v3"), 4U);
  EXPECT_EQ(apart("v_cmp_eq_u32 vcc, v0, v1\ns_and_saveexec_b64 s[0:1], vcc"), 20U);
  EXPECT_EQ(apart("v_add_f32 v1, s4, v3\ns_mov_b32 s4, 0"), 4U);
  EXPECT_EQ(apart("v_add_f32 v1, v2, v3\ns_mov_b32 s4, 0"), 4U);
  EXPECT_EQ(apart("s_and_saveexec_b64 s[0:1], vcc\ns_cbranch_execz 4"), 8U);
}

TEST(ComputeUnit, WideOperandsOfAMatrixInstructionAreReadInTwoParts) {
  const auto apart = [](const std::string& text) {
    const std::vector<uint64_t> cycles = one("mi355x", 64, "s_nop 0\n" + text + "\ns_endpgm");
    return cycles[2] - cycles[1];
  };
  const std::string narrow = "v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[2:3], a[0:3]\n",
                    wide = "v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[4:7], a[0:3]\n";
  EXPECT_EQ(apart(narrow + "v_add_f32 v20, v21, v22"), 4U);
  EXPECT_EQ(apart(wide + "v_add_f32 v20, v21, v22"), 8U);
  EXPECT_EQ(apart(wide + "ds_read_b128 v[0:3], v20"), 8U);  // overwrites A
  EXPECT_EQ(apart(wide + "s_mov_b32 s4, 0"), 4U);
}

TEST(ComputeUnit, AValuInstructionReadsScalarRegistersWhenItIssuesNotWhenItExecutes) {
  const std::vector<uint64_t> cycles = one("rx7900xtx", 32,
                                           "v_exp_f32 v1, v1\nv_exp_f32 v1, v1\nv_exp_f32 v1, v1\n"
                                           "v_add_f32 v2, s4, v1\ns_mov_b32 s4, 0\ns_endpgm");
  EXPECT_EQ(cycles[4] - cycles[3], 8U);
}

TEST(ComputeUnit, DependentAddsAreFiveCyclesApartOnRdna3WhereTheCodeSaysSo) {
  const auto cycles = one("rx7900xtx", 32,
                          "v_add_f32_e32 v0, v1, v2\n"
                          "s_delay_alu instid0(VALU_DEP_1)\n"
                          "v_add_f32_e32 v0, v0, v3\n");
  EXPECT_EQ(cycles[2] - cycles[0], 5u);
}

TEST(ComputeUnit, WaitsEndWhenMemoryAnswers) {
  const auto cycles = one("mi300x", 64,
                          "global_load_dword v1, v[2:3], off\n"
                          "global_load_dword v4, v[6:7], off\n"
                          "s_waitcnt vmcnt(1)\n"
                          "s_waitcnt vmcnt(0)\n");
  EXPECT_GE(cycles[2], cycles[0] + 120);
  EXPECT_GE(cycles[3], cycles[1] + 120);
  EXPECT_LE(cycles[3], cycles[1] + 128);
}

/// A latency of stores that nobody takes for another.
class SlowStores final : public MemoryPort {
 public:
  Completion access(uint64_t cycle, uint32_t, uint32_t, const WaveRecord&, const AccessRecord&) override {
    return {cycle + 1, cycle + 1000};
  }
  uint64_t fetch(uint64_t cycle, uint32_t, uint64_t) override { return cycle; }
};

TEST(ComputeUnit, AWaveKeepsItsPlaceUntilItsStoresAreAcknowledged) {
  struct Case {
    const char* gpu;
    int lanes;
    const char* store;
    uint64_t waits;
  };
  // Compilers for RDNA free the registers before the end.
  for (const Case& one :
       {Case{"mi300x", 64, "global_store_dword v[2:3], v1, off\n", 1000},
        Case{"mi350x", 64, "global_store_dword v[2:3], v1, off\n", 1000}, Case{"mi350x", 64, "", 0},
        Case{"rx7900xtx", 32, "global_store_b32 v[2:3], v1, off\n", 0}}) {
    Trace trace(one.gpu, one.lanes);
    WorkgroupRecord group;
    trace.add(group.waves.emplace_back(), std::string(one.store) + "s_endpgm\n");
    SlowStores memory;
    ComputeUnit unit(gpu(one.gpu), trace.ops(), memory, {.fetches = false});
    unit.start(group, 0);
    while (unit.step()) {
    }
    EXPECT_EQ(unit.take_ended(), 1u);
    const UnitProfile time = unit.time();
    EXPECT_EQ(time.instructions, one.store[0] ? 2u : 1u);
    EXPECT_GE(time.cycles, one.waits);
    EXPECT_LE(time.cycles, one.waits + 50);
    // A thread trace counts it as s_endpgm's latency, but not as a stall.
    EXPECT_GE(time.ops.back().latency, one.waits - std::min<uint64_t>(one.waits, 50));
    EXPECT_LE(time.ops.back().latency, one.waits + 50);
    EXPECT_LE(time.ops.back().stall, 50u);
  }
}

TEST(ComputeUnit, LdsConflictsTakeTheCyclesOfThePhases) {
  for (const auto [stride, cycles, conflicts] : {std::tuple{4, 2, 0}, {128, 64, 62}, {8, 4, 2}}) {
    Trace trace("mi300x", 64);
    WaveRecord wave;
    trace.add(wave, "ds_read_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n", stride);
    trace.run({wave});
    EXPECT_EQ(trace.time.lds_cycles, static_cast<uint64_t>(cycles)) << stride;
    EXPECT_EQ(trace.time.lds_conflicts, static_cast<uint64_t>(conflicts)) << stride;
  }
}

TEST(ComputeUnit, LdsAccessesOfAShapeCostTheSameByKind) {
  const auto time = [](uint32_t shape) {
    Trace trace("mi300x", 64);
    WaveRecord wave;
    for (int i = 0; i < 3; ++i) trace.add(wave, "ds_read_b32 v1, v2\nds_add_u32 v2, v3\n", 0);
    for (AccessRecord& access : wave.accesses) access.shape = shape;
    trace.run({wave});
    return std::pair{trace.time.lds_cycles, trace.time.lds_conflicts};
  };
  const auto expected = time(AccessRecord::kNoShape);
  EXPECT_GT(expected.second, 3u * 60);  // atomics on one dword go one after the other
  for (const uint32_t shape : {0u, 7u}) EXPECT_EQ(time(shape), expected) << shape;
}

/// A wave alone on an MI308X, as tingqli/pyhip's docs/mem_latency.md measured it: ds_read_b128 is there after
/// 64 cycles and takes 16, ds_read_b32 52 and 4.
TEST(ComputeUnit, AWaveAloneGetsHalfOfWhatLdsGives) {
  for (const auto& [text, stride, latency, each] :
       {std::tuple{"ds_read_b128 v[4:7], v2\n", 16, 64, 16}, {"ds_read_b32 v4, v2\n", 4, 52, 4}}) {
    const auto until_there = [&](int reads) {
      Trace trace("mi308x", 64);
      WaveRecord wave;
      for (int i = 0; i < reads; ++i) trace.add(wave, text, stride);
      trace.add(wave, "s_waitcnt lgkmcnt(0)\ns_endpgm\n");
      const auto cycles = trace.run({wave}).front();
      return static_cast<double>(cycles[static_cast<size_t>(reads)] - cycles[0]);
    };
    EXPECT_NEAR(until_there(1), latency, 4) << text;
    EXPECT_NEAR((until_there(21) - until_there(1)) / 20, each, 0.5) << text;
  }
}

TEST(ComputeUnit, SimdsOfOnePairShareItsHalfOfLds) {
  const auto cycles = [](uint32_t second) {
    Trace trace("mi300x", 64);
    std::vector<WaveRecord> waves(2);
    for (WaveRecord& wave : waves) {
      for (int i = 0; i < 20; ++i) trace.add(wave, "ds_read_b128 v[4:7], v2\n", 16);
      trace.add(wave, "s_waitcnt lgkmcnt(0)\ns_endpgm\n");
    }
    trace.run(waves, {0, second});
    EXPECT_EQ(trace.time.lds_cycles, 2u * 20 * 8);
    return trace.time.cycles;
  };
  EXPECT_NEAR(static_cast<double>(cycles(1)), 2 * 20 * 16 + 48, 16);
  EXPECT_NEAR(static_cast<double>(cycles(2)), 20 * 16 + 48, 16);
}

TEST(ComputeUnit, TheFullestPipeSetsThePace) {
  Trace trace("mi300x", 64);
  std::vector<WaveRecord> waves(4);
  for (WaveRecord& wave : waves) {
    trace.add(wave, "v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], v[0:15]\n");  // 32 cycles
    for (int i = 0; i < 10; ++i) trace.add(wave, "ds_read_b128 v[4:7], v2\n", 16);     // 8 each, of LDS
    trace.add(wave, "s_waitcnt lgkmcnt(0)\ns_endpgm\n");
  }
  trace.run(waves, {0, 1, 2, 3});
  EXPECT_EQ(fullest_pipe(trace.time, gpu("mi300x")), 4 * 10 * 8);
  trace.run({waves[0]}, {2});
  EXPECT_EQ(fullest_pipe(trace.time, gpu("mi300x")), 10 * 8);
}

TEST(ComputeUnit, NoPipeIsTakenMoreThanAllOfTheTime) {
  Trace trace("mi300x", 64);
  std::vector<WaveRecord> waves(4);
  for (WaveRecord& wave : waves) {
    for (int i = 0; i < 100; ++i) trace.add(wave, "s_add_u32 s4, s5, s6\nds_read_b128 v[4:7], v2\n", 16);
    trace.add(wave, "s_waitcnt lgkmcnt(0)\ns_endpgm\n");
  }
  trace.run(waves, {0, 1, 2, 3});
  for (int pipe = 0; pipe < isa::kPipes; ++pipe)
    EXPECT_LE(trace.time.busy[static_cast<size_t>(pipe)],
              trace.time.cycles * units_of(static_cast<isa::Pipe>(pipe), gpu("mi300x")) * 101 / 100)
        << pipe;
  EXPECT_GE(trace.time.busy[static_cast<size_t>(isa::Pipe::Lds)], trace.time.cycles * 9 / 10);
}

/// The memory sees the load alone.
TEST(ComputeUnit, LoadsToLdsAreWrittenThere) {
  for (const auto& [text, bytes, cycles] :
       {std::tuple{"buffer_load_dwordx4 v1, s[0:3], 0 offen lds\n", 16, 4},
        {"buffer_load_dword v1, s[0:3], 0 offen lds\n", 4, 1}}) {
    Trace trace("mi355x", 64);
    WaveRecord wave;
    trace.add(wave, text);
    AccessRecord written = wave.accesses[0];
    written.space = AccessSpace::Lds;
    written.kind = AccessKind::Store;
    written.bytes = static_cast<uint16_t>(bytes);
    written.stride = bytes;
    wave.accesses.push_back(written);
    ++wave.access_counts[0];
    trace.run({wave});
    EXPECT_EQ(trace.time.lds_cycles, static_cast<uint64_t>(cycles)) << text;
    EXPECT_EQ(trace.memory.asked, 1u) << text;
  }
}

TEST(ComputeUnit, AWaveOfHigherPriorityGoesFirst) {
  Trace trace("mi300x", 64);
  std::vector<WaveRecord> waves(2);
  const std::string work = "v_exp_f32_e32 v1, v2\nv_exp_f32_e32 v3, v4\nv_exp_f32_e32 v5, v6\n";
  trace.add(waves[0], "s_nop 0\n" + work);
  trace.add(waves[1], "s_setprio 3\n" + work);
  const auto cycles = trace.run(waves);
  EXPECT_LT(cycles[1].back(), cycles[0].back());
}

TEST(ComputeUnit, TheOlderWaveGoesFirstOtherwise) {
  Trace trace("rx7900xtx", 32);
  std::vector<WaveRecord> waves(2);
  for (WaveRecord& wave : waves)
    trace.add(wave, "v_rcp_f32_e32 v1, v2\nv_rcp_f32_e32 v3, v4\nv_rcp_f32_e32 v5, v6\n");
  const auto cycles = trace.run(waves);
  EXPECT_LT(cycles[0].back(), cycles[1].back());
}

TEST(ComputeUnit, WavesOfAGroupMeetAtItsBarrier) {
  Trace trace("mi300x", 64);
  WorkgroupRecord group;
  group.waves.resize(2);
  trace.add(group.waves[0], "s_barrier\nv_mov_b32_e32 v0, v1\ns_endpgm\n");
  trace.add(group.waves[1],
            "v_exp_f32_e32 v1, v2\nv_exp_f32_e32 v1, v1\nv_exp_f32_e32 v1, v1\ns_barrier\nv_mov_b32_e32 v0, "
            "v1\ns_endpgm\n");
  FixedLatency memory;
  ComputeUnit unit(gpu("mi300x"), trace.ops(), memory, {.fetches = false});
  unit.start(group, 0);
  while (unit.step()) {
  }
  EXPECT_EQ(unit.take_ended(), 1u);
  // The first wave waits for three dependent transcendentals of 16 cycles each.
  EXPECT_GE(unit.time().stalled[static_cast<size_t>(Cause::Barrier)], 30u);
}

TEST(ComputeUnit, HitsLatenciesAndIdleAddUpToAWavesTime) {
  Trace trace("mi300x", 64);
  WaveRecord wave;
  trace.add(wave,
            "v_exp_f32_e32 v1, v2\nv_exp_f32_e32 v3, v1\ns_nop 2\nds_read_b32 v4, v5\ns_waitcnt "
            "lgkmcnt(0)\nv_add_f32_e32 v6, v4, "
            "v4\ns_endpgm\n");
  const auto cycles = trace.run({wave});
  uint64_t hits = 0, time = 0;
  for (const OpTime& op : trace.time.ops) hits += op.hits, time += op.latency + op.idle;
  EXPECT_EQ(hits, wave.sites.size());
  EXPECT_EQ(cycles.front().back() + 4, time);  // from its first instruction's issue to s_endpgm's end
  // Nops and waits are stall from end to end, whatever holds the wave; others issue for four cycles.
  for (size_t i = 0; i < trace.time.ops.size(); ++i) {
    const OpTime& op = trace.time.ops[i];
    const bool sequencer = trace.ops()[i].cost.pipe == isa::Pipe::Internal;
    EXPECT_EQ(op.latency - op.stall, sequencer ? 0 : 4 * op.hits) << trace.ops()[i].text;
    if (trace.ops()[i].text.starts_with("s_nop")) EXPECT_EQ(op.stall, 12u * op.hits);
  }
}

TEST(ComputeUnit, KeepingEventsChangesNothing) {
  for (const char* const id : {"mi210", "mi300x", "rx9070xt"}) {
    Trace trace(id, id[0] == 'm' ? 64 : 32);
    std::vector<WaveRecord> waves(6);
    for (WaveRecord& wave : waves)
      trace.add(
          wave,
          "v_exp_f32_e32 v1, v2\nv_exp_f32_e32 v3, v1\ns_nop 2\nv_add_f32_e32 v4, v3, v1\ns_add_u32 s1, "
          "s2, s3\nv_add_f32_e32 v4, s1, v4\ns_add_u32 s1, s1, s3\ns_endpgm\n");
    const auto time = [&](size_t events) {
      FixedLatency memory;
      ComputeUnit unit(gpu(id), trace.ops(), memory, {.simds = 2, .events = events});
      for (uint32_t i = 0; i < waves.size(); ++i) unit.start(waves[i], i % 2, 0, nullptr);
      while (unit.step()) {
      }
      return unit.time();
    };
    const UnitProfile with = time(100), without = time(0);
    EXPECT_EQ(with.events.size(), 48u);
    EXPECT_EQ(with.cycles, without.cycles) << id;
    EXPECT_EQ(with.instructions, 48u);
    EXPECT_EQ(with.stalled, without.stalled) << id;
    EXPECT_EQ(with.exposed, without.exposed) << id;
    ASSERT_EQ(with.ops.size(), without.ops.size());
    for (size_t i = 0; i < with.ops.size(); ++i) {
      const auto of = [](const OpTime& op) {
        return std::tuple(op.hits, op.latency, op.stall, op.idle, op.by_cause);
      };
      EXPECT_EQ(of(with.ops[i]), of(without.ops[i]))
          << id << ": " << trace.ops()[static_cast<uint32_t>(i)].text;
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
