#include "runtime/observe/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "isa/cost/cost.h"
#include "runtime/launch/replacement.h"
#include "timing/grid/bound.h"
#include "timing/grid/engine_clock.h"

namespace wavesmith::runtime {
namespace {

using nlohmann::ordered_json;

/// Launches of one kernel and geometry that are profiled; the rest is counted.
constexpr uint64_t kProfiled = 3;

/// Wave-instructions after which sampled workgroups are taken for ones that wait for the others.
constexpr uint64_t kSampledInstructions = 100'000'000;
/// The same where none looks as if it waited.
constexpr uint64_t kMostSampledInstructions = 20'000'000'000;

struct Profiles {
  std::mutex mutex;
  std::string path;
  bool sampled = false;
  struct Entry {
    uint64_t launches = 0;
    ordered_json profile;
    std::optional<KernelTime> time;
  };
  std::map<std::string, Entry> entries;
  std::string gpu;
  std::map<const gpus::Gpu*, timing::GridModel> caches;  ///< what launches leave in them for the next ones

  Profiles() {
    const char* const wanted = std::getenv("WAVESMITH_PROFILE");
    const char* const part = std::getenv("WAVESMITH_PROFILE_SAMPLED");
    if (wanted) path = wanted;
    sampled = part && *part && *part != '0';
  }
  void write() {
    const std::scoped_lock lock(mutex);
    ordered_json json{{"gpu", gpu},
                      {"sampled", sampled},
                      {"replaced", replaced_objects()},
                      {"kernels", ordered_json::array()}};
    for (auto& [key, entry] : entries) {
      ordered_json one = entry.profile;
      one["launches"] = entry.launches;
      json["kernels"].push_back(std::move(one));
    }
    std::ofstream file(path);
    if (file) file << json.dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
    if (!file) std::fprintf(stderr, "wavesmith: cannot write the profile to '%s'\n", path.c_str());
  }
};

Profiles& profiles() {
  static auto& all = *new Profiles;
  return all;
}

[[gnu::destructor]] void at_exit() {
  const char* const wanted = std::getenv("WAVESMITH_PROFILE");
  if (wanted && *wanted) profiles().write();
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Matrix work of the grid by what costs power.
gpus::Activity work_of(const timing::LaunchProfile& profile) {
  double sum = 0;
  for (uint32_t i = 0; i < profile.ops->size(); ++i)
    sum += (*profile.ops)[i].flops * static_cast<double>(profile.unit.ops[i].hits);
  gpus::Activity work;
  if (sum <= 0) return work;
  for (uint32_t i = 0; i < profile.ops->size(); ++i)
    if (const timing::Op& op = (*profile.ops)[i]; op.flops > 0)
      timing::add_matrix_work(work, std::string_view(op.text).substr(0, op.text.find(' ')),
                              op.flops * static_cast<double>(profile.unit.ops[i].hits) / sum * profile.flops,
                              op.cost.issue);
  return work;
}

ordered_json instructions_json(const timing::LaunchProfile& profile,
                               const std::function<std::string(uint64_t)>& locate) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < profile.ops->size(); ++i)
    if (profile.unit.ops[i].hits) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return (*profile.ops)[a].pc < (*profile.ops)[b].pc; });
  ordered_json all = ordered_json::array();
  const uint64_t first = order.empty() ? 0 : (*profile.ops)[order.front()].pc;
  for (const uint32_t i : order) {
    const timing::Op& op = (*profile.ops)[i];
    const timing::OpTime& time = profile.unit.ops[i];
    ordered_json causes = ordered_json::object();
    for (size_t cause = 1; cause < timing::kCauses; ++cause)
      if (time.by_cause[cause])
        causes[std::string(name_of(static_cast<timing::Cause>(cause)))] = time.by_cause[cause];
    all.push_back({{"offset", op.pc - first},
                   {"text", op.text},
                   {"pipe", std::string(name_of(op.cost.pipe))},
                   {"hits", time.hits},
                   {"latency", time.latency},
                   {"stall", time.stall},
                   {"idle", time.idle},
                   {"causes", std::move(causes)},
                   {"source", locate ? locate(op.pc) : std::string()}});
  }
  return all;
}

