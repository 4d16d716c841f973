#include "timing/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <numeric>

#include "timing/dependence.h"
#include "timing/memory/parameters.h"
#include "timing/memory/port.h"
#include "timing/touched_lines.h"

namespace wavesmith::timing {
namespace {

/// Of this thread.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Beyond that workgroups count as different.
constexpr double kSame = 0.02;

uint64_t executed(const WorkgroupRecord& group) {
  uint64_t sum = 0;
  for (const WaveRecord& wave : group.waves) sum += wave.executed;
  return sum;
}
uint64_t kept(const WorkgroupRecord& group) {
  uint64_t sum = 0;
  for (const WaveRecord& wave : group.waves) sum += wave.sites.size();
  return sum;
}

/// Cycles from a workgroup's start on an idle unit to its end, and those of several that meet there.
struct Replay {
  std::vector<uint64_t> ends;
  UnitProfile unit;
};

Replay replay(const gpus::Gpu& gpu, const Recorder& recorder,
              const std::vector<const WorkgroupRecord*>& groups, uint32_t resident, MemoryPort& memory,
              bool timeline) {
  Replay result;
  ComputeUnit unit(gpu, recorder.ops(), memory, {.events = timeline ? kTimelineEvents : 0});
  size_t next = 0;
  for (; next < groups.size() && next < resident; ++next) unit.start(*groups[next], 0);
  while (unit.step())
    for (uint32_t ended = unit.take_ended(); ended != 0; --ended) {
      result.ends.push_back(unit.now());
      if (next < groups.size()) unit.start(*groups[next++], unit.now());
    }
  result.unit = std::move(unit).time();
  return result;
}

struct Touched {
  std::vector<Footprint> regions;
  double private_bytes = 0;  ///< that one workgroup touches
};

/// What the grid touches, from the workgroups that meet on a unit and one's neighbours.
Touched touched_by(const Recorder& recorder, const Sample& sample, std::span<const Region> regions,
                   const MemoryParameters& memory) {
  const auto& records = recorder.records();
  std::deque<GroupSteps> groups;
  TouchedLines lines(memory.line);
  const auto add = [&](uint64_t number) -> const GroupSteps* {
    const auto at = records.find(number);
    if (at == records.end() || executed(at->second) == 0) return nullptr;
    return &groups.emplace_back(lines.of(number, at->second));
  };
  std::vector<const GroupSteps*> together;
  for (const uint64_t number : sample.together)
    if (const GroupSteps* const group = add(number)) together.push_back(group);
  if (together.empty()) return {};
  const GroupSteps* const base =
      together.front()->number == sample.base ? together.front() : add(sample.base);
  if (!base) return {};
  Neighbours neighbours;
  for (size_t axis = 0; axis < 3; ++axis)
    if (sample.neighbours[axis] != sample.base) neighbours.along[axis] = add(sample.neighbours[axis]);
  if (sample.on_die != sample.base) neighbours.on_die = add(sample.on_die);
  return {footprints(regions, together, *base, neighbours, memory.line, memory.page_bytes),
          private_bytes(together, 1, memory.line)};
}

}  // namespace

std::vector<uint64_t> Sample::all() const {
  std::vector<uint64_t> groups = together;
  groups.insert(groups.end(), spread.begin(), spread.end());
  groups.insert(groups.end(), neighbours.begin(), neighbours.end());
  groups.push_back(on_die);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

Sample choose_sample(const gpus::Gpu& gpu, const GridShape& grid, uint64_t most_groups) {
  Sample sample;
  const uint64_t total = grid.groups(), units = std::max(1u, gpu.compute_units);
  const uint64_t resident = std::max(1u, grid.resident);
  const uint64_t rounds = (total + units - 1) / units;
  const uint64_t count = std::min({rounds, 2 * resident + 2, most_groups});
  const uint64_t first = rounds > count ? (rounds - count) / 2 : 0;
  for (uint64_t i = 0; i < count; ++i)
    if (const uint64_t number = (first + i) * units; number < total) sample.together.push_back(number);
  if (total <= units) sample.together = {total / 2};
  const uint64_t spread = std::min<uint64_t>(total, 8);
  for (uint64_t i = 0; i < spread; ++i)
    sample.spread.push_back(spread == 1 ? 0 : i * (total - 1) / (spread - 1));
  sample.base = sample.together.front();
  for (int axis = 0; axis < 3; ++axis)
    sample.neighbours.push_back(neighbour(sample.base, axis, 1, grid.extent).value_or(sample.base));
  const uint32_t dies = std::max(1u, gpu.xcds);
  sample.on_die = dies > 1 ? neighbour(sample.base, 0, dies, grid.extent).value_or(sample.base) : sample.base;
  sample.whole = sample.all().size() == total;
  sample.why =
      sample.whole ? fmt::format("all {} workgroups of the grid", total)
      : total <= units
          ? fmt::format("{} of {} workgroups: each has a compute unit of its own", sample.all().size(), total)
          : fmt::format(
                "{} of {} workgroups: {} that meet on one compute unit (every {}th; {} at a time), {} "
                "spread over the grid to compare with",
                sample.all().size(), total, sample.together.size(), units, grid.meeting(units),
                sample.spread.size());
  return sample;
}

std::vector<uint64_t> spread_evenly(uint64_t total, uint64_t count) {
  std::vector<uint64_t> groups;
  count = std::min(count, total);
  // One of each of so many equal parts, at places that go on by the golden section, whose multiples fill the
  // whole most evenly.
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (uint64_t i = 0; i < count; ++i) {
    const double turns = static_cast<double>(i) * golden;
    const double place = static_cast<double>(i) + (count < total ? turns - std::floor(turns) : 0);
    groups.push_back(static_cast<uint64_t>(place * static_cast<double>(total) / static_cast<double>(count)));
  }
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

namespace {

/// Instructions of workgroups of these numbers that did something.
std::vector<double> counts_of(const Recorder& recorder, const std::vector<uint64_t>& groups) {
  std::vector<double> counts;
  for (const uint64_t number : groups)
    if (const auto at = recorder.records().find(number);
        at != recorder.records().end() && executed(at->second))
      counts.push_back(static_cast<double>(executed(at->second)));
  return counts;
}

bool alike(const std::vector<double>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return counts.empty() || *most <= *least * (1 + kSame);
}

/// Those that meet on a unit are alike while the grid's are not.
bool speaks_not_for_grid(const Recorder& recorder, const Sample& sample) {
  const std::vector<double> together = counts_of(recorder, sample.together);
  return !sample.whole && together.size() > 1 && alike(together) && !alike(counts_of(recorder, sample.all()));
}

}  // namespace

std::vector<uint64_t> to_count(const Recorder& recorder, const GridShape& grid, const Sample& sample) {
  // As many as see a mean to a percent or two, unless they take long.
  constexpr uint64_t kCounted = 256;
  constexpr double kInstructions = 1e9;
  const std::vector<double> all = counts_of(recorder, sample.all());
  if (sample.whole || alike(all) || !waits_for_others(recorder).empty() ||
      !takes_shared_work(recorder).empty())
    return {};
  const double most = kInstructions / *std::max_element(all.begin(), all.end());
  const auto count = static_cast<uint64_t>(std::min<double>(kCounted, most));
  if (count <= sample.spread.size()) return {};
  return spread_evenly(grid.groups(), count);
}

namespace {

/// Makes the profile of a launch, phase by phase.
class Profiler {
 public:
  Profiler(const gpus::Gpu& gpu, const GridShape& grid, const Sample& sample, const Recorder& recorder,
           uint64_t grid_instructions, double counted, bool timeline)
      : gpu_(gpu),
        sample_(sample),
        recorder_(recorder),
        memory_(memory_parameters(gpu)),
        total_(grid.groups()),
        units_(std::max(1u, gpu.compute_units)),
        grid_instructions_(grid_instructions),
        counted_(counted),
        timeline_(timeline) {
    result_.ops = &recorder.ops();
    result_.grid = grid;
    result_.sample = sample;
    result_.units = std::min(total_, units_);
    result_.groups_per_unit = static_cast<double>(total_) / static_cast<double>(units_);
  }

  LaunchProfile run(std::span<const Region> regions, const Caches& caches) {
    compare_workgroups();
    if (result_.refused.empty()) refuse_dependent();
    if (!result_.refused.empty()) return std::move(result_);
    enter_caches(regions, caches);
    const double start = processor_seconds();
    if (total_ <= units_)
      replay_each();
    else
      replay_together();
    if (!result_.refused.empty()) return std::move(result_);
    limit_by_dispatcher();
    scale_to_grid();
    note_approximations();
    count_flops();
    result_.host_seconds = processor_seconds() - start;
    return std::move(result_);
  }

 private:
  /// Do workgroups differ, and how much do they do?
  void compare_workgroups();
  /// Refuses what depends on workgroups that do not run.
  void refuse_dependent();
  /// What the launch touches, and what of that it finds in the caches.
  void enter_caches(std::span<const Region> regions, const Caches& caches);
  /// Workgroups that have a unit each.
  void replay_each();
  /// Workgroups that meet on a unit.
  void replay_together();
  /// The dispatcher starts one workgroup after the other.
  void limit_by_dispatcher();
  /// By the instructions that the grid executed beyond what the sample stands for.
  void scale_to_grid();
  void note_approximations();
  void count_flops();

  /// Kernels are mostly launched again and again, and nothing but loading code empties the instruction cache.
  [[nodiscard]] bool code_is_cached() const;
  /// Bytes that the grid leaves in the L2s to be written back, of what `port` saw of `share` of its
  /// workgroups.
  [[nodiscard]] double left_dirty(GridPort& port, double share) const;
  [[nodiscard]] GridPort port() const {
    return {memory_, found_.hits, static_cast<double>(result_.units), found_.die_bytes, code_is_cached()};
  }

  const gpus::Gpu& gpu_;
  const Sample& sample_;
  const Recorder& recorder_;
  const MemoryParameters memory_;
  const uint64_t total_, units_, grid_instructions_;
  const double counted_;
  const bool timeline_;
  GridModel::Found found_;
  LaunchProfile result_;
};

void Profiler::compare_workgroups() {
  double sum = 0, kept_sum = 0;
  result_.least = 1e300;
  size_t heard = 0;
  for (const auto& [number, record] : recorder_.records()) {
    const auto n = static_cast<double>(executed(record));
    if (n == 0) continue;
    ++heard;
    sum += n;
    kept_sum += static_cast<double>(kept(record));
    result_.least = std::min(result_.least, n);
    result_.most = std::max(result_.most, n);
  }
  if (heard == 0) {
    result_.refused = "none of the chosen workgroups ran";
    return;
  }
  result_.mean = sum / static_cast<double>(heard);
  result_.kept = kept_sum / sum;
  result_.differ = result_.most > result_.least * (1 + kSame);
  if (counted_ > 0)
    result_.mean = counted_;
  else if (const auto spread = counts_of(recorder_, sample_.spread);
           speaks_not_for_grid(recorder_, sample_) && !spread.empty())
    result_.mean = std::accumulate(spread.begin(), spread.end(), 0.0) / static_cast<double>(spread.size());
  result_.wave_instructions = grid_instructions_ ? static_cast<double>(grid_instructions_)
                                                 : result_.mean * static_cast<double>(total_);
}

void Profiler::refuse_dependent() {
  if (sample_.whole) return;
  result_.refused = waits_for_others(recorder_);
  if (!result_.refused.empty()) {
    result_.refused +=
        "; what it does depends on when the others run, so a sample does not stand for the grid";
  } else if (grid_instructions_ == 0) {
    result_.refused = takes_shared_work(recorder_);
    result_.want_whole = !result_.refused.empty();
  }
}

void Profiler::enter_caches(std::span<const Region> regions, const Caches& caches) {
  const GridShape& grid = result_.grid;
  LaunchShape shape;
  shape.groups = grid.extent;
  shape.waves = grid.waves;
  shape.resident = grid.resident;
  const Touched touched = touched_by(recorder_, sample_, regions, memory_);
  found_ = caches(shape, touched.regions);
  found_.die_bytes += touched.private_bytes * std::min(static_cast<double>(total_) / memory_.xcds,
                                                       static_cast<double>(grid.resident) *
                                                           static_cast<double>(units_) / memory_.xcds);
  result_.grid_bytes = found_.wanted;
}

bool Profiler::code_is_cached() const {
  uint64_t first = ~uint64_t{0}, last = 0;
  for (uint32_t i = 0; i < recorder_.ops().size(); ++i) {
    first = std::min(first, recorder_.ops()[i].pc);
    last = std::max(last, recorder_.ops()[i].pc);
  }
  return last - first < gpu_.l1_instruction_bytes;
}

double Profiler::left_dirty(GridPort& port, double share) const {
  return port.unit(0).written(share) * memory_.line *
         l2_left(found_.die_bytes, static_cast<double>(memory_.l2_bytes));
}

void Profiler::replay_each() {
  // The slowest of a few has the last word.
  for (const auto& [number, record] : recorder_.records()) {
    if (executed(record) == 0) continue;
    GridPort port = this->port();
    Replay one = replay(gpu_, recorder_, {&record}, 1, port, timeline_);
    const double scale =
        static_cast<double>(executed(record)) / static_cast<double>(std::max<uint64_t>(1, kept(record)));
    const double cycles =
        one.ends.empty() ? 0 : std::max(static_cast<double>(one.ends.back()), port.unit(0).drained()) * scale;
    result_.replayed += one.unit.instructions;
    if (cycles >= result_.cycles) {
      result_.cycles = cycles;
      result_.unit = std::move(one.unit);
      result_.memory = port.counts(0);
      result_.dirty = left_dirty(port, 1 / static_cast<double>(total_));
    }
  }
  result_.pace = result_.cycles;
  if (grid_instructions_ && result_.differ && !sample_.whole)
    result_.notes.emplace_back(
        "workgroups differ; the slowest of those recorded is taken for the slowest of the grid");
}

void Profiler::replay_together() {
  // Where workgroups differ, those that meet on a unit are no better a sample than those that are spread:
  // both.
  std::vector<const WorkgroupRecord*> together;
  for (const uint64_t number : result_.differ ? sample_.all() : sample_.together)
    if (const auto at = recorder_.records().find(number);
        at != recorder_.records().end() && executed(at->second))
      together.push_back(&at->second);

  GridPort port = this->port();
  const uint32_t resident = result_.grid.meeting(units_);
  Replay many = replay(gpu_, recorder_, together, resident, port, timeline_);
  if (many.ends.empty()) {
    result_.refused = "the replay stood still: waves wait at a barrier that none completes";
    return;
  }
  std::sort(many.ends.begin(), many.ends.end());
  result_.replayed = many.unit.instructions;
  result_.unit = std::move(many.unit);
  result_.memory = port.counts(0);

  double replayed_instructions = 0, replayed_kept = 0;
  for (const WorkgroupRecord* group : together)
    replayed_instructions += static_cast<double>(executed(*group)),
        replayed_kept += static_cast<double>(kept(*group));
  const double scale = replayed_instructions / std::max(1.0, replayed_kept);
  const auto count = static_cast<double>(many.ends.size());
  const size_t half = many.ends.size() / 2;
  // Stores go on behind the last wave.
  const double last = std::max(static_cast<double>(many.ends.back()), port.unit(0).drained());
  result_.dirty = left_dirty(port, count / static_cast<double>(total_));
  result_.pace = many.ends.size() > 2
                     ? (last - static_cast<double>(many.ends[half])) / (count - 1 - static_cast<double>(half))
                     : last / count;
  // Where all end together, the pace is that of whole rounds.
  const double room = result_.grid.resident;
  result_.pace = std::max(result_.pace, last / std::max(1.0, std::ceil(count / room)) / room * 0.5);
  // No faster than the busiest of the ways to memory, or than the fullest pipe.
  result_.pace =
      std::max({result_.pace, port.unit(0).busiest() / count, fullest_pipe(result_.unit, gpu_) / count});
  const double rounds = std::ceil(result_.groups_per_unit);
  result_.cycles = (last + std::max(0.0, rounds - count) * result_.pace) * scale;
  if (rounds < count) result_.cycles = last * scale * rounds / count;
  if (result_.differ) {
    // By work: cycles per instruction are what the sample tells.
    const double per_instruction = last * scale / replayed_instructions;
    result_.cycles = per_instruction * result_.wave_instructions / static_cast<double>(units_);
    result_.notes.push_back(fmt::format(
        "workgroups do different amounts of work ({:.0f} to {:.0f} instructions); the grid's time "
        "follows from {} of them by instructions",
        result_.least, result_.most, together.size()));
  }
}

void Profiler::limit_by_dispatcher() {
  const double interval = std::max(memory_.workgroup_clocks, memory_.wave_clocks * result_.grid.waves) /
                          std::max(1u, memory_.xcds);
  const double dispatch = static_cast<double>(total_) * interval;
  if (dispatch <= result_.cycles) return;
  result_.notes.emplace_back("starting the workgroups takes longer than they take");
  result_.cycles = dispatch + result_.pace;
}

void Profiler::scale_to_grid() {
  if (!grid_instructions_ || result_.differ) return;
  const double factor =
      static_cast<double>(grid_instructions_) / (result_.mean * static_cast<double>(total_));
  if (std::abs(factor - 1) <= 0.05) return;
  result_.notes.push_back(
      fmt::format("the grid executed {:+.0f} % of what the sample stands for; its time is scaled accordingly",
                  100 * (factor - 1)));
  result_.cycles *= factor;
  result_.differ = true;
}

void Profiler::note_approximations() {
  const auto swaps = [&](const Op& op) {
    return op.atomic && !op.lds && op.writes_vgpr && op.text.find("cmpswap") != std::string::npos;
  };
  for (uint32_t i = 0; i < recorder_.ops().size() && !sample_.whole; ++i)
    if (swaps(recorder_.ops()[i])) {
      result_.notes.emplace_back(
          "it compares and swaps memory: how often it tries again because other workgroups came between, or "
          "waits for a lock that they hold, is not in the time");
      break;
    }
  if (result_.kept < 0.999)
    result_.notes.push_back(fmt::format(
        "of each wave the first instructions were replayed ({:.0f} %), the rest follows at their pace",
        100 * result_.kept));
}

void Profiler::count_flops() {
  double flops = 0, instructions = 0;
  for (uint32_t i = 0; i < recorder_.ops().size() && i < result_.unit.ops.size(); ++i) {
    flops += recorder_.ops()[i].flops * static_cast<double>(result_.unit.ops[i].hits);
    instructions += static_cast<double>(result_.unit.ops[i].hits);
  }
  result_.flops = flops / std::max(1.0, instructions) * result_.wave_instructions;
}

}  // namespace

LaunchProfile profile(const gpus::Gpu& gpu, const GridShape& grid, const Sample& sample,
                      const Recorder& recorder, uint64_t grid_instructions, std::span<const Region> regions,
                      const Caches& caches, double counted, bool timeline) {
  return Profiler(gpu, grid, sample, recorder, grid_instructions, counted, timeline).run(regions, caches);
}

}  // namespace wavesmith::timing
