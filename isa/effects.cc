#include "isa/effects.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "isa/control/row.h"
#include "isa/mnemonic.h"
#include "isa/rows.h"

namespace wavesmith::isa {
namespace {

bool is_off(const Operand& operand) {
  return operand.kind == Operand::Kind::Special && (operand.name == "off" || operand.name == "null");
}

RegisterRange named(std::string_view name, int wave_lanes) {
  const auto mask = static_cast<uint16_t>(wave_lanes == 64 ? 2 : 1);
  if (name == "vcc") return {reg::kVcc, 2};
  if (name == "vcc_lo") return {reg::kVcc, 1};
  if (name == "vcc_hi") return {reg::kVcc + 1, 1};
  if (name == "exec") return {reg::kExec, 2};
  if (name == "exec_lo") return {reg::kExec, 1};
  if (name == "exec_hi") return {reg::kExec + 1, 1};
  if (name == "m0") return {reg::kM0, 1};
  if (name == "scc" || name == "src_scc") return {reg::kScc, 1};
  if (name == "src_vccz") return {reg::kVcc, mask};
  if (name == "src_execz") return {reg::kExec, mask};
  if (name.starts_with("ttmp")) {
    const size_t digit = name.find_first_of("0123456789"), colon = name.find(':');
    uint16_t first = 0, last = 0;
    if (digit == std::string_view::npos) return {};
    std::from_chars(name.data() + digit, name.data() + name.size(), first);
    last = first;
    if (colon != std::string_view::npos)
      std::from_chars(name.data() + colon + 1, name.data() + name.size(), last);
    if (last < first || last > 15) return {};
    return {static_cast<uint16_t>(reg::kTtmp + first), static_cast<uint16_t>(last - first + 1)};
  }
  return {};
}

class Collector {
 public:
  Collector(Effects& effects, int wave_lanes) : effects_(effects), lanes_(wave_lanes) {}
  void read(const Operand& operand) { read(registers_of(operand, lanes_)); }
  void write(const Operand& operand) { write(registers_of(operand, lanes_)); }
  void read(const Operand* operand) {
    if (operand) read(*operand);
  }
  void write(const Operand* operand) {
    if (operand) write(*operand);
  }
  void read(RegisterRange range) {
    if (range.count) effects_.reads.push_back(range);
  }
  void write(RegisterRange range) {
    if (range.count) effects_.writes.push_back(range);
  }
  [[nodiscard]] RegisterRange lane_mask(uint16_t first) const {
    return {first, static_cast<uint16_t>(lanes_ == 64 ? 2 : 1)};
  }

