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
#include "check/race/workgroup_sync.h"

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

  void access_lds(const emulate::WaveView& wave, const emulate::Site& site, const SiteFacts& facts,
                  const emulate::MemoryAccess& access);
  /// A spin loop's load: of what is told at each lane's address.
  void acquire_each(uint32_t wave, const emulate::MemoryAccess& access);
  void access_global(const emulate::WaveView& wave, const emulate::Site& site, const SiteFacts& facts,
                     const emulate::MemoryAccess& access);
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
  WorkgroupSync sync_;
  uint64_t events_ = 0;  ///< so far, for the order of findings
  std::unique_ptr<LdsShadow> shadow_;
  std::unique_ptr<LdsRaces> lds_races_;  ///< where there is a shadow
  emulate::MemoryAccess loaded_{};       ///< from device memory, by the last instruction that loads to LDS
  std::unique_ptr<WaveLog> waves_log_;
  std::vector<LaneWrites> lane_writes_;               ///< by wave; empty: nobody asks for equal ones
  std::array<uint8_t, WaveClocks::kWaves> places_{};  ///< by wave: accesses of the instruction under way
  std::vector<Accessor> accessors_;
  std::array<LastRead, 64> last_reads_{};             ///< by a hash of place and accessor
  HandOvers taken_;                                   ///< from other workgroups
  std::vector<std::pair<uint32_t, uint32_t>> known_;  ///< by site: segment + 1, and its accessor there
};

}  // namespace wavesmith::check
