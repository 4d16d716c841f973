// A rule examines a kernel's analysis and estimates what a change would gain. Each file of analysis/rules
// holds one rule; the build lists them, so adding a rule is adding a file (docs/ADD_A_RULE.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/code.h"
#include "analysis/estimate/cycles.h"
#include "analysis/graph.h"
#include "analysis/report.h"
#include "analysis/values/lane_values.h"
#include "gpus/gpu.h"

namespace wavesmith::analysis {

/// Everything that a rule may look at. The analysis is complete except for its findings.
struct Subject {
  const KernelAnalysis& kernel;
  const Code& code;
  const Graph& graph;
  const Costs& costs;
  const gpus::Gpu& gpu;
  LaneValues& lanes;  ///< asking for a value in the middle of a block follows the block again

  /// Calls `visit(i)` for each instruction of a loop's own usual blocks, without those of inner loops.
  template <class Visit>
  void own_instructions(uint32_t loop, Visit visit) const {
    for (const uint32_t b : kernel.loops[loop].usual_blocks) {
      if (kernel.blocks[b].loop != loop) continue;
      for (uint32_t i = kernel.blocks[b].begin; i < kernel.blocks[b].end; ++i) visit(i);
    }
  }
};

struct Rule {
  std::string_view name;  ///< its file's name with hyphens: "full-drain-in-loop"
  std::string_view what;  ///< one line: what it looks for
  void (*check)(const Subject&, std::vector<Finding>&);
};

/// Every rule, in alphabetical order.
std::span<const Rule* const> rules();

/// Runs all rules, fills in their names, and sorts the findings by rank.
std::vector<Finding> find_all(const Subject& subject);

/// Cycles of a SIMD that a wave's pass through a loop takes, with `waves` waves on it: the busiest pipe, or
/// the wave's own time, which the others fill up, or what L2 or memory has to give. Waits for memory count
/// where `Cycles::exposed` knows them.
double pass_cycles(const Cycles& cycles, double waves);
/// The same for the waves that the kernel's occupancy gives.
double pass_cycles(const Subject& subject, const Loop& loop);

/// Sets a gain in cycles per pass and in percent of the pass, if it is positive.
void set_gain(Finding& finding, const Subject& subject, const Loop& loop, double cycles,
              Tag tag = Tag::Modelled);
/// Cycles per pass that are gained when one wave alone takes `wave` cycles less and the busiest pipe `pipe`
/// cycles less.
double gain_of(const Subject& subject, const Loop& loop, double wave, double pipe);

/// The code outside of loops, as a loop that runs once.
Loop straight_line(const Subject& subject);

/// The gain if instructions cost what `costs` says, which may leave some out.
double gain_with(const Subject& subject, const Loop& loop, const Costs& costs);
/// The gain without these instructions.
double gain_without(const Subject& subject, const Loop& loop, const std::vector<uint32_t>& instructions);
/// Cycles until a load's data arrive from what is taken to serve it; 0: unknown.
double load_latency(const Subject& subject, uint32_t load);
/// Cycles of one wave that a wait would save by leaving as many accesses outstanding as it could
/// (Wait::could_be); nullopt when that is not known.
std::optional<double> wait_saved(const Subject& subject, const Wait& wait);
/// The gain if waits take `saved` cycles less.
double gain_of_waits(const Subject& subject, const Loop& loop, double saved);

/// "1 wait", "2 waits".
std::string counted(size_t count, std::string_view noun);

/// Cites an instruction: "s_waitcnt vmcnt(0)" at 0x1234, with its source line if there is one.
std::string cite(const Subject& subject, uint32_t instruction);

}  // namespace wavesmith::analysis
