// Who released what: for accesses to memory that is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "check/host_call.h"

namespace wavesmith::check {

struct Release {
  uint64_t bytes = 0;
  HostCall call = {};
  uint64_t number = 0;  ///< from 1
};

class Releases {
 public:
  /// The call under way has released memory.
  void note(uint64_t address, uint64_t bytes);
  /// The addresses are in use again.
  void forget(uint64_t address, uint64_t bytes);
  /// The release of what an address lay in.
  [[nodiscard]] std::optional<Release> find(uint64_t address) const;
  /// Changes with each release.
  [[nodiscard]] uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, Release> by_address_;
  std::map<uint64_t, uint64_t> by_number_;  ///< addresses
  std::atomic<uint64_t> count_{0};
};

}  // namespace wavesmith::check
