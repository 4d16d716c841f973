#include "validate/gemm/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

using model::GemmKernel;

/// Seconds of two steps, the second over the first, less 1.
double change(double first, double second) { return second / first - 1; }

}  // namespace

/// Times: AMD, ROCm blogs, "FP8 GEMM Optimization on AMD CDNA4 Architecture" (2026), tables 3 and 4, its text
/// (with and without swizzle), and, of the last step, 2680 TFLOP/s; the second ones: the means of 50 that the
/// tutorial of the same authors prints (AMD, AI developer hub, "FP8 GEMM optimization on AMD CDNA4-based
/// GPUs"). Kernels: that tutorial's, whose buffers rotate so that operands are cold. Conflicts are those of
/// ds_read_b128 on rows of 128 bytes (gpus/lds_phases.h: 16 cycles instead of 4), instructions before the
/// loop those that the swizzle's masks take.
Ladder fp8_ladder() {
  constexpr double kFlops = 2.0 * 4096 * 4096 * 4096;
  Ladder ladder{
      .name = "CDNA4 fp8 steps",
      .gpu = "mi355x",
      .where = "ROCm blogs, FP8 GEMM optimization on CDNA4",
      .problem = {.m = 4096, .n = 4096, .k = 4096, .a = model::NumberType::F8, .b = model::NumberType::F8},
      .conditions = {.cold = true}};
  const auto step = [&](const char* name, double teraflops, double again, const GemmKernel& kernel) {
    ladder.rungs.push_back({.name = name,
                            .measured = kFlops / (teraflops * 1e12),
                            .again = again > 0 ? kFlops / (again * 1e12) : 0,
                            .kernel = kernel});
  };
  GemmKernel kernel{
      .tile_m = 16, .tile_n = 16, .tile_k = 1, .vector = true, .wave_m = 4, .wave_n = 1, .prefetch = 0};
  kernel.double_buffered_lds = kernel.through_lds = false;
  kernel.vector_bytes = 1;
  step("naive", 1.15, 1.1476, kernel);
  kernel.through_lds = kernel.private_tiles = true;
  kernel.tile_k = 16;
  step("LDS tiles", 4.80, 4.8035, kernel);
  kernel.vector = false;
  kernel.matrix_m = kernel.matrix_n = 16;
  kernel.matrix_k = 128;
  kernel.tile_m = kernel.tile_n = 32;
  kernel.tile_k = 128;
  kernel.wave_m = kernel.wave_n = 2;
  kernel.lds_conflicts = 4;
  step("MFMA", 30.05, 29.924, kernel);
  kernel.vector_bytes = 16;
  step("vector loads", 336.88, 340.84, kernel);
  kernel.direct_to_lds = true;
  step("direct to LDS", 506.70, 501.21, kernel);
  kernel.lds_conflicts = 1;
  kernel.setup_instructions = 27;
  step("swizzle", 497.43, 494.77, kernel);
  GemmKernel twice = kernel;
  twice.private_tiles = false;
  twice.tile_m = twice.tile_n = 64;
  twice.prefetch = 1;
  twice.double_buffered_lds = true;
  GemmKernel straight = twice;
  straight.lds_conflicts = 4;
  straight.setup_instructions = 0;
  step("double buffer, no swizzle", 1056.95, 0, straight);
  step("double buffer", 1166.41, 1149.95, twice);
  kernel = twice;
  kernel.tile_m = kernel.tile_n = 128;
  kernel.threads = 512;
  kernel.wave_n = 4;
  step("128x128, 8 waves", 1828.74, 1808.25, kernel);
  kernel.tile_m = kernel.tile_n = 256;
  step("256x256, 8 waves", 2288.16, 2002.84, kernel);
  GemmKernel sixteen = kernel;
  sixteen.threads = 1024;
  sixteen.wave_m = 4;
  step("256x256, 16 waves", 2228.01, 2083.91, sixteen);
  kernel.prefetch = 2;
  kernel.ping_pong = true;
  step("8-wave ping-pong", 2680, 2650.13, kernel);
  return ladder;
}

/// HipKittens, analysis/paper_experiments/grid_micro: blocks of 256x256x64, eight waves in turns.
Result<std::vector<Ladder>> grid_ladders(const Csv& published) {
  const Result<std::vector<PublishedRow>> rows = published_rows(published);
  if (!rows) return tl::unexpected(rows.error());
  std::map<std::string, std::map<double, Rung>> found;
  std::map<std::string, Ladder> ladders;
  for (const PublishedRow& row : *rows) {
    if (row.op != "gemm (grid swizzle ablation)" || row.metric != "time" || row.unit != "us") continue;
    const gpus::Gpu* const gpu = published_gpu(row.gpu);
    const auto m = number_in(row.shape, "M"), n = number_in(row.shape, "N"), k = number_in(row.shape, "K"),
               group = number_in(row.shape, "WGM");
    if (!gpu || !m || !n || !k || !group || row.value <= 0) continue;
    const std::string key = fmt::format("{} {}x{}x{}", row.gpu, *m, *n, *k);
    Ladder& ladder = ladders[key];
    if (ladder.name.empty()) {
      ladder.name = "grid swizzle " + key;
      ladder.gpu = gpu->id;
      ladder.where = fmt::format("{}:{}", published.name(), row.line);
      ladder.problem = {
          .m = static_cast<uint64_t>(*m), .n = static_cast<uint64_t>(*n), .k = static_cast<uint64_t>(*k)};
    }
    GemmKernel kernel{.tile_m = 256, .tile_n = 256, .tile_k = 64, .threads = 512};
    kernel.group_m = static_cast<int32_t>(*group);
    kernel.direct_to_lds = kernel.ping_pong = true;
    Rung& rung = found[key][*group];
    rung = {.name = fmt::format("groups of {}", *group), .measured = row.value * 1e-6, .kernel = kernel};
  }
  std::vector<Ladder> all;
  for (auto& [key, rungs] : found) {
    if (rungs.size() < 2) continue;
    for (auto& [group, rung] : rungs) ladders[key].rungs.push_back(std::move(rung));
    all.push_back(std::move(ladders[key]));
  }
  return all;
}

