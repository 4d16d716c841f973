// Issue cycles against hardware thread traces.
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "validate/families/family.h"
#include "validate/programs/issue_fit.h"
#include "validate/programs/issue_trace.h"

namespace wavesmith::validate {
namespace {

/// Two runs of one program are left out together.
struct Program {
  std::string chip, name;
  struct Run {
    const Csv* csv = nullptr;
    IssueTrace trace;
  };
  std::vector<Run> runs;
  std::optional<IssueFit> without;  ///< nothing: no constant was fitted on it
  IssueScore left_out, fitted_on, second_run;

  [[nodiscard]] std::string title() const { return chip + " " + name; }
  [[nodiscard]] const isa::Target& target() const { return *runs.front().trace.target; }
  /// The others have two dozen deltas.
  [[nodiscard]] bool is_long() const {
    return name.find("lds_sync") == std::string::npos && !name.ends_with("E_3");
  }
};

std::string chip_of(const isa::Target& target) {
  return std::string(target.is(isa::kRdna4) ? "gfx1200" : target.name);  // the traced one of that generation
}

Result<std::vector<Program>> read_programs(const std::vector<const Csv*>& tables) {
  std::vector<Program> programs;
  for (const Csv* csv : tables) {
    Result<std::vector<IssueTrace>> traces = read_issue_traces(*csv);
    if (!traces) return tl::unexpected(traces.error());
    for (IssueTrace& trace : *traces) {
      const std::string chip = chip_of(*trace.target);
      auto at = std::ranges::find_if(
          programs, [&](const Program& each) { return each.chip == chip && each.name == trace.program; });
      if (at == programs.end()) at = programs.insert(at, Program{.chip = chip, .name = trace.program});
      at->runs.push_back({csv, std::move(trace)});
    }
  }
  return programs;
}

/// Run 0 of every other program: run 1 repeats it, and so may another chip.
IssueFit fit_without(std::vector<Program>& programs, const Program& left_out) {
  std::vector<IssueTrace*> traces;
  for (Program& each : programs)
    if (each.name != left_out.name) traces.push_back(&each.runs.front().trace);
  return IssueFit(traces);
}

std::string text_of(const IssueScore& score) {
  return fmt::format("{:.1f} % exact, {:.1f} % within 4 cycles", 100 * score.share(score.exact),
                     100 * score.share(score.within4));
}

/// The constants that the traces tell, and those that stand as they were before.
std::string text_of(const IssueFit& fit) {
  std::string told, untold;
  for (size_t i = 0; i < fit.values().size(); ++i) {
    std::string& text = fit.values()[i].told ? told : untold;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", issue_constants()[i].name, fit.values()[i].value);
  }
  return untold.empty() ? told : told + "; not told: " + untold;
}

void add_cases(const Program& program, const Program::Run& run, std::vector<Case>& cases) {
  for (const IssueDelta& delta : deltas_of(run.trace)) {
    if (delta.off() == 0) continue;
    const auto text = [&](size_t row) {
      return (*run.trace.ops)[delta.wave->record.sites[delta.wave->rows[row].site]].text;
    };
    cases.push_back({.gpu = program.chip,
                     .label = text(delta.row) + ", " + delta.wave->name,
                     .where = run.csv->where(delta.wave->rows[delta.row].row),
                     .measured = static_cast<double>(delta.measured),
                     .predicted = static_cast<double>(delta.predicted),
                     .strata = {program.title() + ", deltas that differ"},
                     .note = "after " + text(delta.row - 1)});
  }
}

void add_figures(const std::string& name, const IssueScore& score, FamilyReport& report) {
  report.summary.push_back({"issue_" + name + "_exact", score.share(score.exact), score.n});
  report.summary.push_back({"issue_" + name + "_within4", score.share(score.within4), score.n});
}

void summarise(const std::vector<Program>& programs, bool foreign, FamilyReport& report) {
  std::map<std::string, IssueScore> left_out, fitted_on;
  for (const Program& each : programs) {
    if (!foreign && !each.is_long()) continue;
    left_out[each.chip].add(each.left_out);
    if (each.without) fitted_on[each.chip].add(each.fitted_on), left_out["rdna"].add(each.left_out);
  }
  for (const auto& [name, score] : left_out) add_figures(name, score, report);
  for (const auto& [name, score] : fitted_on) add_figures("fitted_on_" + name, score, report);
}

}  // namespace

Result<FamilyReport> judge_issue(Data& data) {
  FamilyReport report;
  report.family = "issue";
  report.method =
      "The cycle model replays the instruction streams of all waves that a hardware thread trace shows on a "
      "compute unit. It is given when each wave starts and when each of its waits (s_waitcnt, s_wait_*) ends, "
      "for these depend on memory; every other issue cycle is its own, so what it gets wrong it carries on to "
      "the next wait. Judged is each delta between consecutive instructions of a wave, unless it ends at a "
      "wait; on CDNA, whose traces do not record waits, nops and barriers, unless an address is missing "
      "between the two. s_endpgm is judged too. Each program is judged with constants that were fitted anew "
      "without it (its two runs are one program, and so is the same program on another chip). A constant that no "
      "other trace tells takes the value of its like (the same pipe's result on its way to another pipe; a branch "
      "that is taken that of the scalar unit's result on its way to SMEM, one that is passed that of the "
      "sequencer's own instructions, as does the depth of the VALU's queue, a memory instruction before the VALU that of "
      "a SALU instruction under way), or "
      "holds nothing up; these likes were chosen with the programs that they serve in view. A like also replaces a "
      "fitted value where that costs the other traces less than half a delta, and what was there before where it "
      "explains them exactly as well. An integer product takes "
      "an entry of the VALU's queue for each cycle, what has a unit of its own one; whether plain instructions take "
      "one and wide ones one or two is fitted, one where "
      "no other trace tells, which was chosen with custom_handwritten in view. 'fitted on' are the constants "
      "of the tables (isa/cost). Costs of instructions are from "
      "documents and stay; which comparisons and products are wide or plain is by the names of discover_ops' "
      "packets. CDNA's rules were read off other programs' traces (isa/cost/cdna.cc), so that none is fitted on "
      "what is judged here. Where code comes from memory, the cycle is given, and the delta counts as wrong: of a first "
      "instruction in a line of 64 bytes beyond 48 cycles, beyond 11 from one SALU instruction to another. "
      "Not fitted anew: the model itself, which was made with run 0 of these programs in view. How many "
      "instructions wait in the VALU's queue, on their way to LDS and in the SALU (and that VALU instructions wait "
      "for a place there too, and accesses to hardware registers take none), how long one that writes scalar "
      "registers counts, that the FP64 unit goes in steps and its results come in order, that loads of half a "
      "register read an address alone, that s_mulk_i32 and v_mullit_f32 cost less than other products, that s_mul_u64 takes the SALU for 8 cycles, that "
      "an SGPR is overwritten in the next cycle and bit tests overwrite SCC in it, what reads a hardware register and "
      "when s_setreg follows another, that plain instructions behind FP64 ones leave the queue before their results "
      "come, and that a "
      "call takes 4 cycles more, are of that kind: discover_ops alone shows them, the call and s_mul_u64 on gfx1200 "
      "alone, and was read on both chips. That a matrix instruction behind others starts later on RDNA4 was read off "
      "custom_handwritten and discover_ops on gfx1200, and by how much is fitted without the one that is judged. So what is left out of that program flatters; of the others it does so only in the likes "
      "named above: those of branches that are taken and of the queue's depth were chosen for custom_handwritten (without the latter's "
      "it would miss a matrix instruction's wait in each pass of its loop), the other two for "
      "r_32_32_16_2.";
  const Result<std::vector<const Csv*>> tables = data.judged(TableKind::IssueCycles);
  if (!tables) return tl::unexpected(tables.error());
  Result<std::vector<Program>> programs = read_programs(*tables);
  if (!programs) return tl::unexpected(programs.error());

  std::vector<Case> cases;
  for (Program& program : *programs) {
    if (!data.foreign() && program.target().is(isa::kRdna)) {
      data.tell("issue: fitting without " + program.title());
      program.without.emplace(fit_without(*programs, program));
    }
    for (Program::Run& run : program.runs) {
      const IssueScore as_is = score_of(run.trace, isa::issue_rules(program.target()));
      program.fitted_on.add(as_is);
      if (&run != &program.runs.front()) program.second_run.add(as_is);
      program.left_out.add(program.without ? score_of(run.trace, program.without->rules(program.target()))
                                           : as_is);
      add_cases(program, run, cases);
    }
  }
  for (const Program& each : *programs)
    report.notes.push_back(
        each.without
            ? fmt::format("{}: {} deltas, left out {}; fitted on {}; its run 1 alone, of which nothing was "
                          "fitted, by the constants of the tables: {}",
                          each.title(), each.left_out.n, text_of(each.left_out), text_of(each.fitted_on),
                          text_of(each.second_run))
            : fmt::format("{}: {} deltas, {}", each.title(), each.left_out.n, text_of(each.left_out)));
  if (!data.foreign()) {
    report.notes.push_back(
        "Two runs of the hardware agree in 98 % of the deltas on gfx1100 gemm, 98.8 % on gfx1200 handwritten, "
        "54 % (85 % within 4 cycles) on gfx950 gemm, 96 % on discover_ops.");
    report.notes.push_back(
        "Missing most on discover_ops: code that comes from memory (3 % of its deltas), FP64 instructions that wait 4 "
        "or 8 cycles more, LDS atomics on one address, whose conflicts the traces do not show, plain instructions "
        "that take 2 cycles where code of 8 bytes an instruction has gone on for about 9 of them and then comes at 4 "
        "bytes a cycle, VALU instructions that wait behind matrix instructions for a place in the queue each. Missing on custom_handwritten when left out: scalar products (its "
        "first two passes fit a SALU that a product takes for two cycles, as discover_ops does, the later ones one that "
        "is two cycles ahead), an "
        "integer product that waits for the scalar instructions before it though it reads none of their results, "
        "and what products and transcendental instructions weigh in the VALU's queue. Missing on r_32_32_16_2 when "
        "left out: a cycle from a SALU instruction to memory and one of a dual instruction's result, which no other "
        "trace here tells and no document states; its last instruction waits for stores.");
    for (const Program& each : *programs)
      if (each.without) report.constants.push_back("without " + each.title() + ": " + text_of(*each.without));
  }
  summarise(*programs, data.foreign(), report);
  report.strata = strata_of(cases);
  report.worst = worst_of(cases, std::getenv("WAVESMITH_ISSUE_ALL") ? cases.size() : 20);
  return report;
}

}  // namespace wavesmith::validate
