// What a checker knows of each instruction of a program, found once and then read without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "emulate/run/events.h"

namespace wavesmith::check {

/// A T per site, made when it is first asked for.
///
///   PerSite<Effects> effects;
///   effects.of(site, [&] { return isa::effects_of(...); })
template <class T>
class PerSite {
 public:
  PerSite() = default;
  PerSite(const PerSite&) = delete;
  PerSite& operator=(const PerSite&) = delete;
  ~PerSite() {
    for (auto& chunk : chunks_) {
      const Chunk* const all = chunk.load();
      if (!all) continue;
      for (const auto& one : *all) delete one.load();
      delete all;
    }
  }

  template <class Make>
  const T& of(const emulate::Site& site, Make make) {
    std::atomic<const T*>& place = chunk(site.number / kChunk)[site.number % kChunk];
    if (const T* const known = place.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<const T>(make());
    const T* expected = nullptr;
    if (place.compare_exchange_strong(expected, made.get())) return *made.release();
    return *expected;
  }

 private:
  static constexpr size_t kChunk = 1024, kChunks = 4096;
  using Chunk = std::array<std::atomic<const T*>, kChunk>;
  Chunk& chunk(size_t number) {
    std::atomic<Chunk*>& place = chunks_[number];
    if (Chunk* const known = place.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<Chunk>();
    Chunk* expected = nullptr;
    if (place.compare_exchange_strong(expected, made.get())) return *made.release();
    return *expected;
  }
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
};

}  // namespace wavesmith::check
