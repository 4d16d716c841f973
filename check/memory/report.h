// Wrong accesses as findings.
#pragma once

#include <functional>
#include <string>

#include "check/findings.h"
#include "check/launch.h"
#include "check/memory/releases.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

/// An access of which `lanes` are wrong.
struct FaultyAccess {
  const emulate::WaveView& wave;
  const emulate::Site& site;
  const emulate::MemoryAccess& access;
  uint64_t lanes;
  uint64_t event;  ///< its number in the workgroup
};

/// Of one workgroup.
class MemoryReporter {
 public:
  MemoryReporter(Findings& findings, const Launch& launch, const Releases& releases,
                 const emulate::WorkgroupView& view);
  /// Bytes of private memory that a lane has.
  [[nodiscard]] uint64_t private_bytes() const { return private_bytes_; }

  /// Global memory that is not there for kernels: outside of all allocations, freed, a null pointer.
  void out_of_bounds(const FaultyAccess& faulty);
  void read_only(const FaultyAccess& faulty, const char* what);
  void beyond_lds(const FaultyAccess& faulty);
  void beyond_private(const FaultyAccess& faulty);
  void misaligned_atomic(const FaultyAccess& faulty);
  void misaligned_scalar(const FaultyAccess& faulty);
  void misaligned_lds(const FaultyAccess& faulty);
  /// Looks at the resource of a buffer access, whether the access is wrong or not.
  void resource(const FaultyAccess& access);

 private:
  void nowhere_in_lds(const FaultyAccess& faulty);
  void add(const FaultyAccess& faulty, std::string_view rule, const std::function<Finding()>& make);
  [[nodiscard]] Finding finding(const FaultyAccess& faulty, std::string_view rule, std::string what,
                                std::string address, std::string fix) const;
  [[nodiscard]] Finding use_after_free(const FaultyAccess& faulty, uint64_t address) const;
  [[nodiscard]] Finding outside(const FaultyAccess& faulty, uint64_t address) const;

  Findings& findings_;
  const Launch& launch_;
  const Releases& releases_;
  const Extent3 id_;
  const uint32_t lds_bytes_;
  const uint64_t private_bytes_;
};

/// The host's call that released memory.
Party releasing_party(const Release& release);

/// A launch that was stopped by an access of which nothing more is known.
void add_fault(Findings& findings, const Launch& launch, const Error& error);

/// A launch that was stopped because it went on where there is no code of its program.
void add_wild_jump(Findings& findings, const Launch& launch, const Error& error);

}  // namespace wavesmith::check
