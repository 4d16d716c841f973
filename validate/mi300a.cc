// Fourteen benchmark programs on an MI300A: their own event times under modelled time against those measured.
// The programs are compiled here and run with WAVESMITH_TIME=sampled: of each grid the workgroups that the
// model looks at, so that sizes which no emulator would finish take seconds.
#include <fmt/format.h>

#include "gpus/gpu.h"
#include "validate/family.h"
#include "validate/mi300a_programs.h"
#include "validate/split.h"

namespace wavesmith::validate {

Result<FamilyReport> judge_mi300a(Data& data) {
  const auto tables = data.judged(TableKind::Mi300a);
  if (!tables) return tl::unexpected(tables.error());
  Mi300aPrograms runs({"run", "--quiet", "--time=sampled", "--gpu", "mi300a"});
  if (Result<void> ready = runs.prepare(); !ready) return tl::unexpected(ready.error());
  std::vector<Case> cases;
  FamilyReport report;
  report.family = "mi300a";
  report.method =
      "Average event times of fourteen programs on an MI300A (51 iterations) against what the same programs "
      "print "
      "under modelled time. Each grid is executed in part, the workgroups that the model looks at.";
  size_t unknown = 0;
  for (const Csv* const table : *tables) {
    const auto kernels = table->column("kernel_name"), sizes = table->column("problem_size"),
               averages = table->column("avg_ms");
    if (!kernels || !sizes || !averages)
      return fail(ErrorKind::BadInput, "columns are missing", table->name());
    for (size_t row = 0; row < table->rows(); ++row) {
      const std::string kernel(table->cell(row, *kernels)), size(table->cell(row, *sizes));
      const double measured = number<double>(table->cell(row, *averages)).value_or(0);
      if (!Mi300aPrograms::known(kernel) || measured <= 0) {
        ++unknown;
        continue;
      }
      const auto milliseconds = runs.milliseconds(kernel, size);
      if (!milliseconds) return tl::unexpected(milliseconds.error());
      if (*milliseconds <= 0) continue;
      Case one;
      one.gpu = "MI300A";
      one.label = fmt::format("{} {}", kernel, size);
      one.where = table->where(row);
      one.measured = measured * 1e-3;
      one.predicted = *milliseconds * 1e-3;
      one.strata = {kernel, "all"};
      if (!data.foreign())
        one.strata.push_back(half_of("MI300A", kernel, "", size) == Half::A ? "half A (fitted)" : "half B");
      fmt::print(stderr, "mi300a: {} of {}: {} {:.4f} ms, measured {:.4f}\n", row + 1, table->rows(),
                 one.label, *milliseconds, measured);
      cases.push_back(std::move(one));
    }
  }
  if (unknown) report.notes.push_back(fmt::format("{} rows are of programs that are not here", unknown));
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300a");
  for (const gpus::Field& field : gpus::fields())
    if (const auto source = gpu.sources.find(field.path);
        source != gpu.sources.end() && source->second.text.find("data/mi300a") != std::string::npos)
      report.constants.push_back(fmt::format("{} = {} {} ({}: {})", field.path, gpus::value_text(gpu, field),
                                             field.unit, gpus::name_of(source->second.kind),
                                             source->second.text));
  report.strata = strata_of(cases);
  report.worst = worst_of(cases);
  std::vector<double> errors;
  for (const Case& one : cases) errors.push_back(one.error());
  report.summary = {
      {"mi300a_wmape", weighted_error(cases), cases.size()},
      {"mi300a_mean",  mean(errors),          cases.size()},
  };
  return report;
}

}  // namespace wavesmith::validate