 private:
  Effects& effects_;
  int lanes_;
};

/// A result that leaves parts of its register as they were, beside the lanes that EXEC masks.
bool keeps_parts(const Instruction& instruction, const Operand& result, const Row& row) {
  if (result.half != Operand::Half::Whole) return true;
  for (int i = 0; i < row.count; ++i)
    if (row.roles[i].use == Role::Use::Write &&
        (row.roles[i].type == Type::B8 || row.roles[i].type == Type::B16))
      return true;
  if (instruction.encoding == Encoding::Dpp || instruction.encoding == Encoding::E64Dpp) {
    const bool all = instruction.value("row_mask", 15) == 15 && instruction.value("bank_mask", 15) == 15;
    const bool bounded = instruction.has("bound_ctrl") || instruction.has("dpp8");
    return !all || !bounded;
  }
  if (const Modifier* const unused = instruction.find("dst_unused")) return unused->text == "UNUSED_PRESERVE";
  // The last bit of op_sel chooses the half of a 16-bit result.
  if (const Modifier* const select = instruction.find("op_sel"); select && row.shape == Shape::Lane) {
    int sources = 0;
    for (int i = 0; i < row.count; ++i)
      sources += row.roles[i].use == Role::Use::Read && row.roles[i].printed;
    const auto at = static_cast<size_t>(sources);
    return at < select->values.size() && select->values[at] != 0;
  }
  return false;
}

void add_row(Collector& to, Effects& effects, const Instruction& instruction, const Row& row) {
  const auto& printed = instruction.operands;
  size_t results = 0;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    const bool writes = role.use == Role::Use::Write;
    if (role.printed) {
      if (writes) ++results;
      if (role.destination_too && results >= 1 && results <= printed.size()) to.read(printed[results - 1]);
      continue;
    }
    RegisterRange range;
    if (role.destination_too) {
      if (!printed.empty()) to.read(printed[0]);
      continue;
    }
    if (role.type == Type::Scc) {
      range = {reg::kScc, 1};
    } else if (role.type == Type::M0) {
      range = {reg::kM0, 1};
    } else if (role.type == Type::Exec) {
      range = row.shape == Shape::Scalar ? RegisterRange{reg::kExec, 2} : to.lane_mask(reg::kExec);
    } else if (role.type == Type::LaneMask) {
      const bool exec = row.shape == Shape::Scalar && instruction.mnemonic.find("exec") != std::string::npos;
      range = exec ? RegisterRange{reg::kExec, 1} : to.lane_mask(reg::kVcc);
    }
    writes ? to.write(range) : to.read(range);
  }
  if (row.shape == Shape::Lane && row.count && row.roles[0].type == Type::Exec)
    to.write(to.lane_mask(reg::kExec));  // v_cmpx
  for (size_t i = 0; i < printed.size(); ++i) i < results ? to.write(printed[i]) : to.read(printed[i]);
  if (row.shape == Shape::Scalar) return;
  to.read(to.lane_mask(reg::kExec));
  effects.masked = row.shape != Shape::Matrix;
  effects.all_lanes = row.shape == Shape::Matrix;
  if (row.shape == Shape::Wave) {
    effects.all_lanes = row.facts.fetches;
    effects.unknown |= has_type(row, Type::M0);
    if (row.facts.unmasked) {
      effects.masked = false;
      if (!printed.empty()) to.read(printed[0]);
    }
  }
  if (row.shape == Shape::Matrix) return;
  if (instruction.encoding == Encoding::Dpp || instruction.encoding == Encoding::E64Dpp)
    effects.all_lanes |= instruction.value("fi", 0) != 0;
  if (results != 0 && !printed.empty() && keeps_parts(instruction, printed[0], row)) to.read(printed[0]);
}

void add_memory(Collector& to, Effects& effects, const Instruction& instruction, const Row& row) {
  const MemoryOperands operands = memory_operands(instruction, row);
  if (operands.result) {
    RegisterRange range = registers_of(*operands.result, 64);
    if (instruction.has("tfe") && range.count <= row.access.dwords)
      range.count = static_cast<uint16_t>(row.access.dwords + 1);
    to.write(range);
    if (row.access.merges) to.read(range);
  }
  to.read(operands.address);
  to.read(operands.data);
  to.read(operands.second);
  to.read(operands.scalar);
  to.read(operands.resource);
  if (row.access.scalar) return;
  effects.masked = true;
  to.read(to.lane_mask(reg::kExec));
  const bool counts = row.access.lane == LdsLane::Append || row.access.lane == LdsLane::Consume;
  if (loads_to_lds(instruction) || counts || row.access.masked || row.facts.by_lane || instruction.has("gds"))
    to.read(RegisterRange{reg::kM0, 1});
}

/// Instructions that have no row of a family: their control rows say what is not printed.
void add_control(Collector& to, Effects& effects, const Instruction& instruction) {
  const auto& printed = instruction.operands;
  const ControlRow* const row = find_control(instruction.mnemonic);
  ControlFacts facts = row ? row->facts : ControlFacts{};
  // A vector instruction of another generation: taken as most are.
  if (!row && is_vector(instruction.mnemonic)) facts.result = facts.masked = facts.unknown = true;
  switch (facts.condition.flag) {
    case BranchCondition::Flag::Scc:
      return to.read(RegisterRange{reg::kScc, 1});
    case BranchCondition::Flag::Vcc:
      return to.read(to.lane_mask(reg::kVcc));
    case BranchCondition::Flag::Exec:
      return to.read(to.lane_mask(reg::kExec));
    case BranchCondition::Flag::None:
      break;
  }
  effects.masked = facts.masked;
  effects.unknown = facts.unknown;
  if (facts.writes_scc) to.write(RegisterRange{reg::kScc, 1});
  if (facts.reads_m0) to.read(RegisterRange{reg::kM0, 1});
  if (facts.writes_m0) to.write(RegisterRange{reg::kM0, 1});
  for (size_t i = 0; i < printed.size(); ++i)
    i == 0 && facts.result ? to.write(printed[i]) : to.read(printed[i]);
  if (row && row->operation == Operation::ScalarAtomic && !printed.empty() && instruction.returns_old_value())
    to.write(printed[0]);
}

}  // namespace

bool Effects::reads_register(uint16_t r) const {
  return std::any_of(reads.begin(), reads.end(), [r](RegisterRange range) { return range.has(r); });
}
bool Effects::writes_register(uint16_t r) const {
  return std::any_of(writes.begin(), writes.end(), [r](RegisterRange range) { return range.has(r); });
}

