// A few 64-bit float instructions in a kernel of 32-bit floats: a constant without f, or a call of the wrong
// function.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"
#include "isa/rows.h"

namespace wavesmith::analysis::rule {
namespace {

/// Whether an instruction reads (or writes) a type; both halves of a dual one.
bool has(const Subject& subject, uint32_t i, isa::Role::Use use, isa::Type type) {
  const isa::Instruction& in = subject.code.instructions[i];
  const auto row_has = [&](const isa::Row* row) {
    return row && row->shape != isa::Shape::Scalar &&
           std::any_of(row->roles, row->roles + row->count,
                       [&](const isa::Role& role) { return role.use == use && role.type == type; });
  };
  if (in.second.empty()) return row_has(subject.code.rows[i]);
  for (const isa::Instruction* half : {&in, &in.second.front()})
    if (row_has(isa::find_row(isa::single_of(*half, subject.code.wave_lanes).mnemonic, *subject.code.target)))
      return true;
  return false;
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  using isa::Type;
  constexpr auto kRead = isa::Role::Use::Read, kWrite = isa::Role::Use::Write;
  uint32_t doubles = 0, singles = 0, widenings = 0;
  for (uint32_t i = 0; i < subject.code.size(); ++i) {
    const bool from_double = has(subject, i, kRead, Type::F64),
               from_single = has(subject, i, kRead, Type::F32) || has(subject, i, kRead, Type::V2F32);
    const bool narrows = has(subject, i, kWrite, Type::F32) || has(subject, i, kWrite, Type::I32) ||
                         has(subject, i, kWrite, Type::U32);
    widenings += from_single && has(subject, i, kWrite, Type::F64);
    doubles += from_double && !narrows;
    singles += from_single;
  }
  if (doubles == 0 || widenings == 0 || doubles > singles) return;
  Finding finding;
  uint32_t loop_of = kNone;
  double cycles = 0;
  for (uint32_t i = 0; i < subject.code.size(); ++i) {
    if (!has(subject, i, kRead, Type::F64) && !has(subject, i, kWrite, Type::F64)) continue;
    const uint32_t loop = subject.kernel.instructions[i].loop;
    if (loop != kNone && loop_of == kNone) loop_of = loop;
    if (loop != kNone && loop == loop_of) cycles += subject.costs.of[i].issue;
    if (finding.where.size() < 8) finding.where.push_back({i, i, loop});
  }
  finding.severity = loop_of == kNone ? Severity::Hint : Severity::Warning;
  finding.title =
      fmt::format("{} instructions compute in 64-bit floats among {} in 32-bit ones", doubles, singles);
  finding.evidence.push_back(fmt::format("first {}", cite(subject, finding.where[0].first)));
  finding.evidence.push_back(fmt::format("{} conversions from 32 to 64 bits", widenings));
  if (loop_of != kNone) {
    const Loop& loop = subject.kernel.loops[loop_of];
    set_gain(finding, subject, loop,
             gain_of(subject, loop, cycles, loop.cycles.bound == isa::Pipe::Valu ? cycles : 0));
  } else {
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because = "they are in no loop";
  }
  finding.experiment =
      "Look for constants without f (1.0 for 1.0f) and for functions of double (sqrt for sqrtf); "
      "compile with -Wdouble-promotion. Compare.";
  finding.unknown_because = "it may be meant";
  findings.push_back(std::move(finding));
}

}  // namespace

extern const Rule accidental_double{"accidental-double", "64-bit floats in a kernel of 32-bit ones", check};

}  // namespace wavesmith::analysis::rule
