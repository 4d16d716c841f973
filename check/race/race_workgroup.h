// What the race checker hears of one workgroup.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "check/race/lane_writes.h"
#include "check/race/lds/races.h"
#include "check/race/race_findings.h"
#include "check/race/race_launch.h"
#include "check/race/wave_clocks.h"

namespace wavesmith::check {

class RaceWorkgroup final : public emulate::WorkgroupListener {
 public:
  RaceWorkgroup(RaceLaunch& launch, const emulate::WorkgroupView& view);

  void instruction(const emulate::WaveView& wave, const emulate::Site& site) override;
  void access(const emulate::WaveView& wave, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;
  void wave_ends(const emulate::WaveView& wave) override;
  void barrier_completes() override;
  void ends() override;

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
    uint8_t places = 0;                    ///< accesses of the instruction under way
    uint64_t acquired = 0;
    /// Its last acquire: when, and the segment of the workgroup's log before it.
    bool has_acquired = false;
    uint32_t acquired_clock = 0, acquired_phase = 0, acquired_segment = 0;
  };
  /// A global access, as it is noted.
  struct Noted {
    const emulate::MemoryAccess& access;
    GlobalKind kind;       ///< for other workgroups
    GlobalKind near_kind;  ///< for the workgroup's other waves
    uint32_t wave;
    uint16_t site;
    bool flag;            ///< of one address
    bool polls;           ///< and looks at it again and again
    const uint8_t* data;  ///< of a store; nullptr: unknown
  };

  struct LastRead {
    uint64_t begin = 0;
    uint32_t bytes = 0, stride = 0, count = 0, accessor = 0;
    bool operator==(const LastRead&) const = default;
  };

  void settle(WaveState& state, uint32_t wave);
  /// Where each cache has an instruction of its own: the events, among them an invalidation at agent scope
  /// when it is complete.
  static uint16_t of_all_caches(WaveState& state, uint16_t events);
  void note(WaveState& state, uint32_t wave, const SiteFacts& facts);
  /// The wave invalidates its caches, at agent scope or its own alone.
  void invalidate(WaveState& state, uint32_t wave, bool agent);
  /// Whether the last acquire of `from` happens before what `wave` does now.
  [[nodiscard]] bool acquired_before(uint32_t from, uint32_t wave) const;
  /// The wave has waited for all that it stored.
  void stores_arrived(WaveState& state, uint32_t wave);
  void access_lds(const emulate::WaveView& wave, const emulate::Site& site, const SiteFacts& facts,
                  const emulate::MemoryAccess& access);
  /// A spin loop's load: of what is told at each lane's address.
  void acquire_each(uint32_t wave, const emulate::MemoryAccess& access);
  void access_global(const emulate::WaveView& wave, const emulate::Site& site, const SiteFacts& facts,
                     const emulate::MemoryAccess& access);
  /// An access by which it meets other workgroups.
  struct Meeting {
    uint32_t wave;
    uint64_t place;
    bool releases, acquires;
    bool visible;         ///< others may see all that came before
    bool stores = false;  ///< a store that others need not see yet
  };
  void synchronise(const Meeting& meeting);
  /// The wave takes a lock, or gives it back.
  void lock(WaveState& state, const emulate::Site& site, const emulate::MemoryAccess& access, uint64_t place);
  [[nodiscard]] bool visible(uint32_t wave) const;
  /// Keeps what others may see apart from the store that the wave is about to make.
  void show(uint32_t wave);
  uint32_t accessor_of(uint16_t site, uint32_t wave);
  void record(const Noted& noted);
  /// False: the shadow knows of it, as where each wave loads the kernel's arguments.
  bool is_new_read(const Runs& runs, uint32_t accessor);
  /// Notes of whom it reads what others have written, where it may know of them.
  void take_over(GlobalShadow::Adder& shadow, uint64_t address, uint64_t bytes, uint32_t reader,
                 uint32_t invalidated);
  /// Compares what waves accessed since they last met.
  void compare();
  void check_lanes(const emulate::WaveView& wave, const emulate::Site& site, const StoredData& data,
                   const emulate::MemoryAccess& access);

  RaceLaunch& launch_;
  Extent3 id_;
  uint32_t number_;
  uint32_t waves_;
  uint64_t events_ = 0;  ///< so far, for the order of findings
  uint32_t phase_ = 1;   ///< barriers so far
  bool apart_ = false;   ///< in this phase of the split barrier a wave may do something behind its signal
  bool met_ = false;     ///< in the last phase none did: it was as a whole barrier
  std::unique_ptr<LdsShadow> shadow_;
  std::unique_ptr<LdsRaces> lds_races_;  ///< where there is a shadow
  emulate::MemoryAccess loaded_{};       ///< from device memory, by the last instruction that loads to LDS
  WaveClocks clocks_;
  std::unique_ptr<WaveLog> waves_log_;
  std::vector<LaneWrites> lane_writes_;  ///< by wave; empty: nobody asks for equal ones
  bool spreads_;                         ///< over two compute units
  std::array<WaveState, WaveClocks::kWaves> states_{};
  uint64_t meetings_ = 0;  ///< of the grid
  uint32_t pending_ = 0;   ///< waves, a bit each, that have acquired since the last invalidation
  bool cleaned_ = false;   ///< stores have arrived since the last entry of the log
  uint32_t shown_ = 0;     ///< entries of that kind
  SyncLog log_;
  std::vector<Accessor> accessors_;
  std::array<LastRead, 64> last_reads_{};             ///< by a hash of place and accessor
  HandOvers taken_;                                   ///< from other workgroups
  std::vector<std::pair<uint32_t, uint32_t>> known_;  ///< by site: segment + 1, and its accessor there
};

}  // namespace wavesmith::check
