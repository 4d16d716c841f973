#include "check/init/plan.h"

#include <algorithm>
#include <bit>
#include <map>

#include "check/init/matrix_places.h"
#include "isa/meaning/sources.h"
#include "isa/rows.h"

namespace wavesmith::check::init {
namespace {

using isa::Operand;
using isa::RegisterRange;
using isa::Role;
using isa::Type;
namespace reg = isa::reg;

constexpr bool is_half(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::U16 || type == Type::I16;
}
constexpr bool is_halves(Type type) {
  return type == Type::V2F16 || type == Type::V2BF16 || type == Type::V2I16 || type == Type::V2U16;
}
constexpr bool is_pair(Type type) { return type == Type::V2F32 || type == Type::V2U32; }
constexpr bool is_wide(Type type) { return type == Type::F64 || type == Type::U64 || type == Type::I64; }

uint64_t bits_of_constant(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::Integer) return static_cast<uint64_t>(operand.bits);
  if (operand.kind != Operand::Kind::Float) return 0;
  return is_wide(type) ? std::bit_cast<uint64_t>(operand.real)
                       : std::bit_cast<uint32_t>(static_cast<float>(operand.real));
}

/// Makes a step of a row and a decoded instruction.
class StepMaker {
 public:
  StepMaker(const isa::Instruction& instruction, const isa::Row& row, const isa::Target& target, int lanes)
      : instruction_(instruction), row_(row), target_(target), lanes_(lanes) {}

  Step make() {
    step_.row = &row_;
    step_.scalar = row_.shape == isa::Shape::Scalar;
    step_.copies = row_.facts.copies || row_.facts.chooses;
    if (emulate::is_dpp(instruction_))
      if (const auto table = emulate::dpp_table(instruction_, lanes_)) step_.dpp = *table;
    for (int i = 0; i < row_.count; ++i) {
      const Role& role = row_.roles[i];
      role.use == Role::Use::Write ? add_result(role) : add_source(role);
    }
    choose_rule();
    return std::move(step_);
  }

 private:
  [[nodiscard]] const Operand* printed(size_t number) const {
    return number < instruction_.operands.size() ? &instruction_.operands[number] : nullptr;
  }
  [[nodiscard]] RegisterRange lane_mask(uint16_t first) const {
    return {first, static_cast<uint16_t>(lanes_ == 64 ? 2 : 1)};
  }
  [[nodiscard]] RegisterRange implicit(const Role& role) const {
    if (role.type == Type::Scc) return {reg::kScc, 1};
    if (role.type == Type::M0) return {reg::kM0, 1};
    if (role.type == Type::Exec) return step_.scalar ? RegisterRange{reg::kExec, 2} : lane_mask(reg::kExec);
    if (role.type == Type::LaneMask)
      return step_.scalar ? RegisterRange{reg::kExec, 1} : lane_mask(reg::kVcc);
    return {};
  }
  [[nodiscard]] int64_t flag(std::string_view name, size_t i, int64_t otherwise = 0) const {
    return instruction_.value(name, otherwise, i);
  }
  /// What a register range stands for as a value of the type.
  [[nodiscard]] Place place(RegisterRange range, Type type) const {
    Place place;
    if (range.count == 0) return place;
    place.first = range.first;
    place.dwords = static_cast<uint8_t>(range.count);
    place.kind = is_vector(range.first) ? Place::Kind::Vector : Place::Kind::Scalar;
    place.bits = range.count == 1 ? 32 : 64;
    if (type == Type::LaneMask || (type == Type::Exec && !step_.scalar)) {
      if (!step_.scalar) place.kind = Place::Kind::LaneMask;
    } else if (type == Type::Scc) {
      place.bits = 1;
    } else if (is_half(type)) {
      place.bits = 16;
    }
    return place;
  }
  static bool is_vector(uint16_t r) { return r < reg::kSgpr; }

  void select_part(Place& place, std::string_view selection) const {
    const auto number = static_cast<uint8_t>(selection.back() - '0');
    if (selection.starts_with("BYTE_")) place.shift = static_cast<uint8_t>(8 * number), place.bits = 8;
    if (selection.starts_with("WORD_")) place.shift = static_cast<uint8_t>(16 * number), place.bits = 16;
  }

