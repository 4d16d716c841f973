#include "timing/grid/grid.h"

#include <algorithm>
#include <cmath>

#include "emulate/run/listeners.h"
#include "isa/target.h"
#include "timing/unit/wave_clock.h"

namespace wavesmith::timing {
namespace {

/// Instructions of one launch that are recorded, of all its waves.
constexpr uint64_t kRecorded = 600'000;

/// What share of lines that are touched in turn a cache keeps, by the bytes in turn: neither all up to its
/// size nor none beyond. Source: pointer-chase latencies of an MI300A from 160 to 480 MB (RRZE-HPC
/// gpu-benches, gpu-latency): 1.03 of the cache's size hits about half of the time, 1.8 not at all.
double keeps(double bytes, double cache) {
  if (cache <= 0) return 0;
  return std::clamp((1.3 - bytes / cache) / 0.5, 0.0, 1.0);
}

/// Wave-instructions executed for each one that was recorded, of the wave where that is the most.
double executed_per_recorded(const GroupSteps& group) {
  double most = 1;
  for (const WaveSteps& wave : group.waves)
    if (wave.recorded)
      most = std::max(most, static_cast<double>(wave.instructions) / static_cast<double>(wave.recorded));
  return most;
}

/// The matrix work of a grid of `total` workgroups, from those that were recorded.
gpus::Activity matrix_work(std::span<const GroupSteps* const> recorded, double total) {
  gpus::Activity work;
  for (const GroupSteps* const group : recorded)
    for (const WaveSteps& wave : group->waves) {
      const double share = total / static_cast<double>(recorded.size()) *
                           static_cast<double>(wave.instructions) /
                           static_cast<double>(std::max<uint64_t>(1, wave.recorded));
      work.matrix_f16 += share * wave.work.matrix_f16;
      work.matrix_bf16 += share * wave.work.matrix_bf16;
      work.matrix_f8 += share * wave.work.matrix_f8;
    }
  return work;
}

}  // namespace

GridLaunch::GridLaunch(const LaunchShape& shape, const MemoryParameters& parameters,
                       const UnitParameters& unit)
    : shape_(shape), parameters_(parameters), unit_(unit), uses_(unit) {
  for (const uint32_t count : shape.groups) total_ *= count;
  const uint64_t dies = parameters.xcds, units = std::max(1u, parameters.units / parameters.xcds);
  rounds_ = std::ceil(std::ceil(static_cast<double>(total_) / static_cast<double>(dies)) /
                      static_cast<double>(units));
  const uint64_t stride = dies * units;
  if (total_ <= stride) {
    for (const uint64_t number : {uint64_t{0}, total_ / 2, total_ - 1}) together_.push_back(number);
  } else {
    const auto rounds = (total_ + stride - 1) / stride;
    const uint64_t count = std::min<uint64_t>(rounds, 2 * shape.resident + 2);
    const uint64_t first = (rounds - count) / 2;
    for (uint64_t i = 0; i < count; ++i)
      if ((first + i) * stride < total_) together_.push_back((first + i) * stride);
  }
  std::ranges::sort(together_);
  together_.erase(std::unique(together_.begin(), together_.end()), together_.end());
  const uint64_t base = together_.front();
  for (int axis = 0; axis < 3; ++axis) neighbours_[axis] = neighbour(base, axis, 1, shape.groups);
  if (dies > 1) on_die_ = neighbour(base, 0, parameters.xcds, shape.groups);
  std::vector<uint64_t> all = together_;
  for (const auto& number : {neighbours_[0], neighbours_[1], neighbours_[2], on_die_})
    if (number) all.push_back(*number);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const uint64_t number : all) traces_.push_back({number, {}});
  most_ = std::max<uint64_t>(2000, kRecorded / (all.size() * std::max(1u, shape.waves)));
}

GroupSteps* GridLaunch::find(uint64_t number) {
  const auto found = std::ranges::lower_bound(traces_, number, {}, &GroupSteps::number);
  return found != traces_.end() && found->number == number ? &*found : nullptr;
}

void GridLaunch::hear_far(std::vector<FarRegion> regions, bool all) {
  far_ = std::move(regions);
  hears_all_ = all && total_ <= parameters_.units;
}

bool GridLaunch::went_far() const {
  const std::scoped_lock lock(far_mutex_);
  return std::ranges::any_of(far_bytes_, [](const auto& group) { return !group.second.empty(); });
}

