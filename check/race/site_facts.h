// What the race checker knows of an instruction, found once a program.
#pragma once

#include <cstdint>
#include <span>

#include "emulate/run/events.h"
#include "isa/target.h"

namespace wavesmith::check {

/// Where a store's data is, lane by lane.
struct StoredData {
  int first = -1;  ///< VGPR or AGPR; -1: unknown
  bool accumulator = false;
  bool high = false;  ///< in the upper half
  int dwords = 0;

  /// `bytes` of a lane's data. False: unknown.
  [[nodiscard]] bool read(const emulate::WaveView& wave, int lane, uint32_t bytes, uint8_t* data) const;
  /// The same of several lanes, one behind the other.
  [[nodiscard]] bool read_all(const emulate::WaveView& wave, uint64_t lanes, uint32_t bytes,
                              uint8_t* data) const;
};

struct SiteFacts {
  enum Event : uint16_t {
    kWaitsForLds = 1 << 0,
    kWaitsForStores = 1 << 1,
    kWritesBack = 1 << 2,      ///< what other workgroups do not see yet
    kInvalidates = 1 << 3,     ///< what other workgroups may have written
    kArrives = 1 << 4,         ///< at a split barrier
    kLeaves = 1 << 5,          ///< a split barrier
    kGrid = 1 << 6,            ///< meets the grid's other workgroups
    kTransparent = 1 << 7,     ///< stands between a wait and the store that it is for without harm
    kInvalidatesOwn = 1 << 8,  ///< what other waves of the workgroup may have written
  };
  uint16_t events = 0;
  uint16_t number = 0;       ///< among the accesses of the program; 0: none is left
  bool coherent = false;     ///< at agent scope or wider
  bool near = false;         ///< coherent at workgroup scope or wider
  bool narrow = false;       ///< says that it is for its own workgroup alone
  bool is_volatile = false;  ///< surely, in the source: then it is no atomic
  bool flat = false;         ///< a store to LDS or to memory: both counters have to be waited for
  bool returns = false;      ///< an atomic that gives back what was there
  bool to_lds = false;       ///< loads from device memory to LDS
  bool meets = false;        ///< a split barrier's signal with its wait behind it and no access in between
  StoredData data[2];        ///< of a store, by its places
};

SiteFacts facts_of(const emulate::Site& site, const isa::Target& target);

}  // namespace wavesmith::check
