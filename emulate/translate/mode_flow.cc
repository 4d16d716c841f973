#include "emulate/translate/mode_flow.h"

#include <string>
#include <vector>

#include "isa/flow.h"
#include "isa/mnemonic.h"

namespace wavesmith::emulate {
namespace {

using isa::Flow;
using isa::Operation;

bool switches(const isa::Instruction& instruction) {
  const Operation operation = isa::operation_of(instruction.mnemonic);
  return operation == Operation::Skip || operation == Operation::IndexOn;
}

Modes after(const isa::Instruction& instruction, Modes modes) {
  switch (isa::operation_of(instruction.mnemonic)) {
    case Operation::Skip: {
      const isa::Operand& value = instruction.operands.front();
      modes.may_skip = value.kind != isa::Operand::Kind::Integer || value.bits != 0;
      break;
    }
    case Operation::IndexOn:
      modes.may_index = true, modes.may_not_index = false;
      break;
    case Operation::IndexOff:
      modes.may_index = false, modes.may_not_index = true;
      break;
    default:
      break;
  }
  return modes;
}

}  // namespace

std::map<uint64_t, Modes> follow_modes(const std::map<uint64_t, isa::Instruction>& code, uint64_t entry) {
  std::map<uint64_t, Modes> known;
  bool any = false;
  for (const auto& [pc, instruction] : code) any = any || switches(instruction);
  if (!any) return known;
  std::vector<uint64_t> work;
  const auto reach = [&](uint64_t pc, const Modes& modes) {
    if (!code.contains(pc)) return;
    const auto [found, added] = known.try_emplace(pc, modes);
    const Modes before = found->second;
    found->second.may_skip |= modes.may_skip;
    found->second.may_index |= modes.may_index;
    found->second.may_not_index |= modes.may_not_index;
    if (added || before != found->second) work.push_back(pc);
  };
  reach(entry, Modes{});
  while (!work.empty()) {
    const uint64_t pc = work.back();
    work.pop_back();
    const isa::Instruction& instruction = code.at(pc);
    const Modes modes = after(instruction, known.at(pc));
    const Flow flow = isa::flow_of(instruction.mnemonic);
    if (flow == Flow::Branch || flow == Flow::Conditional || flow == Flow::Call)
      reach(isa::branch_target(instruction), modes);
    if (isa::goes_on(flow)) reach(pc + instruction.size, modes);
  }
  return known;
}

bool is_vector(const isa::Instruction& instruction) { return !isa::is_scalar(instruction.mnemonic); }

}  // namespace wavesmith::emulate
