#include "tests/check/stale_reads.h"

#include <algorithm>
#include <utility>

#include "isa/coherence.h"
#include "isa/cost/cost.h"
#include "isa/each_counter.h"
#include "isa/rows.h"
#include "tests/check/bytes_of_waves.h"

namespace wavesmith::mutants {
namespace {

constexpr uint64_t kWord = 4, kLine = 128;

}  // namespace

class StaleReads::OfWorkgroup : public emulate::WorkgroupListener {
 public:
  OfWorkgroup(StaleReads& all, const Extent3& id) : all_(all), id_(number_of(id, 0)) {}

  void instruction(const emulate::WaveView& view, const emulate::Site& site) override {
    const std::scoped_lock lock(all_.mutex_);
    ++all_.now_;
    Wave& wave = waves_[view.index()];
    if (site.wait.waits())
      isa::each_counter(site.wait, [&](isa::Counter counter, uint16_t limit) {
        for (auto& queue = wave.under_way[counter]; queue.size() > limit; queue.pop_front())
          arrives(queue.front());
      });
    const isa::CacheControl control = isa::cache_control_of(site.instruction);
    if (control.invalidates) all_.invalidated_[id_] = all_.now_;
    if (control.invalidates_near) wave.invalidated = all_.now_;
    UnderWay under_way{&site, {}, {}};
    if (control.writes_back && needs_write_back()) under_way.writes_back = uses_of_stores();
    for (const isa::Counter counter : isa::counters_of(site.instruction, site.row, all_.target_))
      wave.under_way[counter].push_back(under_way);
    if (site.barrier == emulate::BarrierStep::Grid) tell();
  }

  void access(const emulate::WaveView& view, const emulate::Site& site,
              const emulate::MemoryAccess& access) override {
    if (access.space != emulate::AddressSpace::Global) return;
    const std::scoped_lock lock(all_.mutex_);
    const bool far = isa::reaches_other_workgroups(site.instruction);
    const bool atomic = access.direction == isa::Direction::Atomic;
    const bool store = access.direction == isa::Direction::Store;
    if (atomic || (store && far)) tell();
    Wave& wave = waves_[view.index()];
    const auto use = std::make_shared<Use>(Use{id_, view.index()});
    if (atomic) use->done = use->told = all_.now_;  // by the memory itself
    uint64_t last = ~uint64_t{0};
    each_byte(access, [&](uint64_t byte) {
      if (std::exchange(last, byte / kWord) == byte / kWord) return;
      Word& word = all_.words_[byte / kWord];
      if (!store) reads(word, wave, use, byte, far || atomic);
      if (store || atomic) writes(word, use);
    });
    if (atomic) return;
    if (store) stores_.push_back({use, !needs_write_back() || far});
    for (auto& [counter, queue] : wave.under_way)
      if (!queue.empty() && queue.back().site == &site) queue.back().uses.push_back(use);
  }

 private:
  struct Stored {
    std::shared_ptr<Use> use;
    bool written_back;  ///< or goes to the memory by itself
    bool arrived = false;
  };
  struct UnderWay {
    const emulate::Site* site;
    std::vector<std::shared_ptr<Use>> uses;
    std::vector<std::shared_ptr<Use>> writes_back;  ///< stores before it
  };
  struct Wave {
    std::map<isa::Counter, std::deque<UnderWay>> under_way;
    Time invalidated = 0;  ///< the cache next to it
  };

  [[nodiscard]] bool needs_write_back() const { return all_.target_.is(isa::kCdna3 | isa::kCdna4); }
  /// Waves of a workgroup may be on two compute units, each with a cache.
  [[nodiscard]] bool has_caches_of_waves() const { return all_.target_.is(isa::kRdna); }

  std::vector<std::shared_ptr<Use>> uses_of_stores() const {
    std::vector<std::shared_ptr<Use>> uses;
    for (const Stored& stored : stores_) uses.push_back(stored.use);
    return uses;
  }

  void arrives(const UnderWay& under_way) {
    for (const auto& use : under_way.uses) {
      const auto stored = std::ranges::find(stores_, use, &Stored::use);
      if (stored == stores_.end()) use->done = all_.now_, untold_.push_back(use);  // a load
      if (stored != stores_.end()) stored->arrived = true;
    }
    for (const auto& use : under_way.writes_back)
      if (const auto stored = std::ranges::find(stores_, use, &Stored::use); stored != stores_.end())
        stored->arrived = stored->written_back = true;
    for (Stored& stored : stores_)
      if (stored.arrived && stored.written_back) {
        stored.use->done = all_.now_;
        untold_.push_back(stored.use);
      }
    std::erase_if(stores_, [](const Stored& stored) { return stored.arrived && stored.written_back; });
  }

  void tell() {
    for (const auto& use : untold_) use->told = all_.now_;
    untold_.clear();
  }

  /// Since when this wave knows, or would know, of what another one did.
  [[nodiscard]] Time known(const Use& use, uint32_t wave) const {
    if (use.workgroup != id_) return use.told;
    return use.wave == wave || !has_caches_of_waves() ? 0 : use.done;
  }

  void reads(Word& word, const Wave& wave, const std::shared_ptr<Use>& use, uint64_t byte, bool past_caches) {
    auto& loads = all_.lines_[byte / kLine];
    if (word.written) {
      const Time written = known(*word.written, use->wave);
      const bool others = word.written->workgroup != id_;
      if (written == kNever || (written && !past_caches && is_cached_before(loads, written, wave, others)))
        all_.any_ = true;
    }
    if (past_caches) return;  // and no race with atomics
    if (std::vector<Time>& own = loads[id_]; own.empty() || own.back() != all_.now_) own.push_back(all_.now_);
    word.read[id_] = use;
  }

  /// Whether a cache that this wave may share holds a line since before `written`. others: by another
  /// workgroup.
  bool is_cached_before(const std::map<uint64_t, std::vector<Time>>& loads, Time written, const Wave& wave,
                        bool others) {
    return std::ranges::any_of(loads, [&](const auto& of_workgroup) {
      const auto& [loader, times] = of_workgroup;
      Time fresh = others ? all_.invalidated_[id_] : wave.invalidated;
      if (has_caches_of_waves()) fresh = std::min(fresh, wave.invalidated);
      if (loader != id_) fresh = std::max(fresh, all_.invalidated_[loader]);
      const auto cached = std::ranges::upper_bound(times, fresh);
      return cached != times.end() && *cached < written;
    });
  }

  void writes(Word& word, const std::shared_ptr<Use>& use) {
    const auto unknown = [&](const Use& other) { return known(other, use->wave) == kNever; };
    if (word.written && unknown(*word.written)) all_.any_ = true;
    for (const auto& [workgroup, read] : word.read)
      if (workgroup != id_ && unknown(*read)) all_.any_ = true;
    word.written = use;
  }

  StaleReads& all_;
  uint64_t id_;
  std::map<uint32_t, Wave> waves_;
  std::vector<Stored> stores_;                ///< that have not been done
  std::vector<std::shared_ptr<Use>> untold_;  ///< that have
};

std::unique_ptr<emulate::WorkgroupListener> StaleReads::workgroup(const emulate::WorkgroupView& view) {
  return std::make_unique<OfWorkgroup>(*this, view.id);
}

}  // namespace wavesmith::mutants
