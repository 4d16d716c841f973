#include "isa/cost/cost.h"

#include <array>

#include "isa/cost/generation.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::isa {
std::string_view name_of(Pipe pipe) {
  static constexpr std::array<std::string_view, kPipes> kNames = {
      "VALU", "transcendental", "matrix", "SALU",    "SMEM",    "VMEM",
      "LDS",  "export",         "branch", "message", "internal"};
  return kNames[static_cast<size_t>(pipe)];
}

uint16_t matrix_cycles(const Instruction& instruction, const MatrixInstruction& matrix) {
  if (matrix.a != MatrixElement::F8f6f4) return matrix.cycles;
  const auto narrow = [&](std::string_view modifier) {
    const int64_t select = instruction.value(modifier);
    return select >= 0 && select < kF8f6f4Formats &&
           bits_of_element(f8f6f4_element(static_cast<int>(select))) < 8;
  };
  return narrow("cbsz") && narrow("blgp") ? matrix.cycles_narrow : matrix.cycles;
}

Cost cost_of(const Instruction& instruction, const Row* row, const Target& target, int wave_lanes) {
  const Pipe pipe = pipe_of(instruction, row);
  Cost cost = target.is(kCdna) ? cost_detail::cdna_cost(instruction, row, target, pipe)
                               : cost_detail::rdna_cost(instruction, row, target, pipe, wave_lanes);
  cost.pipe = pipe;
  return cost;
}

uint16_t matrix_result_cycles(const Cost& cost, MatrixUse use, const Target& target) {
  return target.is(kCdna) ? cost_detail::cdna_matrix_result(cost, use)
                          : cost_detail::rdna_matrix_result(cost, use);
}

const IssueRules& issue_rules(const Target& target) {
  return target.is(kCdna) ? cost_detail::cdna_rules(target) : cost_detail::rdna_rules();
}

}  // namespace wavesmith::isa