Result<void> predict(Ladder& ladder) {
  const Result<const gpus::Gpu*> gpu = gpus::find_gpu(ladder.gpu);
  if (!gpu) return tl::unexpected(gpu.error());
  for (Rung& rung : ladder.rungs) {
    const Result<model::GemmPrediction> prediction =
        model::predict_gemm(**gpu, ladder.problem, rung.kernel, ladder.conditions);
    if (!prediction) return tl::unexpected(prediction.error());
    rung.predicted = prediction->seconds;
  }
  return {};
}

LadderOrder order_of(const Ladder& ladder) {
  LadderOrder order;
  for (size_t i = 1; i < ladder.rungs.size(); ++i) {
    const Rung &before = ladder.rungs[i - 1], &after = ladder.rungs[i];
    const double measured = change(before.measured, after.measured),
                 again = before.again > 0 && after.again > 0 ? change(before.again, after.again) : measured,
                 predicted = change(before.predicted, after.predicted);
    const bool open = (measured < 0) != (again < 0), equal = std::abs(measured) < kLadderNoise,
               same_sign = open || (measured < 0) == (predicted < 0);
    const bool right = open    ? predicted > std::min(measured, again) - kLadderNoise &&
                                     predicted < std::max(measured, again) + kLadderNoise
                       : equal ? std::abs(predicted) < kLadderNoise
                               : same_sign;
    ++order.pairs;
    order.same_sign += same_sign;
    if (right)
      ++order.in_order;
    else
      order.wrong.push_back(fmt::format("{} - {}: measured {:+.1f} %, predicted {:+.1f} %", before.name,
                                        after.name, 100 * measured, 100 * predicted));
  }
  return order;
}

LadderOrder report_ladder(const Ladder& ladder, std::vector<Case>& cases, FamilyReport& report) {
  LadderOrder order = order_of(ladder);
  std::string steps;
  const double flops = 2.0 * static_cast<double>(ladder.problem.m) * static_cast<double>(ladder.problem.n) *
                       static_cast<double>(ladder.problem.k);
  for (const Rung& rung : ladder.rungs) {
    const auto rate = [flops](double seconds) { return flops / seconds * 1e-12; };
    steps += fmt::format("{} {} {:.4g} ({:.4g}{})", steps.empty() ? "" : ",", rung.name, rate(rung.predicted),
                         rate(rung.measured),
                         rung.again > 0 ? fmt::format("; {:.4g}", rate(rung.again)) : std::string());
    cases.push_back({.gpu = ladder.gpu,
                     .label = ladder.name + ", " + rung.name,
                     .where = ladder.where,
                     .measured = rung.measured,
                     .predicted = rung.predicted,
                     .strata = {"ladder, " + ladder.name}});
  }
  report.notes.push_back(fmt::format(
      "Ladder order, {}: {} of {} pairs of neighbouring steps in order (pairs within {:.0f} % of each "
      "other, "
      "the noise, need only be predicted so, those that a second measurement puts into the other order only "
      "between the two; by the sign alone {}). TFLOP/s predicted (measured; again):{}{}",
      ladder.name, order.in_order, order.pairs, 100 * kLadderNoise, order.same_sign, steps,
      order.wrong.empty() ? std::string() : fmt::format(". Wrong: {}", fmt::join(order.wrong, "; "))));
  return order;
}

Result<void> judge_ladders(Data& data, std::vector<Case>& cases, FamilyReport& report) {
  std::vector<Ladder> ladders;
  if (!data.foreign()) ladders.push_back(fp8_ladder());
  if (data.has(TableKind::Published)) {
    const Result<std::vector<const Csv*>> tables = data.judged(TableKind::Published);
    if (!tables) return tl::unexpected(tables.error());
    for (const Csv* csv : *tables) {
      Result<std::vector<Ladder>> found = grid_ladders(*csv);
      if (!found) return tl::unexpected(found.error());
      std::ranges::move(*found, std::back_inserter(ladders));
    }
  }
  Summary summary{.name = "gemm_ladder_pairs_in_order", .value = 0};
  size_t in_order = 0;
  for (Ladder& ladder : ladders) {
    if (const Result<void> done = predict(ladder); !done) return tl::unexpected(done.error());
    const LadderOrder order = report_ladder(ladder, cases, report);
    in_order += order.in_order;
    summary.n += order.pairs;
  }
  if (summary.n == 0) return {};
  summary.value = static_cast<double>(in_order) / static_cast<double>(summary.n);
  report.summary.push_back(summary);
  return {};
}

}  // namespace wavesmith::validate