std::vector<uint64_t> GridLaunch::recorded() const {
  std::vector<uint64_t> numbers;
  for (const GroupSteps& trace : traces_) numbers.push_back(trace.number);
  return numbers;
}

std::unique_ptr<emulate::WorkgroupListener> GridLaunch::workgroup(const emulate::WorkgroupView& group) {
  const uint64_t number = shape_.groups.number_at(group.id);
  GroupSteps* const trace = find(number);
  std::vector<std::unique_ptr<emulate::WorkgroupListener>> listeners;
  // A grid that fills the GPU is replayed by workgroups side by side, which do not come to a fold together.
  const bool folds = total_ <= parameters_.units;
  if (trace) listeners.push_back(std::make_unique<GroupRecorder>(*trace, uses_, most_, far_, folds));
  if (!far_.empty() && (trace || hears_all_)) {
    std::vector<FarBytes>* bytes;
    {
      const std::scoped_lock lock(far_mutex_);
      bytes = &far_bytes_[number];
      bytes->clear();  // of a run that was stopped
    }
    listeners.push_back(std::make_unique<FarCounter>(far_, parameters_.line, *bytes));
  }
  if (begins_) {
    // As early as the dispatcher could start it; that it may have to wait for a place is not known yet.
    const double after = static_cast<double>(number) *
                         std::max(parameters_.workgroup_clocks, parameters_.wave_clocks * shape_.waves) /
                         parameters_.xcds;
    listeners.push_back(
        std::make_unique<WaveClocks>(parameters_, unit_, *begins_ + static_cast<uint64_t>(after), number));
  }
  return emulate::together(std::move(listeners));
}

GridModel::GridModel(const gpus::Gpu& gpu) : gpu_(gpu), parameters_(memory_parameters(gpu)) {
  unit_.line = parameters_.line;
  unit_.simd_lanes = gpu.warp_size() == 64 ? 16 : 32;
  unit_.target = isa::find_target(gpu.target);
}

std::unique_ptr<GridLaunch> GridModel::launch(const LaunchShape& shape) const {
  return std::make_unique<GridLaunch>(shape, parameters_, unit_);
}

double GridModel::kept(const std::list<Resident>& recent, uint64_t begin, double cache) const {
  double since = 0;
  for (const Resident& one : recent) {
    since += one.bytes;
    if (one.begin == begin) return keeps(since, cache);
  }
  return 0;
}

void GridModel::remember(std::list<Resident>& recent, uint64_t begin, double bytes) {
  recent.remove_if([begin](const Resident& one) { return one.begin == begin; });
  recent.push_front({begin, bytes});
  if (recent.size() > 64) recent.pop_back();
}

void GridModel::touch(const Region& region) {
  remember(in_l2_, region.begin, static_cast<double>(region.bytes) / parameters_.xcds);
  remember(in_cache_, region.begin, static_cast<double>(region.bytes));
}

double GridModel::kept(std::span<const Region> regions, double bytes) const {
  const auto cache = static_cast<double>(parameters_.infinity_cache_bytes);
  double share = 0, all = 0;
  for (const Region& region : regions) {
    const auto size = static_cast<double>(region.bytes);
    share += size * kept(in_cache_, region.begin, cache);
    all += size;
  }
  return all > 0 ? std::min(share / all, keeps(bytes, cache)) : 0;
}

/// What share of a region a die's L2 still has, when a launch touches `bytes` of it in turn.
double GridModel::l2_kept(uint64_t begin, double bytes) const {
  double since = 0;
  for (const Resident& one : in_l2_) {
    since += one.bytes;
    if (one.begin == begin)
      return l2_keeps(std::max(since, bytes), static_cast<double>(parameters_.l2_bytes));
  }
  return 0;
}

