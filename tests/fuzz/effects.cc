#include "tests/fuzz/effects.h"

#include <algorithm>
#include <cstdlib>

#include "emulate/run/wave.h"

namespace wavesmith::fuzz {
namespace {

using isa::Instruction;
using isa::Operand;
using isa::Role;
using isa::Type;
namespace index = emulate::scalar_index;

constexpr int kAccumulation = emulate::kVgprRows;

/// The registers that an operand names; nothing for constants.
std::optional<RegisterRange> registers_of(const Operand& operand, int lanes) {
  const int lane_mask = lanes == 64 ? 2 : 1;
  switch (operand.kind) {
    case Operand::Kind::Vgpr:
      return RegisterRange{false, operand.index, operand.count};
    case Operand::Kind::Agpr:
      return RegisterRange{false, kAccumulation + operand.index, operand.count};
    case Operand::Kind::Sgpr:
      return RegisterRange{true, operand.index, operand.count};
    case Operand::Kind::Special:
      break;
    default:
      return std::nullopt;
  }
  const std::string& name = operand.name;
  if (name == "vcc") return RegisterRange{true, index::kVcc, 2};
  if (name == "vcc_lo") return RegisterRange{true, index::kVcc, 1};
  if (name == "vcc_hi") return RegisterRange{true, index::kVcc + 1, 1};
  if (name == "exec") return RegisterRange{true, index::kExec, 2};
  if (name == "exec_lo") return RegisterRange{true, index::kExec, 1};
  if (name == "exec_hi") return RegisterRange{true, index::kExec + 1, 1};
  if (name == "m0") return RegisterRange{true, index::kM0, 1};
  if (name == "src_scc" || name == "scc") return RegisterRange{true, index::kScc, 1};
  if (name == "src_vccz") return RegisterRange{true, index::kVcc, lane_mask};
  if (name == "src_execz") return RegisterRange{true, index::kExec, lane_mask};
  if (name.starts_with("ttmp")) {
    const size_t at = name.find_first_of("0123456789");
    if (at == std::string::npos) return std::nullopt;
    const int first = std::atoi(name.c_str() + at);
    const size_t colon = name.find(':');
    const int last = colon == std::string::npos ? first : std::atoi(name.c_str() + colon + 1);
    return RegisterRange{true, index::kTtmp + first, last - first + 1};
  }
  return std::nullopt;  // apertures and flat_scratch lie beyond what is compared
}

bool returns(const Instruction& instruction) {
  if (instruction.mnemonic.find("_rtn") != std::string::npos || instruction.has("glc") ||
      instruction.has("sc0"))
    return true;
  const isa::Modifier* const hint = instruction.find("th");
  return hint && hint->text.find("RETURN") != std::string::npos;
}

/// Printed results of a memory instruction.
size_t memory_results(const Instruction& instruction, const isa::Access& access) {
  const std::string& name = instruction.mnemonic;
  if (instruction.has("lds") || name.find("_load_lds_") != std::string::npos || name == "ds_nop") return 0;
  switch (access.direction) {
    case isa::Direction::Store:
      return 0;
    case isa::Direction::Atomic:
      return returns(instruction) ? 1 : 0;
    default:
      return 1;
  }
}

}  // namespace

std::optional<Effects> effects_of(const Instruction& instruction, const isa::Row& row, int lanes) {
  if (instruction.mnemonic.find("rel") != std::string::npos) return std::nullopt;
  Effects effects;
  const int lane_mask = lanes == 64 ? 2 : 1;
  const auto exec = RegisterRange{true, index::kExec, 2};
  const auto add = [](std::vector<RegisterRange>& to, const std::optional<RegisterRange>& range) {
    if (range) to.push_back(*range);
  };
  size_t results = 0;
  if (row.shape == isa::Shape::Memory) {
    results = memory_results(instruction, row.access);
    effects.reads.push_back(exec);
    effects.reads.push_back({true, index::kM0, 1});
    // A load into a half keeps the other one; lanes that read nothing keep theirs.
    if (results != 0) add(effects.reads, registers_of(instruction.operands[0], lanes));
  } else if (row.shape == isa::Shape::Matrix) {
    results = 1;
    effects.reads.push_back(exec);
    effects.keeps_inactive_lanes = false;
    if (!instruction.operands.empty()) add(effects.reads, registers_of(instruction.operands[0], lanes));
  } else {
    for (int i = 0; i < row.count; ++i) {
      const Role& role = row.roles[i];
      auto& to = role.use == Role::Use::Write ? effects.writes : effects.reads;
      if (role.printed) {
        results += role.use == Role::Use::Write;
        if (role.destination_too && !instruction.operands.empty())  // exchanged in place
          add(effects.reads, registers_of(instruction.operands[results - 1], lanes));
        continue;
      }
      if (role.destination_too) {
        if (!instruction.operands.empty()) add(effects.reads, registers_of(instruction.operands[0], lanes));
      } else if (role.type == Type::LaneMask && row.shape == isa::Shape::Scalar &&
                 instruction.mnemonic.find("exec") != std::string::npos) {
        to.push_back({true, index::kExec, 1});  // of a wave32
      } else if (role.type == Type::LaneMask) {
        to.push_back({true, index::kVcc, lane_mask});
      } else if (role.type == Type::Exec) {
        to.push_back({true, index::kExec, row.shape == isa::Shape::Scalar ? 2 : lane_mask});
      } else if (role.type == Type::Scc) {
        to.push_back({true, index::kScc, 1});
      } else if (role.type == Type::M0) {
        to.push_back({true, index::kM0, 1});
      }
    }
    if (row.shape != isa::Shape::Scalar) effects.reads.push_back(exec);
    effects.keeps_inactive_lanes = row.shape != isa::Shape::Wave;
    // Halves, DPP and masked lanes leave parts of the destination: it counts as read.
    if (row.shape != isa::Shape::Scalar && !instruction.operands.empty() && results != 0)
      add(effects.reads, registers_of(instruction.operands[0], lanes));
  }
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    add(i < results ? effects.writes : effects.reads, registers_of(instruction.operands[i], lanes));
  // v_cmpx prints no result where it writes EXEC alone; CDNA's writes it beside.
  if (row.shape == isa::Shape::Lane && row.roles[0].type == Type::Exec)
    effects.writes.push_back({true, index::kExec, lane_mask});
  return effects;
}

}  // namespace wavesmith::fuzz
