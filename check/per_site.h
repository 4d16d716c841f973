// What a checker knows of each instruction of a program, found once and then read without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "check/made_at.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

/// A T per site, made when it is first asked for.
///
///   PerSite<Effects> effects;
///   effects.of(site, [&] { return isa::effects_of(...); })
///
/// They lie side by side in the order of the program: code is long, and what lies elsewhere would have to be
/// fetched for each instruction.
template <class T>
class PerSite {
 public:
  PerSite() = default;
  PerSite(const PerSite&) = delete;
  PerSite& operator=(const PerSite&) = delete;
  ~PerSite() {
    for (auto& chunk : chunks_) delete chunk.load();
  }

  template <class Make>
  const T& of(const emulate::Site& site, Make make) {
    const Chunk* const chunk = chunks_[site.number / kChunk].load(std::memory_order_acquire);
    if (chunk) [[likely]] {
      const Place& place = (*chunk)[site.number % kChunk];
      if (place.made.load(std::memory_order_acquire)) [[likely]]
        return place.value;
    }
    return make_at(site, make);
  }

 private:
  static constexpr size_t kChunk = 512, kChunks = 8192;
  /// What is long begins where a cache line does, so that what is asked for first takes one.
  struct alignas(sizeof(T) > 32 ? 64 : alignof(T)) Place {
    Place() {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      if (made.load()) value.~T();
    }
    std::atomic<bool> made{false};
    union {
      T value;
    };
  };
  using Chunk = std::array<Place, kChunk>;

  template <class Make>
  [[gnu::noinline]] const T& make_at(const emulate::Site& site, Make& make) {
    Place& place = (*made_at(chunks_[site.number / kChunk]))[site.number % kChunk];
    T made = make();
    const std::scoped_lock lock(mutex_);
    if (!place.made.load(std::memory_order_relaxed)) {
      new (&place.value) T(std::move(made));
      place.made.store(true, std::memory_order_release);
    }
    return place.value;
  }

  std::mutex mutex_;
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
};

}  // namespace wavesmith::check
