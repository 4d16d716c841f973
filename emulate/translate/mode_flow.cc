#include "emulate/translate/mode_flow.h"

#include <string>
#include <vector>

#include "isa/flow.h"

namespace wavesmith::emulate {
namespace {

using isa::Flow;

bool switches(const isa::Instruction& instruction) {
  return instruction.mnemonic == "s_setvskip" || instruction.mnemonic == "s_set_gpr_idx_on";
}

Modes after(const isa::Instruction& instruction, Modes modes) {
  const std::string& name = instruction.mnemonic;
  if (name == "s_setvskip") {
    const isa::Operand& value = instruction.operands.front();
    modes.may_skip = value.kind != isa::Operand::Kind::Integer || value.bits != 0;
  }
  if (name == "s_set_gpr_idx_on") modes.may_index = true, modes.may_not_index = false;
  if (name == "s_set_gpr_idx_off") modes.may_index = false, modes.may_not_index = true;
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

bool is_vector(const isa::Instruction& instruction) { return !instruction.mnemonic.starts_with("s_"); }

}  // namespace wavesmith::emulate
