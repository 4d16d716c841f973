// What an instruction does when it issues.
#include <algorithm>
#include <bit>

#include "timing/unit/prepare.h"
#include "timing/unit/state.h"

namespace wavesmith::timing {
namespace {

using isa::Pipe;

/// LDS, from issue to data in the registers beyond the cycles that it is taken. CDNA3: a wave alone on an
/// MI308X waits 64 cycles for ds_read_b128 and 52 for ds_read_b32 (tingqli/pyhip, docs/mem_latency.md), which
/// take 16 and 4; CDNA4: 69 for ds_read_b128 (HipKittens), which takes 8; gfx1100: 32 cycles from ds_load_b32
/// to the end of the wait for it (thread traces).
uint64_t lds_latency(const isa::Target& target) {
  return target.is(isa::kCdna4) ? 61 : target.is(isa::kCdna) ? 48 : 31;
}

}  // namespace

/// Cycles that it did not issue though the wave had got to it.
template <UnitKind kKind>
[[gnu::always_inline]] inline void ComputeUnit::State::account(Simd& simd, Wave& w, const UnitOp& op,
                                                               Tally& tally, uint64_t t) {
  // Only what was observed issues before it could.
  const uint64_t reached = w.at, free = kKind.watched ? std::max(w.ready, reached) : w.ready;
  const uint64_t idle = reached - std::min(reached, w.previous), held = free - reached,
                 pipe = kKind.watched ? t - std::min(t, free) : t - free;
  if constexpr (kKind.watched)
    if (events_left != 0) {
      --events_left;
      time.events.push_back({std::min(reached, t), t, *w.site, w.number, static_cast<uint8_t>(w.simd),
                             held + pipe == 0 ? Cause::None
                             : pipe > held    ? op.taken
                                              : w.cause});
    }
  ++tally.hits;  // what follows from it, finished() adds
  tally.idle += idle;
  // What of this is none can't be foreseen: no branches.
  tally.held[static_cast<size_t>(w.cause)] += held;
  tally.pipe += pipe;
  const uint64_t next = simd.last == 0 ? t : simd.last + quantum;
  Cause cause = pipe > held ? op.taken : w.cause;
  cause = idle > held + pipe ? Cause::Branch : cause;
  cause = w.met ? Cause::Barrier : cause;
  time.exposed[static_cast<size_t>(cause)] += std::max(t, next) - next;
  simd.last = std::max(simd.last, t);
  w.met = false;
}

/// SALU instructions of RDNA wait for their operands behind issue and execute in order, none before what it
/// overwrites is written. What waits for one counts from its execution. Those of hardware registers are not
/// among those that are under way: in discover_ops eight more issue behind s_getreg_b32.
template <UnitKind kKind>
[[gnu::always_inline]] inline void ComputeUnit::State::issue_scalar(Wave& w, const UnitOp& op,
                                                                    uint64_t t) const {
  uint64_t executes = t;
  const bool under_way = kKind.queued && rules.scalars;
  if (under_way && op.pipe == Pipe::Salu) {
    executes = std::max(executes, w.scalar_executed);
    w.hardware = op.sets_hardware;
    for (const RegisterRange& range : op.scalar_reads())
      for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
        executes = std::max(executes, w.scalar[r].result);
    for (const RegisterRange& range : op.scalar_writes())
      for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
        executes = std::max(executes, w.scalar[r].written);
    executes += op.issue - 1u;
    w.scalar_executed = executes + 1;
    if (!op.hardware) w.scalars.push(executes + rules.scalar_hold);
  }
  if (op.pipe == Pipe::Salu) w.last_scalar = executes;
  for (const RegisterRange& range : op.scalar_writes())
    for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
      w.scalar[r] = {
          executes + rules.scalar_to_vector,
          executes + (r == kScalars - 1 && !under_way ? rules.scalar_condition : op.result), 0, 0,
          executes + (r == kScalars - 1 ? std::min<uint64_t>(op.result, rules.scalar_overwrite) : 1)};
  if (!op.scalar_writes().empty())
    w.scalar_pending = std::max(w.scalar_pending,
                                executes + std::max<uint64_t>({rules.scalar_to_vector, rules.scalar_condition,
                                                               op.result, rules.scalar_overwrite}));
}

/// CDNA: a matrix instruction keeps the VALU for as long as its operands ask; another takes the VALU's pipe,
/// or that of the two which it prefers and finds free.
template <UnitKind kKind, bool kMatrix>
[[gnu::always_inline]] inline void ComputeUnit::State::take_vector_pipe(Simd& simd, const UnitOp& op,
                                                                        uint64_t t) const {
  using isa::VectorPipe;
  if constexpr (kMatrix) {
    simd.vector_matrix = t + op.vector_quanta * quantum;
    simd.second_matrix = t + op.second_quanta * quantum;
    return;
  }
  const uint64_t until = t + op.issue;
  const bool first = simd.vector <= t, second = std::max(simd.second, simd.second_matrix) <= t;
  if (!kKind.second_pipe || op.vector == VectorPipe::First) {
    simd.vector = until;
  } else if (op.vector == VectorPipe::Alone || op.vector == VectorPipe::Packed) {
    simd.vector = simd.second = until;
  } else {
    const bool takes_second = op.vector == VectorPipe::SecondOrFirst ? second : !first;
    (takes_second ? simd.second : simd.vector) = until;
  }
  if (op.reads_scalar) simd.vector_scalars = t + quantum;
}

/// What its vector pipes have come to.
template <UnitKind kKind>
[[gnu::always_inline]] inline void ComputeUnit::State::open_vector(Simd& simd) const {
  auto& at = simd.opens;
  const auto open = [&at](Gate gate) -> uint64_t& { return at[static_cast<size_t>(gate)]; };
  if (kKind.queued) {
    open(Gate::Vector) = simd.vector;
    open(Gate::SlowVector) = std::max(simd.vector, simd.slow);
    return;
  }
  const uint64_t first = std::max(simd.vector, simd.vector_matrix);
  open(Gate::Vector) = first;
  open(Gate::Matrix) = std::max({simd.vector, simd.second, simd.matrix});
  if (!kKind.second_pipe) return;
  const uint64_t second = std::max(simd.second, simd.second_matrix);
  const uint64_t either = std::max(simd.vector_matrix, std::min(first, second));
  open(Gate::EitherVector) = either;
  open(Gate::ScalarVector) = std::max(first, simd.vector_scalars);
  open(Gate::EitherScalarVector) = std::max(either, simd.vector_scalars);
  open(Gate::LoneVector) = std::max(first, simd.second);
  open(Gate::PackedVector) = std::max(first, second);
}

template <UnitKind kKind, bool kMatrix>
[[gnu::always_inline]] inline void ComputeUnit::State::issue_vector(Simd& simd, Wave& w, const UnitOp& op,
                                                                    uint64_t t) {
  constexpr bool matrix = kMatrix;
  const bool slow = !matrix && op.pipe == Pipe::Transcendental;
  if (kKind.second_pipe && !matrix)
    side_by_side[static_cast<size_t>(op.pipe)] +=
        std::clamp(std::max(simd.vector, simd.second), t, t + op.issue) - t;
  if (!matrix) w.last_vector = t;
  uint64_t executes = t;
  if (!kKind.queued) {
    take_vector_pipe<kKind, matrix>(simd, op, t);
    if (matrix) simd.matrix = t + op.issue, w.matrix_read = t + op.quanta * quantum;
  } else {
    const bool wide = !matrix && !slow && op.issue > 1;
    const bool doubles = !matrix && op.issue >= 32;  // a unit of their own
    const uint32_t weight = matrix || doubles ? rules.weight_matrix
                            : slow            ? rules.weight_transcendental
                            : op.issue >= 4   ? rules.weight_multiply
                            : op.issue >= 2   ? rules.weight_wide
                                              : rules.weight_plain;
    uint64_t enters = t;
    if (doubles) {  // their unit goes in steps of four cycles
      const uint64_t free = std::max({t + rules.depth, simd.doubles + rules.depth, simd.executed});
      enters += (free - t - rules.depth + 3) / 4 * 4;
    }
    while (!simd.queue.empty() &&
           (simd.queue.front().leaves <= enters || simd.filled + weight > rules.capacity)) {
      enters = std::max(enters, simd.queue.front().leaves);
      simd.filled -= simd.queue.front().weight;
      simd.queue.pop();
    }
    const uint64_t moved =
        std::max(t + (matrix || slow ? 1 : op.issue), doubles ? enters + op.issue : enters);
    if (doubles) simd.doubles = moved + rules.doubles_again;
    simd.vector = moved;
    if (slow || wide) simd.slow = slow ? enters + op.issue : moved;
    executes = std::max(enters + rules.depth, simd.executed);
    if (executes < w.vector_pending) executes = std::max(executes, operands_ready<matrix>(w, op));
    if (executes < w.scalar_pending)
      for (const RegisterRange& range : op.scalar_reads())
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          executes = std::max(executes, w.scalar[r].by_vector);
    if (slow) executes = std::max(executes, simd.slow_executed);
    // Behind the FP64 unit's last result a matrix instruction executes when that is there.
    if (matrix) executes = std::max(executes, simd.doubles_done) + (simd.matrix_last ? 0 : matrix_start);
    simd.matrix_last = matrix;
    const uint64_t leaves = executes + (slow ? 1 : op.issue);
    if (slow) simd.slow_executed = executes + op.issue;
    simd.executed = leaves;
    // Others leave the queue before, and their results come in order, one a cycle.
    if (doubles)
      simd.doubles_done = executes + op.result;
    else
      executes = std::max(executes, simd.doubles_done++);
    if (rules.masks && !op.scalar_writes().empty())
      w.masks.push(executes + op.issue - rules.depth + rules.vector_to_scalar);
    // A wide instruction goes through in parts, each of which makes room.
    const uint32_t parts = wide ? op.issue : 1;
    for (uint32_t part = 1; part < parts; ++part) simd.queue.push({leaves - parts + part, weight / parts});
    simd.queue.push({leaves, weight - weight / parts * (parts - 1)});
    simd.filled += weight;
    const uint64_t waited = moved - t - (matrix || slow ? 1 : op.issue);
    if (waited) tallies[*w.site].held[static_cast<size_t>(Cause::Queue)] += waited;
    w.at = moved;
  }
  open_vector<kKind>(simd);
  const uint64_t result = executes + op.result;
  // Where there is a queue, what waits for the instruction to be through counts from when it reached the
  // VALU.
  const uint64_t through = kKind.queued ? executes - rules.depth : executes;
  const uint64_t memory = through + (op.dual ? rules.dual_to_memory : rules.vector_to_memory);
  if (kKind.queued) w.vector_issues.push(through + op.result);
  if (kKind.queued && slow) w.transcendental_issues.push(through + op.result);
  if (reads_hold || t == 0) {
    const uint64_t read = matrix && !kKind.queued ? w.matrix_read : memory;
    for (const RegisterRange& range : op.vector_keeps()) w.vector.read(range, read);
  }
  if (op.written != 0) {
    VectorWrite& write = w.vector.overwrite(op.vector_writes(), op.written_set, op.written);
    if (matrix)
      write = {0,
               std::max(memory, executes + op.matrix_result),
               executes + op.matrix_result,
               executes + op.matrix_accumulate,
               op.d.first,
               op.d.count};
    else
      write = {result, memory, 0, 0, 0, 0};
    w.vector_pending =
        std::max({w.vector_pending, write.result, write.memory, write.matrix, write.accumulate});
  }
  if (!op.has_scalars()) return;
  if (!kKind.queued && !op.scalar_writes().empty()) w.scalars_written = t + rules.vector_to_scalar;
  for (const RegisterRange& range : op.scalar_reads())
    for (uint32_t r = range.first, end = r + range.count; r < end; ++r) w.scalar[r].read_by_vector = t;
  for (const RegisterRange& range : op.scalar_writes())
    for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
      w.scalar[r] = {0, 0, through + rules.carry, 0};
  if (!op.scalar_reads().empty())
    w.scalar_read_pending = std::max(w.scalar_read_pending, std::max(t, through) + scalar_hold);
  if (!op.scalar_writes().empty())
    w.scalar_pending = std::max(w.scalar_pending, std::max(t, through) + scalar_hold);
}

template <UnitKind kKind>
[[gnu::always_inline]] inline void ComputeUnit::State::issue_memory(Simd& simd, Wave& w, const UnitOp& op,
                                                                    uint64_t t) {
  uint64_t done = t + 1;
  if (op.pipe == Pipe::Smem) {
    simd.opens[static_cast<size_t>(Gate::Scalar)] = t + quantum;
  } else {
    // CDNA's LDS gets an address and data dword by dword, and the wave goes on behind the last one. Thread
    // traces of an MI350X (isa/cost/cdna.cc): 8 cycles for ds_bpermute_b32, ds_write_b32 and ds_write_b16, 12
    // for ds_write2_b32 and ds_write_b64, 20 for ds_write_b128, of 10 programs.
    const uint64_t sent = op.lds && !kKind.queued ? op.lds_operands * quantum : rules.memory_issue;
    simd.memory = t + sent;
    if (op.lds && !kKind.queued) w.at = t + sent;
    w.last_memory = t;
  }
  const WaveRecord& record = *w.record;
  const uint8_t accesses = w.counts < record.access_counts.size() ? record.access_counts[w.counts] : 0;
  ++w.counts;
  if (op.lds) {
    done = issue_lds(w, op, t);
    w.access += accesses;
  } else {
    for (uint8_t i = 0; i < accesses && w.access < record.accesses.size(); ++i, ++w.access) {
      const AccessRecord& access = record.accesses[w.access];
      if (access.space == AccessSpace::Lds) {  // what a load to LDS has brought
        done += take_lds(w, lds_cycles(record, access, gpus::LdsAccess::Load), t);
        continue;
      }
      const Completion completion = memory.access(t, options.unit, w.number, record, access);
      done = std::max(done, completion.done);
      if (op.pipe == Pipe::Vmem) {
        time.busy[static_cast<size_t>(Pipe::Vmem)] +=
            completion.accepted - std::min(completion.accepted, std::max(t, vector_memory));
        vector_memory = std::max(vector_memory, completion.accepted);
      }
    }
  }
  if (op.counter == OpCounter::None) return;
  auto& out = w.outstanding[static_cast<size_t>(op.counter)];
  const bool is_scalar = op.pipe == Pipe::Smem;
  if (!out.empty() && !is_scalar && !out.back().scalar)
    done = std::max(done, out.back().done);  // they return in order
  if (out.size() >= 64) out.pop();
  out.push({done, is_scalar});
}

[[gnu::always_inline]] inline uint64_t ComputeUnit::State::issue_lds(const Wave& w, const UnitOp& op,
                                                                     uint64_t t) {
  const WaveRecord& record = *w.record;
  const uint8_t accesses = w.counts <= record.access_counts.size() ? record.access_counts[w.counts - 1] : 0;
  const gpus::LdsAccess kind = op.atomic  ? gpus::LdsAccess::Atomic
                               : op.store ? gpus::LdsAccess::Write
                                          : gpus::LdsAccess::Read;
  if (rules.lds_operands) {
    Simd& simd = simds[w.simd];
    const uint64_t begins = std::max(simd.lds_read, t);
    simd.lds_read = begins + op.lds_operands;
    simd.lds_operands.push(begins + ((op.lds_operands - 1u) & ~1u) + rules.lds_hold);
    simd.lds_opens = simd.lds_operands.at(rules.lds_operands - 1u);
  }
  uint64_t cycles = 0;
  for (uint8_t i = 0; i < accesses && w.access + i < record.accesses.size(); ++i) {
    const AccessRecord& access = record.accesses[w.access + i];
    if (access.space == AccessSpace::Lds) cycles += lds_cycles(record, access, kind);
  }
  take_lds(w, std::max<uint64_t>(1, cycles), t);
  return lds[simds[w.simd].lds_part] + lds_latency(target);
}

[[gnu::always_inline]] inline uint64_t ComputeUnit::State::lds_cycles(const WaveRecord& record,
                                                                      const AccessRecord& access,
                                                                      gpus::LdsAccess kind) {
  const size_t place = size_t{access.shape} * gpus::kLdsAccesses + static_cast<size_t>(kind);
  const bool known = place < lds_costs.size() && lds_costs[place].cycles != 0;
  const gpus::LdsCycles cost = known ? lds_costs[place] : lds_cost(record, access, kind);
  time.lds_conflicts += cost.conflicts;
  return cost.cycles;
}

/// What an access costs depends on its shape and on where in the banks it begins.
[[gnu::noinline]] gpus::LdsCycles ComputeUnit::State::lds_cost(const WaveRecord& record,
                                                               const AccessRecord& access,
                                                               gpus::LdsAccess kind) {
  const auto lanes = this->lanes;
  std::array<uint32_t, 64> address{};
  size_t next = access.first;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    address[lane] = static_cast<uint32_t>(
        access.base + (access.affine ? static_cast<uint64_t>(access.stride * static_cast<int64_t>(lane))
                                     : record.offsets[next++]));
  }
  const gpus::LdsCycles cost =
      gpus::lds_cycles(phases_of(kind, access.bytes, lanes), kind, access.bytes, address, access.lanes);
  if (access.shape != AccessRecord::kNoShape) {
    const size_t place = size_t{access.shape} * gpus::kLdsAccesses + static_cast<size_t>(kind);
    if (place >= lds_costs.size()) lds_costs.resize(std::max(place + 1, 2 * lds_costs.size()));
    lds_costs[place] = cost;
  }
  return cost;
}

