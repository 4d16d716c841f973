#include "check/hazard/dependencies.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::check::hazard {
namespace {

// Vector instructions, and transcendental ones among them, after which a transcendental result is there.
constexpr uint64_t kTranscendentalValus = 5, kTranscendentals = 1;
// Vector instructions between the first write and the second one, around that of EXEC, and from there to the
// instruction that reads both.
constexpr uint64_t kAroundExec = 2, kBehindExec = 4;

bool overlap(const Registers& a, isa::RegisterRange b) {
  return std::ranges::any_of(a, [&](isa::RegisterRange one) { return one.overlaps(b); });
}

}  // namespace

Dependencies::Dependencies(const isa::Target& target, int wave_lanes)
    : has_transcendental_hazard_(target.is(isa::in(isa::Generation::Rdna3))),
      has_partial_forwarding_(target.is(isa::kRdna3) && wave_lanes == 64),
      scalars_(target, wave_lanes) {}

const Dependencies::Past* Dependencies::writer_of(isa::RegisterRange registers) const {
  const uint64_t oldest = std::max(drained_, valus_ < kKept ? 0 : valus_ - kKept);
  for (uint64_t i = valus_; i > oldest; --i)
    if (const Past& past = past_[(i - 1) % kKept]; overlap(past.parts->vector_writes, registers))
      return &past;
  return nullptr;
}

bool Dependencies::uses_transcendental(const emulate::Site& site, const Parts& parts,
                                       Happened& happened) const {
  for (const isa::RegisterRange source : parts.vector_sources) {
    const Past* const writer = writer_of(source);
    if (!writer || !writer->parts->transcendental) continue;
    const uint64_t between = valus_ - writer->number - 1;
    if (between > kTranscendentalValus || transcendentals_ - writer->transcendentals - 1 > kTranscendentals)
      continue;
    const std::string name = name_of(source);
    happened = {.rule = "trans-result",
                .first = writer->site,
                .second = &site,
                .did = name + " written by a transcendental instruction",
                .does = name + " read by a VALU instruction",
                .what = fmt::format("{} is read {} vector instructions after a transcendental instruction "
                                    "wrote it, and the hardware does not wait",
                                    name, between),
                .fix = "put s_waitcnt_depctr depctr_va_vdst(0) between the two"};
    return true;
  }
  return false;
}

bool Dependencies::forwards_partially(const emulate::Site& site, const Parts& parts,
                                      Happened& happened) const {
  if (parts.vector_sources.size() < 2 || exec_written_ < drained_) return false;
  const Past *before = nullptr, *behind = nullptr;
  for (const isa::RegisterRange source : parts.vector_sources) {
    const Past* const writer = writer_of(source);
    if (!writer) continue;
    const Past*& place = writer->number < exec_written_ ? before : behind;
    if (!place || writer->number > place->number) place = writer;
  }
  if (!before || !behind || valus_ - behind->number - 1 > kBehindExec ||
      behind->number - before->number - 1 > kAroundExec)
    return false;
  happened = {.rule = "partial-forwarding",
              .first = before->site,
              .second = &site,
              .did = "a source written before EXEC changed",
              .does = "read with another one, written behind",
              .what =
                  "an instruction reads a register written before a change of EXEC and one written behind "
                  "it, too soon for the hardware to forward both",
              .fix = "put s_waitcnt_depctr depctr_va_vdst(0) before the instruction that reads both"};
  return true;
}

bool Dependencies::feeds_matrix(const emulate::Site& site, const Parts& parts, Happened& happened) const {
  if (valus_ == 0) return false;
  const Past& last = past_[(valus_ - 1) % kKept];
  if (!last.parts->matrix || !overlap(parts.ab, last.parts->d)) return false;
  const std::string name = name_of(last.parts->d);
  happened = {.rule = "matrix-operand",
              .first = last.site,
              .second = &site,
              .did = name + " written by a matrix instruction",
              .does = "read as A or B by the next one",
              .what = fmt::format("a matrix instruction reads {} as A, B or an index right after another one "
                                  "that writes it, and the hardware does not wait",
                                  name),
              .fix = "put v_nop or an independent vector instruction between the two"};
  return true;
}

void Dependencies::issue(const emulate::Site& site, const Facts& facts) {
  const Parts& parts = facts.parts;
  if (parts.memory || parts.drains.vector) drained_ = valus_;
  if (parts.salu && has_partial_forwarding_ && !parts.exec_writes.empty()) {
    exec_written_ = valus_;
    exec_watched_ = valus_ + kAroundExec + kBehindExec + 2;
  }
  if (!parts.valu) return;
  past_[valus_ % kKept] = {&parts, &site, valus_, transcendentals_};
  ++valus_;
  if (!parts.transcendental) return;
  ++transcendentals_;
  if (has_transcendental_hazard_) watched_ = valus_ + kTranscendentalValus + 1;
}

}  // namespace wavesmith::check::hazard
