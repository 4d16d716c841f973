// What the race checker gathers of one launch, and tells when it is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/checker.h"
#include "check/per_site.h"
#include "check/race/global_shadow.h"
#include "check/race/lds/shadow.h"
#include "check/race/site_facts.h"
#include "check/race/sync_order.h"
#include "check/race/wave_log.h"

namespace wavesmith::check {

/// Who accesses device memory: an instruction of a workgroup, in a segment of its log.
struct Accessor {
  uint64_t lock;  ///< that its wave holds; 0: none
  uint32_t segment;
  uint16_t site;
  uint8_t wave;
  Acquired acquired;  ///< since it took the lock
};

/// A read of what another workgroup has written.
struct HandOver {
  uint64_t address;
  uint32_t invalidated;  ///< the segment in which the reading wave last invalidated its own cache
};
/// By the numbers of the write, in the upper half, and the read.
using HandOvers = std::unordered_map<uint64_t, HandOver>;
using TakenOver = std::pair<uint64_t, HandOver>;

/// What is known of a program, from one launch to the next.
struct ProgramFacts {
  PerSite<SiteFacts> facts;
  PerSite<uint16_t> events;  ///< the facts' events: most instructions have none, and many fit a cache line
  PerSite<bool> polls;
  std::atomic<bool> narrow{false};  ///< an atomic says that it is for its workgroup alone
  /// Of an access that is executed for the first time; 0: there are too many.
  uint16_t number_of(const emulate::Site& site);
  [[nodiscard]] const emulate::Site* site(uint16_t number) const {
    const std::scoped_lock lock(mutex);
    return sites[number];
  }
  mutable std::mutex mutex;
  std::vector<const emulate::Site*> sites{nullptr};
};

/// What is wrong with two accesses of different workgroups.
enum class GlobalFault : uint8_t {
  Unordered,
  NotVisible,   ///< ordered, but the second does not see what the first wrote
  NotSeen,      ///< because it has not invalidated its caches
  NotOwn,       ///< another wave has, but that is for the cache of one compute unit
  NotAcquired,  ///< both hold a lock, and one of them has not invalidated its caches since it took it
  Narrow,       ///< an atomic is for its workgroup alone
};

class RaceLaunch final : public emulate::Listener {
 public:
  /// `equal_writes`: unordered writes of equal values are asked for.
  RaceLaunch(const Launch& launch, Findings& findings, std::shared_ptr<ProgramFacts> program,
             bool equal_writes);

  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override;
  /// Tells of races between workgroups.
  void finish();