  void add_source(const Role& role) {
    const size_t index = sources_;
    const Operand* operand = nullptr;
    RegisterRange range;
    if (role.destination_too) {
      operand = printed(0);
    } else if (role.printed) {
      operand = printed(static_cast<size_t>(isa::printed_results(row_)) + sources_++);
    } else {
      range = implicit(role);
    }
    if (operand) range = isa::registers_of(*operand, lanes_);
    Place source = place(range, role.type);
    if (role.type == Type::Exec && source.kind == Place::Kind::LaneMask) source.kind = Place::Kind::Scalar;
    source.constant = operand ? bits_of_constant(*operand, role.type)
                      : role.printed && !row_.facts.modifier.empty()
                          ? static_cast<uint64_t>(instruction_.value(row_.facts.modifier))
                          : 0;
    if (operand && !role.destination_too) choose_part(source, *operand, role.type, index);
    if (role.destination_too && is_half(role.type) && !step_.results.empty())
      source.shift = step_.results[0].shift;
    if (step_.dpp && index == 0 && role.printed) source.lanes = step_.dpp;
    if (row_.facts.interpolates != isa::Interpolation::None && role.printed) interpolate(source, index);
    step_.sources.push_back(source);
  }

  void interpolate(Place& source, size_t index) const {
    const bool first = row_.facts.interpolates == isa::Interpolation::P10;
    if (index == 0) source.lanes = emulate::quad_table(first ? 1 : 2);
    if (index == 2 && first) source.lanes = emulate::quad_table(0);
  }

  /// The part of a register that a modifier names.
  void choose_part(Place& source, const Operand& operand, Type type, size_t index) const {
    const bool sdwa = instruction_.encoding == isa::Encoding::Sdwa;
    const bool high = operand.half == Operand::Half::High ||
                      (operand.half == Operand::Half::Whole && flag("op_sel", index) != 0);
    if (sdwa && index < 2 && type != Type::LaneMask) {
      if (const auto* const selection = instruction_.find(index == 0 ? "src0_sel" : "src1_sel"))
        select_part(source, selection->text);
      source.sign = operand.sign_extend;
    } else if (type == Type::B8) {
      source.bits = 8;
      source.shift = static_cast<uint8_t>(8 * (instruction_.has("byte_sel")
                                                   ? instruction_.value("byte_sel") & 3
                                                   : flag("op_sel", 1) * 2 + flag("op_sel", 0)));
    } else if (type == Type::Mixed) {
      if (flag("op_sel_hi", index) != 0) source.bits = 16, source.shift = high ? 16 : 0;
    } else if (is_halves(type) || is_pair(type)) {
      source.low_from_high = flag("op_sel", index) != 0;
      source.high_from_high = flag("op_sel_hi", index, 1) != 0;
    } else if (is_half(type) || type == Type::B16 || operand.half != Operand::Half::Whole) {
      source.bits = 16;
      source.shift = high ? 16 : 0;
    }
  }

  void add_result(const Role& role) {
    const Operand* const operand = role.printed ? printed(results_++) : nullptr;
    Place result = place(operand ? isa::registers_of(*operand, lanes_) : implicit(role), role.type);
    result.rest = true;
    if (operand) choose_result_part(result, *operand, role.type);
    step_.results.push_back(result);
    // v_cmpx of CDNA leaves the lanes in both.
    if (row_.shape == isa::Shape::Lane && role.type == Type::Exec && role.printed) {
      Place exec = place(lane_mask(reg::kExec), Type::Exec);
      step_.results.push_back(exec);
    }
  }

  /// op_sel's value for the result: the fourth, or the one after the last source.
  [[nodiscard]] bool op_sel_of_result() const {
    const isa::Modifier* const select = instruction_.find("op_sel");
    if (!select || select->values.empty()) return false;
    const size_t printed_sources = instruction_.operands.size() - 1;
    return select->values.size() > std::min<size_t>(printed_sources, 3) && select->values.back() != 0;
  }

