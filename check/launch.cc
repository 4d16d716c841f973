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

std::string place_of(const Launch& launch, uint64_t address) {
  const auto held = launch.memory.find(reinterpret_cast<const void*>(address));
  if (!held) return launch.memory.describe(address);
  std::string name = "allocation";
  for (const object::Argument& argument : launch.kernel.arguments) {
    uint64_t value = 0;
    if (argument.hidden() || argument.size != sizeof value ||
        argument.offset + sizeof value > launch.kernarg.size())
      continue;
    std::memcpy(&value, launch.kernarg.data() + argument.offset, sizeof value);
    if (value - held->address >= held->bytes) continue;
    name = argument.name.empty() ? "an argument's allocation" : "argument '" + argument.name + "'";
    break;
  }
  return fmt::format("{} ({} bytes) + {:#x}", name, held->bytes, address - held->address);
}

}  // namespace wavesmith::check
