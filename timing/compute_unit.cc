#include "timing/compute_unit.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "analysis/effects.h"
#include "gpus/lds_phases.h"
#include "timing/unit_state.h"

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
      return gpu.simds_per_unit;
    case Pipe::Salu:
    case Pipe::Branch:
    case Pipe::Internal:
      // Of CDNA the SIMDs share one, which takes an instruction of each while it is each one's turn.
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
UnitProfile ComputeUnit::time() const {
  UnitProfile time = state_->time;
  const uint64_t end = time.cycles + std::min(state_->begun, state_->clock);
  for (const Simd& simd : state_->simds)
    if (simd.waves.empty()) time.empty += end - std::clamp(simd.empty_from, end - time.cycles, end);
  return time;
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
  wave->observed = observed;
  if (observed) observed->issued.assign(record.sites.size(), 0);
  wave->group = group;
  wave->simd = simd;
  wave->number = static_cast<uint32_t>(time.waves++);
  wave->at = wave->previous = wave->fetched_at = cycle;
  wave->fetched = rules.fetch_start;
  begun = std::min(begun, cycle);
  Simd& to = simds[simd];
  if (to.waves.empty()) time.empty += cycle - std::clamp(to.empty_from, begun, cycle);
  prepare(*wave);
  simds[simd].waves.push_back(std::move(wave));
  simds[simd].stale = true;
}

/// When the wave's next instruction could issue if it were alone, and what holds it.
void ComputeUnit::State::prepare(Wave& w) {
  const Op& op = ops[w.record->sites[w.next]];
  w.op = &op;
  w.ready = w.at;
  w.cause = Cause::None;
  const auto until = [&](uint64_t cycle, Cause cause) {
    if (cycle > w.ready) w.ready = cycle, w.cause = cause;
  };
  using isa::Pipe;
  if (options.fetches) fetch(w, op);
  if (rules.fetch_rate != 0) {
    const uint32_t want = op.size / 4 * 10;
    const uint64_t have =
        std::min<uint64_t>(w.fetched + (w.ready - w.fetched_at) * rules.fetch_rate, rules.fetch_most);
    if (have < want) until(w.ready + (want - have + rules.fetch_rate - 1) / rules.fetch_rate, Cause::Fetch);
  }
  for (Wave::Delay& delay : w.delays) {
    if (delay.id == 0 || op.control == Control::Delay) continue;
    if (delay.in-- != 0) continue;
    if (delay.id <= 4)
      until(w.vector_issues.at(delay.id - 1u), Cause::Vector);
    else if (delay.id <= 7)
      until(w.transcendental_issues.at(delay.id - 5u), Cause::Vector);
    else if (delay.id >= 9)
      until(w.last_scalar + 1 + delay.id - 8u, Cause::Scalar);
    delay.id = 0;
  }
  switch (op.cost.pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
    case Pipe::Matrix:
      if (w.last_memory) until(w.last_memory + rules.memory_to_vector, Cause::Vector);
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = scalar(range.first), end = r + range.count; r < end; ++r) {
          until(w.scalar[r].issued, Cause::Scalar);
          if (!rules.queued) until(w.scalar[r].by_vector, Cause::Vector);
        }
      if (!rules.queued) {
        const uint64_t operands = operands_ready(w, op);
        until(operands, op.cost.pipe == Pipe::Matrix ? Cause::Matrix : Cause::Vector);
      }
      break;
    case Pipe::Salu:
    case Pipe::Branch:
      if (op.control == Control::Conditional && w.last_scalar)
        until(w.last_scalar + rules.scalar_to_branch, Cause::Scalar);
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = scalar(range.first), end = r + range.count; r < end; ++r) {
          until(w.scalar[r].result, Cause::Scalar);
          if (w.scalar[r].by_vector)
            until(w.scalar[r].by_vector - rules.carry +
                      (op.control == Control::Conditional ? rules.vector_to_branch : rules.vector_to_scalar),
                  Cause::Vector);
        }
      for (const RegisterRange& range : op.scalar_writes)
        for (uint32_t r = scalar(range.first), end = r + range.count; r < end; ++r)
          if (w.scalar[r].read_by_vector)
            until(w.scalar[r].read_by_vector + rules.vector_to_scalar, Cause::Vector);
      break;
    case Pipe::Smem:
      if (w.last_scalar) until(w.last_scalar + rules.scalar_to_scalar_memory, Cause::Scalar);
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = scalar(range.first), end = r + range.count; r < end; ++r)
          if (w.scalar[r].by_vector)
            until(w.scalar[r].by_vector - rules.carry + rules.vector_to_scalar, Cause::Vector);
      break;
    case Pipe::Vmem:
    case Pipe::Lds:
    case Pipe::Export:
      if (w.last_scalar) until(w.last_scalar + rules.scalar_to_memory, Cause::Scalar);
      for (const RegisterRange& range : op.vector_reads)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
          until(w.vector[r].memory, Cause::Vector);
          if (w.vector[r].matrix) until(w.vector[r].matrix, Cause::Matrix);
        }
      for (const RegisterRange& range : op.vector_writes)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          until(std::max(w.vector[r].memory, w.vector[r].read), Cause::Vector);
      break;
    case Pipe::Message:
      break;
    case Pipe::Internal:
      if (w.last_memory) until(w.last_memory + rules.memory_to_wait, Cause::None);
      if (op.control == Control::Wait) wait(w, op);
      if (op.control == Control::BarrierWait && groups[w.group].phase == w.phase) w.blocked = true;
      break;
  }
  if (w.observed && w.observed->at[w.next] != Observed::kFree) {
    w.ready = w.observed->at[w.next];
    w.blocked = false;
    w.forced = true;
  } else {
    w.forced = false;
  }
  if (rules.quantum > 1) w.ready = (w.ready + rules.quantum - 1) / rules.quantum * rules.quantum;
}

