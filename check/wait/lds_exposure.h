// LDS that accesses under way may still read or write, and that others must not touch.
//
// Loads to LDS are shown at once: their own wave has to wait for them as well. LDS instructions of a wave are
// performed in order, so they matter to other waves alone, and are shown when their wave arrives at a barrier
// with them under way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/wait/scoreboard.h"

namespace wavesmith::check::wait {

class LdsExposure {
 public:
  explicit LdsExposure(uint32_t bytes) : bytes_(bytes) {}

  [[nodiscard]] bool any() const { return !shown_.empty(); }
  void show(uint32_t wave, Number number, InFlight& flight);
  /// An access more of one that is shown already.
  void extend(const LdsPlace& place) { count(place, 1); }
  void withdraw(uint32_t wave, Number number, InFlight& flight);

  struct Shown {
    uint32_t wave;
    Number number;
  };
  /// What is shown and shares a byte with the access; `meets` says of which it matters.
  template <class Meets>
  [[nodiscard]] std::optional<Shown> find(const LdsPlace& place, Meets meets) const {
    if (!touches(place)) return std::nullopt;
    for (const Shown& shown : shown_)
      if (meets(shown)) return shown;
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool touches(const LdsPlace& place) const;
  void count(const LdsPlace& place, int by);

  uint32_t bytes_;
  std::vector<Shown> shown_;
  std::vector<uint16_t> counts_;  ///< of what is shown, by dword
};

/// The lanes of `a` that access a byte that `b` accesses, too.
uint64_t shared_lanes(const LdsPlace& a, const LdsPlace& b);

}  // namespace wavesmith::check::wait
