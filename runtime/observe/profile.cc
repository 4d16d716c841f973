#include "runtime/observe/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>

#include "runtime/launch/replacement.h"
#include "timing/dependence.h"
#include "timing/kernel_profile.h"
#include "timing/profile_json.h"

namespace wavesmith::runtime {
namespace {

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
    timing::KernelProfile profile;
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
    timing::ProgramProfile profile{
        .gpu = gpu, .sampled = sampled, .replaced = replaced_objects(), .kernels = {}};
    for (const auto& [key, entry] : entries) profile.kernels.push_back(entry.profile);
    std::ofstream file(path);
    if (file) file << timing::to_json(profile) << '\n';
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

}  // namespace

std::unique_ptr<ProfiledLaunch> ProfiledLaunch::begin(emulate::Dispatch& dispatch, const gpus::Gpu& gpu,
                                                      uint32_t resident, Selection which) {
  Profiles& all = profiles();
  if (all.path.empty()) return nullptr;
  auto launch = std::unique_ptr<ProfiledLaunch>(new ProfiledLaunch);
  const int lanes = dispatch.program->wave_lanes();
  launch->grid_.extent = workgroups_of(dispatch.grid, dispatch.workgroup);
  const auto items = static_cast<uint32_t>(dispatch.workgroup.count());
  std::string key = dispatch.kernel->name;
  for (size_t axis = 0; axis < 3; ++axis)
    key += " " + std::to_string(dispatch.grid[axis]) + "/" + std::to_string(dispatch.workgroup[axis]);
  launch->grid_.waves = (items + static_cast<uint32_t>(lanes) - 1) / static_cast<uint32_t>(lanes);
  launch->grid_.resident = std::max(1u, resident);
  {
    const std::scoped_lock lock(all.mutex);
    all.gpu = gpu.id;
    timing::KernelProfile& profile = all.entries[key].profile;
    if (profile.launches++ == 0) {
      profile.name = dispatch.kernel->name;
      profile.grid = launch->grid_.extent;
      profile.block = dispatch.workgroup;
      profile.waves_per_workgroup = launch->grid_.waves;
      profile.workgroups_per_unit = launch->grid_.resident;
      profile.refused = "no launch of it came to its end";
    }
    if (profile.launches > kProfiled && which == Selection::First) return nullptr;
  }
  launch->kernel_ = key;
  if (which == Selection::Counted) return launch;
  launch->gpu_ = &gpu;
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
  timing::KernelProfile& profile = all.entries[kernel_].profile;
  profile.sample = sample_.why;
  profile.refused = why;
  return true;
}

void ProfiledLaunch::count(const emulate::Dispatch& dispatch, const emulate::Memory& memory,
                           emulate::Limits limits) {
  if (!sampled_) return;
  const std::vector<uint64_t> groups = timing::to_count(*recorder_, grid_, sample_);
  if (groups.empty()) return;
  // None runs twice: what a workgroup does to memory it may find there.
  std::vector<uint64_t> rest;
  std::ranges::set_difference(groups, only_, std::back_inserter(rest));
  emulate::Dispatch beside = dispatch;
  beside.only = &rest;
  beside.listeners.clear();
  if (limited_) limits.instructions = kMostSampledInstructions;
  const auto done = emulate::run(beside, memory, limits);
  if (!done) return;
  auto instructions = static_cast<double>(done->instructions);
  size_t counted = rest.size();
  for (const uint64_t group : groups) {
    const auto known = recorder_->records().find(group);
    if (known == recorder_->records().end()) continue;
    ++counted;
    for (const timing::WaveRecord& wave : known->second.waves)
      instructions += static_cast<double>(wave.executed);
  }
  counted_ = instructions / static_cast<double>(counted);
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
  // Only for those who draw it: it is long.
  const char* const asked = std::getenv("WAVESMITH_PROFILE_TIMELINE");
  const bool timeline = asked && *asked;
  const timing::LaunchProfile launch =
      timing::profile(*gpu_, grid_, sample_, *recorder_, sampled_ ? 0 : statistics.instructions,
                      allocated_regions(), caches, counted_, timeline);
  timing::KernelProfile profile = timing::kernel_profile(*gpu_, launch, locate, timeline);
  std::optional<KernelTime> time;
  if (profile.has_time()) time = KernelTime{profile.seconds, launch.dirty};
  const std::scoped_lock lock(all.mutex);
  Profiles::Entry& entry = all.entries[kernel_];
  // The last of those that are profiled stands: the first one is the coldest.
  profile.name = entry.profile.name;
  profile.block = entry.profile.block;
  profile.launches = entry.profile.launches;
  entry.profile = std::move(profile);
  entry.time = time;
  return time;
}

}  // namespace wavesmith::runtime
