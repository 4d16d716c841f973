// A few 64-bit float instructions in a kernel of 32-bit floats: a constant without f, or a call of the wrong
// function.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  uint32_t doubles = 0, singles = 0, widenings = 0;
  for (uint32_t i = 0; i < subject.code.size(); ++i) {
    const std::string_view name = subject.code.instructions[i].mnemonic;
    if (!name.starts_with("v_")) continue;
    widenings += name == "v_cvt_f64_f32";
    doubles += name.ends_with("_f64") && !name.starts_with("v_cvt");
    singles += name.ends_with("_f32");
  }
  if (doubles == 0 || widenings == 0 || doubles > singles) return;
  Finding finding;
  uint32_t loop_of = kNone;
  double cycles = 0;
  for (uint32_t i = 0; i < subject.code.size(); ++i) {
    const std::string_view name = subject.code.instructions[i].mnemonic;
    if (!name.starts_with("v_") || name.find("_f64") == std::string_view::npos) continue;
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
