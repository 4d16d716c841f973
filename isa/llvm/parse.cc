// Parses the printed syntax of one instruction. Operands are separated by commas, modifiers by blanks:
//
//   v_fma_f32 v0, -v1, |v2|, 0x40490fdb clamp mul:2
//   global_load_dwordx4 v[0:3], v4, s[0:1] offset:16 sc0
//   v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf
//   s_waitcnt vmcnt(0) lgkmcnt(0)
//   v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v1, v2, v3
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "isa/control/row.h"
#include "isa/llvm/decoder.h"

namespace wavesmith::isa {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n')) s.remove_suffix(1);
  return s;
}

bool take(std::string_view& s, std::string_view prefix) {
  if (!s.starts_with(prefix)) return false;
  s.remove_prefix(prefix.size());
  return true;
}

bool parse_integer(std::string_view s, int64_t& value) {
  const bool negative = take(s, "-");
  const int base = take(s, "0x") ? 16 : 10;
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), magnitude, base);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return false;
  value = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return true;
}

bool parse_float(std::string_view s, double& value) {
  if (s.find('.') == std::string_view::npos) return false;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  return error == std::errc{} && end == s.data() + s.size();
}

/// v7, v[4:7], v7.l: the number part after the letter.
bool parse_register(std::string_view s, char letter, Operand& operand) {
  if (s.size() < 2 || s[0] != letter) return false;
  s.remove_prefix(1);
  if (s.ends_with(".l"))
    operand.half = Operand::Half::Low, s.remove_suffix(2);
  else if (s.ends_with(".h"))
    operand.half = Operand::Half::High, s.remove_suffix(2);
  int64_t first = 0, last = 0;
  if (s.front() == '[') {
    if (s.back() != ']') return false;
    s = s.substr(1, s.size() - 2);
    const size_t colon = s.find(':');
    if (!parse_integer(s.substr(0, colon), first)) return false;
    last = first;
    if (colon != std::string_view::npos && !parse_integer(s.substr(colon + 1), last)) return false;
  } else {
    if (!parse_integer(s, first)) return false;
    last = first;
  }
  if (first < 0 || last < first || last > 4095) return false;
  operand.index = static_cast<uint16_t>(first);
  operand.count = static_cast<uint16_t>(last - first + 1);
  return true;
}

Operand parse_operand(std::string_view s) {
  Operand operand;
  s = trim(s);
  if (int64_t value = 0; parse_integer(s, value)) {
    operand.kind = Operand::Kind::Integer;
    operand.bits = value;
    return operand;
  }
  if (parse_float(s, operand.real)) {
    operand.kind = Operand::Kind::Float;
    return operand;
  }
  if (s.size() > 1 && s[0] == '-') operand.negate = true, s.remove_prefix(1);
  // A literal whose value would have fitted an inline constant.
  if ((s.starts_with("lit(") || s.starts_with("lit64(")) && s.ends_with(")")) {
    const size_t open = s.find('(');
    s = s.substr(open + 1, s.size() - open - 2);
  }
  if (s.starts_with("neg(") && s.ends_with(")")) operand.negate = true, s = s.substr(4, s.size() - 5);
  if (s.starts_with("sext(") && s.ends_with(")")) operand.sign_extend = true, s = s.substr(5, s.size() - 6);
  if (s.starts_with("abs(") && s.ends_with(")")) operand.absolute = true, s = s.substr(4, s.size() - 5);
  if (s.size() > 2 && s.front() == '|' && s.back() == '|')
    operand.absolute = true, s = s.substr(1, s.size() - 2);
  if (int64_t value = 0; parse_integer(s, value)) {
    operand.kind = Operand::Kind::Integer;
    operand.bits = value;
  } else if (parse_float(s, operand.real)) {
    operand.kind = Operand::Kind::Float;
  } else if (parse_register(s, 'v', operand)) {
    operand.kind = Operand::Kind::Vgpr;
  } else if (parse_register(s, 's', operand)) {
    operand.kind = Operand::Kind::Sgpr;
  } else if (parse_register(s, 'a', operand)) {
    operand.kind = Operand::Kind::Agpr;
  } else {
    const bool word = s.find_first_of("( ,") == std::string_view::npos;
    operand.kind = word && s != "" ? Operand::Kind::Special : Operand::Kind::Text;
    operand.name = s;
  }
  return operand;
}

