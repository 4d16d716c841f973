#include "validate/gemm/tensile_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gpus/gpu.h"
#include "validate/families/family.h"
#include "validate/gemm/roofline.h"

namespace wavesmith::validate {
namespace {

/// One of fifty of a tuning run's times is as short as this or shorter; a few single ones are wrong.
constexpr double kShort = 0.02;

/// What we think is wrong where it is wrong.
constexpr std::string_view kDoubts[] = {
    "A row does not tell beta, bias or activation of its tuning run. With a beta the result is read, too: "
    "some of MI250X's and MI210's products with large results and a short K (f64 26368x2048x128, f32 results "
    "of 8448x8976x256) took about as long as if it were.",
    "MI300X's rows are a quarter to a third slower than modelled whatever bounds them, where the MI300A's "
    "come out within 10 %: they are shares of the peak at a clock that is not told. Products of many small "
    "matrices (196x64x784, 768 of them) took three times what their bytes do.",
    "Shares of RX 7900 XTX's peak end at 79 % in half A of rocBLAS's rows, for f16, bf16 and i8 alike, where "
    "the model keeps the matrix pipes busy up to 94 % of the time: the clock of those runs, or the rate at "
    "which the instructions can go on, is another one. MI250X's and MI210's rows go up to 94 %, but products "
    "of 50 to 400 us come out up to a quarter too fast there, too.",
    "hipBLASLt's kernels for RX 7900 XTX with tiles of 96x96 and 128x48 reach a third of the peak where the "
    "model, and rocBLAS's kernels, reach two thirds and more. What holds them up is not in the model.",
    "RDNA's cache between a unit's L1 and the L2 (256 KiB of each shader array) is not modelled by itself. "
    "The L2's rate is an RX 6900 XT's, where that cache is part of what was measured.",
};

std::string_view size_of(double seconds) {
  return seconds < 20e-6 ? "below 20 us" : seconds < 200e-6 ? "20 to 200 us" : "above 200 us";
}

std::vector<std::string> strata(const TensileKernel& each, bool foreign) {
  const GemmRow& row = each.row;
  const std::string half = row.half == Half::A ? "half A (launch fitted): " : "";
  if (!foreign && row.half == Half::A) return {half + "all", half + row.family};
  std::vector<std::string> found{
      "all", row.family, fmt::format("{} {}", row.family, model::name_of(row.problem.a)),
      fmt::format("kernels {}", size_of(each.seconds())), fmt::format("bound by {}", each.bound)};
  if (row.kernel && row.kernel->split_k > 1) found.emplace_back("split-K");
  return found;
}

}  // namespace

Result<TensileKernels> tensile_kernels(const Csv& csv) {
  const auto columns = csv.require({"kernel", "library", "chip", "cycles", "clock_mhz", "bound"});
  if (!columns) return tl::unexpected(columns.error());
  const Result<GemmRows> measured = tensile_rows(csv);
  if (!measured) return tl::unexpected(measured.error());
  std::map<size_t, size_t> rows;  // line -> row
  for (size_t row = 0; row < csv.rows(); ++row) rows[csv.line(row)] = row;
  TensileKernels result{.left_out = measured->left_out};
  // Where a row can be of two chips, it stands here for both.
  std::set<std::string> profiled, others;
  for (const GemmRow& gemm : measured->rows) {
    const size_t row = rows.at(gemm.line);
    const std::string which = gemm.gpu + label(gemm) + gemm.kernel->name;
    if (csv.cell(row, columns->at("chip")) != gemm.chip) {
      others.insert(which);
      continue;
    }
    profiled.insert(which);
    const Result<double> cycles = number<double>(csv, row, columns->at("cycles")),
                         clock = number<double>(csv, row, columns->at("clock_mhz"));
    if (!cycles) return tl::unexpected(cycles.error());
    if (!clock) return tl::unexpected(clock.error());
    TensileKernel& out = result.kernels.emplace_back();
    out.row = gemm;
    out.kernel = csv.cell(row, columns->at("kernel"));
    out.library = csv.cell(row, columns->at("library"));
    out.bound = csv.cell(row, columns->at("bound"));
    // Shares of the peak are told at the data sheet's clock; GFLOP/s were measured at the one of that run.
    const bool rate = csv.cell(row, *csv.column("unit")) == "GFLOP/s";
    out.tuning = tuning_of(gemm);
    out.cycles = *cycles;
    out.engine_mhz = rate ? *clock : *gemm.conditions.clock_mhz;
  }
  const auto missing =
      std::ranges::count_if(others, [&](const auto& each) { return !profiled.contains(each); });
  if (missing > 0)
    result.left_out.push_back(
        fmt::format("{} rows: profiled for another chip than they were measured on", missing));
  return result;
}

std::string tuning_of(const GemmRow& row) {
  if (!row.kernel) return row.family;
  // "Cijk_Alik_Bljk_HHS_BH_MT128x128x32...": types stand between the operands and the macro tile.
  std::string_view types = std::string_view(row.kernel->name).substr(0, row.kernel->name.find("_MT"));
  // An operand that is conjugated has a letter more: "AlikC".
  for (size_t operand = 0; operand < 3 && !types.empty(); ++operand)
    types.remove_prefix(std::min(types.find('_') + 1, types.size()));
  const bool rate = row.kernel->schedule.find("GFLOP/s") != std::string::npos;
  return fmt::format("{} {}{}", row.family, types, rate ? " in GFLOP/s" : "");
}

double fitted_launch(const std::vector<const TensileKernel*>& kernels, double most) {
  // The mean of |(k + x) / m - 1| has its least value at a corner, where one of them is 0, or at the end.
  double best = 0, least = INFINITY;
  std::vector<double> corners{0, most};
  for (const TensileKernel* each : kernels) corners.push_back(each->row.seconds - each->seconds());
  for (const double x : corners) {
    if (x < 0 || x > most) continue;
    double sum = 0;
    for (const TensileKernel* each : kernels) sum += std::abs((each->seconds() + x) / each->row.seconds - 1);
    if (sum < least) least = sum, best = x;
  }
  return best;
}

Result<FamilyReport> judge_tensile_kernels(Data& data) {
  const auto tables = data.judged(TableKind::TensileKernels);
  if (!tables) return tl::unexpected(tables.error());
  FamilyReport report{.family = "tensile_kernels"};
  TensileKernels all, own;
  const auto read = [](const std::vector<const Csv*>& from, TensileKernels& to) -> Result<void> {
    for (const Csv* csv : from) {
      Result<TensileKernels> some = tensile_kernels(*csv);
      if (!some) return tl::unexpected(some.error());
      std::ranges::move(some->kernels, std::back_inserter(to.kernels));
      std::ranges::move(some->left_out, std::back_inserter(to.left_out));
    }
    return {};
  };
  if (const Result<void> done = read(*tables, all); !done) return tl::unexpected(done.error());
  if (const auto ours = data.own(TableKind::TensileKernels))
    if (const Result<void> done = read(*ours, own); !done) return tl::unexpected(done.error());
  GemmRows tuned;
  if (const auto ours = data.own(TableKind::Tensile))
    for (const Csv* csv : *ours)
      if (Result<GemmRows> rows = tensile_rows(*csv))
        std::ranges::move(rows->rows, std::back_inserter(tuned.rows));
  const GemmRooflines rooflines(tuned.rows);
  std::map<std::string, std::vector<double>> times;
  for (const GemmRow& row : tuned.rows)
    if (row.half == Half::A) times[tuning_of(row)].push_back(row.seconds);
  std::map<std::string, double> launch;
  std::map<std::string, std::vector<const TensileKernel*>> fitted_on;
  for (const TensileKernel& each : own.kernels)
    if (each.row.half == Half::A) fitted_on[each.tuning].push_back(&each);
  for (const auto& [tuning, kernels] : fitted_on) {
    launch[tuning] = fitted_launch(kernels, quantile(times[tuning], kShort));
    report.constants.push_back(
        fmt::format("launch, {}: {:.2f} us beside the kernel; fitted on half A, {} rows", tuning,
                    launch[tuning] * 1e6, kernels.size()));
  }

  std::vector<Case> cases, judged;
  std::map<std::string, size_t> libraries;
  for (const TensileKernel& each : all.kernels) {
    ++libraries[each.library];
    Case one{.gpu = each.row.family,
             .label = label(each.row),
             .where = each.kernel.substr(0, each.kernel.find("_MT")),
             .measured = each.row.seconds,
             .predicted = each.seconds() + launch[each.tuning],
             .baseline = rooflines.seconds(each.row),
             .strata = strata(each, data.foreign()),
             .note = each.bound};
    if (data.foreign() || each.row.half == Half::B) judged.push_back(one);
    cases.push_back(std::move(one));
  }
  std::string packages;
  for (const auto& [name, count] : libraries) packages += (packages.empty() ? "" : ", ") + name;
  report.method = fmt::format(
      "rocBLAS's and hipBLASLt's own kernels, machine code as Debian installs it ({}), under the cycle "
      "model. The library is asked to multiply matrices of sizes that its tuning measured, and launches the "
      "very kernel that the tuning's row names, twice; `wavesmith profile --sampled` says how long the "
      "second one takes "
      "(validate/tensile_kernels: how rows and kernels are matched and chosen; beta is 0). Every number is "
      "modelled but the measured one, which is the library's own ({} rows of validate/data/tensile_gemm). "
      "Shares "
      "of the peak are judged in cycles, at the data sheet's clock. In a tuning run a launch takes time "
      "beside its kernel, up to 24 us: one number for each chip and type, fitted on half A, is added. Of the "
      "cycle model nothing was fitted on these rows.",
      packages, all.kernels.size());
  report.strata = strata_of(cases);
  // All, each GPU and type, what divides them otherwise; what was fitted on at last.
  std::ranges::sort(report.strata, {}, [](const Stratum& each) {
    const std::string_view name = each.name;
    const int group = name == "all"                                                                      ? 0
                      : name.starts_with("half A")                                                       ? 3
                      : name.starts_with("bound by") || name.starts_with("kernels") || name == "split-K" ? 2
                                                                                                         : 1;
    return std::pair(group, each.name);
  });
  report.worst = worst_of(judged);
  std::vector<double> errors;
  for (const Case& each : judged) errors.push_back(each.error());
  report.summary = {
      {"tensile_kernels_median", median(errors), errors.size()},
      {"tensile_kernels_mean", mean(errors), errors.size()},
      {"tensile_kernels_wmape", weighted_error(judged), errors.size()},
  };
  for (const std::string& why : all.left_out) report.notes.push_back("left out " + why);
  for (const std::string_view note : kDoubts) report.notes.emplace_back(note);
  return report;
}

}  // namespace wavesmith::validate
