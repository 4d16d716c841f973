#include "timing/unit/compute_unit.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpus/lds_phases.h"
#include "timing/unit/state.h"

namespace wavesmith::timing {

std::string_view name_of(Cause cause) {
  static constexpr std::array<std::string_view, kCauses> kNames = {"none",
                                                                   "VALU result",
                                                                   "SALU result",
                                                                   "matrix result",
                                                                   "wait for loads",
                                                                   "wait for stores",
                                                                   "wait for LDS",
                                                                   "wait for scalar loads",
                                                                   "barrier",
                                                                   "pipe taken",
                                                                   "VALU queue full",
                                                                   "memory pipe taken",
                                                                   "instruction fetch",
                                                                   "branch",
                                                                   "nop or sleep"};
  return kNames[static_cast<size_t>(cause)];
}

uint32_t units_of(isa::Pipe pipe, const gpus::Gpu& gpu) {
  using isa::Pipe;
  switch (pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
    case Pipe::Matrix:
    // Of CDNA the SIMDs share one of the next, which takes an instruction of each while it is each one's
    // turn.
    case Pipe::Salu:
    case Pipe::Branch:
    case Pipe::Internal:
      return gpu.simds_per_unit;
    default:
      return 1;
  }
}

double fullest_pipe(const UnitProfile& time, const gpus::Gpu& gpu) {
  double most = 0;
  for (int i = 0; i < isa::kPipes; ++i)
    most = std::max(most, static_cast<double>(time.busy[static_cast<size_t>(i)]) /
                              units_of(static_cast<isa::Pipe>(i), gpu));
  return most;
}

ComputeUnit::ComputeUnit(const gpus::Gpu& gpu, const OpTable& ops, MemoryPort& memory, const Options& options)
    : state_(std::make_unique<State>(gpu, ops, memory, options)) {}
ComputeUnit::~ComputeUnit() = default;
uint64_t ComputeUnit::now() const { return state_->clock; }
UnitProfile ComputeUnit::time() const& { return state_->finished(state_->time); }
UnitProfile ComputeUnit::time() && { return state_->finished(std::move(state_->time)); }
UnitProfile ComputeUnit::State::finished(UnitProfile time) const {
  const uint64_t end = time.cycles + std::min(begun, clock);
  for (const Simd& simd : simds)
    if (simd.waves.empty()) time.empty += end - std::clamp(simd.empty_from, end - time.cycles, end);
  for (uint32_t i = 0; i < time.ops.size(); ++i) {
    const OpTime& of = time.ops[i];
    const UnitOp& op = ops[i];
    const auto pipe = static_cast<size_t>(op.pipe);
    time.instructions += of.hits;
    time.issued[pipe] += of.hits;
    time.busy[pipe] += of.hits * taken(op);
    for (size_t cause = 0; cause < kCauses; ++cause) time.stalled[cause] += of.by_cause[cause];
  }
  for (size_t pipe = 0; pipe < side_by_side.size(); ++pipe) time.busy[pipe] -= side_by_side[pipe];
  time.stalled[static_cast<size_t>(Cause::Nop)] -= slept;
  return time;
}
/// Cycles for which an instruction's pipe is taken; LDS and the address unit count for themselves.
uint64_t ComputeUnit::State::taken(const UnitOp& op) const {
  using isa::Pipe;
  switch (op.pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
    case Pipe::Matrix:
      return op.issue;
    case Pipe::Salu:
    case Pipe::Branch:
    case Pipe::Smem:
      return rules.quantum;
    default:
      return 0;
  }
}
uint32_t ComputeUnit::take_ended() { return std::exchange(state_->ended, 0); }
bool ComputeUnit::step() { return state_->step(); }

void ComputeUnit::start(const WorkgroupRecord& group, uint64_t cycle) {
  State& s = *state_;
  const auto number = static_cast<uint32_t>(s.groups.size());
  s.groups.push_back({static_cast<uint32_t>(group.waves.size()), 0, 0});
  ++s.time.groups;
  for (const WaveRecord& wave : group.waves) {
    const auto least = std::min_element(s.simds.begin(), s.simds.end(), [](const Simd& a, const Simd& b) {
      return a.waves.size() < b.waves.size();
    });
    s.add(wave, static_cast<uint32_t>(least - s.simds.begin()), cycle, number, nullptr);
  }
}

void ComputeUnit::start(const WaveRecord& wave, uint32_t simd, uint64_t cycle, Observed* observed) {
  State& s = *state_;
  const auto number = static_cast<uint32_t>(s.groups.size());
  s.groups.push_back({1, 0, 0});
  s.add(wave, simd, cycle, number, observed);
}

void ComputeUnit::State::add(const WaveRecord& record, uint32_t simd, uint64_t cycle, uint32_t group,
                             Observed* observed) {
  if (record.sites.empty()) {
    if (--groups[group].alive == 0) ++ended;
    return;
  }
  std::unique_ptr<Wave> wave;
  if (spare.empty()) {
    wave = std::make_unique<Wave>();
  } else {
    wave = std::move(spare.back());
    spare.pop_back();
    *wave = Wave{};
  }
  wave->record = &record;
  wave->sites = record.sites.data();
  wave->count = record.sites.size();
  wave->observed = observed;
  if (observed) observed->issued.assign(record.sites.size(), 0);
  wave->group = group;
  wave->simd = simd;
  wave->number = static_cast<uint32_t>(time.waves++);
  wave->at = wave->previous = cycle;
  begun = std::min(begun, cycle);
  Simd& to = simds[simd];
  if (to.waves.empty()) time.empty += cycle - std::clamp(to.empty_from, begun, cycle);
  Wave& w = *wave;
  w.place = to.waves.size();
  to.waves.push_back({std::move(wave)});
  changed(to);
  prepare(w);
}

/// When the wave's next instruction could issue if it were alone, and what holds it.
void ComputeUnit::State::prepare(Wave& w) {
  const UnitOp& op = ops[w.sites[w.next]];
  w.op = &op;
  w.ready = w.at;
  w.cause = Cause::None;
  using isa::Pipe;
  if (options.fetches && op.line != w.line) fetch(w, op);
  if ((w.delays[0].id | w.delays[1].id) != 0 && op.control != Control::Delay) delay(w);
  switch (op.pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
    case Pipe::Matrix:
      w.until(w.matrix_read, Cause::Vector);
      if (rules.scalars) w.until(w.scalars.at(rules.scalars - 1u), Cause::Scalar);
      if (w.last_memory) w.until(w.last_memory + rules.memory_to_vector, Cause::Vector);
      if (rules.masks && !op.scalar_writes.empty()) {
        const uint64_t oldest = w.masks.at(rules.masks - 1u);
        if (oldest && oldest + rules.mask_hold > w.ready) {
          w.until(w.masks.at(0), Cause::Vector);
          w.masks = {};
        }
      }
      if (w.ready < w.scalar_pending)
        for (const RegisterRange& range : op.scalar_reads)
          for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
            w.until(w.scalar[r].issued, Cause::Scalar);
            if (!rules.queued) w.until(w.scalar[r].by_vector, Cause::Vector);
          }
      if (!rules.queued && w.ready < w.vector_pending)
        w.until(operands_ready(w, op), op.pipe == Pipe::Matrix ? Cause::Matrix : Cause::Vector);
      break;
    case Pipe::Salu:
    case Pipe::Branch:
      if (op.pipe == Pipe::Salu) w.until(w.scalars_written, Cause::Vector);
      if (op.control == Control::Conditional && w.last_scalar)
        w.until(w.last_scalar + rules.scalar_to_branch, Cause::Scalar);
      if (rules.scalars && op.pipe == Pipe::Salu) {
        w.until(w.scalars.at(rules.scalars - 1u), Cause::Scalar);
        if (op.hardware || w.hardware)
          w.until(w.last_scalar + rules.scalar_to_scalar_memory + (op.hardware ? 1 : 0), Cause::Scalar);
      }
      if (w.ready >= w.scalar_pending) break;
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
          if (!rules.scalars) w.until(w.scalar[r].result, Cause::Scalar);
          if (w.scalar[r].by_vector)
            w.until(
                w.scalar[r].by_vector - rules.carry +
                    (op.control == Control::Conditional ? rules.vector_to_branch : rules.vector_to_scalar),
                Cause::Vector);
        }
      for (const RegisterRange& range : op.scalar_writes)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          if (w.scalar[r].read_by_vector)
            w.until(w.scalar[r].read_by_vector + rules.vector_to_overwrite, Cause::Vector);
      break;
    case Pipe::Smem:
      w.until(w.scalars_written, Cause::Vector);
      if (w.last_scalar) w.until(w.last_scalar + rules.scalar_to_scalar_memory, Cause::Scalar);
      if (w.ready >= w.scalar_pending) break;
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          if (w.scalar[r].by_vector)
            w.until(w.scalar[r].by_vector - rules.carry + rules.vector_to_scalar, Cause::Vector);
      break;
    case Pipe::Vmem:
    case Pipe::Lds:
    case Pipe::Export:
      if (w.last_scalar) w.until(w.last_scalar + rules.scalar_to_memory, Cause::Scalar);
      if (w.last_vector) w.until(w.last_vector + rules.vector_then_memory, Cause::Vector);
      w.until(w.matrix_read, Cause::Vector);
      if (w.ready < w.vector_pending) {
        for (const RegisterRange& range : op.vector_reads)
          w.vector.each(range, [&](const VectorWrite& write) {
            w.until(write.memory, Cause::Vector);
            w.until(write.matrix, Cause::Matrix);
          });
      }
      for (const RegisterRange& range : op.vector_writes) {
        if (w.ready < w.vector_pending)
          w.vector.each(range, [&](const VectorWrite& write) { w.until(write.memory, Cause::Vector); });
        if (reads_hold || !w.last_vector)
          for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
            w.until(w.vector.read(r), Cause::Vector);
      }
      break;
    case Pipe::Message:
      break;
    case Pipe::Internal:
      if (rules.queued && !w.hint && op.control != Control::Delay)
        w.until(w.issued + rules.memory_to_wait, Cause::None);
      else if (w.last_memory)
        w.until(w.last_memory + rules.memory_to_wait, Cause::None);
      if (op.control == Control::Wait) wait(w, op);
      if (op.control == Control::BarrierWait && groups[w.group].phase == w.phase) w.blocked = true;
      break;
  }
  w.forced = w.observed && w.observed->at[w.next] != Observed::kFree;
  if (w.forced) {
    w.ready = w.observed->at[w.next];
    w.blocked = false;
  }
  w.ready = (w.ready + quantum - 1) & ~(quantum - 1);
  place(w);
}

