// Matrix multiplication: predicted against rocBLAS's and hipBLASLt's tuned kernels and AITER's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/gemm/constants.h"
#include "validate/families/family.h"
#include "validate/gemm/ladder.h"
#include "validate/gemm/origami.h"
#include "validate/gemm/roofline.h"
#include "validate/gemm/row.h"

namespace wavesmith::validate {
namespace {

using model::GemmKernel;

constexpr size_t kLeast = 20;  // cases of a stratum that the summary asks of

/// Rows whose kernel is unknown, and a sample of the others whose kernel the model was not told: it has to
/// find the tile. They are reported beside the strata, and count in none.
constexpr std::string_view kUntold = "kernel not told";
constexpr size_t kUntoldEvery = 5;

/// Each stratum for all chips of a table, and for the chip.
std::vector<std::string> strata(const GemmRow& row, std::string_view table) {
  const uint64_t m = row.problem.m;
  std::vector<std::string_view> kinds{m <= 16     ? "M <= 16"
                                      : m <= 128  ? "M <= 128"
                                      : m <= 1024 ? "M <= 1024"
                                                  : "M > 1024"};
  if (row.kernel) {
    const GemmKernel& kernel = *row.kernel;
    if (kernel.split_k > 1 || kernel.waves_along_k > 1) kinds.emplace_back("split-K");
    if (kernel.tile_m != 0 && kernel.tile_n != 0 &&
        (m % kernel.tile_m != 0 || row.problem.n % kernel.tile_n != 0))
      kinds.emplace_back("ragged");
  } else {
    kinds.emplace_back(kUntold);
  }
  std::vector<std::string> found;
  for (const std::string_view kind : kinds) {
    found.push_back(fmt::format("{}, {}", table, kind));
    found.push_back(fmt::format("{} {}, {}", table, row.family, kind));
  }
  return found;
}

/// "BLAS, M <= 16" is of all chips, "BLAS MI210, M <= 16" of one.
bool of_all_chips(std::string_view stratum) {
  return stratum.starts_with("BLAS,") || stratum.starts_with("AITER,");
}

/// What we think is wrong where it is wrong.
constexpr std::string_view kDoubts[] = {
    ("MI300A's files of f32, f16 and bf16 begin with a run on its 228 units and go on with runs on the 304 "
     "of an "
     "MI300X; the number of the solution tells which (kFirstRuns): with it no row of either is faster than "
     "its "
     "units can be, but for those left out above."),
    ("In some of the MI300X's runs (f32, not transposed, solutions 95 to 145 and 195 to 208; small batches "
     "of "
     "f16 and bf16, solutions 110 to 133) every compute unit that had work added 65 ns, whatever was "
     "multiplied: 144 workgroups 9 us, 192 13 us, 256 15 us, 304 19 us, while the other layouts' runs of "
     "equal "
     "sizes took none. It is predicted where the solution says so. Our guess is kernel arguments in host "
     "memory; no column tells. Sizes of vision transformers (197, 50, 784) show it too, row by row, and are "
     "predicted without it."),
    ("MI300X's BLAS rows with M <= 16: 16 to 24 workgroups took 3.2 to 3.8 us, 64 to 128 with as little to "
     "do "
     "5 to 9 us, in one file. Half A has seven such rows, too few to tell more than one fixed time from "
     "them."),
    ("Equal f16 and bf16 kernels (4096x1024, tile 128x128x64) of the MI300X's runs differ by a half, and "
     "64x64 tiles with A not transposed, B not transposed and B transposed by 1.8. The clock during those "
     "runs would be an explanation; it is not told."),
    ("K split with atomics and K split with a workspace are one thing to the model; single rows of "
     "MI250X differ by a factor of five."),
    ("AITER's rows do not say which chip of a generation they were measured on, nor its clock. What "
     "power does to CDNA4's clock is inside of its fitted shares: no clock under load was found."),
    ("Strides that are a multiple of 512 bytes cost one factor; MI300X's rows show more than one such "
     "effect (K of 2, 4 and 8 times 256 bytes differ by 5 %)."),
    ("Where no kernel is named, the model is told which BLAS library is called, as its caller knows (rocBLAS and "
     "hipBLASLt differ by a factor of two on an RX 7900 XTX), and takes the likeliest of the kernels that were "
     "the fastest for rows of half A on that architecture. Sizes that rocBLAS was tuned for before it had "
     "kernels with matrix instructions (f16 with f32 results on MI100) get vector kernels: a bound of K tells "
     "them from the others for 77 to 90 % of half A's rows, and where it is wrong the time is off by a factor of "
     "two. How a library's rate was measured, at which clock, is not told."),
    ("The second and third steps of the fp8 ladder are predicted four to five times too fast. AMD's source "
     "shows "
     "why: bytes are loaded one by one, B's from 16 rows at once (a wave's load of 64 bytes takes 16 cache "
     "lines), and go through LDS number by number, so that instructions and lines count, not bytes. The "
     "model "
     "counts bytes: no library's kernel is like these."),
    ("That bank conflicts cost a step nothing while it waits for its loads, and that a swizzle's address "
     "arithmetic does, is set with the ladder in view; no other row has conflicts."),
    ("Origami is asked for its latency in cycles at the same clock, without a fixed time for launches "
     "and not for rows with a split K, which it would choose by itself: at small sizes its times are "
     "of another thing."),
};

Result<void> judge(const GemmRows& judged, const GemmRows& own, std::string_view table, bool foreign,
                   std::vector<Case>& cases, FamilyReport& report) {
  const auto predict = [](const GemmRow& row) -> Result<model::GemmPrediction> {
    const Result<const gpus::Gpu*> gpu = gpus::find_gpu(row.chip);
    if (!gpu) return tl::unexpected(gpu.error());
    return model::predict_gemm(**gpu, row.problem, row.kernel, row.conditions);
  };
  const GemmRooflines rooflines(own.rows);
  std::map<std::string, size_t> failed;
  std::vector<const GemmRow*> asked;
  const size_t first = cases.size();
  for (const GemmRow& row : judged.rows) {
    if (!foreign && row.half != Half::B) continue;
    const Result<model::GemmPrediction> prediction = predict(row);
    if (!prediction) {
      ++failed[prediction.error().what];
      continue;
    }
    Case out{.gpu = row.family,
             .label = label(row),
             .where = fmt::format("{} line {}", table, row.line),
             .measured = row.seconds,
             .predicted = prediction->seconds,
             .baseline = rooflines.seconds(row),
             .strata = strata(row, table),
             .note = prediction->bound,
             .model = row.kernel ? "gemm" : "gemm, kernel not told",
             .architecture = (*gpus::find_gpu(row.chip))->architecture};
    cases.push_back(std::move(out));
    asked.push_back(&row);
  }
  const size_t told = cases.size() - first;
  for (size_t i = 0; i < told; i += kUntoldEvery) {
    GemmRow row = *asked[i];
    if (!row.kernel) continue;
    row.kernel.reset();
    const Result<model::GemmPrediction> prediction = predict(row);
    if (!prediction) continue;
    Case out = cases[first + i];
    out.predicted = prediction->seconds;
    out.strata = {fmt::format("{}, {}", table, kUntold),
                  fmt::format("{} {}, {}", table, row.family, kUntold)};
    out.label += ", not told";
    out.model = "gemm, kernel not told";
    cases.push_back(std::move(out));
  }
  const std::vector<double> others = origami_seconds(asked);
  for (size_t i = 0; i < others.size(); ++i) cases[first + i].origami = others[i];
  for (const std::string& why : judged.left_out)
    report.notes.push_back(fmt::format("{}: left out {}", table, why));
  for (const auto& [why, count] : failed)
    report.notes.push_back(fmt::format("{}: {} rows could not be predicted: {}", table, count, why));
  for (std::string& line : rooflines.described()) report.constants.push_back(std::move(line));
  return {};
}

}  // namespace

Result<FamilyReport> judge_gemm(Data& data) {
  FamilyReport report{.family = "gemm"};
  report.method =
      "Times of tuned kernels, predicted from the problem and the kernel's own parameters (tile, depth, "
      "matrix "
      "instruction, waves, split). rocBLAS's rows are mostly shares of the peak at the tuning clock: they "
      "are "
      "judged in cycles, at the data sheet's clock. Their half is a hash of GPU and sizes alone, as one "
      "measurement "
      "stands under several types. Of every fifth row the model is also asked without telling it the kernel "
      "('kernel not told'): it looks for the best tile itself.";
  std::vector<Case> cases;
  struct Source {
    TableKind kind;
    std::string_view name;
    Result<GemmRows> (*rows)(const Csv&);
  };
  for (const Source& source : {Source{TableKind::Tensile, "BLAS", tensile_rows},
                               Source{TableKind::Published, "AITER", aiter_rows}}) {
    if (!data.has(source.kind)) continue;
    const Result<std::vector<const Csv*>> tables = data.judged(source.kind);
    if (!tables) return tl::unexpected(tables.error());
    GemmRows own;
    if (const Result<std::vector<const Csv*>> ours = data.own(source.kind))
      for (const Csv* csv : *ours)
        if (Result<GemmRows> rows = source.rows(*csv))
          own.rows.insert(own.rows.end(), rows->rows.begin(), rows->rows.end());
    for (const Csv* csv : *tables) {
      const Result<GemmRows> rows = source.rows(*csv);
      if (!rows) return tl::unexpected(rows.error());
      if (const Result<void> done = judge(*rows, own, source.name, data.foreign(), cases, report); !done)
        return tl::unexpected(done.error());
    }
  }
  std::vector<Case> steps;
  if (const Result<void> done = judge_ladders(data, steps, report); !done)
    return tl::unexpected(done.error());
  report.strata = strata_of(cases);
  report.judged = judged_of(cases);
  std::ranges::sort(report.strata, [](const Stratum& a, const Stratum& b) {
    const bool first = of_all_chips(a.name), second = of_all_chips(b.name);
    return first != second ? first : a.name < b.name;
  });
  for (Stratum& stratum : strata_of(steps)) report.strata.push_back(std::move(stratum));
  std::vector<Case> told;
  for (const Case& each : cases)
    if (!each.label.ends_with("not told")) told.push_back(each);
  report.worst = worst_of(told);
  Summary untold{.name = "gemm_kernel_not_told_median"};
  // The worst stratum of the two tables, all chips together; and the worst of a single chip with enough rows.
  Summary worst{.name = "gemm_worst_stratum_median"}, worst_chip{.name = "gemm_worst_chip_stratum_median"};
  Summary beaten{.name = "gemm_strata_better_than_roofline"},
      beaten_chip{.name = "gemm_chip_strata_better_than_roofline"};
  const auto count = [](Summary& share, bool better) {
    if (share.n == 0) share.value = 0;
    share.value += better ? 1 : 0;
    ++share.n;
  };
  for (const Stratum& stratum : report.strata) {
    const bool all = of_all_chips(stratum.name);
    if (stratum.name.starts_with("ladder")) continue;
    if (stratum.name.ends_with(kUntold)) {
      if (stratum.name.starts_with("BLAS,")) untold.value = stratum.median, untold.n = stratum.n;
      continue;
    }
    if (stratum.n < kLeast) continue;
    Summary& most = all ? worst : worst_chip;
    if (std::isnan(most.value) || stratum.median > most.value)
      most.value = stratum.median, most.n = stratum.n;
    if (!std::isnan(stratum.baseline)) count(all ? beaten : beaten_chip, stratum.median < stratum.baseline);
  }
  for (Summary* share : {&beaten, &beaten_chip})
    if (share->n > 0) share->value /= static_cast<double>(share->n);
  report.summary.insert(report.summary.begin(), {worst, worst_chip, beaten, beaten_chip, untold});
  for (const std::string& line : model::describe_gemm_constants()) report.constants.push_back(line);
  for (const std::string_view note : kDoubts) report.notes.emplace_back(note);
  return report;
}

}  // namespace wavesmith::validate