/// LDS is taken for so many cycles by a wave; how long that takes is returned. On CDNA each pair of SIMDs
/// gets half of the bytes per cycle. Source: ROCm Compute Profiler's documentation, "Local data share"; of a
/// wave alone on an MI308X, ds_read_b128 takes 16 cycles, ds_read_b32 4 (tingqli/pyhip, docs/mem_latency.md).
[[gnu::always_inline]] inline uint64_t ComputeUnit::State::take_lds(const Wave& w, uint64_t cycles,
                                                                    uint64_t t) {
  time.lds_cycles += cycles;
  time.busy[static_cast<size_t>(Pipe::Lds)] += cycles;
  const uint64_t taken = lds_pairs ? 2 * cycles : cycles;
  uint64_t& busy = lds[simds[w.simd].lds_part];
  busy = std::max(busy, t) + taken;
  return taken;
}

/// Behind an instruction after which the wave does not simply go on. Whether it has got to another.
[[gnu::noinline]] bool ComputeUnit::State::turn(Simd& simd, Wave& w, const UnitOp& op, uint64_t t) {
  if (op.control == Control::End) {
    drain(simd, w, t);
    return false;
  }
  if (op.control == Control::Conditional || op.control == Control::Branch) {
    const CodePlace& here = ops.place(*w.site);
    const bool taken = op.control == Control::Branch ||
                       (w.site + 1 < w.end && ops.place(w.site[1]).pc != here.pc + here.size);
    // A call's costs more than the quantum that any branch takes.
    w.at = t + (taken              ? rules.branch_taken + std::max<uint64_t>(op.result, quantum) - quantum
                : beyond_window(w) ? rules.branch_taken
                                   : rules.branch_passed);
  }
  if (++w.site == w.end) {
    end(simd, w, t);
    return false;
  }
  if (op.control == Control::BarrierSignal) arrive(w, t);
  if (op.control == Control::BarrierWait) ++w.phase;
  if (op.control == Control::Barrier) {
    w.phase = groups[w.group].phase;
    w.blocked = true;
    place(w);
    arrive(w, t);
    return false;
  }
  return true;
}

