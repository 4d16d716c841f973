#include "check/sync/sync.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace wavesmith::check {
namespace {

using emulate::BarrierStep;
using emulate::Site;
using emulate::WaveView;

/// A wave on its way from barrier to barrier.
struct Progress {
  uint64_t lanes = 0;             ///< with which it began
  const Site* last = nullptr;     ///< instruction
  const Site* arrived = nullptr;  ///< the barrier that it has reached in this phase
  bool signalled = false;         ///< the split barrier, without having waited since
  bool ended = false;
  std::optional<emulate::MemoryAccess> looked;  ///< its latest atomic or load
};

/// A workgroup that the launch left unfinished.
struct Stuck {
  Extent3 id{0, 0, 0};
  std::vector<Progress> waves;
};

class SyncLaunch;

class SyncGroup final : public emulate::WorkgroupListener {
 public:
  SyncGroup(SyncLaunch& launch, const emulate::WorkgroupView& group);
  ~SyncGroup() override;
  void wave_begins(const WaveView& wave) override {
    waves_.resize(std::max<size_t>(waves_.size(), wave.index() + 1));
    waves_[wave.index()] = {.lanes = wave.exec()};
  }
  void instruction(const WaveView& wave, const Site& site) override {
    Progress& progress = waves_[wave.index()];
    ++event_;
    progress.last = &site;
    if (site.barrier != BarrierStep::None) [[unlikely]]
      barrier(wave, progress, site);
  }
  void access(const WaveView& wave, const Site&, const emulate::MemoryAccess& access) override {
    if (access.direction != isa::Direction::Store) waves_[wave.index()].looked = access;
  }
  void wave_ends(const WaveView& wave) override;
  void barrier_completes() override;
  void ends() override { finished_ = true; }

 private:
  void barrier(const WaveView& wave, Progress& progress, const Site& site);
  void report(std::string_view rule, Severity severity, const Site& site, uint32_t wave, uint64_t lanes,
              std::string what, std::string fix, std::vector<Party> others = {});

  SyncLaunch& launch_;
  Extent3 id_;
  uint64_t event_ = 0;
  std::vector<Progress> waves_;
  bool finished_ = false;
};

class SyncLaunch final : public emulate::Listener {
 public:
  SyncLaunch(const Launch& launch, Findings& findings) : launch(launch), findings(findings) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& group) override {
    return std::make_unique<SyncGroup>(*this, group);
  }
  void leave(Stuck stuck) {
    const std::scoped_lock lock(mutex_);
    stuck_.push_back(std::move(stuck));
  }
  /// Tells why the workgroups that are left could go no further.
  void finished(const Error* error);

  const Launch& launch;
  Findings& findings;

 private:
  std::mutex mutex_;
  std::vector<Stuck> stuck_;
};

SyncGroup::SyncGroup(SyncLaunch& launch, const emulate::WorkgroupView& group)
    : launch_(launch), id_(group.id) {}

SyncGroup::~SyncGroup() {
  if (!finished_) launch_.leave({id_, std::move(waves_)});
}

void SyncGroup::report(std::string_view rule, Severity severity, const Site& site, uint32_t wave,
                       uint64_t lanes, std::string what, std::string fix, std::vector<Party> others) {
  const uint64_t second = others.empty() ? 0 : launch_.launch.entry + others[0].offset;
  launch_.findings.add(
      {.rule = rule, .first = site.instruction.pc, .second = second},
      {launch_.launch.id, launch_.launch.number_of(id_), event_}, [&] {
        std::vector<Party> parties = {party(launch_.launch, "executes", site.instruction, id_, wave, lanes)};
        std::ranges::move(others, std::back_inserter(parties));
        return Finding{.topic = Topic::Sync,
                       .rule = std::string(rule),
                       .severity = severity,
                       .what = std::move(what),
                       .parties = std::move(parties),
                       .fix = std::move(fix)};
      });
}

void SyncGroup::barrier(const WaveView& wave, Progress& progress, const Site& site) {
  const uint64_t absent = progress.lanes & ~wave.exec();
  // One lane of a workgroup arrives at the grid's barrier; who waits has signalled.
  if (absent && site.barrier != BarrierStep::Wait && site.barrier != BarrierStep::Grid)
    report("divergent-barrier", Severity::Warning, site, wave.index(), absent,
           "a barrier is executed while lanes of its wave are switched off: they took another path or "
           "returned early",
           "let all threads of the workgroup reach the barrier: move it out of the branch, or let threads "
           "without work go on to it");
  switch (site.barrier) {
    case BarrierStep::ArriveAndWait:
      progress.arrived = &site;
      break;
    case BarrierStep::Arrive:
      if (progress.signalled)
        report("signalled-twice", Severity::Error, site, wave.index(), 0,
               "a wave signals the barrier again without having waited for it: another wave's signal counts "
               "as missing no more",
               "put s_barrier_wait between the two signals");
      progress.signalled = true;
      progress.arrived = &site;
      break;
    case BarrierStep::Wait:
      if (!progress.signalled)
        report("wait-without-signal", Severity::Error, site, wave.index(), 0,
               "a wave waits at a barrier that it has not signalled: it is never complete",
               "signal the barrier before waiting for it");
      progress.signalled = false;
      break;
    default:
      break;
  }
}

