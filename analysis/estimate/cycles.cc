#include "analysis/estimate/cycles.h"

#include <algorithm>
#include <array>

#include "gpus/lds_phases.h"
#include "isa/control/row.h"
#include "isa/memory/lds_accesses.h"
#include "isa/rows.h"

namespace wavesmith::analysis {

double lds_cycles(const gpus::Gpu& gpu, isa::Direction direction, uint32_t bytes, int wave_lanes) {
  const gpus::LdsAccess kind = direction == isa::Direction::Store    ? gpus::LdsAccess::Write
                               : direction == isa::Direction::Atomic ? gpus::LdsAccess::Atomic
                                                                     : gpus::LdsAccess::Read;
  return static_cast<double>(
      gpus::lds_phases(gpu, kind, bytes, static_cast<uint32_t>(wave_lanes)).phases.size());
}

namespace {

using isa::Pipe;

double data_cycles(const isa::Instruction& in, const isa::Row* row, const gpus::Gpu& gpu, int lanes) {
  if (!row || row->shape != isa::Shape::Memory) return 0;
  const isa::Space space = space_of(in.mnemonic);
  const uint32_t bytes = row->access.bytes;
  if (space == isa::Space::Scalar) return 0;
  // A compute unit's vector L1 gives a line per clock. Sources: AMD, CDNA2 (64 B) and CDNA3 (128 B) white
  // papers, RDNA white paper (128 B).
  if (space != isa::Space::Lds)
    return std::max(4.0, static_cast<double>(bytes) * lanes / std::max(64u, gpu.l1_line_bytes));
  const isa::LdsAccesses made = isa::lds_accesses(in, row->access);
  return lds_cycles(gpu, row->access.direction, made.bytes == 0 ? 4 : std::min(made.bytes, 16u), lanes) *
         made.count;
}

/// One wave that issues in order: when each register may be read, when each pipe is free.
class OneWave {
 public:
  OneWave(const Code& code, const Costs& costs, bool in_order)
      : code_(code), costs_(costs), rules_(isa::issue_rules(*code.target)), in_order_(in_order) {
    from_.fill(kNone);
  }

  /// When the instruction is issued; the clock goes on.
  double issue(uint32_t i) {
    if (!costs_.left_out.empty() && costs_.left_out[i]) return now_;
    const isa::Cost& cost = costs_.of[i];
    const Effects& effects = code_.effects[i];
    const auto pipe = static_cast<size_t>(cost.pipe);
    double start = in_order_ ? std::max(now_, free_[pipe]) : 0;
    for (const Range range : effects.reads)
      for (uint16_t r = range.first; r < range.first + range.count; ++r)
        if (!skips(r)) start = std::max(start, ready_of(i, r, range));
    double passed = rules_.quantum;
    if (cost.pipe == Pipe::Internal) {
      if (isa::operation_of(code_.instructions[i].mnemonic) == isa::Operation::Nop &&
          !code_.instructions[i].operands.empty())
        passed *= static_cast<double>(code_.instructions[i].operands[0].bits + 1);
    }
    if (cost.pipe == Pipe::Branch) passed = rules_.branch_passed;
    now_ = start + passed;
    free_[pipe] = start + std::max<double>(cost.issue, costs_.data_cycles[i]);
    for (const Range range : effects.writes)
      for (uint16_t r = range.first; r < range.first + range.count; ++r) {
        ready_[r] = start + cost.result;
        from_[r] = i;
      }
    end_ = std::max(end_, start + cost.result);
    return start;
  }
  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] double end() const { return end_; }
  void taken_branch() { now_ += rules_.branch_taken - rules_.branch_passed; }

 private:
  /// EXEC and the like are ready for whoever comes next.
  static bool skips(uint16_t r) { return r == reg::kExec || r == reg::kExec + 1; }

  /// A matrix result is ready sooner for the next accumulation than for others.
  [[nodiscard]] double ready_of(uint32_t reader, uint16_t r, Range range) const {
    const uint32_t writer = from_[r];
    if (writer == kNone || costs_.of[writer].pipe != Pipe::Matrix) return ready_[r];
    isa::MatrixUse use = isa::MatrixUse::Other;
    if (costs_.of[reader].pipe == Pipe::Matrix) {
      const Effects& own = code_.effects[reader];
      const Effects& its = code_.effects[writer];
      const bool same = !own.writes.empty() && !its.writes.empty() && own.writes[0] == its.writes[0] &&
                        range == own.writes[0];
      use = same ? isa::MatrixUse::Accumulate : isa::MatrixUse::Operand;
    }
    return ready_[r] - costs_.of[writer].result +
           isa::matrix_result_cycles(costs_.of[writer], use, *code_.target);
  }

  const Code& code_;
  const Costs& costs_;
  const isa::IssueRules& rules_;
  bool in_order_;
  double now_ = 0, end_ = 0;
  std::array<double, isa::kPipes> free_{};
  std::array<double, reg::kCount> ready_{};
  std::array<uint32_t, reg::kCount> from_{};
};

}  // namespace

uint32_t sharing_simds(const gpus::Gpu& gpu) { return std::max(1u, gpu.simds_per_unit); }