template <UnitKind kKind>
[[gnu::always_inline]] inline void ComputeUnit::State::issue(Simd& simd, WaveSlot& place, uint64_t t) {
  Wave& w = *place.wave;
  if (w.drains) [[unlikely]]
    return end(simd, w, t);
  const UnitOp& op = *w.op;
  Tally& tally = tallies[*w.site];
  account<kKind>(simd, w, op, tally, t);
  if constexpr (kKind.watched)
    if (w.observed) w.observed->issued[w.next()] = t;
  w.at = t + quantum;
  bool hint = false;
  switch (op.pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
      issue_vector<kKind, false>(simd, w, op, t);
      break;
    case Pipe::Matrix:
      issue_vector<kKind, true>(simd, w, op, t);
      break;
    case Pipe::Salu:
    case Pipe::Branch:
      simd.opens[static_cast<size_t>(op.pipe == Pipe::Salu ? Gate::Scalar : Gate::Branch)] = t + quantum;
      issue_scalar<kKind>(w, op, t);
      break;
    case Pipe::Smem:
    case Pipe::Vmem:
    case Pipe::Lds:
      issue_memory<kKind>(simd, w, op, t);
      break;
    case Pipe::Export:
    case Pipe::Message:
      break;
    case Pipe::Internal:
      hint = true;
      if (op.control == Control::Nop) w.at = t + (op.nops + 1u) * quantum;
      if (op.control == Control::Sleep) w.at = t + 64u * std::max<uint64_t>(op.nops, 1);
      if (op.control == Control::Priority) place.yields = static_cast<uint8_t>(0xff - op.nops);
      if (kKind.queued && op.control == Control::Delay) {
        w.delays[0] = {op.delay[0], 0};
        w.delays[1] = {op.delay[1], op.delay_skip};
        w.at = w.hint ? t + rules.delay_issue : t;
      }
      break;
    default:
      __builtin_unreachable();
  }
  tally.taken += w.at - t;
  if constexpr (kKind.queued) {
    w.hint = hint;
    w.issued = t;
  }
  w.previous = w.at;
  if (op.turns) [[unlikely]] {
    if (!turn(simd, w, op, t)) return;
  } else if (++w.site == w.end) [[unlikely]] {
    return end(simd, w, t);
  }
  prepare<kKind>(w, place);
}

