// Ranges of addresses in which a launch's accesses are right.
#pragma once

#include <cstdint>
#include <vector>

#include "check/launch.h"

namespace wavesmith::check {

/// From `begin` up to `end`; the one made by default holds nothing.
struct Span {
  uint64_t begin = 1, end = 0;
  bool guarded = false;  ///< a part of it may not be written
  [[nodiscard]] bool holds(uint64_t low, uint64_t high) const { return low >= begin && high <= end; }
};

class Spans {
 public:
  explicit Spans(const Launch& launch);
  /// The allocation around an address, or what else is there for kernels: their arguments, their code, the
  /// host's memory where they see it. Holds nothing where there is none of these.
  [[nodiscard]] Span around(uint64_t address) const;
  /// "the kernel's arguments", "code" or "constants" where a write of [low, high) changes them; nullptr: it
  /// does not.
  [[nodiscard]] const char* guarded_by(uint64_t low, uint64_t high) const;

 private:
  [[nodiscard]] Span made(uint64_t begin, uint64_t end) const;
  const emulate::Memory& memory_;
  Span arguments_, code_;
  std::vector<Span> constants_;
};

}  // namespace wavesmith::check