/// The instructions of the replay in the order of issue, for whoever draws them: [wave, SIMD, reached,
/// issued, index in "instructions", index in "causes"].
ordered_json timeline_json(const timing::LaunchProfile& profile) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < profile.ops->size(); ++i)
    if (profile.unit.ops[i].hits) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return (*profile.ops)[a].pc < (*profile.ops)[b].pc; });
  std::vector<uint32_t> place(profile.ops->size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  ordered_json causes = ordered_json::array(), events = ordered_json::array();
  for (size_t cause = 0; cause < timing::kCauses; ++cause)
    causes.push_back(std::string(cause ? name_of(static_cast<timing::Cause>(cause)) : ""));
  for (const timing::IssueEvent& event : profile.unit.events)
    events.push_back({event.wave, event.simd, event.reached, event.issued, place[event.op],
                      static_cast<unsigned>(event.cause)});
  return {{"causes", std::move(causes)}, {"events", std::move(events)}};
}

}  // namespace

std::unique_ptr<ProfiledLaunch> ProfiledLaunch::begin(emulate::Dispatch& dispatch, const gpus::Gpu& gpu,
                                                      uint32_t resident, Which which) {
  Profiles& all = profiles();
  if (all.path.empty()) return nullptr;
  auto launch = std::unique_ptr<ProfiledLaunch>(new ProfiledLaunch);
  const int lanes = dispatch.program->wave_lanes();
  uint32_t items = 1;
  std::string key = dispatch.kernel->name;
  for (int axis = 0; axis < 3; ++axis) {
    launch->grid_.extent[axis] =
        (dispatch.grid[axis] + dispatch.workgroup[axis] - 1) / dispatch.workgroup[axis];
    launch->block_[axis] = dispatch.workgroup[axis];
    items *= dispatch.workgroup[axis];
    key += " " + std::to_string(dispatch.grid[axis]) + "/" + std::to_string(dispatch.workgroup[axis]);
  }
  {
    const std::scoped_lock lock(all.mutex);
    all.gpu = gpu.id;
    if (all.entries[key].launches++ >= kProfiled && which == Which::First) return nullptr;
  }
  launch->kernel_ = key;
  if (which == Which::Counted) return launch;
  launch->gpu_ = &gpu;
  launch->grid_.waves = (items + static_cast<uint32_t>(lanes) - 1) / static_cast<uint32_t>(lanes);
  launch->grid_.resident = std::max(1u, resident);
  launch->sample_ = timing::choose_sample(gpu, launch->grid_);
  const std::vector<uint64_t> groups = launch->sample_.all();
  const uint64_t waves = groups.size() * launch->grid_.waves;
  launch->recorder_ = std::make_unique<timing::Recorder>(
      dispatch.program->target(), lanes, launch->grid_.extent, groups,
      std::max<uint64_t>(1000, timing::kRecordedInstructions / std::max<uint64_t>(1, waves)));
  dispatch.listeners.push_back(launch->recorder_.get());
  if (all.sampled && !dispatch.grid_barrier) {
    launch->sampled_ = true;
    launch->only_ = groups;
    if (dispatch.only) {
      launch->only_.insert(launch->only_.end(), dispatch.only->begin(), dispatch.only->end());
      std::ranges::sort(launch->only_);
      launch->only_.erase(std::ranges::unique(launch->only_).begin(), launch->only_.end());
    }
    dispatch.only = &launch->only_;
  }
  return launch;
}

void ProfiledLaunch::limit(emulate::Limits& limits) {
  limited_ = sampled_ && limits.instructions == 0 ? kSampledInstructions : 0;
  if (limited_) limits.instructions = limited_;
}

bool ProfiledLaunch::again(const Error& error, emulate::Limits& limits) {
  if (limited_ != kSampledInstructions || error.kind != ErrorKind::Budget ||
      !timing::waits_for_others(*recorder_).empty())
    return false;
  limits.instructions = limited_ = kMostSampledInstructions;
  return true;
}

