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
  __builtin_prefetch(w.sites + std::min(w.next + 16, w.count));
  w.op = &op;
  w.ready = w.at;
  w.cause = Cause::None;
  using isa::Pipe;
  if (options.fetches) {
    if (lines[op.line] > w.at && op.line != w.line) [[unlikely]]
      fetch(w, op);
    w.line = op.line;
  }
  if ((w.delays[0].id | w.delays[1].id) != 0 && op.control != Control::Delay) delay(w);
  Hold held{w.ready, w.cause};
  switch (op.pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
    case Pipe::Matrix:
      held.until(w.matrix_read, Cause::Vector);
      if (rules.scalars) held.until(w.scalars.at(rules.scalars - 1u), Cause::Scalar);
      if (w.last_memory) held.until(w.last_memory + rules.memory_to_vector, Cause::Vector);
      if (rules.masks && !op.scalar_writes.empty()) {
        const uint64_t oldest = w.masks.at(rules.masks - 1u);
        if (oldest && oldest + rules.mask_hold > held.ready) {
          held.until(w.masks.at(0), Cause::Vector);
          w.masks = {};
        }
      }
      if (held.ready < w.scalar_pending)
        for (const RegisterRange& range : op.scalar_reads)
          for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
            held.until(w.scalar[r].issued, Cause::Scalar);
            if (!rules.queued) held.until(w.scalar[r].by_vector, Cause::Vector);
          }
      if (!rules.queued && held.ready < w.vector_pending)
        held.until(operands_ready(w, op), op.pipe == Pipe::Matrix ? Cause::Matrix : Cause::Vector);
      break;
    case Pipe::Salu:
    case Pipe::Branch:
      if (op.pipe == Pipe::Salu) held.until(w.scalars_written, Cause::Vector);
      if (op.control == Control::Conditional && w.last_scalar)
        held.until(w.last_scalar + rules.scalar_to_branch, Cause::Scalar);
      if (rules.scalars && op.pipe == Pipe::Salu) {
        held.until(w.scalars.at(rules.scalars - 1u), Cause::Scalar);
        if (op.hardware || w.hardware)
          held.until(w.last_scalar + rules.scalar_to_scalar_memory + (op.hardware ? 1 : 0) +
                         (op.sets_hardware && w.hardware ? rules.hardware_again : 0),
                     Cause::Scalar);
      }
      if (held.ready >= std::max(w.scalar_pending, w.scalar_read_pending)) break;
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
          if (!rules.scalars) held.until(w.scalar[r].result, Cause::Scalar);
          if (w.scalar[r].by_vector)
            held.until(
                w.scalar[r].by_vector - rules.carry +
                    (op.control == Control::Conditional ? rules.vector_to_branch : rules.vector_to_scalar),
                Cause::Vector);
        }
      for (const RegisterRange& range : op.scalar_writes)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          if (w.scalar[r].read_by_vector)
            held.until(w.scalar[r].read_by_vector + rules.vector_to_overwrite, Cause::Vector);
      break;
    case Pipe::Smem:
      held.until(w.scalars_written, Cause::Vector);
      if (w.last_scalar) held.until(w.last_scalar + rules.scalar_to_scalar_memory, Cause::Scalar);
      if (held.ready >= w.scalar_pending) break;
      for (const RegisterRange& range : op.scalar_reads)
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          if (w.scalar[r].by_vector)
            held.until(w.scalar[r].by_vector - rules.carry + rules.vector_to_scalar, Cause::Vector);
      break;
    case Pipe::Vmem:
    case Pipe::Lds:
    case Pipe::Export:
      if (w.last_scalar) held.until(w.last_scalar + rules.scalar_to_memory, Cause::Scalar);
      if (w.last_vector) held.until(w.last_vector + rules.vector_then_memory, Cause::Vector);
      held.until(w.matrix_read, Cause::Vector);
      if (held.ready < w.vector_pending) {
        for (const RegisterRange& range : op.vector_reads)
          w.vector.each(range, [&](const VectorWrite& write) {
            held.until(write.memory, Cause::Vector);
            held.until(write.matrix, Cause::Matrix);
          });
      }
      if (held.ready < w.vector_pending)
        for (const RegisterRange& range : op.vector_held)
          w.vector.each(range, [&](const VectorWrite& write) { held.until(write.memory, Cause::Vector); });
      if (reads_hold || !w.last_vector)
        for (const RegisterRange& range : op.vector_writes)
          for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
            held.until(w.vector.read(r), Cause::Vector);
      break;
    case Pipe::Message:
      break;
    case Pipe::Internal:
      if (rules.queued && !w.hint && op.control != Control::Delay)
        held.until(w.issued + rules.memory_to_wait, Cause::None);
      else if (w.last_memory)
        held.until(w.last_memory + rules.memory_to_wait, Cause::None);
      if (op.control == Control::Wait) wait(w, op, held);
      if (op.control == Control::BarrierWait && groups[w.group].phase == w.phase) w.blocked = true;
      break;
  }
  w.ready = held.ready;
  w.cause = held.cause;
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
  place.op = w.op;
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