/// What choosing among the waves of its SIMD asks of this one.
void ComputeUnit::State::place(Wave& w) {
  WaveSlot& place = simds[w.simd].waves[w.place];
  place.ready = w.blocked ? WaveSlot::kBlocked : w.ready;
  place.yields = static_cast<uint8_t>(0xff - w.priority);
  place.gate = w.forced ? Gate::None : w.op->gate;
}

/// s_delay_alu's: the instruction is one of those that the hint was about.
void ComputeUnit::State::delay(Wave& w) const {
  for (Wave::Delay& delay : w.delays) {
    if (delay.id == 0 || delay.in-- != 0) continue;
    if (delay.id <= 4)
      w.until(w.vector_issues.at(delay.id - 1u), Cause::Vector);
    else if (delay.id <= 7)
      w.until(w.transcendental_issues.at(delay.id - 5u), Cause::Vector);
    else if (delay.id >= 9)
      w.until(w.last_scalar + 1 + delay.id - 8u, Cause::Scalar);
    delay.id = 0;
  }
}

/// When the registers of a VALU or matrix instruction are ready.
uint64_t ComputeUnit::State::operands_ready(const Wave& w, const UnitOp& op) const {
  uint64_t ready = 0;
  const bool matrix = op.pipe == isa::Pipe::Matrix;
  for (const RegisterRange& range : op.vector_reads) {
    const bool accumulator = matrix && op.c.count && range.first == op.c.first && range.count == op.c.count;
    w.vector.each(range, [&](const VectorWrite& write) {
      if (write.result) ready = std::max(ready, write.result + (matrix ? rules.matrix_operand : 0));
      if (write.matrix)
        ready = std::max(ready, accumulator && write.writer == op.c.first && write.written == op.c.count
                                    ? write.accumulate
                                    : write.matrix);
    });
  }
  for (const RegisterRange& range : op.vector_writes) {
    const bool accumulator = matrix && op.accumulates && range.first == op.d.first;
    if (accumulator) continue;
    w.vector.each(range, [&](const VectorWrite& write) { ready = std::max(ready, write.matrix); });
  }
  return ready;
}

