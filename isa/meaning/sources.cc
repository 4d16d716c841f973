#include "isa/meaning/sources.h"

#include <algorithm>

namespace wavesmith::isa {
namespace {

RegisterRange implicit(const Role& role, const Row& row, int wave_lanes) {
  const auto mask = static_cast<uint16_t>(wave_lanes == 64 ? 2 : 1);
  const bool scalar = row.shape == Shape::Scalar;
  switch (role.type) {
    case Type::Scc:
      return {reg::kScc, 1};
    case Type::M0:
      return {reg::kM0, 1};
    case Type::Exec:
      return {reg::kExec, scalar ? uint16_t{2} : mask};
    case Type::LaneMask:  // a scalar instruction of 32 bits names EXEC so
      return scalar ? RegisterRange{reg::kExec, 1} : RegisterRange{reg::kVcc, mask};
    default:
      return {};
  }
}

}  // namespace

int printed_results(const Row& row) {
  return static_cast<int>(std::count_if(row.roles, row.roles + row.count, [](const Role& role) {
    return role.printed && role.use == Role::Use::Write;
  }));
}

SourcePlace source_place(const Instruction& instruction, const Row& row, uint64_t number, int wave_lanes) {
  const auto& printed = instruction.operands;
  size_t next = static_cast<size_t>(printed_results(row));
  uint64_t read = 0;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    if (role.use == Role::Use::Write) continue;
    const size_t at = role.destination_too ? 0 : role.printed ? next++ : printed.size();
    if (read++ != number) continue;
    SourcePlace place{role};
    if (at < printed.size()) place.operand = &printed[at];
    if (place.operand)
      place.registers = registers_of(*place.operand, wave_lanes);
    else if (!role.printed && !role.destination_too)
      place.registers = implicit(role, row, wave_lanes);
    else if (!row.facts.modifier.empty())
      place.modifier = static_cast<uint64_t>(instruction.value(row.facts.modifier));
    return place;
  }
  return {};
}

bool is_plain(const Instruction& instruction) {
  return instruction.encoding != Encoding::Dpp && instruction.encoding != Encoding::E64Dpp &&
         instruction.encoding != Encoding::Sdwa && instruction.second.empty() && !instruction.has("clamp") &&
         !instruction.has("op_sel");
}

}  // namespace wavesmith::isa