/// Which of its waves issues next, and when.
[[gnu::always_inline]] inline uint64_t ComputeUnit::State::choose(Simd& simd) {
  auto& at = simd.opens;
  at[static_cast<size_t>(Gate::Memory)] = std::max(simd.memory, behind(vector_memory, kVectorMemoryQueue));
  at[static_cast<size_t>(Gate::Lds)] =
      std::max({simd.memory, behind(lds[simd.lds_part], kLdsQueue), simd.lds_opens});
  constexpr uint64_t kNever = WaveSlot::kBlocked << 8;
  uint64_t soonest = ~uint64_t{0};
  WaveSlot *choice = simd.waves.data(), *const end = choice + simd.waves.size();
  for (WaveSlot* place = choice; place != end; ++place) {  // can't be foreseen: no branches
    const uint64_t goes = std::max(place->ready, at[static_cast<size_t>(place->gate)]) << 8 | place->yields;
    choice = goes < soonest ? place : choice;
    soonest = std::min(goes, soonest);
  }
  simd.choice = choice;
  uint64_t issues = kNothing;
  if (soonest < kNever) {
    issues = soonest >> 8 << kSimdBits | simd.number;
    // Other SIMDs issue before, mostly: time enough for what issuing asks of the wave.
    const char* const wave = reinterpret_cast<const char*>(choice->wave.get());
    for (size_t line = 0; line < 2; ++line) __builtin_prefetch(wave + 64 * line);
  }
  when[simd.number] = issues;
  return issues;
}