void ComputeUnit::State::wait(Wave& w, const UnitOp& op) {
  static constexpr Cause kCause[kCounters] = {Cause::LoadWait, Cause::StoreWait, Cause::LdsWait,
                                              Cause::ScalarWait};
  for (size_t counter = 0; counter < kCounters; ++counter) {
    const size_t most = op.wait[counter];
    auto& out = w.outstanding[counter];
    if (most == 0xffff || out.size() <= most) continue;
    const Wave::Outstanding& last = out[out.size() - 1 - most];
    uint64_t done = last.done;
    if (most == 0)
      for (size_t i = 0; i < out.size(); ++i) done = std::max(done, out[i].done);
    if (done > w.ready) {
      w.ready = done;
      w.cause = last.scalar ? Cause::ScalarWait : kCause[counter];
    }
    out.pop(out.size() - most);
  }
}

void ComputeUnit::State::fetch(Wave& w, const UnitOp& op) {
  w.line = op.line;
  uint64_t& at = lines[op.line];
  if (at == kNotFetched) at = memory.fetch(w.at, options.unit, op.pc / kFetchLine * kFetchLine);
  if (at > w.at) {
    w.ready = at;
    w.cause = Cause::Fetch;
  }
}

/// When what takes instructions of each kind takes the next one of the SIMD.
inline std::array<uint64_t, kGates> ComputeUnit::State::opens(const Simd& simd) const {
  std::array<uint64_t, kGates> at;
  at[static_cast<size_t>(Gate::None)] = 0;
  const uint64_t first = std::max(simd.vector, simd.vector_matrix);
  const uint64_t second = std::max(simd.second, simd.second_matrix), either = std::min(first, second);
  at[static_cast<size_t>(Gate::Vector)] = first;
  at[static_cast<size_t>(Gate::SlowVector)] = std::max(simd.vector, simd.slow);
  at[static_cast<size_t>(Gate::Matrix)] = std::max({simd.vector, simd.second, simd.matrix});
  at[static_cast<size_t>(Gate::EitherVector)] = std::max(simd.vector_matrix, either);
  at[static_cast<size_t>(Gate::ScalarVector)] = std::max(first, simd.vector_scalars);
  at[static_cast<size_t>(Gate::EitherScalarVector)] =
      std::max({simd.vector_matrix, either, simd.vector_scalars});
  at[static_cast<size_t>(Gate::LoneVector)] = std::max(first, simd.second);
  at[static_cast<size_t>(Gate::PackedVector)] = std::max(first, second);
  at[static_cast<size_t>(Gate::Scalar)] = simd.scalar;
  at[static_cast<size_t>(Gate::Branch)] = simd.branch;
  at[static_cast<size_t>(Gate::Memory)] = std::max(simd.memory, behind(vector_memory, kVectorMemoryQueue));
  at[static_cast<size_t>(Gate::Lds)] =
      std::max({simd.memory, behind(lds[simd.lds_part], kLdsQueue),
                rules.lds_operands ? simd.lds_operands.at(rules.lds_operands - 1u) : 0});
  return at;
}

