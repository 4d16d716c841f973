// What cost.cc asks of the tables of the two families of generations.
#pragma once

#include "isa/cost/cost.h"

namespace wavesmith::isa::cost_detail {

Cost cdna_cost(const Instruction& instruction, const Row* row, const Target& target, Pipe pipe);
Cost rdna_cost(const Instruction& instruction, const Row* row, const Target& target, Pipe pipe,
               int wave_lanes);
uint16_t cdna_matrix_result(const Cost& cost, MatrixUse use);
uint16_t rdna_matrix_result(const Cost& cost, MatrixUse use);
const IssueRules& cdna_rules(const Target& target);
const IssueRules& rdna_rules();

/// VALU instructions by their rate, as LLVM's scheduling model groups them (SISchedule.td).
enum class Rate : uint8_t {
  Plain,
  Wide,
  Quarter,
  Multiply,  ///< of 32-bit integers
  Half,
  Double,
  Transcendental,
  WideTranscendental
};
Rate rate_of(const Instruction& instruction, const Row* row);

}  // namespace wavesmith::isa::cost_detail