void SyncGroup::wave_ends(const WaveView& wave) {
  Progress& progress = waves_[wave.index()];
  progress.ended = true;
  if (progress.signalled)
    report("signal-without-wait", Severity::Warning, *progress.last, wave.index(), 0,
           "a wave ends after it has signalled the barrier and without having waited for it",
           "wait for the barrier on every path that signals it");
}

void SyncGroup::barrier_completes() {
  const Site* met = nullptr;
  uint32_t first = 0;
  for (uint32_t i = 0; i < waves_.size(); ++i)
    if (waves_[i].arrived && !met) met = waves_[i].arrived, first = i;
  if (!met) return;
  for (uint32_t i = 0; i < waves_.size(); ++i) {
    const Progress& other = waves_[i];
    if (other.ended && !other.arrived)
      report("barrier-without-all", Severity::Warning, *met, first, 0,
             fmt::format("a barrier is complete without wave {}, which has ended", i),
             "let every wave of the workgroup reach each barrier as often as the others",
             {party(launch_.launch, "has ended", other.last->instruction, id_, i, 0)});
    else if (other.arrived && other.arrived != met)
      report("different-barriers", Severity::Hint, *met, first, 0,
             fmt::format("wave {} meets wave {} at another barrier instruction", first, i),
             "see that the waves are meant to meet there: in HIP each barrier is one for all threads",
             {party(launch_.launch, "meets at", other.arrived->instruction, id_, i, 0)});
  }
  for (Progress& progress : waves_) progress.arrived = nullptr;
}

/// What a wave of a workgroup that goes no further is doing.
std::string state_of(const Progress& progress) {
  if (progress.ended) return "has ended at";
  if (progress.arrived) return "waits at";
  if (!progress.looked) return "is at";
  const char* const space = progress.looked->space == emulate::AddressSpace::Lds ? "LDS" : "memory";
  return fmt::format(
      "was looking at {} {:#x}, is at", space,
      progress.looked->address[progress.looked->lanes ? std::countr_zero(progress.looked->lanes) : 0]);
}

void SyncLaunch::finished(const Error* error) {
  if (!error || (error->kind != ErrorKind::Budget && error->kind != ErrorKind::Trap)) return;
  const std::scoped_lock lock(mutex_);
  for (const Stuck& stuck : stuck_) {
    std::vector<Party> parties;
    bool waits = error->kind == ErrorKind::Budget;
    for (uint32_t i = 0; i < stuck.waves.size(); ++i) {
      const Progress& progress = stuck.waves[i];
      if (!progress.last) continue;
      waits |= progress.last->barrier != BarrierStep::None;
      // One wave stands for all that are at the same place.
      if (std::ranges::any_of(parties, [&](const Party& party) {
            return party.offset == progress.last->instruction.pc - launch.entry;
          }))
        continue;
      parties.push_back(party(launch, state_of(progress), progress.last->instruction, stuck.id, i, 0));
    }
    if (!waits || parties.empty()) continue;
    // Those that wait come first.
    std::ranges::sort(
        parties, {}, [](const Party& one) { return std::pair(one.role.starts_with("has ended"), one.wave); });
    const bool deadlock = error->kind == ErrorKind::Trap;
    findings.add({.rule = deadlock ? "deadlock" : "no-progress", .first = launch.entry + parties[0].offset},
                 {launch.id, launch.number_of(stuck.id), 0}, [&] {
                   return Finding{
                       .topic = Topic::Sync,
                       .rule = deadlock ? "deadlock" : "no-progress",
                       .severity = deadlock ? Severity::Error : Severity::Warning,
                       .what = deadlock ? "the workgroup can go no further: every wave waits for another one"
                                        : "the workgroup did not end within what it was given: if this is no "
                                          "long computation, its waves wait for what never comes",
                       .parties = parties,
                       .fix = "see what each wave waits for, and that someone provides it on every path"};
                 });
  }
}

class Sync final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<SyncLaunch>(launch, findings_);
  }
  void finished(const Launch&, emulate::Listener& listener, const Error* error) override {
    static_cast<SyncLaunch&>(listener).finished(error);
  }
};

}  // namespace

CheckerKind sync_checker() {
  return {.topic = Topic::Sync,
          .finds = "barriers that not all waves or lanes reach, and workgroups that can go no further",
          .does_not_see =
              "barriers on paths that this run did not take; waiting for ever without --timeout "
              "or --max-instructions",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> {
            return std::make_unique<Sync>(findings);
          }};
}

}  // namespace wavesmith::check