inline void ComputeUnit::State::choose(Simd& simd) {
  const std::array<uint64_t, kGates> at = opens(simd);
  constexpr uint64_t kNever = WaveSlot::kBlocked << 8;
  uint64_t soonest = ~uint64_t{0};
  const WaveSlot* choice = nullptr;
  for (const WaveSlot& place : simd.waves) {  // which one goes first can't be foreseen: no branches
    const uint64_t goes = std::max(place.ready, at[static_cast<size_t>(place.gate)]) << 8 | place.yields;
    choice = goes < soonest ? &place : choice;
    soonest = std::min(goes, soonest);
  }
  simd.choice = soonest < kNever ? choice->wave.get() : nullptr;
  when[simd.number] = soonest < kNever ? soonest >> 8 << kSimdBits | simd.number : kNothing;
}

bool ComputeUnit::State::step() {
  while (true) {
    for (; stale != 0; stale &= stale - 1) choose(simds[static_cast<size_t>(std::countr_zero(stale))]);
    uint64_t first = kNothing;
    for (const uint64_t one : when) first = std::min(first, one);
    if (first == kNothing) return false;  // nothing left, or every wave waits for what no wave does
    Simd& simd = simds[first & ((1u << kSimdBits) - 1)];
    Wave& wave = *simd.choice;
    const uint64_t at = first >> kSimdBits;
    // What the SIMDs share may have been taken meanwhile.
    const Gate gate = simd.waves[wave.place].gate;
    if ((gate == Gate::Memory && behind(vector_memory, kVectorMemoryQueue) > at) ||
        (gate == Gate::Lds && behind(lds[simd.lds_part], kLdsQueue) > at)) {
      changed(simd);
      continue;
    }
    clock = std::max(clock, at);
    issue(simd, wave, at);
    return true;
  }
}

}  // namespace wavesmith::timing
