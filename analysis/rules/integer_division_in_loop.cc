// 32-bit integer divisions in loops: no instruction divides integers, so each is a reciprocal and four
// multiplications, at a quarter of the rate on most generations.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

bool reads_any(const Effects& effects, const std::set<uint16_t>& registers) {
  return std::any_of(registers.begin(), registers.end(),
                     [&](uint16_t r) { return effects.reads_register(r); });
}

/// The reciprocal and what its block makes of it: its conversion to an integer, and four multiplications (a
/// Newton step, the quotient, the remainder), as LLVM's AMDGPUCodeGenPrepare::expandDivRem32 divides.
std::vector<uint32_t> division_from(const Subject& subject, uint32_t reciprocal) {
  std::vector<uint32_t> steps{reciprocal};
  std::set<uint16_t> made{subject.code.effects[reciprocal].writes.front().first};
  const uint32_t end = subject.kernel.blocks[subject.kernel.instructions[reciprocal].block].end;
  int multiplications = 0;
  for (uint32_t i = reciprocal + 1; i < end && multiplications < 4; ++i) {
    const Effects& effects = subject.code.effects[i];
    const std::string_view mnemonic = subject.code.instructions[i].mnemonic;
    const bool follows = reads_any(effects, made);
    const bool multiplies = mnemonic == "v_mul_lo_u32" || mnemonic == "v_mul_hi_u32";
    if (follows && (multiplies || mnemonic == "v_mul_f32" || mnemonic == "v_cvt_u32_f32")) steps.push_back(i);
    if (follows && multiplies) ++multiplications;
    for (const Range& written : effects.writes)
      for (uint16_t r = written.first; r < written.first + written.count; ++r)
        if (follows)
          made.insert(r);
        else
          made.erase(r);
  }
  return steps;
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    Finding finding;
    std::vector<uint32_t> steps;
    subject.own_instructions(l, [&](uint32_t i) {
      // Compilers use this form of the reciprocal for integers alone.
      if (subject.code.instructions[i].mnemonic != "v_rcp_iflag_f32") return;
      const std::vector<uint32_t> division = division_from(subject, i);
      steps.insert(steps.end(), division.begin(), division.end());
      finding.where.push_back({i, division.back(), l});
    });
    double cycles = 0;
    for (const uint32_t i : steps) cycles += subject.costs.of[i].issue;
    constexpr double kWorthwhile = 0.05;
    if (steps.empty() || cycles < kWorthwhile * pass_cycles(subject, loop)) continue;
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} in the loop", counted(finding.where.size(), "integer division"));
    finding.evidence.push_back(
        fmt::format("{}; the reciprocals and multiplications of all divisions take {:.0f} cycles per pass",
                    cite(subject, finding.where.front().first), cycles));
    set_gain(finding, subject, loop, gain_without(subject, loop, steps));
    finding.experiment =
        "Make the divisor a constant or a power of two, or multiply by a reciprocal computed before the loop "
        "(__umulhi), and compare.";
    finding.unknown_because = "whether the divisor changes from pass to pass is for you to say";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule integer_division_in_loop{"integer-division-in-loop", "integer divisions in loops", check};

}  // namespace wavesmith::analysis::rule
