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
  time.ops.resize(tallies.size());
  for (uint32_t i = 0; i < tallies.size(); ++i) {
    const Tally& tally = tallies[i];
    const UnitOp& op = ops[i];
    const auto pipe = static_cast<size_t>(op.pipe);
    time.instructions += tally.hits;
    time.issued[pipe] += tally.hits;
    time.busy[pipe] += tally.hits * taken(op);
    OpTime& of = time.ops[i];
    of = {.hits = tally.hits, .latency = 0, .stall = 0, .idle = tally.idle, .by_cause = tally.held};
    of.by_cause[static_cast<size_t>(op.taken)] += tally.pipe;
    for (size_t cause = 0; cause < kCauses; ++cause) {
      time.stalled[cause] += of.by_cause[cause];
      // What the queue holds it for counts from its issue on.
      if (static_cast<Cause>(cause) != Cause::Queue) of.stall += of.by_cause[cause];
    }
    // As a thread trace counts: issuing is latency, and what the sequencer does itself is stall from end to
    // end.
    of.latency = of.stall + tally.taken + tally.drained;
    if (op.pipe == isa::Pipe::Internal) of.stall += tally.taken;
    if (op.control == Control::Nop || op.control == Control::Sleep)
      of.by_cause[static_cast<size_t>(Cause::Nop)] += tally.taken;
  }
  for (size_t pipe = 0; pipe < side_by_side.size(); ++pipe) time.busy[pipe] -= side_by_side[pipe];
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
bool ComputeUnit::step() { return (state_.get()->*state_->run_)(); }

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
  wave->site = record.sites.data();
  wave->end = wave->site + record.sites.size();
  wave->observed = observed;
  if (observed) {
    observed->issued.assign(record.sites.size(), 0);
    watch(true);
  }
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

/// Whether the instruction behind a branch reaches out of the aligned code that is there with the branch.
bool ComputeUnit::State::beyond_window(const Wave& w) const {
  if (!rules.branch_window || w.site + 1 >= w.end) return false;
  const CodePlace &branch = ops.place(w.site[0]), &next = ops.place(w.site[1]);
  return (next.pc + next.size - 1) / rules.branch_window != branch.pc / rules.branch_window;
}

/// soonest() where there are more than four SIMDs, of which the first four have `first`.
uint64_t ComputeUnit::State::soonest_of_more(uint64_t first) const {
  return std::min(first,
                  *std::min_element(when.begin() + 4, when.begin() + static_cast<ptrdiff_t>(simds.size())));
}

/// What choosing among the waves of its SIMD asks of one whose instruction stays.
void ComputeUnit::State::place(const Wave& w) {
  WaveSlot& place = slot(w);
  place.ready = w.blocked ? WaveSlot::kBlocked : w.ready;
  place.gate = w.forced ? Gate::None : w.op->gate;
}

/// When the line of the instruction cache with the wave's next instruction is there.
uint64_t ComputeUnit::State::fetched(const Wave& w) {
  uint64_t& at = lines[w.op->line];
  if (at == kNotFetched)
    at = memory.fetch(w.at, options.unit, ops.place(*w.site).pc / kFetchLine * kFetchLine);
  return at;
}

/// A wave has come to the barrier; the last one lets the others go on.
void ComputeUnit::State::arrive(const Wave& w, uint64_t t) {
  Group& group = groups[w.group];
  group.signalled = std::max(group.signalled, t);
  if (++group.arrived >= group.alive) release(w.group, group.signalled);
}

void ComputeUnit::State::release(uint32_t number, uint64_t t) {
  Group& group = groups[number];
  group.arrived = 0;
  ++group.phase;
  for (Simd& simd : simds)
    for (const WaveSlot& place : simd.waves) {
      Wave* const wave = place.wave.get();
      if (wave->group != number || !wave->blocked) continue;
      wave->blocked = false;
      changed(simd);
      const uint64_t came = wave->at;
      wave->at = wave->previous = std::max(came, t + rules.barrier);
      // The wait is the barrier's, which is the instruction before.
      tallies[wave->site[-1]].held[static_cast<size_t>(Cause::Barrier)] += wave->at - came;
      prepare(*wave);
      wave->met = true;
    }
}

/// The end of a wave waits until all that it asked of memory is done, and keeps its place meanwhile: "The
/// hardware implicitly executes S_WAITCNT 0 before executing this instruction" (AMD, CDNA 3 ISA, S_ENDPGM). A
/// thread trace has that time as the instruction's, not as a stall. Compilers for RDNA free the registers
/// before (MSG_DEALLOC_VGPRS), which makes room for other waves.
void ComputeUnit::State::drain(Simd& simd, Wave& w, uint64_t t) {
  uint64_t done = w.at;
  if (!rules.queued)
    for (const auto& out : w.outstanding)
      for (size_t i = 0; i < out.size(); ++i) done = std::max(done, out[i].done);
  if (done == w.at) return end(simd, w, t);
  w.ready = (done + part) & ~part;
  tallies[*w.site].drained += w.ready - w.at;
  w.drains = true;
  place(w);
}

void ComputeUnit::State::end(Simd& simd, Wave& w, uint64_t t) {
  if (w.drains && t > simd.last + rules.quantum && simd.last != 0) {
    time.exposed[static_cast<size_t>(Cause::StoreWait)] += t - simd.last - rules.quantum;
    simd.last = t;
  }
  Group& group = groups[w.group];
  time.cycles = std::max(time.cycles, t - begun);
  const uint32_t number = w.group;
  const auto at = simd.waves.begin() + static_cast<ptrdiff_t>(w.place);
  spare.push_back(std::move(at->wave));
  for (auto after = simd.waves.erase(at); after != simd.waves.end(); ++after) --after->wave->place;
  if (simd.waves.empty()) simd.empty_from = t;
  changed(simd);
  if (--group.alive == 0)
    ++ended;
  else if (group.arrived != 0 && group.arrived >= group.alive)
    release(number, std::max(t, group.signalled));
}

}  // namespace wavesmith::timing
