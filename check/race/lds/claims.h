// Who has touched which dwords of a workgroup's LDS since its waves last met.
//
// Most of what waves access between two barriers each has to itself, or all only read: a word per dword,
// which is quick to see to, shows that. It does not say who conflicts with whom, only that somebody may.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "check/runs.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

enum class AccessKind : uint8_t { Read, Write, Atomic };

class LdsClaims {
 public:
  /// For at least so many bytes.
  void reserve(uint32_t bytes) {
    if (claims_.size() < (bytes + kDword - 1) / kDword) claims_.resize((bytes + kDword - 1) / kDword);
  }
  /// The waves have met: nobody has touched anything.
  void forget() {
    if (++epoch_ < 1u << (32 - kEpoch)) return;
    std::ranges::fill(claims_, 0);
    epoch_ = 1;
  }
  /// Adds an access. `runs`: its even_runs(). False: it may conflict with an earlier one; then what is
  /// claimed means nothing until it is forgotten.
  bool add(AccessKind kind, uint32_t wave, const emulate::MemoryAccess& access,
           const std::optional<Runs>& runs) {
    const Claimant by{.mine = epoch_ << kEpoch | wave << kWave,
                      .kind = 1u << static_cast<uint32_t>(kind),
                      .never = kind == AccessKind::Write ? ~0u : 0};
    if (runs && runs->count == 1) return claim(by, runs->begin, runs->bytes) == 0;
    uint32_t* const claims = claims_.data();
    const uint32_t bytes = access.bytes;
    uint32_t taken = 0;
    Four taken_of_four{};
    for (uint64_t left = access.lanes; left; left &= left - 1) {
      const uint64_t address = access.address[std::countr_zero(left)];
      if (bytes == sizeof(Four) && address % kDword == 0)
        taken_of_four |= claim_four(by, claims + address / kDword);
      else if (address % kDword + bytes <= kDword)
        taken |= claim(by, claims[address / kDword]);
      else
        taken |= claim(by, address, bytes);
    }
    return (taken | any_of(taken_of_four)) == 0;
  }

 private:
  static constexpr uint32_t kDword = 4;
  // A claim: kinds of accesses, a bit each, in three bits; the wave; the epoch.
  static constexpr uint32_t kWave = 3, kEpoch = 9, kKinds = (1u << kWave) - 1;
  static constexpr uint32_t kSeveral = ((1u << (kEpoch - kWave)) - 1) << kWave;  ///< in place of the wave
  using Four = uint32_t __attribute__((vector_size(16)));

  struct Claimant {
    uint32_t mine;  ///< the claim, without kinds
    uint32_t kind;
    uint32_t never;  ///< all ones: of a kind that does not go with anybody else's
  };
  // Not 0: somebody else has claimed it.
  static uint32_t claim(const Claimant& by, uint32_t& place) {
    const uint32_t claim = place, differs = claim ^ by.mine;
    const bool is_fresh = differs >> kEpoch != 0, is_own = differs >> kWave == 0;
    place = is_fresh ? by.mine | by.kind : is_own ? claim | by.kind : by.mine | kSeveral | by.kind;
    return is_fresh || is_own ? 0 : ((claim & kKinds) ^ by.kind) | by.never;
  }
  static Four claim_four(const Claimant& by, uint32_t* places) {
    Four claims;
    std::memcpy(&claims, places, sizeof claims);
    const Four differs = claims ^ by.mine;
    const auto is_fresh = reinterpret_cast<Four>((differs >> kEpoch) != 0);
    const auto is_own = reinterpret_cast<Four>((differs >> kWave) == 0);
    const Four taken = ~(is_fresh | is_own) & (((claims & kKinds) ^ by.kind) | by.never);
    claims = (is_fresh & (by.mine | by.kind)) | (is_own & (claims | by.kind)) |
             (~(is_fresh | is_own) & (by.mine | kSeveral | by.kind));
    std::memcpy(places, &claims, sizeof claims);
    return taken;
  }
  static uint32_t any_of(const Four& four) { return four[0] | four[1] | four[2] | four[3]; }
  uint32_t claim(const Claimant& by, uint64_t address, uint32_t bytes) {
    uint32_t* place = claims_.data() + address / kDword;
    auto left = static_cast<uint32_t>((address % kDword + bytes + kDword - 1) / kDword);
    uint32_t taken = 0;
    Four taken_of_four{};
    for (; left >= 4; left -= 4, place += 4) taken_of_four |= claim_four(by, place);
    for (; left; --left, ++place) taken |= claim(by, *place);
    return taken | any_of(taken_of_four);
  }

  std::vector<uint32_t> claims_;
  uint32_t epoch_ = 1;
};

}  // namespace wavesmith::check