bool ProfiledLaunch::refuse(const Error& error) {
  if (!limited_ || error.kind != ErrorKind::Budget) return false;
  std::string why = timing::waits_for_others(*recorder_);
  why = why.empty()
            ? "the sampled workgroups did not end within " + std::to_string(limited_) +
                  " wave-instructions without the others"
            : why + "; what it does depends on when the others run, so a sample does not stand for the grid";
  Profiles& all = profiles();
  const std::scoped_lock lock(all.mutex);
  all.entries[kernel_].profile = {{"name", kernel_.substr(0, kernel_.find(' '))},
                                  {"grid", {grid_.extent[0], grid_.extent[1], grid_.extent[2]}},
                                  {"block", {block_[0], block_[1], block_[2]}},
                                  {"sample", sample_.why},
                                  {"refused", why},
                                  {"notes", ordered_json::array()}};
  return true;
}

std::optional<KernelTime> ProfiledLaunch::end(const emulate::Statistics& statistics,
                                              const std::function<std::string(uint64_t)>& locate) {
  Profiles& all = profiles();
  if (!recorder_) {
    const std::scoped_lock lock(all.mutex);
    return all.entries[kernel_].time;
  }
  const auto caches = [&](const timing::LaunchShape& shape, const std::vector<timing::Footprint>& touched) {
    const std::scoped_lock lock(all.mutex);
    return all.caches.try_emplace(gpu_, *gpu_).first->second.enter(shape, touched);
  };
  const timing::LaunchProfile p = timing::profile(
      *gpu_, grid_, sample_, *recorder_, sampled_ ? 0 : statistics.instructions, allocated_regions(), caches);
  const timing::EngineClock clock =
      p.refused.empty() ? timing::engine_clock(*gpu_, work_of(p), p.cycles) : timing::EngineClock{};
  ordered_json one{{"name", kernel_.substr(0, kernel_.find(' '))},
                   {"grid", {grid_.extent[0], grid_.extent[1], grid_.extent[2]}},
                   {"block", {block_[0], block_[1], block_[2]}},
                   {"waves_per_workgroup", grid_.waves},
                   {"workgroups_per_unit", grid_.resident},
                   {"sample", p.sample.why},
                   {"refused", p.refused},
                   {"want_whole", p.want_whole},
                   {"notes", p.notes}};
  std::optional<KernelTime> time;
  if (p.refused.empty()) {
    const double seconds = p.cycles / (clock.mhz * 1e6);
    time = KernelTime{seconds, p.dirty};
    const auto window = static_cast<double>(std::max<uint64_t>(1, p.unit.cycles));
    one["cycles"] = p.cycles;
    one["clock_mhz"] = clock.mhz;
    one["clock_limited_by_power"] = clock.limited;
    one["clock_why"] = clock.why;
    one["clock_tag"] = std::string(gpus::name_of(clock.kind));
    one["seconds"] = seconds;
    one["units"] = p.units;
    one["cycles_per_workgroup"] = p.pace;
    one["wave_instructions"] = p.wave_instructions;
    one["matrix_flops"] = p.flops;
    one["matrix_tflops"] = share(p.flops, seconds) / 1e12;
    one["replay"] = {{"cycles", p.unit.cycles},
                     {"waves", p.unit.waves},
                     {"workgroups", p.unit.groups},
                     {"instructions", p.replayed},
                     {"host_seconds", p.host_seconds}};
    one["instructions_per_cycle"] = static_cast<double>(p.unit.instructions) / window;
    ordered_json pipes = ordered_json::array();
    std::vector<timing::BoundEvidence::PipeShare> taken;
    for (size_t i = 0; i < isa::kPipes; ++i) {
      const auto pipe = static_cast<isa::Pipe>(i);
      if (p.unit.issued[i] == 0) continue;
      const double units = timing::units_of(pipe, *gpu_);
      const double busy = std::min(1.0, static_cast<double>(p.unit.busy[i]) / window / units);
      if (pipe != isa::Pipe::Internal) taken.push_back({pipe, busy});
      pipes.push_back(
          {{"pipe", std::string(name_of(pipe))}, {"issued", p.unit.issued[i]}, {"utilisation", busy}});
    }
    one["pipes"] = std::move(pipes);
    ordered_json stalls = ordered_json::array();
    std::vector<timing::BoundEvidence::CauseShare> causes;
    const double simd_cycles = window * std::max(1u, gpu_->simds_per_unit);
    double nothing_issued = 0;
    const auto add_stall = [&](std::string_view cause, double stalled, double exposed) {
      const double exposed_share = exposed / simd_cycles;
      nothing_issued += exposed_share;
      causes.push_back({cause, exposed_share});
      stalls.push_back({{"cause", std::string(cause)},
                        {"wave_cycles", stalled},
                        {"exposed", exposed},
                        {"hidden", std::max(0.0, stalled - exposed)},
                        {"exposed_share", exposed_share}});
    };
    for (size_t i = 1; i < timing::kCauses; ++i)
      if (p.unit.stalled[i] != 0 || p.unit.exposed[i] != 0)
        add_stall(name_of(static_cast<timing::Cause>(i)), static_cast<double>(p.unit.stalled[i]),
                  static_cast<double>(p.unit.exposed[i]));
    if (p.unit.empty) add_stall("no wave", 0, static_cast<double>(p.unit.empty));
    std::sort(stalls.begin(), stalls.end(), [](const ordered_json& a, const ordered_json& b) {
      return a["exposed"].get<double>() > b["exposed"].get<double>();
    });
    one["stalls"] = std::move(stalls);
    one["exposed_share"] = nothing_issued;
    const double peak = gpu_->memory_gigabytes_per_second * 1e9, rate = share(p.grid_bytes, seconds);
    const timing::Verdict verdict = timing::bound_of(
        {.pipes = taken,
         .causes = causes,
         .nothing_issued = nothing_issued,
         .memory = share(rate, gpu_->sustained_memory ? *gpu_->sustained_memory * 1e9 : peak),
         .units = p.units,
         .units_of_gpu = gpu_->compute_units});
    one["bound"] = std::string(name_of(verdict.bound));
    one["bound_why"] = verdict.why;
    one["lds"] = {{"cycles", p.unit.lds_cycles},
                  {"conflict_cycles", p.unit.lds_conflicts},
                  {"conflict_share",
                   share(static_cast<double>(p.unit.lds_conflicts), static_cast<double>(p.unit.lds_cycles))}};
    const timing::MemoryCounts& m = p.memory;
    const auto loads = static_cast<double>(m.l1_hits + m.l1_misses);
    const double behind = m.l2_hits + m.infinity_cache_hits + m.memory_lines;
    one["memory"] = {{"l1_hit_rate", share(static_cast<double>(m.l1_hits), loads)},
                     {"l2_hit_rate", share(m.l2_hits, behind)},
                     {"infinity_cache_lines", m.infinity_cache_hits},
                     {"memory_lines", m.memory_lines},
                     {"l1_requests", loads},
                     {"l2_requests", behind},
                     {"line_bytes", gpu_->l1_line_bytes},
                     {"grid_bytes", p.grid_bytes},
                     {"grid_bytes_per_second", rate},
                     {"peak_bytes_per_second", peak}};
    one["instructions"] = instructions_json(p, locate);
    // Only for those who draw it: it is long.
    if (const char* const wanted = std::getenv("WAVESMITH_PROFILE_TIMELINE"); wanted && *wanted)
      one["timeline"] = timeline_json(p);
  }
  const std::scoped_lock lock(all.mutex);
  Profiles::Entry& entry = all.entries[kernel_];
  // The last of those that are profiled stands: the first one is the coldest.
  entry.profile = std::move(one);
  entry.time = time;
  return time;
}

}  // namespace wavesmith::runtime
