// One decoded machine instruction, in the terms of the printed assembly syntax (its public, documented face).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wavesmith::isa {

/// One operand as printed.
struct Operand {
  enum class Kind : uint8_t {
    Sgpr,     ///< s0, s[4:7]; ttmp registers are Special
    Vgpr,     ///< v0, v[0:3], v1.l, v1.h
    Agpr,     ///< a0, a[0:15]
    Special,  ///< vcc, exec, m0, scc, src_shared_base, null, off, ...: see `name`
    Integer,  ///< 17, 0x1234: `bits` is the value, sign-extended
    Float,    ///< 1.0, 0.15915494: an inline constant whose bits depend on the instruction's type; `real`
    Text,     ///< anything else, for example a message or a hardware register: see `name`
  };
  enum class Half : uint8_t { Whole, Low, High };

  Kind kind = Kind::Text;
  Half half = Half::Whole;
  bool negate = false;       ///< -v0
  bool absolute = false;     ///< |v0|
  bool sign_extend = false;  ///< sext(v0), of SDWA
  uint16_t index = 0;        ///< first register
  uint16_t count = 1;        ///< registers, in dwords
  int64_t bits = 0;          ///< of Integer
  double real = 0;           ///< of Float
  std::string name = {};     ///< of Special and Text
};

/// A modifier as printed: `offset:16` is {"offset", {16}}, `clamp` is {"clamp", {}}, `quad_perm:[0,1,2,3]`
/// has four values.
struct Modifier {
  std::string name;
  std::vector<int64_t> values = {};
  std::string text = {};  ///< a value that is a word: `dst_sel:WORD_1`
};

/// How the instruction was encoded, from the suffix of its printed mnemonic.
enum class Encoding : uint8_t { Plain, E32, E64, Dpp, E64Dpp, Sdwa };

/// A decoded instruction. Dual-issue (VOPD) instructions hold the second half in `second` (empty otherwise).
struct Instruction {
  uint64_t pc = 0;    ///< address of its first byte
  uint32_t size = 0;  ///< bytes
  Encoding encoding = Encoding::Plain;
  std::string mnemonic;  ///< without the encoding suffix: "v_add_f32"
  std::vector<Operand> operands;
  std::vector<Modifier> modifiers;
  std::vector<Instruction> second;
  std::string text;  ///< as printed

  [[nodiscard]] const Modifier* find(std::string_view name) const {
    for (const Modifier& modifier : modifiers)
      if (modifier.name == name) return &modifier;
    return nullptr;
  }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  /// The modifier's i-th value, or `otherwise` when it is not printed.
  [[nodiscard]] int64_t value(std::string_view name, int64_t otherwise = 0, size_t i = 0) const {
    const Modifier* modifier = find(name);
    return modifier && i < modifier->values.size() ? modifier->values[i] : otherwise;
  }
  /// An atomic of memory that gives back what was there, by its name or its modifiers in any generation.
  [[nodiscard]] bool returns_old_value() const {
    if (mnemonic.find("_rtn") != std::string::npos || has("glc") || has("sc0")) return true;
    const Modifier* hint = find("th");
    return hint && hint->text.find("RETURN") != std::string::npos;
  }
};

}  // namespace wavesmith::isa
