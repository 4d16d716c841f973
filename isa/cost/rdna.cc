// RDNA3 and RDNA4: a SIMD of 32 lanes issues each cycle; a wave64 passes twice.
#include <algorithm>

#include "isa/control/row.h"
#include "isa/cost/generation.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::isa::cost_detail {
namespace {

struct Valu {
  uint16_t issue, result;
};

/// Results: LLVM 22, SISchedule.td, GFX11SpeedModel and GFX12SpeedModel, in cycles from issue to a dependent
/// issue. Issue cycles: 64-bit shifts 2 and multiplications into 64 bits 4 are read off half A of the gfx1200
/// and gfx1100 traces (tinygrad, extra/sqtt/examples), as is the quarter rate of transcendentals; FP64 at
/// 1/32 of the FP32 rate (1/64 with dual issue): AMD, RDNA3 ISA guide and the Radeon data sheets.
Valu valu_cost(Rate rate) {
  switch (rate) {
    case Rate::Plain:
    case Rate::Half:  // only CDNA4 has these
      return {1, 5};
    case Rate::Wide:
      return {2, 6};
    case Rate::Quarter:
    case Rate::Multiply:
      return {4, 8};
    case Rate::Double:
      return {32, 38};
    case Rate::Transcendental:
      return {4, 10};
    case Rate::WideTranscendental:
      return {32, 40};
  }
  return {1, 5};
}

/// As thread traces sort them: those of discover_ops on gfx1100 and gfx1200 (validate/data) have comparisons
/// of 64 bits, of floats too, and swaps take 2 cycles like the shifts, and products of 24 bits one, as does
/// v_mullit_f32.
Rate rdna_rate(const Instruction& instruction, const Row* row) {
  const Rate rate = rate_of(instruction, row);
  if (!row) return rate;
  const bool compares = row->roles[0].type == Type::LaneMask || row->roles[0].type == Type::Exec;
  const bool wide = has_type(*row, Type::F64) || has_type(*row, Type::U64) || has_type(*row, Type::I64);
  if (compares && wide) return Rate::Wide;
  if (instruction.mnemonic.starts_with("v_swap")) return Rate::Wide;
  if (instruction.mnemonic == "v_mullit_f32") return Rate::Plain;
  if (rate == Rate::Multiply && instruction.mnemonic.find("24") != std::string::npos) return Rate::Plain;
  return rate;
}

/// Branches that keep an address or take theirs from registers.
bool calls(const Instruction& instruction) {
  const Operation operation = operation_of(instruction.mnemonic);
  return operation == Operation::Call || operation == Operation::IndirectBranch ||
         operation == Operation::IndirectCall;
}

}  // namespace

Cost rdna_cost(const Instruction& instruction, const Row* row, const Target& target, Pipe pipe,
               int wave_lanes) {
  Cost cost;
  const int halves = wave_lanes == 64 ? 2 : 1;
  switch (pipe) {
    case Pipe::Valu: {
      const Valu valu = valu_cost(rdna_rate(instruction, row));
      cost.issue = static_cast<uint16_t>(valu.issue * halves);
      cost.result = static_cast<uint16_t>(valu.result + (halves - 1) * valu.issue);
      return cost;
    }
    case Pipe::Transcendental: {
      if (row && row->shape == Shape::Wave) {  // one value of a wave
        cost.issue = 1;
        cost.result = 7;  // LLVM 22, SISchedule.td, WritePseudoScalarTrans
        return cost;
      }
      const Valu valu = valu_cost(rate_of(instruction, row));
      cost.issue = static_cast<uint16_t>(valu.issue * halves);
      cost.result = static_cast<uint16_t>(valu.result + (halves - 1) * valu.issue);
      return cost;
    }
    case Pipe::Matrix:
      cost.issue = row && row->matrix ? matrix_cycles(instruction, *row->matrix) : 32;
      cost.issue = static_cast<uint16_t>(cost.issue * halves / (wave_lanes == 64 ? 2 : 1));
      cost.passes = static_cast<uint16_t>((cost.issue + 3) / 4);
      cost.result = matrix_result_cycles(cost, MatrixUse::Accumulate, target);
      return cost;
    case Pipe::Salu:
      cost.issue = 1;
      // LLVM 22, SISchedule.td, WriteSALU and WriteSFPU, which RDNA3 does not have. A product takes 3 cycles
      // in discover_ops, but not one of a constant of 16 bits.
      cost.result = target.generation != Generation::Rdna3 && row &&
                            (has_type(*row, Type::F32) || has_type(*row, Type::F16))
                        ? 4
                        : 2;
      if (instruction.mnemonic.starts_with("s_mul") && !instruction.mnemonic.starts_with("s_mulk"))
        cost.result = std::max<uint16_t>(cost.result, 3);
      // discover_ops on gfx1200: another product executes 10 cycles behind one that s_mul_u64 overwrites.
      if (instruction.mnemonic == "s_mul_u64") cost.issue = 8;
      // What reads a hardware register has waited for the SALU before it issued; bit tests execute one a
      // cycle, though each overwrites SCC (discover_ops on both).
      if (instruction.mnemonic.starts_with("s_getreg") || instruction.mnemonic.starts_with("s_bitcmp"))
        cost.result = 1;
      return cost;
    case Pipe::Smem:
    case Pipe::Vmem:
    case Pipe::Lds:
      cost.result = 0;
      return cost;
    case Pipe::Branch:
      // s_call_b64 of discover_ops on gfx1200 gets to its target 4 cycles later than branches elsewhere.
      if (calls(instruction)) cost.result = 5;
      return cost;
    case Pipe::Export:
    case Pipe::Message:
    case Pipe::Internal:
      return cost;
  }
  return cost;
}