  void choose_result_part(Place& result, const Operand& operand, Type type) const {
    const bool high =
        operand.half == Operand::Half::High || (operand.half == Operand::Half::Whole && op_sel_of_result());
    if (const auto* const selection = instruction_.find("dst_sel")) {
      select_part(result, selection->text);
      const isa::Modifier* const unused = instruction_.find("dst_unused");
      result.rest = !unused || unused->text != "UNUSED_PRESERVE";
    } else if (type == Type::B8) {
      result.bits = 8;
      result.rest = false;
      result.shift = static_cast<uint8_t>(8 * (instruction_.has("byte_sel")
                                                   ? instruction_.value("byte_sel") & 3
                                                   : flag("op_sel", 3) * 2 + flag("op_sel", 2)));
    } else if (type == Type::B16) {
      result.bits = 16;
      result.rest = false;
      result.shift = high || row_.mnemonics.find("hi_f16") != std::string_view::npos ? 16 : 0;
    } else if (is_half(type)) {
      result.rest = target_.clears_high_half() && !row_.facts.keeps_high && !high;
      result.shift = high ? 16 : 0;
    }
  }

  /// Whether the row's expression says all that the instruction does.
  [[nodiscard]] bool expressible() const {
    if (!row_.meaning || instruction_.has("clamp")) return false;
    const isa::Expression* const meaning = row_.meaning();
    return meaning->results().size() + (step_.results.size() > meaning->results().size() ? 1 : 0) ==
               step_.results.size() &&
           !meaning->results().empty();
  }

  void choose_rule() {
    if (row_.shape == isa::Shape::Matrix) {
      step_.rule = Rule::Matrix;
    } else if (expressible()) {
      step_.rule = Rule::Expression;
      step_.meaning = row_.meaning();
    } else if (row_.shape == isa::Shape::Wave && writes_vectors()) {
      step_.rule = Rule::Shuffle;
      step_.shuffle = shuffle();
    } else if (row_.shape == isa::Shape::Packed && all_in_two()) {
      step_.rule = row_.mnemonics.find("v_pk_mov_b32") != std::string_view::npos ? Rule::Pair : Rule::Halves;
    }
  }
  /// Not so of the transcendental instructions of gfx12 on scalar registers.
  [[nodiscard]] bool writes_vectors() const {
    return !step_.results.empty() && step_.results[0].kind == Place::Kind::Vector;
  }
  /// Whether every source and the result are two values.
  [[nodiscard]] bool all_in_two() const {
    return std::all_of(row_.roles, row_.roles + row_.count, [](const Role& role) {
      return is_halves(role.type) || is_pair(role.type) || role.type == Type::Immediate ||
             role.type == Type::Mode;
    });
  }
  [[nodiscard]] Shuffle shuffle() const {
    static const std::map<std::string_view, Shuffle> kKnown = {{"v_writelane_b32", Shuffle::WriteLane},
                                                               {"v_permlane16_b32", Shuffle::Rows16},
                                                               {"v_permlanex16_b32", Shuffle::RowsX16},
                                                               {"v_permlane64_b32", Shuffle::Halves64},
                                                               {"v_swap_b32", Shuffle::Swap},
                                                               {"v_permlane16_swap_b32", Shuffle::Swap16},
                                                               {"v_permlane32_swap_b32", Shuffle::Swap32}};
    const auto found = kKnown.find(instruction_.mnemonic);
    return found == kKnown.end() ? Shuffle::Unknown : found->second;
  }

