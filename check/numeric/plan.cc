#include <algorithm>

#include "check/numeric/listener.h"

namespace wavesmith::check::numeric {
namespace {

using isa::Role;
using isa::Type;

/// What a conversion to an integer can hold.
void set_range(Plan& plan, Type type) {
  switch (type) {
    case Type::I32:
      plan.least = -2147483648.0, plan.most = 2147483647.0;
      break;
    case Type::U32:
      plan.most = 4294967295.0;
      break;
    case Type::I16:
      plan.least = -32768, plan.most = 32767;
      break;
    case Type::U16:
      plan.most = 65535;
      break;
    default:
      plan.converts = false;
  }
}

void add_step(Plan& plan, const init::Step& step, const isa::Instruction& instruction) {
  size_t source = 0, result = 0;
  auto printed = static_cast<size_t>(
      std::count_if(step.row->roles, step.row->roles + step.row->count,
                    [](const Role& role) { return role.printed && role.use == Role::Use::Write; }));
  for (int i = 0; i < step.row->count; ++i) {
    const Role& role = step.row->roles[i];
    const bool reads = role.use == Role::Use::Read;
    const auto& places = reads ? step.sources : step.results;
    size_t& at = reads ? source : result;
    if (at >= places.size()) continue;
    Plan::Operand operand{places[at++], exponents_of(role.type), role.type};
    // The part of a register that is read or written.
    if (operand.place.bits == 16 && role.type == Type::Mixed) operand.exponents = {.low = 0x7c00};
    operand.exponents.low <<= operand.place.kind == init::Place::Kind::Vector ? operand.place.shift : 0;
    if (reads && role.printed && printed < instruction.operands.size()) {
      operand.negate = instruction.operands[printed].negate;
      operand.absolute = instruction.operands[printed].absolute;
      ++printed;
    }
    (reads ? plan.sources : plan.results).push_back(operand);
    if (!reads) plan.floats |= operand.exponents.any();
  }
  plan.matrix |= step.rule == init::Rule::Matrix;
  plan.across |= step.rule == init::Rule::Matrix || step.rule == init::Rule::Shuffle || step.dpp != nullptr ||
                 step.row->shape == isa::Shape::Wave;
  plan.moves = true;
}

bool adds(std::string_view name) {
  for (const std::string_view one : {"v_add_f32", "v_sub_f32", "v_subrev_f32", "v_fma_f32", "v_fmac_f32",
                                     "v_add_f64", "v_fma_f64", "v_fmac_f64"})
    if (name == one) return true;
  return false;
}

Plan make(const emulate::Site& site, const isa::Target& target, int wave_lanes) {
  Plan plan;
  const init::Plan from = init::plan_of(site, target, wave_lanes);
  const isa::Instruction& instruction = site.instruction;
  if (from.kind == init::Plan::Kind::Memory) {
    plan.memory = true;
    plan.data = from.data;
    plan.second = from.second;
    plan.result = from.result;
    return plan;
  }
  if (from.kind != init::Plan::Kind::Steps) return plan;
  for (size_t i = 0; i < from.steps.size(); ++i)
    if (from.steps[i].row)
      add_step(plan, from.steps[i],
               i == 0                       ? instruction
               : instruction.second.empty() ? instruction
                                            : instruction.second.front());
  if (instruction.mnemonic.starts_with("v_cvt_") && !plan.sources.empty() &&
      plan.sources[0].exponents.any()) {
    plan.converts = true;
    // Two numbers of bf16 are a dword to their row.
    const bool to_bf16 = instruction.mnemonic.find("pk_bf16") != std::string::npos;
    if (!plan.floats && !plan.results.empty() && !to_bf16) set_range(plan, plan.results[0].type);
  }
  plan.small = small_format_of(instruction.mnemonic, target);
  if (plan.small.most > 0) plan.small_sources = instruction.mnemonic.starts_with("v_cvt_pk_") ? 2 : 1;
  for (const auto* const operands : {&plan.sources, &plan.results})
    for (const Plan::Operand& operand : *operands)
      plan.scalars |= operand.place.kind == init::Place::Kind::Scalar;
  plan.sums = instruction.second.empty() && adds(instruction.mnemonic) && !plan.across;
  const auto add_all = [](const std::vector<Plan::Operand>& operands, RegisterWords& words) {
    for (const Plan::Operand& operand : operands)
      if (operand.place.kind == init::Place::Kind::Vector)
        words.add({operand.place.first, operand.place.dwords});
  };
  add_all(plan.sources, plan.reads);
  add_all(plan.results, plan.writes);
  return plan;
}

}  // namespace

const Plan& LaunchListener::plan(const emulate::Site& site) {
  return plans_->of(site, [&] { return make(site, launch.target, launch.wave_lanes); });
}

}  // namespace wavesmith::check::numeric
