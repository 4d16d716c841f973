// Fourteen benchmark programs on an MI300A: their own event times under modelled time against those measured.
// The programs are compiled here and run with WAVESMITH_TIME=sampled: of each grid the workgroups that the
// model looks at, so that sizes which no emulator would finish take seconds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

#include "gpus/gpu.h"
#include "validate/families/family.h"
#include "validate/programs/mi300a_fit.h"
#include "validate/programs/mi300a_patterns.h"
#include "validate/programs/mi300a_programs.h"
#include "validate/programs/mi300a_row.h"

namespace wavesmith::validate {

namespace {

/// Runs of the programs, each with the constants that were fitted without it; on a user's rows with those of
/// the data file.
class LeftOut {
 public:
  LeftOut(const Data& data, std::optional<Mi300aFit> fit) : data_(data), fit_(std::move(fit)) {}
  Result<double> milliseconds(const Mi300aRow& row) {
    const std::string program(fit_ ? mi300a_program_of(row.kernel) : std::string_view());
    auto at = runs_.find(program);
    if (at == runs_.end()) {
      HipPrograms::Words how{"run", "--quiet", "--time=sampled", "--gpu", "mi300a"};
      if (fit_) std::ranges::copy(fit_->words_without(program), std::back_inserter(how));
      at = runs_.emplace(program, std::make_unique<Mi300aPrograms>(data_, std::move(how))).first;
      if (Result<void> ready = at->second->prepare(); !ready) return tl::unexpected(ready.error());
    }
    return at->second->milliseconds(row.kernel, row.size);
  }

