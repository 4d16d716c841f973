// What an instruction costs a wave and its compute unit: the pipe that takes it, how long that pipe is taken,
// and when a dependent instruction may issue. The numbers stand in one table a family of generations
// (isa/cost/cdna.cc, isa/cost/rdna.cc), each with its source.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/instruction.h"
#include "isa/pipe.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// Which of a SIMD's two VALU pipes takes an instruction, where it has two (IssueRules::second_pipe).
enum class VectorPipe : uint8_t {
  Alone,          ///< nothing else issues to either meanwhile
  Packed,         ///< both, and not while the second helps a matrix instruction
  First,          ///< the first
  FirstOrSecond,  ///< the second where the first is taken
  SecondOrFirst,  ///< the first where the second is taken
};

/// All in cycles of the shader clock.
struct Cost {
  Pipe pipe = Pipe::Internal;
  uint16_t issue = 1;   ///< its pipe takes nothing else of this SIMD for so long
  uint16_t result = 1;  ///< from its issue to that of an instruction of the same kind that reads the result;
                        ///< of loads: 0, the memory says
  uint16_t passes = 0;  ///< of a matrix instruction, 4 cycles each
  VectorPipe vector = VectorPipe::Alone;  ///< of a VALU instruction
};

/// What one instruction of a wave of `wave_lanes` lanes costs. `row` is the instruction's, nullptr for
/// control and for dual instructions.
Cost cost_of(const Instruction& instruction, const Row* row, const Target& target, int wave_lanes);

/// The pipe alone.
Pipe pipe_of(const Instruction& instruction, const Row* row);

/// The counters that an instruction raises and a wave may wait for: two for flat instructions.
std::vector<Counter> counters_of(const Instruction& instruction, const Row* row, const Target& target);

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

/// How a generation's sequencer issues: what is no single instruction's property. Cycles where nothing else
/// is said.
struct IssueRules {
  uint8_t quantum;                  ///< between two chances of a SIMD to issue; on CDNA its SIMDs take turns
  uint8_t scalar_condition;         ///< SCC to its reader
  uint8_t scalar_to_scalar_memory;  ///< SALU instruction to a following SMEM instruction of the wave
  uint8_t scalar_to_vector;         ///< SALU result to a VALU instruction
  uint8_t scalar_to_branch;         ///< SALU instruction to a following conditional branch
  uint8_t scalar_to_memory;         ///< SALU instruction to a following VMEM or LDS instruction
  uint8_t vector_to_scalar;         ///< VALU to a SALU or SMEM instruction that reads what it writes; on CDNA
                                    ///< to any behind a VALU instruction that writes scalar registers
  uint8_t vector_to_overwrite;      ///< VALU to a SALU instruction that overwrites what it reads
  uint8_t vector_to_branch;         ///< VALU instruction that writes EXEC or VCC to a branch
  uint8_t vector_to_memory;    ///< VALU to an LDS or VMEM instruction that uses its result or overwrites its
                               ///< operands
  uint8_t dual_to_memory;      ///< the same of a dual instruction (VOPD)
  uint8_t vector_then_memory;  ///< VALU to any following LDS or VMEM instruction of the wave
  uint8_t carry;               ///< VCC or another lane mask, VALU to VALU
  uint8_t branch_taken;        ///< to the first instruction at the target
  uint8_t branch_passed;       ///< to the instruction behind it
  uint8_t branch_window;       ///< bytes of aligned code with a branch that are there when it is passed; an
                               ///< instruction beyond comes as that of a taken branch does; 0: all are there
  uint8_t memory_to_vector;    ///< LDS or VMEM instruction to a VALU instruction of the wave
  uint8_t memory_to_wait;      ///< to a wait, a nop or a clause of the wave; of RDNA any but another of these
  uint8_t memory_issue;        ///< LDS or VMEM instruction to the next of the SIMD
  uint8_t delay_issue;         ///< s_delay_alu itself, behind another hint or a wait
  uint8_t barrier;             ///< the last arrival to the others' next instruction
  bool second_pipe;            ///< a SIMD takes VALU instructions of two waves at once (CDNA3 and CDNA4)
  // What a wave has under way (RDNA), each counted in three bits.
  uint8_t scalars;      ///< SALU instructions, which issue and then wait for operands; 0: they wait before
  uint8_t scalar_hold;  ///< each is under way for so long from its execution on
  uint8_t scalar_overwrite;  ///< from its execution to that of one that overwrites its SCC; SGPRs: 1
  uint8_t hardware_again;    ///< more for one that writes a hardware register behind another
  uint8_t masks;      ///< VALU instructions that write scalar registers; the next waits for all of them
  uint8_t mask_hold;  ///< each is under way for so long beyond its result
  // An LDS instruction's operands on their way there (RDNA): an address, and each dword of data.
  uint8_t lds_operands;  ///< instructions of a SIMD that may wait with them; 0: no end
  uint8_t lds_hold;      ///< from where it begins to read to the next one, beyond dwords of data in pairs
  // The VALU's queue (RDNA); weights in tenths of an entry.
  bool queued;        ///< VALU instructions wait for operands in a queue of the SIMD, not in the wave
  uint8_t depth;      ///< from issue to execution when the queue is empty
  uint16_t capacity;  ///< of the queue, in tenths
  uint16_t weight_plain, weight_wide, weight_multiply, weight_transcendental, weight_matrix;
  uint8_t
      matrix_depth;  ///< RDNA4: the same of a matrix instruction behind another kind; RDNA3's go as others
  uint8_t doubles_again;  ///< more for an instruction of the FP64 unit directly behind another
  // What code may rely on against hazards, where the typical cost above is more.
  uint8_t branch_taken_least;
};
const IssueRules& issue_rules(const Target& target);

}  // namespace wavesmith::isa
