#include "emulate/translate/mode_flow.h"

#include <array>
#include <string_view>
#include <vector>

namespace wavesmith::emulate {
namespace {

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

std::map<uint64_t, Modes> follow_modes(const std::map<uint64_t, isa::Instruction>& code, uint64_t entry,
                                       uint64_t (*target_of)(const isa::Instruction&)) {
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
    const std::string& name = instruction.mnemonic;
    const Modes modes = after(instruction, known.at(pc));
    if (name == "s_branch" || name.starts_with("s_cbranch_") || name == "s_call_b64")
      reach(target_of(instruction), modes);
    if (name != "s_branch" && name != "s_setpc_b64" && !name.starts_with("s_endpgm"))
      reach(pc + instruction.size, modes);
  }
  return known;
}

bool is_vector(const isa::Instruction& instruction) {
  static constexpr std::array<std::string_view, 9> kPrefixes = {
      "v_", "ds_", "buffer_", "global_", "flat_", "scratch_", "tbuffer_", "image_", "exp"};
  for (const std::string_view prefix : kPrefixes)
    if (instruction.mnemonic.starts_with(prefix)) return true;
  return false;
}

}  // namespace wavesmith::emulate
