// Matrix instructions as data: D = A * B + C, the matrices spread over the registers of a wave. One table
// (isa/matrix/table.h) and one map from an element to the lane and register that hold it
// (isa/matrix/layout.h) serve everything that has to know.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/target.h"

namespace wavesmith::isa {

/// What an element of A, B, C or D is.
enum class MatrixElement : uint8_t {
  F64,
  F32,
  Xf32,  ///< held as float, multiplied with 10 bits of fraction
  F16,
  Bf16,
  Fp8,     ///< e4m3, FNUZ or OCP as the generation has it
  Bf8,     ///< e5m2, likewise
  Fp6,     ///< e2m3
  Bf6,     ///< e3m2
  Fp4,     ///< e2m1
  F8f6f4,  ///< one of the five before, chosen by cbsz (A) and blgp (B)
  I8,
  Iu8,  ///< signed or unsigned, chosen by neg_lo
  Iu4,  ///< likewise
  I32,
};

constexpr int bits_of_element(MatrixElement element) {
  switch (element) {
    case MatrixElement::F64:
      return 64;
    case MatrixElement::F16:
    case MatrixElement::Bf16:
      return 16;
    case MatrixElement::Fp8:
    case MatrixElement::Bf8:
    case MatrixElement::F8f6f4:
    case MatrixElement::I8:
    case MatrixElement::Iu8:
      return 8;
    case MatrixElement::Fp6:
    case MatrixElement::Bf6:
      return 6;
    case MatrixElement::Fp4:
    case MatrixElement::Iu4:
      return 4;
    default:
      return 32;
  }
}

/// How matrices lie in registers; layout.h has the maps.
enum class MatrixLayout : uint8_t { Mfma, Wmma3, Wmma4 };

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

/// Elements of A along K that are held: half of them in sparse forms.
constexpr int held_k(const MatrixInstruction& instruction) {
  return instruction.sparse ? instruction.k / 2 : instruction.k;
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
