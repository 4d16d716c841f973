// Single-precision or half-precision arithmetic one value at a time where packed instructions do two.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/rule.h"
#include "isa/rows.h"

namespace wavesmith::analysis::rule {
namespace {

struct Kind {
  isa::Type type;
  std::string_view name;
};
constexpr Kind kKinds[] = {{isa::Type::F32, "f32"}, {isa::Type::F16, "f16"}};

/// What does two of the instructions of a type at once, on any target.
std::vector<std::string_view> packed_forms(isa::Type type) {
  std::vector<std::string_view> forms;
  for (const isa::Row& row : isa::rows())
    if (row.roles[0].type == type && !row.facts.packed.empty() &&
        std::find(forms.begin(), forms.end(), row.facts.packed) == forms.end())
      forms.push_back(row.facts.packed);
  std::reverse(forms.begin(), forms.end());  // multiply-adds first
  return forms;
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (const Kind& kind : kKinds) {
    const std::vector<std::string_view> forms = packed_forms(kind.type);
    if (!isa::find_row(forms.front(), *subject.code.target)) continue;
    for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
      const Loop& loop = subject.kernel.loops[l];
      if (!loop.innermost) continue;
      uint32_t single = 0;
      Location place{kNone, kNone, l};
      subject.own_instructions(l, [&](uint32_t i) {
        const isa::Instruction& in = subject.code.instructions[i];
        const isa::Row* const row = subject.code.rows[i];
        bool fits = row && row->roles[0].type == kind.type && !row->facts.packed.empty();
        for (const isa::Operand& operand : in.operands) fits &= !operand.absolute;  // packed ones have none
        if (!fits || in.encoding == isa::Encoding::Dpp || in.encoding == isa::Encoding::Sdwa) return;
        ++single;
        if (place.first == kNone) place.first = i;
        place.last = i;
      });
      constexpr uint32_t kWorthwhile = 8;
      if (single < kWorthwhile) continue;
      Finding finding;
      finding.severity = Severity::Hint;
      finding.title = fmt::format("{} {} instructions in the loop do one value each", single, kind.name);
      finding.where.push_back(place);
      finding.evidence.push_back(
          fmt::format("first {}; {} do two", cite(subject, place.first), fmt::join(forms, ", ")));
      const isa::IssueRules& rules = isa::issue_rules(*subject.code.target);
      const double cycles = single / 2.0 * rules.quantum;
      // Where a SIMD has two pipes, those of two waves issue at once: pairs help a wave alone.
      const bool of_pipe = loop.cycles.bound == isa::Pipe::Valu && !rules.second_pipe;
      set_gain(finding, subject, loop, gain_of(subject, loop, cycles, of_pipe ? cycles : 0));
      finding.experiment = fmt::format(
          "Write the values as pairs (a vector type of two, adjacent registers) and look for "
          "v_pk_ in the code; compare. The gain shown is that of pairing all of them.");
      finding.unknown_because = "whether the values can be paired depends on the algorithm";
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

extern const Rule packed_math_chance{"packed-math-chance",
                                     "arithmetic that packed instructions would do in pairs", check};

}  // namespace wavesmith::analysis::rule