/// An accumulation into the same registers goes on at the pipe's rate; what else reads the result waits for
/// the pipeline (LLVM 22, AMDGPUUsage and GCNHazardRecognizer, WMMA hazards; 5 cycles as a VALU result).
uint16_t rdna_matrix_result(const Cost& cost, MatrixUse use) {
  return use == MatrixUse::Accumulate ? cost.issue : static_cast<uint16_t>(cost.issue + 5);
}

/// Read off half A of the traces of gfx1100 and gfx1200 (tinygrad, extra/sqtt/examples); SALU results: LLVM
/// 22, SISchedule.td, WriteSALU. The queue's capacity is also what discover_ops shows on both: eight matrix
/// instructions issue in a row, seven into the queue and one that waits for its place.
///
/// What a wave has under way the hardware counts, as s_waitcnt_depctr shows: VALU instructions that write
/// scalar registers in three bits (LLVM, AMDGPU/gfx11_waitcnt_depctr, VA_SDST 0 to 7). In discover_ops every
/// eighth comparison issues 9 cycles behind the seventh. SALU instructions go the same way: in runs that
/// depend on each other eight issue in eight cycles, then one in two, and a VALU instruction that reads the
/// last one's result issues 9 cycles after that has executed, like SMEM instructions and branches in the
/// other traces. LDS instructions read a dword a lane and cycle (AMD, RDNA white paper: 128 bytes a clock),
/// so a run of ds_add_u64 issues one in three cycles once nine wait. FP64 instructions in a row issue 36
/// cycles apart. A SALU instruction overwrites an SGPR in the cycle behind the one that wrote it
/// (s_movk_i32), SCC in the second; s_setreg issues 15 cycles behind another, 5 more than behind other SALU
/// instructions. These were read off discover_ops on both.
///
/// The first matrix instruction behind others executes 3 cycles later than they would: in discover_ops on
/// gfx1200, where it reads registers that nothing has written, and in custom_handwritten, where it reads
/// results of v_rcp_f32. discover_ops on gfx1100 shows no such cycles.
const IssueRules& rdna_rules() {
  static constexpr IssueRules kRdnaRules{.quantum = 1,
                                         .scalar_condition = 1,
                                         .scalar_to_scalar_memory = 9,
                                         .scalar_to_vector = 9,
                                         .scalar_to_branch = 9,
                                         .scalar_to_memory = 10,
                                         .vector_to_scalar = 8,
                                         .vector_to_overwrite = 8,
                                         .vector_to_branch = 18,
                                         .vector_to_memory = 18,
                                         .dual_to_memory = 17,
                                         .vector_then_memory = 1,
                                         .carry = 1,
                                         .branch_taken = 9,
                                         .branch_passed = 3,
                                         .memory_to_vector = 7,
                                         .memory_to_wait = 3,
                                         .memory_issue = 1,
                                         .delay_issue = 1,
                                         .barrier = 14,
                                         .scalars = 7,
                                         .scalar_hold = 7,
                                         .scalar_overwrite = 2,
                                         .hardware_again = 5,
                                         .masks = 7,
                                         .mask_hold = 3,
                                         .lds_operands = 9,
                                         .lds_hold = 6,
                                         .queued = true,
                                         .depth = 3,
                                         .capacity = 79,
                                         .weight_plain = 0,
                                         .weight_wide = 5,
                                         .weight_multiply = 44,
                                         .weight_transcendental = 14,
                                         .weight_matrix = 10,
                                         .matrix_depth = 6,
                                         .doubles_again = 4,
                                         .branch_taken_least = 9};
  return kRdnaRules;
}

}  // namespace wavesmith::isa::cost_detail