/// `name:value`, `name:[a,b]`, `name(value)` or `name`.
Modifier parse_modifier(std::string_view s) {
  Modifier modifier;
  std::string_view value;
  if (const size_t open = s.find('('); open != std::string_view::npos && s.ends_with(")")) {
    modifier.name = s.substr(0, open);
    value = s.substr(open + 1, s.size() - open - 2);
  } else if (const size_t colon = s.find(':'); colon != std::string_view::npos) {
    modifier.name = s.substr(0, colon);
    value = s.substr(colon + 1);
  } else {
    modifier.name = s;
    return modifier;
  }
  if (value.starts_with("[") && value.ends_with("]")) value = value.substr(1, value.size() - 2);
  while (!value.empty()) {
    const size_t comma = value.find(',');
    int64_t number = 0;
    if (parse_integer(trim(value.substr(0, comma)), number))
      modifier.values.push_back(number);
    else
      modifier.text = value;
    value = comma == std::string_view::npos ? std::string_view{} : value.substr(comma + 1);
  }
  return modifier;
}

/// Splits at `separator` outside brackets and bars; returns the first piece and drops it from `s`.
std::string_view next_piece(std::string_view& s, char separator) {
  int depth = 0;
  size_t i = 0;
  for (; i < s.size(); ++i) {
    if (s[i] == '[' || s[i] == '(') ++depth;
    if (s[i] == ']' || s[i] == ')') --depth;
    if (depth == 0 && s[i] == separator) break;
  }
  const std::string_view piece = s.substr(0, i);
  s = i < s.size() ? s.substr(i + 1) : std::string_view{};
  return piece;
}

void split_suffix(Instruction& instruction) {
  struct Suffix {
    std::string_view text;
    Encoding encoding;
  };
  static constexpr Suffix kSuffixes[] = {{"_e64_dpp", Encoding::E64Dpp},
                                         {"_e32", Encoding::E32},
                                         {"_e64", Encoding::E64},
                                         {"_dpp", Encoding::Dpp},
                                         {"_sdwa", Encoding::Sdwa}};
  for (const Suffix& suffix : kSuffixes) {
    if (!instruction.mnemonic.ends_with(suffix.text)) continue;
    instruction.mnemonic.resize(instruction.mnemonic.size() - suffix.text.size());
    instruction.encoding = suffix.encoding;
    return;
  }
}

}  // namespace

Result<Instruction> parse_instruction(std::string_view text) {
  Instruction instruction;
  text = trim(text.substr(0, text.find("//")));
  if (const size_t comment = text.find(';'); comment != std::string_view::npos)
    text = trim(text.substr(0, comment));
  instruction.text = text;
  if (const size_t dual = text.find(" :: "); dual != std::string_view::npos) {
    auto second = parse_instruction(text.substr(dual + 4));
    if (!second) return second;
    instruction.second.push_back(std::move(*second));
    text = text.substr(0, dual);
  }
  const std::string_view mnemonic = next_piece(text, ' ');
  if (mnemonic.empty() || text.find("/*") != std::string_view::npos)
    return fail(ErrorKind::BadInput, fmt::format("cannot read instruction '{}'", instruction.text));
  instruction.mnemonic = mnemonic;
  split_suffix(instruction);
  text = trim(text);
  if (const ControlRow* const row = find_control(mnemonic); row && row->facts.fields) {
    while (!text.empty()) {
      const std::string_view piece = trim(next_piece(text, ' '));
      if (!piece.empty() && piece != "&" && piece != "|")
        instruction.modifiers.push_back(parse_modifier(piece));
      text = trim(text);
    }
    return instruction;
  }
  // Operands up to the last comma; the piece after it ends at the first blank, then come modifiers.
  while (!text.empty()) {
    std::string_view piece = trim(next_piece(text, ','));
    if (piece.empty()) continue;
    std::string_view rest = piece;
    std::string_view first = next_piece(rest, ' ');
    // `scope:SCOPE_SYS` without operands before it; the colon of `s[0:1]` is inside its brackets.
    const bool only_modifiers = instruction.operands.empty() && first.find(':') < first.find('[');
    if (only_modifiers)
      rest = piece;
    else
      instruction.operands.push_back(parse_operand(first));
    rest = trim(rest);
    while (!rest.empty()) {
      const std::string_view word = trim(next_piece(rest, ' '));
      if (!word.empty()) instruction.modifiers.push_back(parse_modifier(word));
      rest = trim(rest);
    }
  }
  return instruction;
}

}  // namespace wavesmith::isa