GridModel::Found GridModel::find(const LaunchShape& shape, const std::vector<Footprint>& touched) const {
  const MemoryParameters& p = parameters_;
  const auto total = static_cast<double>(shape.total());
  const Extent3& groups = shape.groups;
  const double dies = std::min<double>(p.xcds, total);
  const double per_die = total / dies;
  const double resident = std::min(per_die, static_cast<double>(shape.resident) * p.units / p.xcds);
  Found found;
  for (const Footprint& one : touched) {
    const double lines = one.lines_of(total, groups);
    found.bytes += lines * p.line;
    found.wanted += one.lines_wanted(groups) * p.line;
    found.die_bytes += std::min(lines, one.lines * per_die) * p.line;
  }
  const double bytes = found.bytes;
  const double translated = bytes > 0 ? std::max(0.0, 1 - p.translated_bytes / bytes) : 0;
  // What the GPU, and a die, touch from a line's first use to the next one: by those that run together, or by
  // those between it and its neighbour in the next row or plane of workgroups; along x they run together.
  const double together = resident * dies;
  const auto cache = static_cast<double>(p.infinity_cache_bytes);
  double kept_again[3], l2_again[3], behind = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double between = std::min(total, std::max(behind, together));
    double all = 0, of_die = 0;
    for (const Footprint& one : touched) {
      const double lines = one.lines_of(between, groups);
      all += lines * p.line;
      of_die += std::min(lines, one.lines * between / dies) * p.line;
    }
    kept_again[axis] = keeps(all, cache);
    l2_again[axis] = l2_keeps(of_die, static_cast<double>(p.l2_bytes));
    behind *= groups[axis];
  }
  for (const Footprint& one : touched) {
    const double lines = one.lines_of(total, groups), asked = std::max(1.0, one.lines * per_die);
    const double of_die = one.lines_of_every(static_cast<uint32_t>(dies), resident, groups);
    const double near = 1 - std::min(1.0, of_die / std::max(1.0, one.lines * resident));
    // Each axis by how many of the lines that are touched again it brings; what neighbours do not tell is
    // far.
    const Footprint::Again again = one.again(groups);
    const double told = again.share[0] + again.share[1] + again.share[2];
    double cache_keeps = keeps(bytes, cache),
           l2_far = l2_keeps(found.die_bytes, static_cast<double>(p.l2_bytes));
    if (told > 0) {
      cache_keeps = l2_far = 0;
      for (int axis = 0; axis < 3; ++axis) {
        cache_keeps += again.share[axis] / told * kept_again[axis];
        l2_far += again.share[axis] / told * l2_again[axis];
      }
    }
    const double far = (1 - std::min(lines, asked) / asked) * l2_far;
    const double rest = 1 - std::max(near, far);
    RegionHits hit;
    hit.path = one.region.path;
    hit.writer = one.region.writer;
    hit.begin = one.region.begin / p.line;
    hit.all = lines;
    hit.end = (one.region.begin + one.region.bytes + p.line - 1) / p.line;
    const double before = l2_kept(one.region.begin, found.die_bytes);
    hit.l2 = 1 - rest * (1 - before);
    hit.near = near;
    // What misses the L2s: lines that nobody has touched before, those that another die touches at about the
    // same time, and those that were touched a row or a plane ago.
    const double missed = std::max(1.0, asked * dies * rest);
    const double first = std::min(missed, lines);
    const double apart = std::clamp(one.lines_of(together, groups) * total / together, first, missed);
    hit.again = cache_keeps;
    hit.infinity_cache =
        (first * std::min(kept(in_cache_, one.region.begin, cache), keeps(bytes, cache)) +
         (apart - first) * cache_keeps + (missed - apart) * std::max(cache_keeps, kept_again[0])) /
        missed;
    const double grains = std::min(one.grains_of(together, groups), one.grains * resident) /
                          std::max(1.0, one.lines * resident);
    hit.walk = translated * std::min(1.0, grains);
    found.hits.push_back(hit);
  }
  return found;
}

GridModel::Found GridModel::enter(const LaunchShape& shape, const std::vector<Footprint>& touched) {
  Found found = find(shape, touched);
  const MemoryParameters& p = parameters_;
  const auto total = static_cast<double>(shape.total());
  const double dies = std::min<double>(p.xcds, total);
  for (const Footprint& one : touched) {
    const double lines = one.lines_of(total, shape.groups);
    remember(in_l2_, one.region.begin, std::min(lines, one.lines * total / dies) * p.line);
    remember(in_cache_, one.region.begin, lines * p.line);
  }
  return found;
}

bool GridModel::repeats(GridLaunch& launch, uint64_t key, std::span<const Region> regions) {
  launch.key_ = key;
  const auto known = known_.find(key);
  if (known == known_.end() || known->second.varies || known->second.alike == 0) return false;
  // The same memory, and the same in caches.
  for (const Footprint& one : known->second.touched) {
    const auto region = std::ranges::lower_bound(regions, one.region.begin, {}, &Region::begin);
    if (region == regions.end() || region->begin != one.region.begin || region->bytes != one.region.bytes)
      return false;
  }
  const Found now = find(launch.shape_, known->second.touched);
  launch.repeats_ = std::ranges::equal(now.hits, known->second.hits, [](const auto& a, const auto& b) {
    return a.begin == b.begin && std::abs(a.l2 - b.l2) < 1e-6 &&
           std::abs(a.infinity_cache - b.infinity_cache) < 1e-6 && std::abs(a.walk - b.walk) < 1e-6;
  });
  return launch.repeats_;
}

