// What a matrix instruction's handler does, worked out once when the instruction is translated: where the
// elements of A and B go when they are widened, and where the rows of C and D are. The engine
// (emulate/engine/matrix.cc) has no layouts of its own: everything in a plan comes from isa/matrix/layout.h.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "isa/instruction.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::emulate {

/// How an element becomes a float (or stays a double).
enum class Widening : uint8_t {
  F64,
  F32,
  Xf32,
  F16,
  Bf16,
  Fp8,
  Bf8,
  Fp8Fnuz,
  Bf8Fnuz,
  Fp6,
  Bf6,
  Fp4,
  I8,
  U8,
  I4,
  U4
};

/// How sums meet C and become D.
enum class Sums : uint8_t {
  F64,
  F32,
  F32Flushed,     ///< subnormal numbers are 0
  F32Scaled,      ///< multiplied with scales whose product is a normal number
  F32ScaledWide,  ///< with any scales
  F16,
  Bf16,
  I32,
  I32Saturated
};

struct MatrixPlan {
  static constexpr int kPacks = 4;       ///< of 16 lanes, a wave
  static constexpr int kElements = 32;   ///< of A or B, a lane
  static constexpr int kRows = 64;       ///< of D, all blocks together
  static constexpr int kScaledRun = 32;  ///< elements along K that share a scale

  /// A or B: 16 lanes' elements go to 16 floats that follow each other.
  struct Input {
    Widening widening{};
    uint8_t registers = 0;
    uint8_t packs = 0;
    uint8_t from[kPacks] = {};            ///< the pack of lanes to read
    uint16_t to[kPacks][kElements] = {};  ///< for each element of a lane: which sixteen floats
    uint8_t negate =
        0;  ///< bit 0: elements in low halves (all, where there are no halves), bit 1: in high ones
    bool flush = false;  ///< subnormal numbers are 0
    bool operator==(const Input&) const = default;
  };
  Input a, b;
  uint8_t slot_of_a = 0, slot_of_b = 0;         ///< of Wave::widened
  bool a_is_ready = false, b_is_ready = false;  ///< widened by an instruction before
  Sums sums{};
  bool sparse = false, quads = false, scaled = false;
  uint8_t blocks = 1;
  uint8_t columns = 16;  ///< of D: M = N = 16 or 32; 4 when `quads`
  uint8_t k = 0;         ///< held along K in A
  uint8_t k_of_b = 0;
  uint8_t block_of_a[16] = {};    ///< cbsz, abid: whose A a block multiplies
  bool broadcast = false;         ///< block_of_a is not the identity
  uint32_t row_of_d[kRows] = {};  ///< byte offset of a row from D's first register; +2: high halves
  uint32_t row_of_c[kRows] = {};  ///< likewise, of C; all 0 for a constant
  // Rare treatment of C (and D) as a whole.
  bool c_is_constant = false;
  uint64_t constant = 0;  ///< of C's type
  bool copy_c = false;    ///< C overlaps D in part, or is changed before use
  bool c_negate = false, c_absolute = false;
  uint8_t registers_of_d = 0;
  // Sparse: of A's held element (k, i), bits shift[k] and the next in the index register of lane lane[k] + i.
  uint8_t index_lane[64] = {}, index_shift[64] = {};
  // Scaled: byte 0 to 3 of the scale registers, whose offsets are in the wave; lane scale_lane[run] + i.
  uint8_t scale_byte_a = 0, scale_byte_b = 0;
  uint32_t scale_a = 0, scale_b = 0;
};

/// The plan of an instruction. Error: Unsupported for modifiers that it does not have.
Result<MatrixPlan> make_matrix_plan(const isa::MatrixInstruction& matrix, const isa::Target& target,
                                    int wave_lanes, const isa::Instruction& instruction);

}  // namespace wavesmith::emulate
