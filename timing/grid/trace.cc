#include "timing/grid/trace.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/coherence.h"
#include "isa/control/row.h"
#include "isa/cost/cost.h"
#include "isa/matrix/instruction.h"
#include "isa/row.h"
#include "timing/grid/engine_clock.h"

namespace wavesmith::timing {
namespace {

using Kind = Step::Kind;

/// Cycles that the sequencer takes for an instruction of its own; a branch empties what was fetched.
uint16_t sequencer_cycles(const isa::Instruction& instruction) {
  const int64_t first = instruction.operands.empty() ? 0 : instruction.operands[0].bits;
  switch (isa::operation_of(instruction.mnemonic)) {
    case isa::Operation::Nop:
      return static_cast<uint16_t>(4 + (first & 15));
    case isa::Operation::Sleep:
      return static_cast<uint16_t>(64 * (first & 127));
    case isa::Operation::Branch:
    case isa::Operation::ConditionalBranch:
    case isa::Operation::DebuggerBranch:
      return 16;
    default:
      return 4;
  }
}

}  // namespace

InstructionUse use_of(const emulate::Site& site, uint32_t lanes, const UnitParameters& unit) {
  InstructionUse use;
  if (site.wait.waits()) {
    use.kind = Kind::Wait;
    use.memory = std::min(site.wait.vm, site.wait.load);
    use.local = std::min({site.wait.lgkm, site.wait.ds, site.wait.km});
    use.stores = std::min(site.wait.vs, site.wait.store);
    use.others = 4;
    return use;
  }
  if (site.barrier != emulate::BarrierStep::None) {
    use.kind = site.barrier == emulate::BarrierStep::Arrive ? Kind::Compute : Kind::Barrier;
    use.others = 4;
    return use;
  }
  const auto vector = static_cast<uint16_t>(std::max(1u, lanes / unit.simd_lanes));
  if (!site.row) {
    if (!site.instruction.second.empty())
      use.clocks = vector;
    else
      use.others = sequencer_cycles(site.instruction);
    return use;
  }
  switch (isa::pipe_of(site.instruction, site.row)) {
    case isa::Pipe::Valu:
    case isa::Pipe::Transcendental:
    case isa::Pipe::Matrix:
      use.clocks = unit.target
                       ? isa::cost_of(site.instruction, site.row, *unit.target, static_cast<int>(lanes)).issue
                       : vector;
      if (const isa::MatrixInstruction* const matrix = site.row->matrix)
        use.flops = 2.0 * matrix->m * matrix->n * matrix->k * matrix->blocks;
      break;
    case isa::Pipe::Smem:
      use.kind = Kind::Scalar;
      use.others = 4;
      break;
    case isa::Pipe::Vmem:
      use.kind = Kind::Load;
      use.others = 4;
      break;
    case isa::Pipe::Lds:
      use.kind = Kind::Lds;
      use.others = 4;
      break;
    default:
      use.others = 4;
  }
  return use;
}

const InstructionUse& InstructionUses::of(const emulate::Site& site, uint32_t lanes) {
  const std::scoped_lock lock(mutex_);
  const auto found = uses_.find(&site);
  return found != uses_.end() ? found->second
                              : uses_.emplace(&site, use_of(site, lanes, unit_)).first->second;
}

const InstructionUse& GroupRecorder::use(const emulate::Site& site, uint32_t lanes) {
  Recent& recent = recent_[reinterpret_cast<uint64_t>(&site) * 0x9e3779b97f4a7c15u >> (64 - kRecent)];
  if (recent.site != &site) recent = {&site, &uses_.of(site, lanes)};
  return *recent.use;
}

WaveSteps& GroupRecorder::trace_of(const emulate::WaveView& wave) {
  if (trace_.waves.size() <= wave.index()) trace_.waves.resize(wave.index() + 1);
  return trace_.waves[wave.index()];
}

void GroupRecorder::wave_begins(const emulate::WaveView& wave) {
  trace_of(wave);
  while (loops_.size() <= wave.index()) loops_.push_back({Loop(uses_.unit().line), {}, {}});
}

void GroupRecorder::wave_ends(const emulate::WaveView& wave) {
  if (Looping& looping = loops_[wave.index()]; looping.loop.folds()) unfold(wave, looping);
}

/// Whether the last iteration's steps are such that the time of others follows from that of a few.
bool GroupRecorder::can_fold(const WaveSteps& trace, const Loop& loop) {
  if (loop.changes_elsewhere()) return false;  // how much is written, or drawn, is counted step by step
  const std::span<const uint32_t> marks = loop.marks();
  if (marks.back() == marks[marks.size() - 2]) return false;  // all of it is one step already
  bool memory = false, loads = false, waits = false;
  for (size_t i = marks[marks.size() - 2]; i < marks.back(); ++i) {
    const Step& step = trace.steps[i];
    if (step.kind == Kind::Barrier) return false;  // the other waves come as often
    memory |= step.kind == Kind::Load || step.kind == Kind::Store || step.kind == Kind::Atomic;
    loads |= step.kind == Kind::Load;
    waits |= step.kind == Kind::Wait && step.memory != Step::kAny;
  }
  // A wave that does not wait for memory runs ahead of it, further with each iteration.
  return !memory || (loads && waits);
}

void GroupRecorder::fold(WaveSteps& trace, Loop& loop) {
  const std::span<const uint32_t> marks = loop.marks();
  const size_t last = marks.size() - 1, apart = loop.measured();
  trace.folds.push_back({.from = marks[last - 1 - apart],
                         .to = marks[last - 1],
                         .apart = static_cast<uint32_t>(apart),
                         .at = marks[last]});
  loop.fold();
}

void GroupRecorder::unfold(const emulate::WaveView& wave, Looping& looping) {
  WaveSteps& trace = trace_of(wave);
  const Loop::Folded done = looping.loop.unfold();
  const uint64_t kept = std::min(done.times, (most_ - trace.recorded) / done.instructions);
  if (kept == 0)
    trace.folds.pop_back();
  else
    trace.folds.back().times = kept;
  trace.instructions += done.times * done.instructions;
  trace.recorded += kept * done.instructions;
  const auto times = static_cast<double>(kept);
  trace.work.matrix_f16 += times * (looping.last.matrix_f16 - looping.before.matrix_f16);
  trace.work.matrix_bf16 += times * (looping.last.matrix_bf16 - looping.before.matrix_bf16);
  trace.work.matrix_f8 += times * (looping.last.matrix_f8 - looping.before.matrix_f8);
  for (Sweep sweep : done.sweeps) {
    sweep.times = kept;
    if (kept != 0) trace.sweeps.push_back(sweep);
  }
  const std::vector<Iteration::Executed>& executed = done.begun.executed;
  for (size_t i = 0; i < executed.size(); ++i) {
    record(wave, *executed[i].site, executed[i].idle);
    const size_t end = i + 1 < executed.size() ? executed[i + 1].accesses : done.begun.accesses.size();
    for (size_t access = executed[i].accesses; access < end; ++access)
      record(wave, *executed[i].site, done.begun.accesses[access]);
  }
}

void GroupRecorder::instruction(const emulate::WaveView& wave, const emulate::Site& site) {
  if (!loops_[wave.index()].loop.goes_on(site)) hear(wave, site);
}

void GroupRecorder::hear(const emulate::WaveView& wave, const emulate::Site& site) {
  Looping& looping = loops_[wave.index()];
  Loop& loop = looping.loop;
  if (loop.folds()) unfold(wave, looping);
  WaveSteps& trace = trace_of(wave);
  if (trace.instructions >= most_) {
    ++trace.instructions;
    return;
  }
  const bool idle = wave.exec() == 0;
  if (folds_ && loop.executes(site, idle, trace.steps.size())) {
    looping.before = std::exchange(looping.last, trace.work);
    if (loop.steady()) {
      if (can_fold(trace, loop)) {
        fold(trace, loop);
        loop.goes_on(site);
        return;
      }
      loop.ignore();
    }
  }
  record(wave, site, idle);
}

void GroupRecorder::record(const emulate::WaveView& wave, const emulate::Site& site, bool idle) {
  WaveSteps& trace = trace_of(wave);
  ++trace.instructions;
  if (!within(trace)) return;
  ++trace.recorded;
  const InstructionUse& use = this->use(site, wave.lanes());
  if (use.kind == Kind::Compute) {
    if (use.flops > 0) add_matrix_work(trace.work, site.instruction.mnemonic, use.flops, use.clocks);
    if (trace.steps.empty() || trace.steps.back().kind != Kind::Compute ||
        (!trace.folds.empty() && trace.folds.back().at == trace.steps.size()))
      trace.steps.emplace_back();
    trace.steps.back().clocks += use.clocks;
    trace.steps.back().others += use.others;
    return;
  }
  Step step;
  step.kind = use.kind;
  step.memory = use.memory, step.local = use.local, step.stores = use.stores;
  step.others = use.others;
  step.first = static_cast<uint32_t>(trace.lines.size());
  if (use.kind == Kind::Load && idle) step.clocks = 4;
  trace.steps.push_back(step);
}

/// Whether a wave reads again what it has just read, with nothing done since: then what was recorded since is
/// taken back.
bool GroupRecorder::reads_again(const emulate::WaveView& wave, const emulate::Site& site,
                                const emulate::MemoryAccess& access) {
  // A loop around a flag has a few dozen instructions; one around work has stores, reads elsewhere, or more
  // of them.
  constexpr uint64_t kLoop = 200;
  if (waiting_.size() <= wave.index()) waiting_.resize(wave.index() + 1);
  Waiting& waiting = waiting_[wave.index()];
  // A loop may count its turns in private memory.
  if (access.direction == isa::Direction::Store && access.space != emulate::AddressSpace::Private)
    ++waiting.worked;
  if (access.direction == isa::Direction::Store || access.lanes == 0) return false;
  const uint64_t address = access.address[std::countr_zero(access.lanes)];
  const auto before = waiting.readings.find(&site);
  if (before == waiting.readings.end() || before->second.address != address) {
    ++waiting.worked;
    return false;
  }
  const Reading& reading = before->second;
  WaveSteps& trace = trace_of(wave);
  if (reading.worked != waiting.worked || reading.instructions > trace.instructions ||
      reading.steps > trace.steps.size() || trace.instructions - reading.instructions > kLoop)
    return false;
  trace.instructions = reading.instructions;
  trace.recorded = reading.recorded;
  trace.steps.resize(reading.steps);
  trace.lines.resize(reading.lines);
  if (access.space == emulate::AddressSpace::Global && far_region(far_, address)) {
    waits_.insert(&site);
    if (!trace.steps.empty()) trace.steps.back().flag = true;
  }
  return true;
}

void GroupRecorder::has_read(const emulate::WaveView& wave, const emulate::Site& site,
                             const emulate::MemoryAccess& access) {
  if (access.direction == isa::Direction::Store || access.lanes == 0) return;
  const WaveSteps& trace = trace_of(wave);
  Waiting& waiting = waiting_[wave.index()];
  waiting.readings[&site] = {access.address[std::countr_zero(access.lanes)],
                             waiting.worked,
                             trace.instructions,
                             trace.recorded,
                             trace.steps.size(),
                             trace.lines.size()};
}

void GroupRecorder::access(const emulate::WaveView& wave, const emulate::Site& site,
                           const emulate::MemoryAccess& access) {
  if (folds_) {
    Looping& looping = loops_[wave.index()];
    if (looping.loop.folds()) {
      if (looping.loop.goes_on(access)) return;
      unfold(wave, looping);
    }
    looping.loop.accesses(access);
  }
  if (far_.empty()) return record(wave, site, access);
  if (reads_again(wave, site, access)) return;
  record(wave, site, access);
  has_read(wave, site, access);
}

void GroupRecorder::record(const emulate::WaveView& wave, const emulate::Site& site,
                           const emulate::MemoryAccess& access) {
  WaveSteps& trace = trace_of(wave);
  if (!within(trace) || trace.steps.empty()) return;
  Step& step = trace.steps.back();
  if (access.space == emulate::AddressSpace::Lds) {
    // 128 bytes per clock; conflicts are not looked at here, nor what a load to LDS writes there.
    if (step.kind != Kind::Lds) return;
    step.clocks +=
        std::max<uint32_t>(1, static_cast<uint32_t>(std::popcount(access.lanes)) * access.bytes / 128);
    return;
  }
  if (step.kind == Kind::Load) {
    if (access.direction == isa::Direction::Store) step.kind = Kind::Store;
    if (access.direction == isa::Direction::Atomic) step.kind = Kind::Atomic;
  }
  const bool is_private = access.space == emulate::AddressSpace::Private;
  std::span<const uint64_t> addresses(access.address, 64);
  if (access.lanes != ~uint64_t{0} || is_private) {
    addresses_.clear();
    for (uint64_t left = access.lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t address = access.address[lane];
      addresses_.push_back(is_private ? private_address(address, static_cast<uint32_t>(lane), wave.lanes(),
                                                        trace_.number * 64 + wave.index())
                                      : address);
    }
    addresses = addresses_;
  }
  const uint32_t line = uses_.unit().line;
  if (!access.side_by_side || addresses.size() != 64 || is_private ||
      !coalesce_dense(addresses.front(), access.bytes, line, coalesced_))
    coalesce(addresses, access.bytes, line, coalesced_);
  const Coalesced& coalesced = coalesced_;
  trace.lines.insert(trace.lines.end(), coalesced.lines.begin(), coalesced.lines.end());
  step.clocks += coalesced.clocks;
  step.count = static_cast<uint32_t>(trace.lines.size()) - step.first;
  // What is not kept near a wave on purpose (but for data that are read once) is there for others to write.
  if (!far_.empty() && access.direction != isa::Direction::Store && !addresses.empty() &&
      far_region(far_, addresses.front()))
    step.flag = waits_.contains(&site) ||
                (isa::reaches_other_workgroups(site.instruction) && !site.instruction.has("slc"));
}

}  // namespace wavesmith::timing
