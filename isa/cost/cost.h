// What an instruction costs a wave and its compute unit: the pipe that takes it, how long that pipe is taken,
// and when a dependent instruction may issue. The numbers stand in one table a family of generations
// (isa/cost/cdna.cc, isa/cost/rdna.cc), each with its source.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// What takes an instruction when it issues. Each is one a SIMD, but for those that the SIMDs of a compute
/// unit share: Salu and Branch on CDNA; Smem, Vmem, Lds, Export and Message everywhere.
enum class Pipe : uint8_t {
  Valu,
  Transcendental,  ///< its own unit on RDNA; on CDNA a slow VALU instruction
  Matrix,          ///< MFMA runs beside the VALU; WMMA waits in the VALU's queue
  Salu,
  Smem,
  Vmem,  ///< global, flat, scratch, buffer, image
  Lds,
  Export,
  Branch,
  Message,
  Internal,  ///< waits, barriers, hints: the sequencer's own
};
inline constexpr int kPipes = 11;
std::string_view name_of(Pipe pipe);

/// All in cycles of the shader clock.
struct Cost {
  Pipe pipe = Pipe::Internal;
  uint16_t issue = 1;   ///< its pipe takes nothing else of this SIMD for so long
  uint16_t result = 1;  ///< from its issue to that of an instruction of the same kind that reads the result;
                        ///< of loads: 0, the memory says
  uint16_t passes = 0;  ///< of a matrix instruction, 4 cycles each
};

/// What one instruction of a wave of `wave_lanes` lanes costs. `row` is the instruction's, nullptr for
/// control and for dual instructions.
Cost cost_of(const Instruction& instruction, const Row* row, const Target& target, int wave_lanes);

/// The pipe alone.
Pipe pipe_of(const Instruction& instruction, const Row* row);

/// Cycles from a matrix instruction's issue to the next one's: its row's, which of f8f6f4 depend on the
/// formats that cbsz and blgp select.
uint16_t matrix_cycles(const Instruction& instruction, const MatrixInstruction& matrix);

/// How an instruction uses a matrix instruction's result.
enum class MatrixUse : uint8_t {
  Accumulate,  ///< as the C of a matrix instruction, exactly the registers of D
  Operand,     ///< as A or B, or as a C that overlaps D
  Other,       ///< by the VALU, a memory or an export instruction, or overwriting it
};
/// Cycles from a matrix instruction's issue to that of one that uses its result.
uint16_t matrix_result_cycles(const Cost& cost, MatrixUse use, const Target& target);

/// How a generation's sequencer issues: what is no single instruction's property. Cycles.
struct IssueRules {
  uint8_t quantum;           ///< between two chances of a SIMD to issue; on CDNA the SIMDs take turns
  bool queued_valu;          ///< VALU instructions wait in a queue for the matrix pipe, not in the wave
  uint8_t queue;             ///< how many wait there
  uint8_t scalar_result;     ///< SALU result to a SALU instruction
  uint8_t scalar_condition;  ///< SCC to its reader
  uint8_t scalar_to_scalar_memory;  ///< SALU instruction to a following SMEM instruction of the wave
  uint8_t scalar_to_vector;         ///< SALU result to a VALU instruction
  uint8_t scalar_to_branch;         ///< SALU instruction to a following conditional branch
  uint8_t scalar_to_memory;         ///< SALU instruction to a VMEM instruction that reads its result
  uint8_t vector_to_scalar;  ///< VALU instruction to a SALU one that overwrites what it reads, or reads what
                             ///< it writes
  uint8_t vector_to_branch;  ///< VALU instruction that writes EXEC or VCC to a branch on it
  uint8_t vector_to_lds;  ///< VALU instruction to an LDS instruction that reads or overwrites its registers
  uint8_t vector_to_memory;  ///< the same to a VMEM instruction
  uint8_t carry;             ///< VCC from a VALU instruction to the next one
  uint8_t branch_taken;      ///< to the first instruction at the target
  uint8_t branch_passed;     ///< to the instruction behind it
  uint8_t memory_issue;      ///< VMEM instruction to the next one of the SIMD, within a clause
  uint8_t wide_address;      ///< VMEM instruction outside of a clause to the wave's next instruction
  uint8_t delay_alu;         ///< s_delay_alu itself, where nothing else waits
};
const IssueRules& issue_rules(const Target& target);

}  // namespace wavesmith::isa