 private:
  const Data& data_;
  std::optional<Mi300aFit> fit_;
  std::map<std::string, std::unique_ptr<Mi300aPrograms>> runs_;
};

std::string text_of(const std::vector<Mi300aFit::Value>& values) {
  std::string text;
  for (const Mi300aFit::Value& each : values)
    text += fmt::format("{}{} {:.4g}{}", text.empty() ? "" : ", ", each.path, each.value,
                        !each.told     ? " (not told)"
                        : each.stopped ? " (stopped)"
                                       : "");
  return text;
}

/// Says what each fit found.
void tell_fits(const Mi300aFit& fit, const std::vector<Case>& cases, FamilyReport& report) {
  std::map<std::string, bool> told;
  for (const Case& one : cases) told[std::string(mi300a_program_of(one.strata.front()))] = true;
  for (const auto& [program, ignored] : told)
    report.notes.push_back(fmt::format("without {}, within a factor of {:.2f} of what is known: {}", program,
                                       std::exp2(fit.width_without(program)), text_of(fit.without(program))));
  report.notes.push_back(fmt::format("with all programs: {}", text_of(fit.without(""))));
}

/// Adds each pattern's rows: left out, fitted on, and with each mechanism taken out of what was fitted on.
/// `fitted`: the cases of the rows that the table of answers has; `left_out`: the same rows.
Result<void> add_patterns(Data& data, const std::vector<Case>& left_out, const std::vector<Case>& fitted,
                          std::vector<Case>& cases) {
  const auto add = [&](Case one, std::string stratum) {
    one.strata = {std::move(stratum)};
    cases.push_back(std::move(one));
  };
  for (const Mi300aPattern& pattern : mi300a_patterns()) {
    std::vector<const Case*> rows;
    for (size_t i = 0; i < fitted.size(); ++i) {
      const std::string_view kernel = std::string_view(fitted[i].label).substr(0, fitted[i].label.find(' '));
      if (!pattern.has(kernel, fitted[i].measured * 1e3)) continue;
      add(left_out[i], pattern.stratum("left out"));
      add(fitted[i], pattern.stratum("fitted on"));
      rows.push_back(&fitted[i]);
    }
    for (const Mi300aPattern::Mechanism& mechanism : pattern.mechanisms) {
      HipPrograms::Words how{"run", "--quiet", "--time=sampled", "--gpu", "mi300a"};
      for (const std::string_view setting : mechanism.without) {
        how.emplace_back("--set");
        how.emplace_back(setting);
      }
      Mi300aPrograms programs(data, std::move(how));
      if (Result<void> ready = programs.prepare(); !ready) return ready;
      for (const Case* const row : rows) {
        const size_t space = row->label.find(' ');
        const Result<double> milliseconds =
            programs.milliseconds(row->label.substr(0, space), row->label.substr(space + 1));
        if (!milliseconds) return tl::unexpected(milliseconds.error());
        Case one = *row;
        one.predicted = *milliseconds * 1e-3;
        add(std::move(one), pattern.stratum(fmt::format("fitted on, without '{}'", mechanism.name)));
        data.tell(fmt::format("mi300a: {} without '{}'", row->label, mechanism.name));
      }
    }
  }
  return {};
}

}  // namespace

Result<FamilyReport> judge_mi300a(Data& data) {
  const auto tables = data.judged(TableKind::Mi300a);
  if (!tables) return tl::unexpected(tables.error());
  std::vector<Mi300aRow> rows;
  for (const Csv* const table : *tables) {
    const Result<std::vector<Mi300aRow>> some = mi300a_rows(*table);
    if (!some) return tl::unexpected(some.error());
    rows.insert(rows.end(), some->begin(), some->end());
  }
  std::optional<Mi300aFit> fit;
  if (!data.foreign()) {
    const Result<std::string> folder = data_folder();
    if (!folder) return tl::unexpected(folder.error());
    const Result<Csv> responses = Csv::read(*folder + "/mi300a_responses.csv.gz");
    if (!responses) return tl::unexpected(responses.error());
    Result<Mi300aFit> made = Mi300aFit::create(*responses, rows);
    if (!made) return tl::unexpected(made.error());
    fit = *std::move(made);
  }
  LeftOut runs(data, fit);
  std::vector<Case> cases;
  FamilyReport report;
  report.family = "mi300a";
  report.method =
      "Average event times of fourteen programs on an MI300A (51 iterations) against what the same programs "
      "print under modelled time. Each grid is executed in part, the workgroups that the model looks at. Each "
      "program is judged with constants that were fitted anew without it (the three copies, which are one "
      "program, together), on how the others' times answer to each constant (validate/mi300a/responses.py). What "
      "is known of a constant from elsewhere counts as one program more, which tells it to within a width; of "
      "the widths that err least on programs left out of the others (within a standard error) the narrowest is "
      "taken. The further off a row is, the less it pulls (Cauchy's penalty). A constant of which nothing is "
      "known, and that no other program tells, costs least. 'fitted on' are the same rows with the constants of the data file, which all programs were looked at for: the sizes "
      "that the table of answers has. Patterns, in the last strata, are judged on these rows, and again with "
      "each mechanism of the model taken out of what was fitted on. Not fitted anew: the model itself, which was made with these programs in "
      "view, and the ranges of the constants, a half to a double of the data file's.";
  size_t unknown = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Mi300aRow& row = rows[i];
    if (!Mi300aPrograms::known(row.kernel) || row.milliseconds <= 0) {
      ++unknown;
      continue;
    }
    const auto milliseconds = runs.milliseconds(row);
    if (!milliseconds) return tl::unexpected(milliseconds.error());
    if (*milliseconds <= 0) continue;
    cases.push_back(row.case_of(*milliseconds, false, {}));
    data.tell(fmt::format("mi300a: {} of {}: {} {:.4f} ms, measured {:.4f}", i + 1, rows.size(),
                          cases.back().label, *milliseconds, row.milliseconds));
  }
  if (unknown) report.notes.push_back(fmt::format("{} rows are of programs that are not here", unknown));
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300a");
  for (const gpus::Field& field : gpus::fields())
    if (const auto source = gpu.sources.find(field.path);
        source != gpu.sources.end() && source->second.text.find("data/mi300a") != std::string::npos)
      report.constants.push_back(fmt::format("{} = {} {} ({}: {})", field.path, gpus::value_text(gpu, field),
                                             field.unit, gpus::name_of(source->second.kind),
                                             source->second.text));
  report_times(report, cases);
  if (!fit) return report;
  tell_fits(*fit, cases, report);
  std::vector<Case> fitted, left_out;
  for (const Mi300aFit::Row& row : fit->rows()) {
    const auto found = std::ranges::find_if(cases, [&](const Case& one) {
      return one.strata.front() == row.kernel && one.label == row.kernel + " " + row.size;
    });
    if (found == cases.end()) continue;
    found->strata.emplace_back("all of 'fitted on'");
    left_out.push_back(*found);
    Case one = *found;
    one.predicted = row.milliseconds * 1e-3;
    one.strata = {"fitted on: all", "fitted on: " + row.kernel};
    fitted.push_back(std::move(one));
  }
  std::vector<double> errors;
  for (const Case& one : fitted) errors.push_back(one.error());
  report.summary.push_back({"mi300a_fitted_on_wmape", weighted_error(fitted), fitted.size()});
  report.summary.push_back({"mi300a_fitted_on_mean", mean(errors), fitted.size()});
  std::vector<Case> both = cases;
  both.insert(both.end(), fitted.begin(), fitted.end());
  if (const Result<void> done = add_patterns(data, left_out, fitted, both); !done)
    return tl::unexpected(done.error());
  report.strata = strata_of(both);
  return report;
}

}  // namespace wavesmith::validate