RegisterRange registers_of(const Operand& operand, int wave_lanes) {
  const auto within = [&](uint16_t first, uint16_t end) {
    if (operand.index + operand.count > end) return RegisterRange{};
    return RegisterRange{static_cast<uint16_t>(first + operand.index), operand.count};
  };
  switch (operand.kind) {
    case Operand::Kind::Vgpr:
      return within(reg::kVgpr, 256);
    case Operand::Kind::Agpr:
      return within(reg::kAgpr, 256);
    case Operand::Kind::Sgpr:
      return within(reg::kSgpr, 106);
    case Operand::Kind::Special:
      return named(operand.name, wave_lanes);
    default:
      return {};
  }
}

Space space_of(std::string_view name) {
  if (name.starts_with("global_")) return Space::Global;
  if (name.starts_with("flat_")) return Space::Flat;
  if (name.starts_with("scratch_")) return Space::Scratch;
  if (name.starts_with("ds_")) return Space::Lds;
  if (name.starts_with("buffer_")) return Space::Buffer;
  if (name.starts_with("tbuffer_")) return Space::Typed;
  return Space::Scalar;
}

bool loads_to_lds(const Instruction& instruction) {
  return instruction.has("lds") || instruction.mnemonic.find("_load_lds_") != std::string::npos;
}

MemoryOperands memory_operands(const Instruction& instruction, const Row& row) {
  MemoryOperands found;
  const Access& access = row.access;
  const auto& printed = instruction.operands;
  const Space space = space_of(instruction.mnemonic);
  const bool load = access.direction == Direction::Load, store = access.direction == Direction::Store,
             atomic = access.direction == Direction::Atomic, to_lds = loads_to_lds(instruction);
  size_t next = 0;
  const auto take = [&]() -> const Operand* {
    if (next >= printed.size()) return nullptr;
    const Operand* const operand = &printed[next++];
    return is_off(*operand) ? nullptr : operand;
  };
  switch (space) {
    case Space::Scalar:
      (load ? found.result : found.data) = take();
      found.resource = take();
      found.scalar = take();
      return found;
    case Space::Buffer:
    case Space::Typed:
      if (!to_lds) {
        const Operand* const data = take();
        if (load || (atomic && instruction.returns_old_value())) found.result = data;
        if (!load) found.data = data;
      }
      found.address = take();
      found.resource = take();
      found.scalar = take();
      return found;
    case Space::Lds: {
      if (access.lane != LdsLane::None) {
        found.result = take();
        found.address = take();
        found.data = take();
        return found;
      }
      if (access.direction == Direction::None) return found;
      if (load || (atomic && instruction.returns_old_value())) found.result = take();
      if (!row.facts.by_lane) found.address = take();
      if (!load) found.data = take();
      if (!load) found.second = take();
      return found;
    }
    default: {
      const size_t plain = space == Space::Flat ? 1 : 2;  // address, and saddr
      const size_t data = store || atomic ? 1 : 0;
      if (row.facts.by_lane) {
        (load ? found.result : found.data) = take();
        found.scalar = take();
        return found;
      }
      if ((load && !to_lds) || (atomic && printed.size() > plain + data)) found.result = take();
      found.address = take();
      if (data) found.data = take();
      found.scalar = take();
      return found;
    }
  }
}

Instruction single_of(const Instruction& half, int wave_lanes) {
  Instruction single = half;
  single.second.clear();
  if (single.mnemonic.starts_with("v_dual_")) single.mnemonic = "v_" + single.mnemonic.substr(7);
  // Its VCC is not printed.
  if (single.mnemonic == "v_cndmask_b32" && single.operands.size() == 3)
    single.operands.push_back({.kind = Operand::Kind::Special, .name = wave_lanes == 32 ? "vcc_lo" : "vcc"});
  return single;
}

Effects effects_of(const Instruction& instruction, const Row* row, const Target& target, int wave_lanes) {
  Effects effects;
  Collector to(effects, wave_lanes);
  if (!instruction.second.empty()) {
    for (const Instruction* half : {&instruction, &instruction.second.front()}) {
      const Instruction single = single_of(*half, wave_lanes);
      const Row* const own = find_row(single.mnemonic, target);
      if (own)
        add_row(to, effects, single, *own);
      else
        effects.unknown = true;
    }
    return effects;
  }
  if (!row)
    add_control(to, effects, instruction);
  else if (row->shape == Shape::Memory)
    add_memory(to, effects, instruction, *row);
  else
    add_row(to, effects, instruction, *row);
  return effects;
}

}  // namespace wavesmith::isa