void GridModel::learn(const GridLaunch& launch, std::vector<Footprint> touched, std::vector<RegionHits> hits,
                      const GridTime& time, uint64_t instructions) {
  constexpr size_t kMost = 1000;
  if (!launch.key_) return;
  if (known_.size() >= kMost) known_.clear();
  Known& known = known_[launch.key_];
  const bool same = std::ranges::equal(touched, known.touched, [](const Footprint& a, const Footprint& b) {
    return a.region.begin == b.region.begin && std::abs(a.lines - b.lines) <= 1e-3 * b.lines &&
           std::abs(a.grains - b.grains) <= 1e-3 * b.grains;
  });
  known.varies |= known.instructions && known.instructions != instructions;
  known.alike = same && known.instructions == instructions && instructions ? known.alike + 1 : 0;
  known.touched = std::move(touched);
  known.hits = std::move(hits);
  known.time = time;
  known.instructions = instructions;
}

std::vector<FarBytes> GridModel::far_bytes(const GridLaunch& launch) {
  const std::scoped_lock lock(launch.far_mutex_);
  std::vector<FarBytes> sum;
  const double each =
      launch.hears_all_ || launch.far_bytes_.empty()
          ? 1
          : static_cast<double>(launch.total_) / static_cast<double>(launch.far_bytes_.size());
  for (const auto& [number, bytes] : launch.far_bytes_)
    for (const FarBytes& one : bytes) add_far(sum, one.path, one.read * each, one.written * each);
  return sum;
}

void GridModel::share_ways(std::vector<RegionHits>& hits, const GridLaunch& launch, uint64_t number,
                           const std::vector<FarBytes>& all, double active) {
  const std::scoped_lock lock(launch.far_mutex_);
  const auto found = launch.far_bytes_.find(number);
  for (RegionHits& hit : hits) {
    if (!hit.path) continue;
    hit.read_share = hit.write_share = 1 / active;
    if (!launch.hears_all_ || found == launch.far_bytes_.end()) continue;
    const auto mine = std::ranges::find(found->second, hit.path, &FarBytes::path);
    const auto everybodys = std::ranges::find(all, hit.path, &FarBytes::path);
    if (mine == found->second.end() || everybodys == all.end()) continue;
    // Accesses over the same path end together.
    if (everybodys->read > 0) hit.read_share = std::max(mine->read / everybodys->read, 1 / active);
    if (everybodys->written > 0) hit.write_share = std::max(mine->written / everybodys->written, 1 / active);
  }
}

GridTime GridModel::repeat(const GridLaunch& launch, uint64_t instructions) {
  Known& known = known_[launch.key_];
  enter(launch.shape_, known.touched);
  GridTime time = known.time;
  if (instructions != known.instructions && known.instructions) {
    // It does not repeat after all: what was not heard is told from how much was executed.
    known.varies = true;
    time.seconds *= static_cast<double>(instructions) / static_cast<double>(known.instructions);
  }
  return time;
}

double GridModel::replay_slowest(const GridLaunch& launch, const Groups& together, UnitShare& share,
                                 GridTime& time) const {
  const auto total = static_cast<double>(launch.total_);
  double clocks = 0;
  for (const GroupSteps* const group : together) {
    share_ways(share.hits, launch, group->number, share.far, share.active);
    UnitMemory memory(parameters_, share.hits, share.active, share.die_bytes);
    UnitLoad load{{group}, {static_cast<double>(group->number) * share.interval}, 1};
    const ReplayTime unit = replay(load, memory);
    const double arrived = load.arrivals[0];
    const double end = arrived + (std::max(unit.ends[0], memory.drained() + unit.folded[0]) - arrived) *
                                     executed_per_recorded(*group);
    if (end < clocks) continue;
    clocks = end;
    time.counts = memory.counts();
    time.dirty = memory.written(1 / total) * parameters_.line;
    const double window = std::max(1.0, unit.ends[0] - arrived);
    time.compute = unit.compute_clocks / std::min(4U, launch.shape_.waves) / window;
    time.address = unit.address_clocks / window;
    time.lds = unit.lds_clocks / window;
  }
  time.replayed = 1;
  return clocks;
}

