// When a wave's next instruction can issue.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timing/unit/state.h"

namespace wavesmith::timing {

/// s_delay_alu's: the instruction is one of those that the hint was about.
inline Hold ComputeUnit::State::delay(Wave& w, Hold held) {
  for (Wave::Delay& delay : w.delays) {
    if (delay.id == 0 || delay.in-- != 0) continue;
    if (delay.id <= 4)
      held.until(w.vector_issues.at(delay.id - 1u), Cause::Vector);
    else if (delay.id <= 7)
      held.until(w.transcendental_issues.at(delay.id - 5u), Cause::Vector);
    else if (delay.id >= 9)
      held.until(w.last_scalar + 1 + delay.id - 8u, Cause::Scalar);
    delay.id = 0;
  }
  return held;
}

inline Hold ComputeUnit::State::wait(Wave& w, const UnitOp& op, Hold held) {
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
  return held;
}

/// What holds a VALU or matrix instruction in its wave.
template <UnitKind kKind, bool kMatrix>
[[gnu::always_inline]] inline Hold ComputeUnit::State::hold_vector(Wave& w, const UnitOp& op,
                                                                   Hold held) const {
  held.until(w.matrix_read, Cause::Vector);
  if (kKind.queued && rules.scalars) held.until(w.scalars.at(rules.scalars - 1u), Cause::Scalar);
  if (w.last_memory) held.until(w.last_memory + rules.memory_to_vector, Cause::Vector);
  if (kKind.queued && rules.masks && !op.scalar_writes().empty()) {
    const uint64_t oldest = w.masks.at(rules.masks - 1u);
    if (oldest && oldest + rules.mask_hold > held.ready) {
      held.until(w.masks.at(0), Cause::Vector);
      w.masks = {};
    }
  }
  if (held.ready < w.scalar_pending)
    for (const RegisterRange& range : op.scalar_reads())
      for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
        held.until(w.scalar[r].issued, Cause::Scalar);
        if (!kKind.queued) held.until(w.scalar[r].by_vector, Cause::Vector);
      }
  if (!kKind.queued && held.ready < w.vector_pending)
    held.until(operands_ready<kMatrix>(w, op), kMatrix ? Cause::Matrix : Cause::Vector);
  return held;
}

/// When the wave's next instruction could issue if it were alone, and what holds it.
template <UnitKind kKind>
[[gnu::always_inline]] inline void ComputeUnit::State::prepare(Wave& w, WaveSlot& place) {
  using isa::Pipe;
  const uint32_t number = *w.site;
  const UnitOp& op = ops[number];
  __builtin_prefetch(&tallies[number]);
  __builtin_prefetch(reinterpret_cast<const char*>(w.site) + 64);
  if (w.site + 1 != w.end) __builtin_prefetch(&ops[w.site[1]]);
  w.op = &op;
  Hold held{w.at, Cause::None};
  uint64_t opens = 0;  // kBlocked: others have to open it
  if (lines[op.line] > w.at && op.line != w.line) [[unlikely]]
    held.until(fetched(w), Cause::Fetch);
  w.line = op.line;
  if constexpr (kKind.queued)
    if ((w.delays[0].id | w.delays[1].id) != 0 && op.control != Control::Delay) held = delay(w, held);
  switch (op.pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental:
      held = hold_vector<kKind, false>(w, op, held);
      break;
    case Pipe::Matrix:
      held = hold_vector<kKind, true>(w, op, held);
      break;
    case Pipe::Salu:
    case Pipe::Branch:
      if (op.pipe == Pipe::Salu) held.until(w.scalars_written, Cause::Vector);
      if (op.control == Control::Conditional && w.last_scalar)
        held.until(w.last_scalar + rules.scalar_to_branch, Cause::Scalar);
      if (kKind.queued && rules.scalars && op.pipe == Pipe::Salu) {
        held.until(w.scalars.at(rules.scalars - 1u), Cause::Scalar);
        if (op.hardware || w.hardware)
          held.until(w.last_scalar + rules.scalar_to_scalar_memory + (op.hardware ? 1 : 0) +
                         (op.sets_hardware && w.hardware ? rules.hardware_again : 0),
                     Cause::Scalar);
      }
      if (held.ready >= std::max(w.scalar_pending, w.scalar_read_pending)) break;
      for (const RegisterRange& range : op.scalar_reads())
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
          if (!kKind.queued || !rules.scalars) held.until(w.scalar[r].result, Cause::Scalar);
          if (w.scalar[r].by_vector)
            held.until(
                w.scalar[r].by_vector - rules.carry +
                    (op.control == Control::Conditional ? rules.vector_to_branch : rules.vector_to_scalar),
                Cause::Vector);
        }
      for (const RegisterRange& range : op.scalar_writes())
        for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
          if (w.scalar[r].read_by_vector)
            held.until(w.scalar[r].read_by_vector + rules.vector_to_overwrite, Cause::Vector);
      break;
    case Pipe::Smem:
      held.until(w.scalars_written, Cause::Vector);
      if (w.last_scalar) held.until(w.last_scalar + rules.scalar_to_scalar_memory, Cause::Scalar);
      if (held.ready >= w.scalar_pending) break;
      for (const RegisterRange& range : op.scalar_reads())
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
        for (const RegisterRange& range : op.vector_reads())
          w.vector.each(range, [&](const VectorWrite& write) {
            held.until(write.memory, Cause::Vector);
            held.until(write.matrix, Cause::Matrix);
          });
      }
      if (held.ready < w.vector_pending)
        for (const RegisterRange& range : op.vector_held())
          w.vector.each(range, [&](const VectorWrite& write) { held.until(write.memory, Cause::Vector); });
      if (reads_hold || !w.last_vector)
        for (const RegisterRange& range : op.vector_writes())
          for (uint32_t r = range.first, end = r + range.count; r < end; ++r)
            held.until(w.vector.read(r), Cause::Vector);
      break;
    case Pipe::Message:
      break;
    case Pipe::Internal:
      if (kKind.queued && !w.hint && op.control != Control::Delay)
        held.until(w.issued + rules.memory_to_wait, Cause::None);
      else if (w.last_memory)
        held.until(w.last_memory + rules.memory_to_wait, Cause::None);
      if (op.control == Control::Wait) held = wait(w, op, held);
      if (op.control == Control::BarrierWait && groups[w.group].phase == w.phase) {
        w.blocked = true;
        opens = WaveSlot::kBlocked;
      }
      break;
    default:
      __builtin_unreachable();
  }
  w.ready = held.ready;
  w.cause = held.cause;
  if constexpr (kKind.watched) {
    w.forced = w.observed && w.observed->at[w.next()] != Observed::kFree;
    if (w.forced) {
      w.ready = w.observed->at[w.next()];
      w.blocked = false;
      opens = 0;
    }
  }
  w.ready = (w.ready + part) & ~part;
  place.ready = std::max(w.ready, opens);
  place.gate = kKind.watched && w.forced ? Gate::None : op.gate;
}

}  // namespace wavesmith::timing