  // For the listeners of its workgroups.
  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] Findings& findings() const { return findings_; }
  const SiteFacts& facts(const emulate::Site& site) {
    return program_->facts.of(site, [&] { return make_facts(site); });
  }
  uint16_t events(const emulate::Site& site) {
    return program_->events.of(site, [&] { return facts(site).events; });
  }
  /// Whether the load, or the atomic, is that of a spin loop.
  bool polls(const emulate::Site& site) {
    return program_->polls.of(site, [&] { return make_polls(site); });
  }
  /// By SiteFacts::number.
  [[nodiscard]] const emulate::Site* site(uint16_t number) const { return program_->site(number); }
  [[nodiscard]] bool equal_writes() const { return equal_writes_; }
  [[nodiscard]] Severity severity_of_equal() const {
    return equal_writes_ ? Severity::Warning : Severity::Hint;
  }
  GlobalShadow& shadow() { return shadow_; }
  SyncOrder& order() { return order_; }
  std::unique_ptr<LdsShadow> take_lds_shadow(uint32_t bytes, uint32_t& generation);
  void give_back(std::unique_ptr<LdsShadow> shadow, uint32_t generation);
  std::unique_ptr<WaveLog> take_wave_log();
  void give_back(std::unique_ptr<WaveLog> log);
  // Capabilities of the target's memory model. Source: LLVM, "User Guide for AMDGPU Backend", memory model.
  /// A release at agent scope writes back what caches hold that other workgroups do not share.
  [[nodiscard]] bool needs_write_back() const;
  /// Stores that others may see at once say so; elsewhere an atomic store is as any other.
  [[nodiscard]] bool stores_show_scope() const;
  [[nodiscard]] bool splits_barriers() const;
  /// At agent scope both buffer_gl1_inv and buffer_gl0_inv are needed.
  [[nodiscard]] bool invalidates_in_parts() const { return launch_.target.is(isa::kRdna3); }
  /// A workgroup's waves run on two compute units with caches of their own: what they hand over needs waits
  /// and invalidations as between workgroups.
  [[nodiscard]] bool spreads_workgroups() const;
  /// Accesses that are atomic at workgroup scope say so.
  [[nodiscard]] bool shows_workgroup_scope(isa::Direction direction) const;
  /// Whether a plain store of `bytes`, or rather what it meets, shows that it may be an atomic one in the
  /// source. `waves`: of one workgroup.
  [[nodiscard]] bool is_atomic_in_disguise(const emulate::Site& store, const emulate::Site& other,
                                           bool waves);
  /// Whether there are few enough workgroups to tell them apart.
  [[nodiscard]] bool tracks_workgroups() const { return !accessors_.empty(); }
  /// Bits of an accessor's number that count within its workgroup.
  [[nodiscard]] int accessor_bits() const { return accessor_bits_; }
  /// Whether the address belongs to what the runtime and the program share by other means than these.
  [[nodiscard]] bool is_runtimes(uint64_t address) const {
    for (const auto& [begin, end] : runtimes_)
      if (address >= begin && address < end) return true;
    return false;
  }
  /// Whether anything of that range does.
  [[nodiscard]] bool has_runtimes(uint64_t from, uint64_t to) const {
    for (const auto& [begin, end] : runtimes_)
      if (from < end && to > begin) return true;
    return false;
  }
  /// Whether it lies with the kernel's arguments, which nobody writes.
  [[nodiscard]] bool is_constant(uint64_t address) const {
    return address >= arguments_.first && address < arguments_.second;
  }
  /// An atomic of workgroup scope: whether the one there before it was another workgroup's is judged later.
  void meets_narrowly(uint64_t address, uint32_t accessor);
  void ended(uint32_t workgroup, std::vector<Accessor> accessors, SyncLog log, const HandOvers& taken);

 private:
  struct Pair;
  using Told = std::set<std::tuple<GlobalFault, uint16_t, uint16_t>>;
  SiteFacts make_facts(const emulate::Site& site) const;
  bool make_polls(const emulate::Site& site) const;
  void find_runtimes_memory();
  [[nodiscard]] const Accessor* accessor(uint32_t number) const;
  [[nodiscard]] std::vector<Pair> pairs_of(const GlobalShadow::CellView& cell);
  [[nodiscard]] bool is_race(const Pair& pair);
  /// Tells of hand-overs in which the reader may see something else.
  void tell_hand_overs(const std::map<OrderQuestion, Order>& answers, Told& told);
  /// Tells of atomics of workgroup scope by which workgroups meet.
  void tell_narrow(const std::map<OrderQuestion, Order>& answers, Told& told);
  /// Whether the wave that reads has invalidated its own cache since it could know of the write.
  [[nodiscard]] OrderQuestion own_question(const TakenOver& taken) const;
  [[nodiscard]] OrderQuestion question(uint32_t first, uint32_t second) const;
  /// The same of the numbers of a HandOver.
  [[nodiscard]] OrderQuestion question(uint64_t numbers) const {
    return question(static_cast<uint32_t>(numbers >> 32), static_cast<uint32_t>(numbers));
  }
  /// What is wrong with a pair of a cell, in this order and back.
  [[nodiscard]] std::optional<GlobalFault> fault_of(const Pair& pair, const Order& forward,
                                                    const Order& back) const;

  const Launch& launch_;
  Findings& findings_;
  std::shared_ptr<ProgramFacts> program_;
  bool equal_writes_;
  GlobalShadow shadow_;
  SyncOrder order_;
  int accessor_bits_;
  std::vector<std::pair<uint64_t, uint64_t>> runtimes_;
  std::pair<uint64_t, uint64_t> arguments_;  ///< with the dispatch packet
  mutable std::mutex mutex_;
  std::vector<std::vector<Accessor>> accessors_;  ///< by workgroup
  std::vector<TakenOver> hand_overs_;
  std::unordered_map<uint64_t, uint32_t> last_narrow_;  ///< by address, who made the last such atomic
  HandOvers narrow_;                                    ///< such atomics, and the one before each
  std::vector<std::pair<std::unique_ptr<LdsShadow>, uint32_t>> idle_;
  std::vector<std::unique_ptr<WaveLog>> idle_logs_;
};

}  // namespace wavesmith::check
