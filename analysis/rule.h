// A rule looks at a kernel's analysis and says what may be gained. One rule a file, in analysis/rules; the
// build lists them, so a file is all that it takes (docs/ADD_A_RULE.md).
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

/// All that a rule may look at. The report is complete but for its findings.
struct Subject {
  const KernelAnalysis& kernel;
  const Code& code;
  const Graph& graph;
  const Costs& costs;
  const gpus::Gpu& gpu;
  LaneValues& lanes;  ///< asking for a value in the middle of a block follows the block again

  /// Calls `visit(i)` for each instruction of a loop's own blocks, without those of inner loops.
  template <class Visit>
  void own_instructions(uint32_t loop, Visit visit) const {
    for (const uint32_t b : kernel.loops[loop].blocks) {
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

/// Runs all rules; fills in the names and sorts by rank.
std::vector<Finding> find_all(const Subject& subject);

/// Cycles of a SIMD that a wave's pass through a loop takes, with `waves` waves on it: the busiest pipe, or
/// the wave's own time, which the others fill up, or what L2 has to give. Waits for memory count where
/// `Cycles::exposed` knows them.
double pass_cycles(const Cycles& cycles, double waves);
/// The same for the waves that the kernel's occupancy gives.
double pass_cycles(const Subject& subject, const Loop& loop);

/// A gain in cycles of a pass, with the percentage of the pass that it is; nothing where it is not positive.
void set_gain(Finding& finding, const Subject& subject, const Loop& loop, double cycles,
              Tag tag = Tag::Modelled);
/// How the pass's time changes when its one wave takes `wave` cycles less and its pipes `pipe` (of the
/// busiest) less.
double gain_of(const Subject& subject, const Loop& loop, double wave, double pipe);

/// The code that is in no loop, as one that runs once.
Loop straight_line(const Subject& subject);

/// The same when `costs` were what the instructions cost, some of them left out.
double gain_with(const Subject& subject, const Loop& loop, const Costs& costs);
/// The same without these instructions.
double gain_without(const Subject& subject, const Loop& loop, const std::vector<uint32_t>& instructions);
/// Cycles of a wave that a wait would take less if it left as many outstanding as it could (Wait::could_be);
/// nullopt when that is not known.
std::optional<double> wait_saved(const Subject& subject, const Wait& wait);
/// The gain of waits that take so much less.
double gain_of_waits(const Subject& subject, const Loop& loop, double saved);

/// "1 wait", "2 waits".
std::string counted(size_t count, std::string_view noun);

/// "s_waitcnt vmcnt(0)" at 0x1234, with its line if there is one.
std::string cite(const Subject& subject, uint32_t instruction);

}  // namespace wavesmith::analysis