/// When the registers of a VALU or matrix instruction are ready.
uint64_t ComputeUnit::State::operands_ready(const Wave& w, const Op& op) const {
  uint64_t ready = 0;
  const bool matrix = op.cost.pipe == isa::Pipe::Matrix;
  for (const RegisterRange& range : op.vector_reads) {
    const bool accumulator = matrix && op.c.count && range.first == op.c.first && range.count == op.c.count;
    for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
      const VectorRegister& reg = w.vector[r];
      if (reg.result) ready = std::max(ready, reg.result + (matrix ? rules.matrix_operand : 0));
      if (reg.matrix)
        ready = std::max(ready, accumulator && reg.writer == op.c.first && reg.written == op.c.count
                                    ? reg.accumulate
                                    : reg.matrix);
    }
  }
  for (const RegisterRange& range : op.vector_writes) {
    const bool accumulator = matrix && op.accumulates && range.first == op.d.first;
    if (accumulator) continue;
    for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
      ready = std::max(ready, w.vector[r].matrix);
  }
  return ready;
}

void ComputeUnit::State::wait(Wave& w, const Op& op) {
  static constexpr Cause kCause[kCounters] = {Cause::LoadWait, Cause::StoreWait, Cause::LdsWait,
                                              Cause::ScalarWait};
  for (size_t counter = 0; counter < kCounters; ++counter) {
    const size_t most = op.wait[counter];
    auto& out = w.outstanding[counter];
    if (most == 0xffff || out.size() <= most) continue;
    const Wave::Outstanding& last = out[out.size() - 1 - most];
    uint64_t done = last.done;
    if (most == 0)
      for (const Wave::Outstanding& each : out) done = std::max(done, each.done);
    if (done > w.ready) {
      w.ready = done;
      w.cause = last.scalar ? Cause::ScalarWait : kCause[counter];
    }
    out.erase(out.begin(), out.end() - static_cast<ptrdiff_t>(most));
  }
}

void ComputeUnit::State::fetch(Wave& w, const Op& op) {
  const uint64_t line = op.pc / kFetchLine;
  if (line == w.line) return;
  w.line = line;
  const auto [at, is_new] = lines.try_emplace(line, 0);
  if (is_new) at->second = memory.fetch(w.at, options.unit, line * kFetchLine);
  if (at->second > w.at) {
    w.ready = at->second;
    w.cause = Cause::Fetch;
  }
}

/// When the pipe would take the instruction, at the earliest.
uint64_t ComputeUnit::State::taken(const Wave& w) const {
  const Simd& simd = simds[w.simd];
  const Op& op = *w.op;
  if (w.forced) return w.ready;
  using isa::Pipe;
  switch (op.cost.pipe) {
    case Pipe::Valu:
      if (rules.queued && op.cost.issue > 1) return std::max({w.ready, simd.vector, simd.slow});
      return std::max(w.ready, simd.vector);
    case Pipe::Transcendental:
      return rules.queued ? std::max({w.ready, simd.vector, simd.slow}) : std::max(w.ready, simd.vector);
    case Pipe::Matrix:
      return rules.queued ? std::max(w.ready, simd.vector) : std::max({w.ready, simd.vector, simd.matrix});
    case Pipe::Salu:
    case Pipe::Smem:
      return std::max(w.ready, simd.scalar);
    case Pipe::Branch:
      return std::max(w.ready, simd.branch);
    case Pipe::Vmem:
      return std::max({w.ready, simd.memory, behind(vector_memory, kVectorMemoryQueue)});
    case Pipe::Lds:
      return std::max({w.ready, simd.memory, behind(lds[lds_part(w)], kLdsQueue)});
    default:
      return w.ready;
  }
}

bool ComputeUnit::State::step() {
  while (true) {
    Simd* best = nullptr;
    for (Simd& simd : simds) {
      if (simd.waves.empty()) continue;
      if (simd.stale) choose(simd);
      if (simd.choice && (!best || simd.when < best->when)) best = &simd;
    }
    if (!best) return false;  // nothing left, or every wave waits for what no wave does
    const uint64_t when = taken(*best->choice);
    if (when > best->when) {  // a pipe that the SIMDs share
      best->stale = true;
      continue;
    }
    clock = std::max(clock, when);
    issue(*best, *best->choice, when);
    return true;
  }
}

void ComputeUnit::State::choose(Simd& simd) const {
  simd.stale = false;
  simd.choice = nullptr;
  for (const auto& wave : simd.waves) {
    if (wave->blocked) continue;
    const uint64_t when = taken(*wave);
    if (simd.choice && (when > simd.when || (when == simd.when && (wave->priority < simd.choice->priority ||
                                                                   (wave->priority == simd.choice->priority &&
                                                                    wave->number > simd.choice->number)))))
      continue;
    simd.choice = wave.get();
    simd.when = when;
  }
}

}  // namespace wavesmith::timing
