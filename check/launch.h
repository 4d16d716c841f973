// What checkers know of a kernel launch, and how they name those who took part in a fault.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/extent3.h"
#include "check/finding.h"
#include "check/findings.h"
#include "emulate/memory/memory.h"
#include "emulate/run/events.h"
#include "isa/target.h"
#include "object/kernel.h"

namespace wavesmith::check {

struct Launch {
  const isa::Target& target;
  int wave_lanes;
  const object::Kernel& kernel;
  uint64_t entry;  ///< address of the first instruction
  uint64_t id;     ///< number of the launch on its device
  int device = 0;
  uint64_t stream = 0;
  Extent3 grid;       ///< work-items
  Extent3 workgroup;  ///< work-items
  uint32_t dynamic_lds = 0;
  std::span<const uint8_t> kernarg;
  const emulate::Memory& memory;
  std::function<std::string(uint64_t)> locate = {};      ///< function and source line of a pc
  std::span<const uint8_t> code = {};                    ///< the executable segment
  std::vector<std::span<const uint8_t>> constants = {};  ///< segments of data that kernels may not write
  /// What memory is for: the runtime's own and the host's too.
  enum class Owner : uint8_t { Program, ProgramAndHost, Runtime };
  std::function<Owner(const emulate::Use&)> owner_of = {};  ///< none: all is the program's
  /// Whether its grid meets those of other launches at barriers.
  bool meets_others = false;
  /// Whether the process has no stream but the launch's, so that all its work comes one after the other.
  bool in_only_stream = false;
  uint64_t program = 0;  ///< the program's number, which no other one has; 0: not known

  /// The kernel's name as a person writes it.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] Extent3 workgroups() const { return workgroups_of(grid, workgroup); }
  [[nodiscard]] uint64_t number_of(const Extent3& id) const { return workgroups().number_at(id); }
};

/// Names an instruction that took part. `lanes` 0: the wave as a whole.
Party party(const Launch& launch, std::string role, const isa::Instruction& instruction,
            const Extent3& workgroup, uint32_t wave, uint64_t lanes);

/// Where a device address lies: "allocation (4096 bytes) + 0x10", "argument 'x' (4096 bytes) + 0x10", the
/// same of the nearest allocation where none holds it.
std::string place_of(const Launch& launch, uint64_t address);

}  // namespace wavesmith::check
