// Single-precision or half-precision arithmetic one value at a time where packed instructions do two.
#include <array>

#include <fmt/format.h>

#include "analysis/rule.h"
#include "isa/rows.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  struct Kind {
    std::string_view type;
    std::array<std::string_view, 4> single;
    std::string_view packed, probe;
  };
  static constexpr Kind kKinds[] = {
      {"f32",
       {"v_fma_f32", "v_fmac_f32", "v_mul_f32", "v_add_f32"},
       "v_pk_fma_f32, v_pk_mul_f32, v_pk_add_f32",
       "v_pk_fma_f32"},
      {"f16",
       {"v_fma_f16", "v_fmac_f16", "v_mul_f16", "v_add_f16"},
       "v_pk_fma_f16, v_pk_mul_f16, v_pk_add_f16",
       "v_pk_fma_f16"},
  };
  for (const Kind& kind : kKinds) {
    if (!isa::find_row(kind.probe, *subject.code.target)) continue;
    for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
      const Loop& loop = subject.kernel.loops[l];
      if (!loop.innermost) continue;
      uint32_t single = 0;
      Place place{kNone, kNone, l};
      subject.own_instructions(l, [&](uint32_t i) {
        const isa::Instruction& in = subject.code.instructions[i];
        bool fits = false;
        for (const std::string_view name : kind.single) fits |= in.mnemonic == name;
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
      finding.title = fmt::format("{} {} instructions in the loop do one value each", single, kind.type);
      finding.where.push_back(place);
      finding.evidence.push_back(fmt::format("first {}; {} do two", cite(subject, place.first), kind.packed));
      const double cycles = single / 2.0 * isa::issue_rules(*subject.code.target).quantum;
      set_gain(finding, subject, loop,
               gain_of(subject, loop, cycles, loop.cycles.bound == isa::Pipe::Valu ? cycles : 0));
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
