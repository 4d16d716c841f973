// How one workgroup's waves meet each other and other workgroups: what they have made visible, and what they
// have acquired.
#pragma once

#include <array>
#include <cstdint>

#include "check/race/race_launch.h"
#include "check/race/site_facts.h"
#include "check/race/sync_order.h"
#include "check/race/wave_clocks.h"

namespace wavesmith::check {

class WorkgroupSync {
 public:
  WorkgroupSync(RaceLaunch& launch, uint32_t waves);

  /// What follows is another instruction of the wave: its acquire, or its wait for a barrier, is over.
  void settle(uint32_t wave) {
    if (states_[wave].acquires || states_[wave].leaves) complete(wave);
  }
  /// The wave executes an instruction of these facts.
  void note(uint32_t wave, const SiteFacts& facts);
  /// No instruction of a wave that is an event: what it waited for is not directly before what follows.
  void passes(uint32_t wave) { states_[wave].waited_for_lds = states_[wave].waited_for_stores = false; }
  void wave_ends(uint32_t wave);
  /// A barrier completes. Whether all waves met: of a split one, that none did anything behind its signal.
  bool barrier_completes();

  /// An access by which a wave meets other workgroups.
  struct Meeting {
    uint32_t wave;
    uint64_t place;
    bool releases, acquires;
    bool visible;         ///< others may see all that came before
    bool stores = false;  ///< a store that others need not see yet
  };
  void synchronise(const Meeting& meeting);
  /// A store after whose predecessors others may look, though not at itself until it has been waited for.
  void may_tell(bool shown) {
    log_.add({.stamp = launch_.order().stamp(), .what = SyncEntry::Release, .visible = shown});
  }
  /// The wave loads from device memory what may change.
  void loads(uint32_t wave) { states_[wave].loaded = true; }
  [[nodiscard]] bool has_loaded(uint32_t wave) const { return states_[wave].loaded; }
  /// The wave stores to device memory, by flat addresses or others.
  void stores(uint32_t wave, bool flat);
  /// The wave takes the lock at `place`, or gives it back.
  void lock(uint32_t wave, uint64_t place, bool takes);
  /// Whether others may see all that the wave has stored, or knows to be stored.
  [[nodiscard]] bool visible(uint32_t wave) const;

  [[nodiscard]] bool waited_for_lds(uint32_t wave) const { return states_[wave].waited_for_lds; }
  [[nodiscard]] bool waited_for_stores(uint32_t wave) const { return states_[wave].waited_for_stores; }
  /// The lock that it holds, or 0; what it has invalidated since it took that.
  [[nodiscard]] uint64_t lock_of(uint32_t wave) const { return states_[wave].lock; }
  [[nodiscard]] Acquired got(uint32_t wave) const {
    return states_[wave].lock ? states_[wave].got : Acquired::Nothing;
  }
  /// The segment in which it last invalidated its caches.
  [[nodiscard]] uint32_t invalidated(uint32_t wave) const { return states_[wave].invalidated; }
  /// Until which of its clocks a release tells of its own accesses, to a wave on another compute unit.
  [[nodiscard]] uint32_t told_until(uint32_t wave) const {
    return spreads_ ? states_[wave].unwaited : WaveClocks::kNow;
  }

  WaveClocks& clocks() { return clocks_; }
  SyncLog& log() { return log_; }

 private:
  struct WaveState {
    bool acquires = false;  ///< a place in device memory, when the access has been made
    bool leaves = false;    ///< a split barrier, when it has waited
    bool waited_for_lds = false, waited_for_stores = false;  ///< directly before
    bool wrote_back = false;                                 ///< and has not yet waited for it
    bool flat = false, waited = false;                       ///< stores of flat addresses, for stores alone
    bool loaded = false;         ///< from device memory, since it invalidated its caches at agent scope
    bool holds_nothing = false;  ///< nor its workgroup, when it meets the grid
    bool dirty = false;          ///< it stored what others may not see yet
    uint32_t unwaited = WaveClocks::kNow;  ///< the clock of its first store not waited for
    Acquired got = Acquired::Nothing;      ///< since it took the lock
    uint64_t lock = 0;                     ///< that it holds
    uint16_t caches = 0;                   ///< that it has invalidated, of two
    uint32_t invalidated = 0;              ///< the segment in which it did last
    uint32_t stored_in = 0;                ///< the phase of its last store
    uint64_t acquired = 0;
    /// Its last acquire: when, and the segment of the workgroup's log before it.
    bool has_acquired = false;
    uint32_t acquired_clock = 0, acquired_phase = 0, acquired_segment = 0;
  };

  void complete(uint32_t wave);
  /// Where each cache has an instruction of its own: the events, among them an invalidation at agent scope
  /// when it is complete.
  static uint16_t of_all_caches(WaveState& state, uint16_t events);
  /// The wave invalidates its caches, at agent scope or its own alone.
  void invalidate(WaveState& state, uint32_t wave, bool agent);
  /// Whether the last acquire of `from` happens before what `wave` does now.
  [[nodiscard]] bool acquired_before(uint32_t from, uint32_t wave) const;
  /// The wave has waited for all that it stored.
  void stores_arrived(WaveState& state, uint32_t wave);
  /// Keeps what others may see apart from the store that the wave is about to make.
  void show(uint32_t wave);

  RaceLaunch& launch_;
  uint32_t waves_;
  bool spreads_;        ///< over two compute units
  uint32_t phase_ = 1;  ///< barriers so far
  bool apart_ = false;  ///< in this phase of the split barrier a wave may do something behind its signal
  bool met_ = false;    ///< in the last phase none did: it was as a whole barrier
  WaveClocks clocks_;
  std::array<WaveState, WaveClocks::kWaves> states_{};
  uint64_t meetings_ = 0;  ///< of the grid
  uint32_t pending_ = 0;   ///< waves, a bit each, that have acquired since the last invalidation
  bool cleaned_ = false;   ///< stores have arrived since the last entry of the log
  uint32_t shown_ = 0;     ///< entries of that kind
  SyncLog log_;
};

}  // namespace wavesmith::check
