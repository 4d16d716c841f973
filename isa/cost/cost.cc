#include "isa/cost/cost.h"

#include <algorithm>
#include <array>

#include "isa/cost/generation.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::isa {
namespace {

bool is_any(std::string_view name, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return name.starts_with(s); });
}

}  // namespace

std::string_view name_of(Pipe pipe) {
  static constexpr std::array<std::string_view, kPipes> kNames = {
      "VALU", "transcendental", "matrix", "SALU",    "SMEM",    "VMEM",
      "LDS",  "export",         "branch", "message", "internal"};
  return kNames[static_cast<size_t>(pipe)];
}

Pipe pipe_of(const Instruction& instruction, const Row* row) {
  const std::string_view name = instruction.mnemonic;
  if (name.starts_with("v_")) {
    if (is_matrix(name)) return Pipe::Matrix;
    if (name.starts_with("v_s_")) return Pipe::Transcendental;
    if (row && row->facts.issue == Issue::Transcendental) return Pipe::Transcendental;
    return Pipe::Valu;
  }
  if (name.starts_with("ds_")) return Pipe::Lds;
  if (is_any(name, {"global_", "flat_", "buffer_", "tbuffer_", "scratch_", "image_"})) return Pipe::Vmem;
  if (is_any(name, {"s_load", "s_buffer_", "s_store", "s_scratch_", "s_dcache", "s_memtime", "s_memrealtime",
                    "s_atomic", "s_prefetch", "s_gl1_inv"}))
    return Pipe::Smem;
  if (is_any(name, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_rfe"})) return Pipe::Branch;
  if (is_any(name, {"s_sendmsg", "s_trap", "s_ttracedata"})) return Pipe::Message;
  if (is_any(name, {"s_wait", "s_barrier", "s_nop", "s_sleep", "s_delay_alu", "s_clause", "s_endpgm",
                    "s_setprio", "s_set_inst_prefetch", "s_inst_prefetch", "s_sethalt", "s_setkill",
                    "s_icache_inv", "s_incperflevel", "s_decperflevel", "s_code_end", "s_version",
                    "s_round_mode", "s_denorm_mode"}))
    return Pipe::Internal;
  if (name.starts_with("exp")) return Pipe::Export;
  return name.starts_with("s_") ? Pipe::Salu : Pipe::Internal;
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
  return target.is(kCdna) ? cost_detail::cdna_rules(target) : cost_detail::rdna_rules(target);
}

}  // namespace wavesmith::isa