  const isa::Instruction& instruction_;
  const isa::Row& row_;
  const isa::Target& target_;
  int lanes_;
  Step step_;
  size_t sources_ = 0, results_ = 0;
};

/// LDS instructions that touch no memory: lanes are exchanged.
Step lds_step(const isa::Instruction& instruction, const isa::Row& row, int lanes) {
  Step step;
  step.row = &row;
  step.rule = Rule::Shuffle;
  const isa::MemoryOperands operands = isa::memory_operands(instruction, row);
  const auto add = [&](const Operand* operand, std::vector<Place>& to) {
    if (!operand) return;
    const RegisterRange range = isa::registers_of(*operand, lanes);
    to.push_back({.kind = Place::Kind::Vector, .first = range.first});
  };
  add(operands.result, step.results);
  add(operands.address, step.sources);
  add(operands.data, step.sources);
  switch (row.access.lane) {
    case isa::LdsLane::Swizzle:
      step.shuffle = Shuffle::Swizzle;
      step.offset = static_cast<uint16_t>(instruction.value("offset"));
      break;
    case isa::LdsLane::Permute:
      step.shuffle = Shuffle::Permute;
      break;
    case isa::LdsLane::BackPermute:
    case isa::LdsLane::BackPermuteInvalid:
      step.shuffle = Shuffle::BackPermute;
      break;
    default:
      step.shuffle = Shuffle::Unknown;
  }
  step.offset = static_cast<uint16_t>(instruction.value("offset"));
  return step;
}

void plan_memory(Plan& plan, const isa::Instruction& instruction, const isa::Row& row,
                 const isa::Target& target, int lanes) {
  plan.kind = Plan::Kind::Memory;
  const isa::MemoryOperands operands = isa::memory_operands(instruction, row);
  const auto range = [&](const Operand* operand) {
    return operand ? isa::registers_of(*operand, lanes) : RegisterRange{};
  };
  for (const Operand* const operand : {operands.address, operands.scalar, operands.resource})
    if (const RegisterRange each = range(operand); each.count) plan.addresses.push_back(each);
  plan.result = range(operands.result);
  plan.data = range(operands.data);
  plan.second = range(operands.second);
  plan.to_lds = isa::loads_to_lds(instruction);
  plan.merges = row.access.merges && !target.may_have_sram_ecc();
  for (const std::string_view mark : {"sbyte", "sshort", "_i8", "_i16"})
    plan.sign |= instruction.mnemonic.find(mark) != std::string::npos;
}

void plan_control(Plan& plan, const emulate::Site& site, const isa::Effects& effects) {
  using isa::Operation;
  const isa::ControlRow* const row = isa::find_control(site.instruction.mnemonic);
  if (!row) {
    plan.kind = Plan::Kind::Forgets;
    return;
  }
  switch (row->operation) {
    case Operation::ConditionalBranch:
      plan.kind = Plan::Kind::Branch;
      plan.condition = row->facts.condition;
      return;
    case Operation::IndirectBranch:
    case Operation::IndirectCall:
      plan.kind = Plan::Kind::Jump;
      plan.addresses = effects.reads;
      return;
    case Operation::IndexOn:
    case Operation::IndexIndex:
    case Operation::IndexMode:
      plan.kind = Plan::Kind::Forgets;
      return;
    default:
      break;
  }
  if (row->facts.unknown)
    plan.kind = Plan::Kind::Forgets;
  else if (!effects.writes.empty())
    plan.kind = Plan::Kind::Defines;
}

}  // namespace

Plan plan_of(const emulate::Site& site, const isa::Target& target, int wave_lanes) {
  Plan plan;
  const isa::Instruction& instruction = site.instruction;
  const isa::Effects effects = isa::effects_of(instruction, site.row, target, wave_lanes);
  plan.writes = effects.writes;
  if (!instruction.second.empty()) {
    plan.kind = Plan::Kind::Steps;
    for (const isa::Instruction* const half : {&instruction, &instruction.second.front()}) {
      const isa::Instruction single = isa::single_of(*half, wave_lanes);
      if (const isa::Row* const row = isa::find_row(single.mnemonic, target))
        plan.steps.push_back(StepMaker(single, *row, target, wave_lanes).make());
    }
  } else if (!site.row) {
    plan_control(plan, site, effects);
  } else if (effects.unknown) {
    plan.kind = Plan::Kind::Forgets;
  } else if (site.row->shape == isa::Shape::Memory) {
    const isa::LdsLane lane = site.row->access.lane;
    if (lane >= isa::LdsLane::Swizzle && lane <= isa::LdsLane::BackPermuteInvalid) {
      plan.kind = Plan::Kind::Steps;
      plan.steps.push_back(lds_step(instruction, *site.row, wave_lanes));
    } else {
      plan_memory(plan, instruction, *site.row, target, wave_lanes);
    }
  } else {
    plan.kind = Plan::Kind::Steps;
    // The site's row has no meaning with it.
    const isa::Row* const row = isa::find_row(instruction.mnemonic, target);
    plan.steps.push_back(StepMaker(instruction, row ? *row : *site.row, target, wave_lanes).make());
    if (plan.steps[0].rule == Rule::Matrix) plan.matrix = matrix_places(instruction, *site.row, wave_lanes);
  }
  if (plan.kind == Plan::Kind::Nothing) return plan;
  for (const auto* const ranges : {&effects.reads, &effects.writes})
    for (const RegisterRange& range : *ranges) plan.registers.add(range);
  return plan;
}

}  // namespace wavesmith::check::init
