// Matrix instructions as data: D = A * B + C, the matrices spread over the registers of a wave. One table
// (isa/matrix/table.h) and one map from an element to the lane and register that hold it
// (isa/matrix/layout.h) serve everything that has to know.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/matrix/shape.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// What an instruction's modifiers may do, beyond the index selection of sparse forms and the formats of
/// f8f6f4.
enum MatrixModifiers : uint8_t {
  kNoModifiers = 0,
  kBroadcastA = 1,  ///< cbsz, abid: one block of A to several
  kPermuteB = 2,    ///< blgp: lanes of B
  kNegate = 4,      ///< neg of F64; neg_lo, neg_hi of WMMA
  kSelectHalf = 8,  ///< op_sel: the half of C's and D's registers
  kScaled = 16,     ///< a scale of A and one of B, each e8m0 for 32 elements along K
};

struct MatrixInstruction {
  std::string_view
      mnemonics;  ///< as LLVM prints it for these generations, then older names that its assembler takes
  Generations generations;
  MatrixLayout layout;
  MatrixElement a, b, d;  ///< C is as D
  uint8_t m, n, k;
  uint8_t blocks;  ///< independent products
  bool sparse;     ///< A holds two of every four elements along K
  uint8_t modifiers;
  uint8_t cycles;         ///< from its issue to the next one's, of f8f6f4: with an 8-bit operand
  uint8_t cycles_narrow;  ///< of f8f6f4 with none; otherwise the same

  [[nodiscard]] constexpr std::string_view mnemonic() const {
    return mnemonics.substr(0, mnemonics.find(' '));
  }
  [[nodiscard]] constexpr bool has_name(std::string_view name) const {
    for (std::string_view rest = mnemonics; !rest.empty();) {
      const size_t space = rest.find(' ');
      if (rest.substr(0, space) == name) return true;
      rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    }
    return false;
  }
};

/// Whether a mnemonic is a matrix instruction's.
constexpr bool is_matrix(std::string_view mnemonic) {
  return mnemonic.starts_with("v_mfma_") || mnemonic.starts_with("v_smfmac_") ||
         mnemonic.starts_with("v_wmma_") || mnemonic.starts_with("v_swmmac_");
}

/// The operand format that cbsz or blgp selects for f8f6f4 (LLVM AMDGPUUsage, "MFMA scale"; CDNA4 ISA,
/// VOP3P-MAI).
constexpr MatrixElement f8f6f4_element(int select) {
  constexpr MatrixElement kFormats[] = {MatrixElement::Fp8, MatrixElement::Bf8, MatrixElement::Fp6,
                                        MatrixElement::Bf6, MatrixElement::Fp4};
  return kFormats[select];
}
inline constexpr int kF8f6f4Formats = 5;

}  // namespace wavesmith::isa
