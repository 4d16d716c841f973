#include "validate/programs/cdna4_fp8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "validate/gemm/ladder.h"
#include "validate/programs/hip_programs.h"

namespace wavesmith::validate {
namespace {

constexpr std::array kSteps{
    StepProgram{"naive", "naive", "naive"},
    StepProgram{"LDS tiles", "lds_tiles", "lds_tiles"},
    StepProgram{"MFMA", "wave_tiles", "mfma"},
    StepProgram{"vector loads", "wave_tiles", "vector_loads"},
    StepProgram{"direct to LDS", "wave_tiles", "direct_to_lds"},
    StepProgram{"swizzle", "wave_tiles", "swizzle"},
    StepProgram{"double buffer, no swizzle", "block_tiles", "double_buffer_straight"},
    StepProgram{"double buffer", "block_tiles", "double_buffer"},
    StepProgram{"128x128, 8 waves", "block_tiles", "block_128_8_waves"},
    StepProgram{"256x256, 8 waves", "block_tiles", "block_256_8_waves"},
    StepProgram{"256x256, 16 waves", "block_tiles", "block_256_16_waves"},
    StepProgram{"8-wave ping-pong", "ping_pong", "ping_pong"},
};

/// Seconds that a step's program prints under modelled time.
Result<double> seconds(HipPrograms& programs, const StepProgram& step) {
  // The model gives each iteration after the first the same time.
  const auto lines =
      programs.run(std::string(step.program), {"--step", std::string(step.step), "--iterations", "1"});
  if (!lines) return tl::unexpected(lines.error());
  for (const HipPrograms::Words& fields : *lines)
    if (fields.size() == 6 && fields[0] == step.step)
      if (const double milliseconds = std::atof(fields[3].c_str()); milliseconds > 0)
        return milliseconds * 1e-3;
  return fail(ErrorKind::Internal, fmt::format("{} printed no time", step.step));
}

}  // namespace

std::span<const StepProgram> fp8_step_programs() { return kSteps; }

Result<void> judge_cdna4_fp8(Data& data, std::vector<Case>& cases, FamilyReport& report) {
  Ladder ladder = fp8_ladder();
  HipPrograms programs(data, "cdna4_fp8", {"--gpu=" + ladder.gpu, "-std=c++20"},
                       {"profile", "--time", "--sampled", "--gpu", ladder.gpu});
  if (Result<void> ready = programs.prepare(); !ready) return tl::unexpected(ready.error());
  double errors = 0;
  for (Rung& rung : ladder.rungs) {
    const auto step = std::ranges::find(kSteps, rung.name, &StepProgram::rung);
    if (step == kSteps.end())
      return fail(ErrorKind::Internal, fmt::format("there is no program for the step '{}'", rung.name));
    const Result<double> predicted = seconds(programs, *step);
    if (!predicted) return tl::unexpected(predicted.error());
    rung.predicted = *predicted;
    errors += std::abs(rung.predicted / rung.measured - 1);
    data.tell(fmt::format("profile: {}, {}: {:.4f} ms, measured {:.4f}", ladder.name, rung.name,
                          1e3 * rung.predicted, 1e3 * rung.measured));
  }
  report.method += fmt::format(
      " Also the steps by which AMD made an fp8 product fast on an MI355X ({}; {}x{}x{}): the programs "
      "(validate/cdna4_fp8) are our own, written anew after AMD's description; the times are those of AMD's "
      "kernels.",
      ladder.where, ladder.problem.m, ladder.problem.n, ladder.problem.k);
  const LadderOrder order = report_ladder(ladder, cases, report);
  report.summary.push_back({.name = "profile_ladder_pairs_in_order",
                            .value = static_cast<double>(order.in_order) / static_cast<double>(order.pairs),
                            .n = order.pairs});
  report.summary.push_back({.name = "profile_ladder_mean",
                            .value = errors / static_cast<double>(ladder.rungs.size()),
                            .n = ladder.rungs.size()});
  report.notes.push_back(
      "AMD's kernels, built by the same compiler and put under the same model, come out as our programs of "
      "these steps do, within 8 %; the last one does not fit into its registers then, and cannot be "
      "compared. "
      "What is off is the model, or what it was told of CDNA4, whose latencies are those of an MI300A in "
      "time, "
      "and whose way from the L2 to a compute unit was fitted on AITER's assembly GEMMs.");
  return {};
}

}  // namespace wavesmith::validate
