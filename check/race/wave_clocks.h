// Which accesses of a workgroup's waves happen before which: a vector clock for each wave.
//
// A wave's accesses bear its clock. A release makes the clock known at a place and moves it on; an acquire
// takes over what is known there. A barrier of the whole workgroup begins a new generation instead, before
// which nothing counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

namespace wavesmith::check {

class WaveClocks {
 public:
  /// Of a workgroup: 1,024 work-items in waves of 32.
  static constexpr uint32_t kWaves = 32;
  /// Places that a single address is not the name of.
  static constexpr uint64_t kMany = ~uint64_t{0}, kAny = ~uint64_t{1};

  [[nodiscard]] uint32_t generation() const { return generation_; }
  [[nodiscard]] uint32_t now(uint32_t wave) const { return known_[wave][wave]; }
  /// Whether anything but a barrier of all may have ordered waves. Until then nobody need note when a wave
  /// read: that counts as early, so that what follows may hide a race but not invent one.
  [[nodiscard]] bool used() const { return used_; }
  void use() { used_ = true; }
  /// Whether what `from` did at its `clock` happens before what `to` does.
  [[nodiscard]] bool ordered(uint32_t from, uint32_t clock, uint32_t to) const {
    return from == to || known_[to][from] > clock;
  }

  /// A new workgroup, in a generation that nothing has seen.
  void begin(uint32_t generation) {
    known_ = {};
    places_.clear();
    used_ = false;
    arrived_ = done_ = {};
    generation_ = generation;
  }
  /// All waves have met.
  void barrier() { ++generation_; }

  /// `place`: an address, or kMany for an instruction whose lanes have several.
  void release(uint32_t wave, uint64_t place) {
    const Clock published = publish(wave);
    join(places_[place], published);
    join(places_[kAny], published);
  }
  void acquire(uint32_t wave, uint64_t place) {
    used_ = true;
    if (place == kMany) return join(known_[wave], places_[kAny]);
    join(known_[wave], places_[place]);
    join(known_[wave], places_[kMany]);
  }

  // The halves of a split barrier.
  void arrive(uint32_t wave) { join(arrived_, publish(wave)); }
  void all_arrived() {
    done_ = arrived_;
    arrived_ = {};
  }
  void leave(uint32_t wave) {
    used_ = true;
    join(known_[wave], done_);
  }

 private:
  using Clock = std::array<uint32_t, kWaves>;
  static void join(Clock& into, const Clock& from) {
    for (uint32_t wave = 0; wave < kWaves; ++wave) into[wave] = std::max(into[wave], from[wave]);
  }
  /// What the wave knows, its accesses up to here included; those that follow are later.
  Clock publish(uint32_t wave) {
    ++known_[wave][wave];
    return known_[wave];
  }

  std::array<Clock, kWaves> known_{};
  std::unordered_map<uint64_t, Clock> places_;
  Clock arrived_{}, done_{};
  uint32_t generation_ = 0;
  bool used_ = false;
};

}  // namespace wavesmith::check
