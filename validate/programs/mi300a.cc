// Fourteen benchmark programs on an MI300A: their own event times under modelled time against those measured.
// The programs are compiled here and run with WAVESMITH_TIME=sampled: of each grid the workgroups that the
// model looks at, so that sizes which no emulator would finish take seconds.
#include <fmt/format.h>

#include "gpus/gpu.h"
#include "validate/families/family.h"
#include "validate/programs/mi300a_programs.h"
#include "validate/programs/mi300a_row.h"

namespace wavesmith::validate {

Result<FamilyReport> judge_mi300a(Data& data) {
  const auto tables = data.judged(TableKind::Mi300a);
  if (!tables) return tl::unexpected(tables.error());
  Mi300aPrograms runs(data, {"run", "--quiet", "--time=sampled", "--gpu", "mi300a"});
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
    const Result<std::vector<Mi300aRow>> rows = mi300a_rows(*table);
    if (!rows) return tl::unexpected(rows.error());
    for (size_t i = 0; i < rows->size(); ++i) {
      const Mi300aRow& row = (*rows)[i];
      if (!Mi300aPrograms::known(row.kernel) || row.milliseconds <= 0) {
        ++unknown;
        continue;
      }
      const auto milliseconds = runs.milliseconds(row.kernel, row.size);
      if (!milliseconds) return tl::unexpected(milliseconds.error());
      if (*milliseconds <= 0) continue;
      cases.push_back(row.case_of(*milliseconds, !data.foreign(), "half A (fitted)"));
      data.tell(fmt::format("mi300a: {} of {}: {} {:.4f} ms, measured {:.4f}", i + 1, rows->size(),
                            cases.back().label, *milliseconds, row.milliseconds));
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
  report_times(report, cases);
  return report;
}

}  // namespace wavesmith::validate
