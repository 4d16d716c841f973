// Issue cycles against hardware thread traces.
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "validate/families/family.h"
#include "validate/programs/issue_trace.h"

namespace wavesmith::validate {
namespace {

struct Score {
  size_t n = 0, exact = 0, within4 = 0;
  void add(uint64_t measured, uint64_t predicted) {
    const uint64_t off = measured > predicted ? measured - predicted : predicted - measured;
    ++n;
    exact += off == 0;
    within4 += off <= 4;
  }
};

std::string_view generation_name(const isa::Target& target) {
  return target.is(isa::kRdna4) ? "gfx1200" : target.name;  // the traced chip of that generation
}

}  // namespace

Result<FamilyReport> judge_issue(Data& data) {
  FamilyReport report;
  report.family = "issue";
  report.method =
      "The cycle model replays the instruction streams of all waves that a hardware thread trace shows on a "
      "compute "
      "unit. It is given when each wave starts and when each of its waits (s_waitcnt, s_wait_*) ends, for "
      "these depend "
      "on memory; every other issue cycle is its own, so what it gets wrong it carries on to the next wait. "
      "Judged is "
      "each delta between consecutive instructions of a wave, unless it ends at a wait; on CDNA, whose "
      "traces do not "
      "record waits, nops and barriers, unless an address is missing between the two. s_endpgm is judged "
      "too.";
  const isa::IssueRules& rules = isa::issue_rules(*isa::find_target("gfx1201"));
  report.constants = {
      fmt::format("RDNA4's VALU queue: {:.1f} entries, {} cycles deep; a wide instruction takes {:.1f}, a "
                  "multiplication into 64 "
                  "bits {:.1f}, a transcendental {:.1f}, a matrix instruction {:.1f}; fitted on run 0 of "
                  "gfx1200 handwritten",
                  rules.capacity / 10.0, rules.depth, rules.weight_wide / 10.0, rules.weight_multiply / 10.0,
                  rules.weight_transcendental / 10.0, rules.weight_matrix / 10.0),
      fmt::format("RDNA4: {} more cycles for a VALU result that a matrix instruction reads, {} for the first "
                  "wide instruction "
                  "after {} idle cycles; read off the same",
                  rules.matrix_operand, rules.wake, rules.wake_after),
      fmt::format(
          "RDNA: SALU to SMEM {}, SALU to VMEM {}, VALU to VMEM or LDS {} ({} of a dual instruction), VALU "
          "to a branch on "
          "EXEC {}, branch taken {}, passed {}; read off run 0 of gfx1100 gemm and gfx1200 handwritten",
          rules.scalar_to_scalar_memory, rules.scalar_to_memory, rules.vector_to_memory, rules.dual_to_memory,
          rules.vector_to_branch, rules.branch_taken, rules.branch_passed),
      "CDNA: cycles between pipes in fours, read off run 0 of gfx950 gemm"};
  report.notes.push_back(
      "Runs 0 and 1 are two runs of one program, and both are judged; run 0 was looked at. Two runs of the "
      "hardware agree in 98 % of the deltas on gfx1100 gemm, 98.8 % on gfx1200 handwritten, 54 % (85 % "
      "within 4 "
      "cycles) on gfx950 gemm.");
  const Result<std::vector<const Csv*>> tables = data.judged(TableKind::IssueCycles);
  if (!tables) return tl::unexpected(tables.error());
  std::map<std::string, Score> programs, generations;
  std::vector<Case> cases;
  for (const Csv* csv : *tables) {
    Result<std::vector<IssueTrace>> traces = read_issue_traces(*csv);
    if (!traces) return tl::unexpected(traces.error());
    for (IssueTrace& trace : *traces) {
      replay(trace);
      const std::string generation(generation_name(*trace.target));
      const std::string program = generation + " " + trace.program;
      for (const TracedUnit& unit : trace.units)
        for (const TracedWave& wave : unit.waves)
          for (size_t i = 1; i < wave.rows.size(); ++i) {
            const auto& row = wave.rows[i];
            const auto& before = wave.rows[i - 1];
            if (!row.counted) continue;
            const uint64_t measured = row.cycle - before.cycle,
                           predicted =
                               row.late ? 0
                                        : wave.observed.issued[row.site] - wave.observed.issued[before.site];
            programs[program].add(measured, predicted);
            if (measured != predicted)
              cases.push_back({.gpu = generation,
                               .label = (*trace.ops)[wave.record.sites[row.site]].text + ", " + wave.name,
                               .where = csv->where(row.row),
                               .measured = static_cast<double>(measured),
                               .predicted = static_cast<double>(predicted),
                               .strata = {program + ", deltas that differ"},
                               .note = "after " + (*trace.ops)[wave.record.sites[before.site]].text});
          }
    }
  }
  for (const auto& [name, score] : programs) {
    report.notes.push_back(
        fmt::format("{}: {} deltas, {:.1f} % exact, {:.1f} % within 4 cycles", name, score.n,
                    100.0 * static_cast<double>(score.exact) / static_cast<double>(score.n),
                    100.0 * static_cast<double>(score.within4) / static_cast<double>(score.n)));
    // The long programs are the watched ones; the others have two dozen deltas.
    const std::string generation = name.substr(0, name.find(' '));
    if (name.find("lds_sync") != std::string::npos || name.ends_with("E_3")) continue;
    Score& sum = generations[generation];
    sum.n += score.n, sum.exact += score.exact, sum.within4 += score.within4;
  }
  for (const auto& [generation, score] : generations) {
    const auto share = [&](size_t count) {
      return static_cast<double>(count) / static_cast<double>(score.n);
    };
    report.summary.push_back({"issue_" + generation + "_exact", share(score.exact), score.n});
    report.summary.push_back({"issue_" + generation + "_within4", share(score.within4), score.n});
  }
  report.strata = strata_of(cases);
  report.worst = worst_of(cases, std::getenv("WAVESMITH_ISSUE_ALL") ? cases.size() : 20);
  return report;
}

}  // namespace wavesmith::validate