void ComputeUnit::State::wait(Wave& w, const UnitOp& op, Hold& held) {
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
    held.until(done, last.scalar ? Cause::ScalarWait : kCause[counter]);
    out.pop(out.size() - most);
  }
}

void ComputeUnit::State::fetch(Wave& w, const UnitOp& op) {
  uint64_t& at = lines[op.line];
  if (at == kNotFetched) at = memory.fetch(w.at, options.unit, op.pc / kFetchLine * kFetchLine);
  if (at > w.at) {
    w.ready = at;
    w.cause = Cause::Fetch;
  }
}

[[gnu::always_inline]] inline uint64_t ComputeUnit::State::choose(Simd& simd) {
  auto& at = simd.opens;
  at[static_cast<size_t>(Gate::Scalar)] = simd.scalar;
  at[static_cast<size_t>(Gate::Branch)] = simd.branch;
  at[static_cast<size_t>(Gate::Memory)] = std::max(simd.memory, behind(vector_memory, kVectorMemoryQueue));
  at[static_cast<size_t>(Gate::Lds)] =
      std::max({simd.memory, behind(lds[simd.lds_part], kLdsQueue), simd.lds_opens});
  constexpr uint64_t kNever = WaveSlot::kBlocked << 8;
  uint64_t soonest = ~uint64_t{0};
  size_t choice = 0;
  const WaveSlot* const waves = simd.waves.data();
  for (size_t i = 0, count = simd.waves.size(); i < count; ++i) {  // can't be foreseen: no branches
    const WaveSlot& place = waves[i];
    const uint64_t goes = std::max(place.ready, at[static_cast<size_t>(place.gate)]) << 8 | place.yields;
    choice = goes < soonest ? i : choice;
    soonest = std::min(goes, soonest);
  }
  simd.choice = choice;
  uint64_t issues = kNothing;
  if (soonest < kNever) {
    issues = soonest >> 8 << kSimdBits | simd.number;
    // Other SIMDs issue before, mostly: time enough for what issuing asks of the wave.
    const char* const wave = reinterpret_cast<const char*>(waves[choice].wave.get());
    for (size_t line = 0; line < 4; ++line) __builtin_prefetch(wave + 64 * line);
  }
  when[simd.number] = issues;
  return issues;
}

bool ComputeUnit::State::step() {
  while (true) {
    uint64_t first = kNothing;
    for (const uint64_t *four = when.data(), *const end = four + when.size(); four != end; four += 4)
      first = std::min({first, std::min(four[0], four[1]), std::min(four[2], four[3])});
    // Mostly another SIMD than the one that has just issued goes first. A processor guesses so, and begins
    // with it before it knows: a branch, where everything else here has none.
    for (; stale != 0; stale &= stale - 1) {
      const uint64_t one = choose(simds[static_cast<size_t>(std::countr_zero(stale))]);
      if (__builtin_expect(one < first, 0)) first = one;
    }
    if (first == kNothing) return false;  // nothing left, or every wave waits for what no wave does
    Simd& simd = simds[first & ((1u << kSimdBits) - 1)];
    const WaveSlot& place = simd.waves[simd.choice];
    const uint64_t at = first >> kSimdBits;
    // What the SIMDs share may have been taken meanwhile.
    static_assert(static_cast<size_t>(Gate::Memory) + 1 == static_cast<size_t>(Gate::Lds) &&
                  static_cast<size_t>(Gate::Lds) + 1 == kGates);
    if (place.gate >= Gate::Memory) {
      const bool memory = place.gate == Gate::Memory;
      const uint64_t taken = memory ? vector_memory : lds[simd.lds_part];
      if (behind(taken, memory ? kVectorMemoryQueue : kLdsQueue) > at) {
        changed(simd);
        continue;
      }
    }
    clock = std::max(clock, at);
    issue(simd, *place.wave, *place.op, at);
    return true;
  }
}

}  // namespace wavesmith::timing
