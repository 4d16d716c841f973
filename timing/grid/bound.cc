#include "timing/grid/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wavesmith::timing {
namespace {

/// More than a copy's rate can still be memory's: the copy writes half of it.
constexpr double kFromCaches = 1.25;

Bound bound_by(isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::Valu:
    case isa::Pipe::Transcendental:
    case isa::Pipe::Matrix:
      return Bound::Compute;
    case isa::Pipe::Lds:
      return Bound::Lds;
    case isa::Pipe::Vmem:
      return Bound::VectorMemory;
    default:
      return Bound::Issue;
  }
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

std::string_view name_of(Bound bound) {
  static constexpr std::array<std::string_view, 7> kNames = {"memory",        "L2",    "compute", "LDS",
                                                             "vector memory", "issue", "latency"};
  return kNames[static_cast<size_t>(bound)];
}

Verdict bound_of(const BoundEvidence& evidence) {
  const BoundEvidence::PipeShare* fullest = nullptr;
  for (const BoundEvidence::PipeShare& each : evidence.pipes)
    if (!fullest || each.busy > fullest->busy) fullest = &each;
  const double busy = fullest ? fullest->busy : 0;
  const double memory = evidence.memory <= kFromCaches ? evidence.memory : 0;
  if (memory >= kSaturated && memory >= busy && memory >= evidence.way_to_l2)
    return {Bound::Memory,
            fmt::format("the grid's bytes move at {} of what a long copy reaches", percent(memory))};
  if (evidence.way_to_l2 >= kSaturated && evidence.way_to_l2 >= busy)
    return {Bound::L2, fmt::format("the compute unit's way to the L2 is taken {} of the cycles",
                                   percent(evidence.way_to_l2))};
  if (busy >= kSaturated)
    return {bound_by(fullest->pipe),
            fmt::format("the {} pipe is taken {} of the cycles", name_of(fullest->pipe), percent(busy))};
  if (1 - evidence.nothing_issued >= kSaturated)
    return {Bound::Issue, fmt::format("the SIMDs issue in {} of their cycles, no pipe is taken more than {}",
                                      percent(1 - evidence.nothing_issued), percent(busy))};
  const BoundEvidence::CauseShare* worst = nullptr;
  for (const BoundEvidence::CauseShare& each : evidence.causes)
    if (!worst || each.exposed > worst->exposed) worst = &each;
  std::string why =
      worst ? fmt::format("{} keeps the SIMDs idle {} of their cycles", worst->cause, percent(worst->exposed))
            : "no pipe is full";
  if (fullest)
    why += fmt::format("; the fullest pipe, {}, is taken {}", name_of(fullest->pipe), percent(busy));
  if (evidence.units < evidence.units_of_gpu)
    why += fmt::format("; {} of {} compute units have work", evidence.units, evidence.units_of_gpu);
  return {Bound::Latency, std::move(why)};
}

}  // namespace wavesmith::timing
