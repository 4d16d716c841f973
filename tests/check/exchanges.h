// Which waits for stores somebody could miss.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "emulate/run/events.h"
#include "isa/target.h"
#include "tests/check/bytes_of_waves.h"

namespace wavesmith::mutants {

/// Hears of all accesses to device memory.
///
/// Nobody misses a wait for stores in a run in which, behind it, its workgroup neither writes what another
/// workgroup accesses nor reads what another one writes, and in which no other wave of the workgroup touches
/// what was under way: nobody else learns that the wait is over, and the stores arrive before the kernel
/// ends.
class Exchanges : public emulate::Listener {
 public:
  explicit Exchanges(const isa::Target& target) : target_(target) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView&) override;
  /// The waits, by pc, that are not of this kind.
  [[nodiscard]] std::set<uint64_t> needed() const;

 private:
  class OfWorkgroup;
  /// When a wave does something: behind so many barriers, as so manyth instruction.
  struct Moment {
    uint32_t barriers = 0;
    uint64_t instruction = 0;
  };
  /// Stores that a wait waited for.
  struct Waited {
    uint64_t pc;
    uint32_t wave;
    Moment moment;
    std::vector<uint64_t> bytes;
  };
  /// A wave's last accesses of a byte.
  struct Use {
    Moment read, written;
    bool reads = false, writes = false;
  };
  struct Workgroup {
    Extent3 id;
    std::vector<Waited> waited;
    std::map<std::pair<uint64_t, uint32_t>, Use> uses;  ///< by byte and wave
  };
  [[nodiscard]] bool is_needed(const Workgroup& workgroup, const Waited& waited) const;

  const isa::Target& target_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workgroup>> workgroups_;
  BytesOfWaves readers_, writers_;  ///< workgroups
};

}  // namespace wavesmith::mutants
