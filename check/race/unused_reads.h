// Reads of LDS whose value nobody looks at: what a loop loads ahead in its last turn, say. Another value
// there would change nothing.
//
// Whether a wave has used what it read is asked only where a race is found, so each wave keeps what it
// executed last. The answer is "used" wherever that does not reach back far enough, and until the wave ends.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulate/run/events.h"
#include "isa/effects.h"
#include "isa/target.h"

namespace wavesmith::check {

class UnusedReads {
 public:
  /// Told once whether the value is used.
  using Told = std::function<void(bool used)>;

  UnusedReads(uint32_t waves, const isa::Target& target, int wave_lanes)
      : target_(target),
        wave_lanes_(wave_lanes),
        recent_(new Executed[size_t{waves} * kRecent]),
        waves_(waves) {}
  UnusedReads(const UnusedReads&) = delete;
  UnusedReads& operator=(const UnusedReads&) = delete;
  /// What is still asked for counts as used: the kernel was stopped.
  ~UnusedReads();

  /// Before the instruction is executed.
  void executes(uint32_t wave, const emulate::Site& site, uint64_t exec) {
    Wave& state = waves_[wave];
    const Executed now{&site, exec};
    recent_[size_t{wave} * kRecent + state.executed++ % kRecent] = now;
    if (!state.asked.empty()) [[unlikely]]
      follow(state, now);
  }
  /// All waves have met.
  void meets() {
    for (Wave& wave : waves_) wave.met = wave.executed;
  }
  /// Where nothing has used what that instruction has read since all met, so far: the lanes whose registers
  /// still hold it. nullopt: something has, or may have.
  std::optional<uint64_t> unused_lanes(uint32_t wave, const emulate::Site& read);
  /// Asks whether that stays so until the wave ends, or overwrites it.
  void ask(uint32_t wave, const emulate::Site& read, uint64_t lanes, const Told& told);
  void ends(uint32_t wave);

 private:
  static constexpr size_t kRecent = 512;
  static constexpr size_t kMostAsked = 256;  ///< of a wave, at once
  struct Executed {
    const emulate::Site* site;
    uint64_t exec;
  };
  struct Asked {
    std::vector<isa::RegisterRange> registers;
    uint64_t lanes;
    Told told;
  };
  struct Wave {
    uint64_t executed = 0, met = 0;  ///< instructions so far, and when all met
    std::vector<Asked> asked;
    bool ended = false;
  };

  const isa::Effects& effects(const emulate::Site& site);
  /// Whether it uses registers of these lanes.
  bool uses(const Executed& one, const std::vector<isa::RegisterRange>& registers, uint64_t lanes);
  /// Those of the lanes whose registers it does not overwrite as a whole.
  uint64_t left_by(const Executed& one, const std::vector<isa::RegisterRange>& registers, uint64_t lanes);
  void follow(Wave& wave, const Executed& one);

  const isa::Target& target_;
  int wave_lanes_;
  std::unique_ptr<Executed[]> recent_;
  std::vector<Wave> waves_;
  std::unordered_map<const emulate::Site*, isa::Effects> effects_;
};

}  // namespace wavesmith::check