double GridModel::replay_full(const GridLaunch& launch, const Groups& together, UnitShare& share,
                              GridTime& time) const {
  const auto total = static_cast<double>(launch.total_), units = static_cast<double>(parameters_.units);
  share_ways(share.hits, launch, together.front()->number, share.far, share.active);
  UnitMemory memory(parameters_, share.hits, share.active, share.die_bytes);
  UnitLoad load;
  load.groups = together;
  load.resident = launch.shape_.resident;
  for (size_t i = 0; i < together.size(); ++i)
    load.arrivals.push_back(static_cast<double>(i) * units * share.interval);
  const ReplayTime unit = replay(load, memory);
  std::vector<double> ends = unit.ends;
  std::ranges::sort(ends);
  const double scale = executed_per_recorded(*together.front());
  const auto count = static_cast<double>(ends.size());
  double clocks = std::max(ends.back(), memory.drained()) * scale;
  // The pace of the second half, after the unit was full for the first time; no faster than what is
  // busiest.
  const size_t half = ends.size() / 2;
  double pace = (ends.back() - ends[half]) / std::max(1.0, count - 1 - static_cast<double>(half));
  pace = std::max({pace, memory.busiest() / count, unit.compute_clocks / 4 / count, unit.lds_clocks / count});
  if (launch.rounds_ > count) clocks += pace * scale * (total / units - count);
  time.counts = memory.counts();
  time.dirty = memory.written(count / total) * parameters_.line;
  const double window = std::max(1.0, ends.back());
  time.compute = unit.compute_clocks / 4 / window;
  time.address = unit.address_clocks / window;
  time.lds = unit.lds_clocks / window;
  time.replayed = count;
  return clocks;
}

GridTime GridModel::finish(GridLaunch& launch, std::span<const Region> regions, uint64_t instructions) {
  if (launch.repeats_) return repeat(launch, instructions);
  const MemoryParameters& p = parameters_;
  const auto total = static_cast<double>(launch.total_);
  const double dies = std::min<double>(p.xcds, total);
  GridTime time;
  time.groups = total;
  Groups together;
  for (const uint64_t number : launch.together_) together.push_back(launch.find(number));
  Neighbours neighbours;
  for (int axis = 0; axis < 3; ++axis)
    if (launch.neighbours_[axis]) neighbours.along[axis] = launch.find(*launch.neighbours_[axis]);
  if (launch.on_die_) neighbours.on_die = launch.find(*launch.on_die_);

  // What the grid touches, and what caches have of it.
  std::vector<Footprint> touched =
      footprints(regions, together, *together.front(), neighbours, p.line, p.page_bytes);
  const Found found = enter(launch.shape_, touched);
  time.footprint = found.wanted;
  // Private memory stands in no region, and goes through the same L2.
  const double resident =
      std::min(total / dies, static_cast<double>(launch.shape_.resident) * p.units / p.xcds);
  UnitShare share{.hits = found.hits,
                  .far = far_bytes(launch),
                  .active = std::min<double>(p.units, total),
                  .die_bytes = found.die_bytes + private_bytes(together, resident, p.line),
                  .interval = std::max(p.workgroup_clocks, p.wave_clocks * launch.shape_.waves) / dies};

  // One unit; of a grid that does not fill the GPU, the slowest of a few.
  double clocks = total <= p.units ? replay_slowest(launch, together, share, time)
                                   : replay_full(launch, together, share, time);
  time.dispatch = total * share.interval / std::max(1.0, clocks);
  double far_clocks = 0;
  for (const FarBytes& one : share.far) {
    far_clocks = std::max({far_clocks, one.read / one.path->rate, one.written / one.path->rate});
    time.far_bytes += one.read + one.written;
  }
  clocks = std::max({clocks, total * share.interval, far_clocks}) + p.store_latency;
  time.far = far_clocks / clocks;
  time.dirty *= l2_left(found.die_bytes, static_cast<double>(p.l2_bytes));
  time.clock = engine_clock(gpu_, matrix_work(together, total), clocks);
  time.seconds = clocks / (time.clock.mhz * 1e6);
  learn(launch, std::move(touched), found.hits, time, instructions);
  return time;
}

}  // namespace wavesmith::timing
