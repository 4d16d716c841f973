// What waves hand each other in device memory during a launch.
#pragma once

#include <memory>
#include <mutex>

#include "emulate/run/events.h"
#include "tests/check/bytes_of_waves.h"

namespace wavesmith::mutants {

/// Hears of every access to device memory, and knows afterwards whether a wave has read, through the cache
/// next to it, a byte that another wave of the launch writes.
///
/// Where none does, nobody can tell whether that cache was invalidated: what it held when the kernel began is
/// as the memory, and of what a wave reads nothing changes but by its own stores. Loads that are coherent at
/// agent scope or wider go past it, and atomics are performed behind it.
class HandOvers : public emulate::Listener {
 public:
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView&) override;
  [[nodiscard]] bool hears_instructions() const override { return false; }
  [[nodiscard]] bool any() const;

 private:
  class OfWorkgroup;
  std::mutex mutex_;
  BytesOfWaves readers_, writers_;
};

}  // namespace wavesmith::mutants