Costs find_costs(const Code& code, const Graph& graph, const gpus::Gpu& gpu,
                 const std::vector<AccessPattern>& accesses) {
  Costs costs;
  costs.of.resize(code.size());
  costs.data_cycles.resize(code.size());
  costs.clock.resize(code.size());
  costs.block_cycles.resize(graph.blocks.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    costs.of[i] = isa::cost_of(code.instructions[i], code.rows[i], *code.target, code.wave_lanes);
    costs.data_cycles[i] = data_cycles(code.instructions[i], code.rows[i], gpu, code.wave_lanes);
  }
  for (const AccessPattern& access : accesses) {
    double& cycles = costs.data_cycles[access.instruction];
    if (access.cycles.value) cycles = *access.cycles.value;
    if (access.lines.value) cycles = std::max(cycles, *access.lines.value);
  }
  for (uint32_t b = 0; b < graph.blocks.size(); ++b) {
    OneWave wave(code, costs, true);
    for (uint32_t i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i) costs.clock[i] = wave.issue(i);
    costs.block_cycles[b] = wave.now();
  }
  return costs;
}

double load_latency(const Code& code, uint32_t i, const gpus::Gpu& gpu, ServedBy by) {
  if (code.rows[i] && code.rows[i]->access.direction == isa::Direction::Store) return 0;
  switch (isa::pipe_of(code.instructions[i], code.rows[i])) {
    case isa::Pipe::Lds:
      return 64;  // 69 cycles on gfx950, measured (HipKittens)
    case isa::Pipe::Smem:
      return gpu.l1_cycles.value_or(0);
    case isa::Pipe::Vmem:
      return (by == ServedBy::L2 ? gpu.l2_cycles : gpu.memory_cycles).value_or(0);
    default:
      return 0;
  }
}

namespace {

/// VALU instructions of several waves, where a SIMD has two pipes for them (isa::IssueRules::second_pipe).
class TwoPipes {
 public:
  void add(const isa::Cost& cost) {
    using isa::VectorPipe;
    if (cost.vector == VectorPipe::Alone || cost.vector == VectorPipe::Packed)
      both_ += cost.issue;
    else
      (cost.vector == VectorPipe::First ? first_ : either_) += cost.issue;
  }
  /// Cycles until both pipes have taken all.
  [[nodiscard]] double cycles() const { return both_ + std::max(first_, (first_ + either_) / 2); }

 private:
  double both_ = 0, first_ = 0, either_ = 0;
};

}  // namespace

Cycles cycles_of(const Code& code, const Graph& graph, const gpus::Gpu& gpu, const Costs& costs,
                 const std::vector<uint32_t>& blocks, Repeated repeated) {
  Cycles cycles;
  const isa::IssueRules& rules = isa::issue_rules(*code.target);
  TwoPipes vector;
  double shared_lds = 0, shared_memory = 0;
  for (const uint32_t b : blocks)
    for (uint32_t i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i) {
      if (!costs.left_out.empty() && costs.left_out[i]) continue;
      const isa::Cost& cost = costs.of[i];
      const double busy = std::max<double>(cost.issue, costs.data_cycles[i]);
      cycles.pipe[static_cast<size_t>(cost.pipe)] += busy;
      cycles.issue += rules.quantum;
      if (cost.pipe == Pipe::Valu || cost.pipe == Pipe::Transcendental) vector.add(cost);
      if (cost.pipe == Pipe::Lds) shared_lds += costs.data_cycles[i];
      if (cost.pipe == Pipe::Vmem) shared_memory += costs.data_cycles[i];
    }

  // Two passes before the one that is measured, so that what the passes before left is there.
  const auto period = [&](bool in_order) {
    OneWave wave(code, costs, in_order);
    const int passes = repeated == Repeated::Yes ? 6 : 1, measured = (passes + 1) / 2;
    double before = 0, last = 0;
    for (int pass = 0; pass < passes; ++pass) {
      for (const uint32_t b : blocks)
        for (uint32_t i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i) wave.issue(i);
      if (in_order && repeated == Repeated::Yes) wave.taken_branch();
      last = in_order ? wave.now() : wave.end();
      if (pass == passes - measured - 1) before = last;
    }
    return (last - before) / measured;
  };
  cycles.one_wave = period(true);
  cycles.latency = period(false);

  // Where SIMDs share a unit, a wave of each passes while one does here.
  auto pressure = cycles.pipe;
  const auto of = [&](Pipe pipe) -> double& { return pressure[static_cast<size_t>(pipe)]; };
  if (code.target->has_accumulators()) {
    of(Pipe::Valu) += of(Pipe::Transcendental);  // CDNA has no other unit for them
    if (rules.second_pipe) of(Pipe::Valu) = vector.cycles();
    of(Pipe::Transcendental) = 0;
  } else {
    of(Pipe::Valu) += of(Pipe::Matrix);  // WMMA waits in the VALU's queue
  }
  const uint32_t simds = sharing_simds(gpu);
  of(Pipe::Lds) = std::max(of(Pipe::Lds) / std::max(1.0, static_cast<double>(simds)), shared_lds * simds);
  of(Pipe::Vmem) =
      std::max(of(Pipe::Vmem) / std::max(1.0, static_cast<double>(simds)), shared_memory * simds);
  of(Pipe::Internal) = 0;  // of the wave alone
  const auto most = std::max_element(pressure.begin(), pressure.end());
  cycles.throughput = *most;
  cycles.bound = static_cast<Pipe>(most - pressure.begin());
  *most = 0;
  cycles.next_busiest = *std::max_element(pressure.begin(), pressure.end());
  return cycles;
}

}  // namespace wavesmith::analysis
