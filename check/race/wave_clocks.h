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
#include <vector>

namespace wavesmith::check {

class WaveClocks {
 public:
  /// Of a workgroup: 1,024 work-items in waves of 32.
  static constexpr uint32_t kWaves = 32;
  /// Places that a single address is not the name of.
  static constexpr uint64_t kMany = ~uint64_t{0}, kAny = ~uint64_t{1};
  static constexpr uint32_t kNow = ~uint32_t{0};
  using Clock = std::array<uint32_t, kWaves>;
  /// What a wave knows of each: ordered before it, and seen, since it has invalidated its caches.
  struct Knowledge {
    Clock ordered{}, seen{};
  };

  [[nodiscard]] uint32_t generation() const { return generation_; }
  [[nodiscard]] uint32_t now(uint32_t wave) const { return known_[wave].ordered[wave]; }
  /// Whether anything but a barrier of all may have ordered waves. Until then nobody need note when a wave
  /// read: that counts as early, so that what follows may hide a race but not invent one.
  [[nodiscard]] bool used() const { return used_; }
  void use() { used_ = true; }
  /// Whether what `from` did at its `clock` happens before what `to` does.
  [[nodiscard]] bool ordered(uint32_t from, uint32_t clock, uint32_t to) const {
    return from == to || known_[to].ordered[from] > clock;
  }

  /// A new workgroup, in a generation that nothing has seen.
  void begin(uint32_t generation) {
    known_ = {};
    places_.clear();
    used_ = false;
    arrived_ = done_ = {};
    generation_ = generation;
    forget_snapshots();
  }
  /// All waves have met.
  void barrier() { ++generation_; }

  /// `place`: an address, or kMany for an instruction whose lanes have several. `until`: of the wave's own
  /// accesses only those before that clock.
  void release(uint32_t wave, uint64_t place, uint32_t until = kNow) {
    Clock published = publish(wave);
    published[wave] = std::min(published[wave], until);
    join(places_[place], published);
    join(places_[kAny], published);
  }
  void acquire(uint32_t wave, uint64_t place) {
    used_ = true;
    if (place == kMany) return learn(wave, places_[kAny]);
    learn(wave, places_[place]);
    learn(wave, places_[kMany]);
  }
  /// The wave has invalidated what its caches held.
  void see(uint32_t wave) {
    if (known_[wave].seen == known_[wave].ordered) return;
    known_[wave].seen = known_[wave].ordered;
    changed_[wave] = true;
  }

  // The halves of a split barrier.
  void arrive(uint32_t wave) { join(arrived_, publish(wave)); }
  void all_arrived() {
    done_ = arrived_;
    arrived_ = {};
  }
  void leave(uint32_t wave) {
    used_ = true;
    learn(wave, done_);
    see(wave);
  }

  /// What the wave knows now, kept under a number until it is forgotten.
  uint32_t snapshot(uint32_t wave) {
    if (!used_) return 0;
    if (changed_[wave]) {
      changed_[wave] = false;
      latest_[wave] = static_cast<uint32_t>(snapshots_.size());
      snapshots_.push_back(known_[wave]);
    }
    return latest_[wave];
  }
  [[nodiscard]] const Knowledge& kept(uint32_t snapshot) const { return snapshots_[snapshot]; }
  [[nodiscard]] size_t snapshots() const { return snapshots_.size(); }
  void forget_snapshots() {
    snapshots_.resize(1);  // that of who knows nothing
    latest_ = {};
    changed_.fill(true);
  }

 private:
  static void join(Clock& into, const Clock& from) {
    for (uint32_t wave = 0; wave < kWaves; ++wave) into[wave] = std::max(into[wave], from[wave]);
  }
  void learn(uint32_t wave, const Clock& from) {
    Clock& known = known_[wave].ordered;
    const Clock before = known;
    join(known, from);
    if (known != before) changed_[wave] = true;
  }
  /// What the wave knows, its accesses up to here included; those that follow are later.
  const Clock& publish(uint32_t wave) {
    ++known_[wave].ordered[wave];
    return known_[wave].ordered;
  }

  std::array<Knowledge, kWaves> known_{};
  std::unordered_map<uint64_t, Clock> places_;
  Clock arrived_{}, done_{};
  uint32_t generation_ = 0;
  bool used_ = false;
  std::vector<Knowledge> snapshots_;
  std::array<uint32_t, kWaves> latest_{};
  std::array<bool, kWaves> changed_{};
};

}  // namespace wavesmith::check
