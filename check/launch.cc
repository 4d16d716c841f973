#include "check/launch.h"

#include <cstring>

#include <fmt/format.h>

#include "isa/llvm/demangle.h"

namespace wavesmith::check {

std::string Launch::name() const { return isa::function_name(kernel.name); }

Party party(const Launch& launch, std::string role, const isa::Instruction& instruction,
            const Extent3& workgroup, uint32_t wave, uint64_t lanes) {
  return {.role = std::move(role),
          .kernel = launch.name(),
          .offset = instruction.pc - launch.entry,
          .instruction = instruction.text,
          .source = launch.locate ? launch.locate(instruction.pc) : std::string(),
          .dispatch = launch.id,
          .workgroup = workgroup,
          .wave = wave,
          .lanes = lanes};
}

namespace {

/// "argument 'x'" where one points into the allocation.
std::string name_of(const Launch& launch, const emulate::Allocation& allocation) {
  for (const object::Argument& argument : launch.kernel.arguments) {
    uint64_t value = 0;
    if (argument.hidden() || argument.size != sizeof value ||
        argument.offset + sizeof value > launch.kernarg.size())
      continue;
    std::memcpy(&value, launch.kernarg.data() + argument.offset, sizeof value);
    if (value - allocation.address >= allocation.bytes) continue;
    return argument.name.empty() ? "an argument's allocation" : "argument '" + argument.name + "'";
  }
  return "allocation";
}

}  // namespace

std::string place_of(const Launch& launch, uint64_t address) {
  using Kind = emulate::Place::Kind;
  const auto [kind, allocation, distance] = launch.memory.place_of(address);
  const auto named = [&] {
    return fmt::format("{} ({} bytes) {} {:#x}", name_of(launch, allocation), allocation.bytes,
                       kind == Kind::Before ? '-' : '+',
                       kind == Kind::Before ? distance : address - allocation.address);
  };
  switch (kind) {
    case Kind::Null:
      return fmt::format("null pointer + {:#x}", address);
    case Kind::Reserved:
      return fmt::format("reserved range ({} bytes) + {:#x}", allocation.bytes, address - allocation.address);
    case Kind::Freed:
      return fmt::format("freed allocation ({} bytes) + {:#x}", allocation.bytes,
                         address - allocation.address);
    case Kind::Held:
      return named();
    case Kind::Past:
    case Kind::Before:
      // What lies far from all allocations has nothing to do with the nearest.
      if (constexpr uint64_t kNear = 64 << 20; distance < kNear) return named();
      [[fallthrough]];
    case Kind::Nowhere:
      break;
  }
  return fmt::format("{:#x}", address);
}

}  // namespace wavesmith::check
