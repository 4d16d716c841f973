// Stores at agent scope or wider of what depends on undefined values: what workgroups hand each other in
// device memory, for example the state of a look-back, where the last one's may be of no use to anybody. They
// are told of when the host reads the bytes; kernels that read them have calculated values that nobody wrote.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "check/findings.h"
#include "check/init/global_shadow.h"

namespace wavesmith::check::init {

class HandedOver {
 public:
  /// A store to some bytes, and the finding that it is if they are read.
  void add(uint64_t address, uint64_t bytes, const Findings::Key& key, const Findings::Order& order,
           const std::function<Finding()>& make);
  /// The host reads bytes: those that are still undefined become findings.
  void read(uint64_t address, uint64_t bytes, const GlobalShadow& global, Findings& findings);
  void forget(uint64_t address, uint64_t bytes);
  /// Whether any of the bytes was stored so, whoever has written them since.
  [[nodiscard]] bool any(uint64_t address, uint64_t bytes) const;

 private:
  struct Entry {
    Findings::Order order;
    Finding finding;
  };
  struct Range {
    uint64_t end;
    Findings::Key key;
  };
  using Ranges = std::map<uint64_t, Range>;  ///< by their first addresses; they do not overlap
  static constexpr size_t kMost = 1 << 16;   ///< ranges; more are not kept
  /// Takes them out, up to the parts that reach beyond.
  void cut(uint64_t address, uint64_t end);
  /// The first one that ends behind an address.
  [[nodiscard]] Ranges::const_iterator first_behind(uint64_t address) const;

  std::atomic<bool> used_ = false;
  mutable std::mutex mutex_;
  Ranges ranges_;
  std::map<Findings::Key, Entry> entries_;
};

}  // namespace wavesmith::check::init