template <UnitKind kKind>
bool ComputeUnit::State::run() {
  Simd* issued = simds.data();
  for (const uint32_t before = ended; ended == before;) {
    when[issued->number] = kNothing;
    uint64_t first = soonest();
    // Mostly another SIMD than the one that has just issued goes first. A processor guesses so, and begins
    // with it before it knows: a branch, where everything else here has none.
    const uint64_t same = choose(*issued);
    if (same < first) [[unlikely]]
      first = same;
    if (stale != 0) [[unlikely]] {
      for (; stale != 0; stale &= stale - 1) choose(simds[static_cast<size_t>(std::countr_zero(stale))]);
      first = soonest();
    }
    if (first == kNothing) [[unlikely]]
      return false;
    Simd& simd = simds[first & ((1u << kSimdBits) - 1)];
    WaveSlot& place = *simd.choice;
    const uint64_t at = first >> kSimdBits;
    issued = &simd;
    // What the SIMDs share may have been taken meanwhile.
    static_assert(static_cast<size_t>(Gate::Memory) + 1 == static_cast<size_t>(Gate::Lds) &&
                  static_cast<size_t>(Gate::Lds) + 1 == kGates);
    if (place.gate >= Gate::Memory) {
      const bool memory = place.gate == Gate::Memory;
      const uint64_t taken = memory ? vector_memory : lds[simd.lds_part];
      if (behind(taken, memory ? kVectorMemoryQueue : kLdsQueue) > at) continue;
    }
    clock = std::max(clock, at);
    issue<kKind>(simd, place, at);
  }
  return true;
}

template <UnitKind kKind>
void ComputeUnit::State::become() {
  run_ = &State::run<kKind>;
  prepare_ = &State::prepare<kKind>;
}

void ComputeUnit::State::watch(bool watched) {
  if (rules.queued)
    watched ? become<UnitKind{.queued = true, .watched = true}>() : become<UnitKind{.queued = true}>();
  else if (rules.second_pipe)
    watched ? become<UnitKind{.second_pipe = true, .watched = true}>()
            : become<UnitKind{.second_pipe = true}>();
  else
    watched ? become<UnitKind{.watched = true}>() : become<UnitKind{}>();
}

}  // namespace wavesmith::timing
