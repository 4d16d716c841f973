// Instructions on parts of registers (isa/packed.h): op_sel and its relatives, neg_lo and neg_hi, become
// flags of the micro-operation, or micro-operations that arrange the halves before it.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "emulate/engine/packed_flags.h"
#include "emulate/translate/dpp.h"
#include "emulate/translate/emitter.h"

namespace wavesmith::emulate {
namespace {

using isa::Operand;
using isa::Role;
using isa::Type;

constexpr bool is_halves(Type type) {
  return type == Type::V2F16 || type == Type::V2BF16 || type == Type::V2I16 || type == Type::V2U16;
}
constexpr bool is_pair(Type type) { return type == Type::V2F32 || type == Type::V2U32; }

/// op_sel as the encoding has it: bits 0 to 2 of the sources, bit 3 of the result. The printer leaves out
/// sources that the instruction does not have, so with fewer than four values the one after the last source
/// is the result's.
struct OpSel {
  unsigned bits = 0;
  explicit OpSel(const isa::Instruction& instruction, size_t sources) {
    const isa::Modifier* modifier = instruction.find("op_sel");
    if (!modifier) return;
    const size_t count = modifier->values.size();
    for (size_t i = 0; i < count; ++i)
      if (modifier->values[i] != 0) bits |= 1u << (count < 4 && i == sources ? 3 : i);
  }
  [[nodiscard]] unsigned operator[](int i) const { return bits >> i & 1; }
};

/// Where SDWA or gfx12's byte_sel says that a part is, in bits; `otherwise` without them.
uint32_t part_position(const isa::Instruction& instruction, uint32_t otherwise) {
  if (instruction.has("byte_sel")) return static_cast<uint32_t>(instruction.value("byte_sel") & 3) * 8;
  const isa::Modifier* sdwa = instruction.find("src0_sel");
  if (!sdwa) return otherwise;
  const std::string& text = sdwa->text;
  if (text.starts_with("BYTE_")) return static_cast<uint32_t>(text.back() - '0') * 8;
  if (text.starts_with("WORD_")) return static_cast<uint32_t>(text.back() - '0') * 16;
  return 0;
}

/// The rows of a source; its lanes exchanged where it is the first of a DPP form.
Result<uint32_t> rows_of(Emitter& emitter, const Operand& operand, Type type, const DppTable* dpp) {
  const auto rows = emitter.row_source(operand, type);
  if (!rows || !dpp) return rows;
  const int count = is_pair(type) ? 2 : 1;
  const uint32_t moved = emitter.temporary_rows(count);
  for (int i = 0; i < count; ++i)
    emitter.emit(Micro::DppMove, moved + kRowBytes * i, *rows + kRowBytes * i).pointer = dpp;
  return moved;
}

/// A source of so many rows with |x| and -x applied, which change these bits of each.
uint32_t with_signs(Emitter& emitter, const Operand& operand, uint32_t source, uint32_t signs, int rows = 1) {
  if (!operand.negate && !operand.absolute) return source;
  const uint32_t result = emitter.temporary_rows(rows);
  for (int i = 0; i < rows; ++i) {
    const uint32_t to = result + kRowBytes * i;
    uint32_t from = source + kRowBytes * i;
    if (operand.absolute) emitter.emit(Micro::ClearSign, to, from, 0, signs), from = to;
    if (operand.negate) emitter.emit(Micro::Negate, to, from, 0, signs);
  }
  return result;
}
constexpr uint32_t kBothSigns = 0x80008000u;

/// As what a constant stands in a 16-bit source: mnemonics end in the type of their sources.
Type constant_type(std::string_view mnemonic) {
  return mnemonic.ends_with("_bf16") ? Type::BF16 : mnemonic.ends_with("_f16") ? Type::F16 : Type::U32;
}

/// A float source with |x| and -x applied.
Result<uint32_t> whole_source(Emitter& emitter, const Operand& operand, Type type, const DppTable* dpp) {
  const auto row = rows_of(emitter, operand, type, dpp);
  if (!row) return row;
  return with_signs(emitter, operand, *row, type == Type::F16 || type == Type::BF16 ? 0x8000u : 0x80000000u);
}

struct Halves {
  bool low_from_high, high_from_high, negate_low, negate_high;
  bool absolute;  ///< VOP3's abs of a packed source: both halves
  [[nodiscard]] bool plain() const {
    return !low_from_high && high_from_high && !negate_low && !negate_high && !absolute;
  }
  [[nodiscard]] uint32_t signs() const {
    return (negate_low ? 0x8000u : 0u) | (negate_high ? 0x80000000u : 0u);
  }
};

/// A source of two halves, arranged.
Result<uint32_t> halves_source(Emitter& emitter, const Operand& operand, Type type, const Halves& halves,
                               const DppTable* dpp) {
  if (operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Float) {
    const auto bits = static_cast<uint32_t>(constant_bits(operand, type));
    const uint32_t low = halves.low_from_high ? bits >> 16 : bits & 0xffff;
    const uint32_t high = halves.high_from_high ? bits >> 16 : bits & 0xffff;
    const uint32_t row = emitter.temporary_rows();
    const uint32_t cleared = halves.absolute ? kBothSigns : 0;
    emitter.emit(Micro::Splat, row, emitter.constant(((low | high << 16) & ~cleared) ^ halves.signs()));
    return row;
  }
  auto row = rows_of(emitter, operand, type, dpp);
  if (!row || halves.plain()) return row;
  if (halves.absolute) {
    const uint32_t magnitudes = emitter.temporary_rows();
    emitter.emit(Micro::ClearSign, magnitudes, *row, 0, kBothSigns);
    row = magnitudes;
  }
  const uint32_t result = emitter.temporary_rows();
  const uint32_t select =
      (halves.low_from_high ? kSelectLowFromHigh : 0) | (halves.high_from_high ? kSelectHighFromHigh : 0);
  emitter.emit(Micro::SelectHalves, result, *row, select, halves.signs());
  return result;
}

/// Modifiers that this translator honours, or that change nothing.
bool known_modifier(std::string_view name, bool sdwa, bool dpp) {
  if (dpp) return true;  // what the controls are is for dpp_table() to know
  for (const std::string_view known :
       {"op_sel", "op_sel_hi", "neg_lo", "neg_hi", "clamp", "byte_sel", "bitop3", "mul", "div"})
    if (name == known) return true;
  return sdwa && (name == "src0_sel" || name == "dst_sel" || name == "dst_unused");
}

}  // namespace

Result<void> translate_packed(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation) {
  const isa::Row& row = implementation.row;
  const bool sdwa = instruction.encoding == isa::Encoding::Sdwa;
  const bool with_dpp =
      instruction.encoding == isa::Encoding::Dpp || instruction.encoding == isa::Encoding::E64Dpp;
  if (sdwa && instruction.has("dst_sel") && instruction.find("dst_sel")->text != "DWORD")
    return fail(ErrorKind::Unsupported, fmt::format("unsupported form '{}'", instruction.text));
  for (const isa::Modifier& modifier : instruction.modifiers)
    if (!known_modifier(modifier.name, sdwa, with_dpp))
      return fail(ErrorKind::Unsupported, fmt::format("unsupported modifier of '{}'", instruction.text));
  // Output modifiers are those of whole floats; `clamp` comes after them.
  const bool scales = instruction.has("mul") || instruction.has("div");
  if (scales && row.roles[0].type != Type::F32 && row.roles[0].type != Type::V2F32)
    return fail(ErrorKind::Unsupported, fmt::format("unsupported modifier of '{}'", instruction.text));
  const DppTable* table = nullptr;
  if (with_dpp) {
    const auto found = dpp_table(instruction, emitter.lanes());
    if (!found) return tl::unexpected(found.error());
    table = *found;
  }

  size_t sources = 0;
  for (int i = 0; i < row.count; ++i) sources += row.roles[i].use == Role::Use::Read && row.roles[i].printed;
  if (instruction.operands.size() < sources + 1)
    return fail(ErrorKind::Internal, fmt::format("'{}' has fewer operands than its row", instruction.text));
  const OpSel op_sel(instruction, sources);
  const auto flag = [&](std::string_view name, size_t i, int64_t otherwise) {
    return instruction.value(name, otherwise, i) != 0;
  };

  Uop uop;
  uint32_t* const slots[] = {&uop.a, &uop.b, &uop.c};
  uint32_t e = 0, f = 0;
  size_t printed = 0, source = 0;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    if (role.type == Type::Immediate) {
      e = static_cast<uint32_t>(instruction.value("bitop3"));
      for (size_t k = 0; k < 3; ++k) e |= flag("neg_lo", k, 0) ? 1u << k : 0;
    }
    if (!role.printed) continue;
    const Operand& operand = instruction.operands[printed++];
    if (role.use == Role::Use::Write) {
      const auto offset = emitter.row_register(operand);
      if (!offset) return tl::unexpected(offset.error());
      uop.d = *offset;
      const bool byte_sel = instruction.has("byte_sel");
      if (role.type == Type::B8)
        f = byte_sel ? part_position(instruction, 0) : (op_sel[3] * 2 + op_sel[2]) * 8;
      if (role.type == Type::B16) {
        const bool high_only =
            row.mnemonics.find("hi_f16") != std::string_view::npos;  // v_fma_mixhi_f16, v_mad_mixhi_f16
        f = high_only || op_sel[3] || operand.half == Operand::Half::High ? 16 : 0;
      }
      continue;
    }
    const auto k = static_cast<int>(source);
    const DppTable* const dpp = source == 0 ? table : nullptr;
    Result<uint32_t> offset = 0;
    if (is_halves(role.type)) {
      const bool sign = operand.negate;  // VOP3's neg of a packed source means both halves
      offset = halves_source(
          emitter, operand, role.type,
          {flag("op_sel", source, 0), flag("op_sel_hi", source, 1), flag("neg_lo", source, 0) != sign,
           flag("neg_hi", source, 0) != sign, operand.absolute},
          dpp);
    } else if (is_pair(role.type)) {
      offset = rows_of(emitter, operand, Type::V2F32, dpp);
      if (offset) offset = with_signs(emitter, operand, *offset, 0x80000000u, 2);
      e |= (op_sel[k] ? kPairLowFromSecond : 0) << k;
      // The result's second half of v_pk_mov_b32 is its second source's, chosen by op_sel alone.
      e |= (flag("op_sel_hi", source, 1) ? kPairHighFromSecond : 0) << k;
      e |= (flag("neg_lo", source, 0) ? kPairNegateLow : 0) << k;
      e |= (flag("neg_hi", source, 0) ? kPairNegateHigh : 0) << k;
    } else if (role.type == Type::B8) {
      offset = rows_of(emitter, operand, Type::U32, dpp);
      e = part_position(instruction, (op_sel[1] * 2 + op_sel[0]) * 8);
    } else if (role.type == Type::B16) {
      offset = rows_of(emitter, operand, constant_type(instruction.mnemonic), dpp);
      // Both halves: which of them is the part comes after.
      if (offset) offset = with_signs(emitter, operand, *offset, kBothSigns);
      e = part_position(instruction, op_sel[k] || operand.half == Operand::Half::High ? 16 : 0);
    } else if (role.type == Type::B192 || role.type == Type::B512 || role.type == Type::B1024) {
      if (!is_row(operand))
        return fail(ErrorKind::Unsupported, fmt::format("scalar array in '{}'", instruction.text));
      offset = emitter.register_offset(operand);
    } else if (role.type == Type::Mixed) {
      const bool f16 = flag("op_sel_hi", source, 0);
      offset = rows_of(emitter, operand, f16 ? Type::F16 : Type::F32, dpp);
      const uint32_t flags = (f16 ? kMixedF16 : 0) | (op_sel[k] ? kMixedHigh : 0) |
                             (operand.negate ? kMixedNegate : 0) | (operand.absolute ? kMixedAbsolute : 0);
      e |= flags << (kMixedBits * source);
    } else {
      offset = whole_source(emitter, operand, role.type, dpp);
      if (offset && flag("neg_lo", source, 0) && role.type == Type::F32) {
        const uint32_t negated = emitter.temporary_rows();
        emitter.emit(Micro::Negate, negated, *offset, 0, 0x80000000u);
        offset = negated;
      }
    }
    if (!offset) return tl::unexpected(offset.error());
    const bool half = role.type == Type::V2F16 || role.type == Type::F16 ||
                      (role.type == Type::Mixed && flag("op_sel_hi", source, 0));
    *slots[source++] = half ? emitter.flushed_half_source(row, *offset) : *offset;
  }
  uop.handler = implementation.handlers[0][instruction.has("clamp") && !scales];
  if (!uop.handler) return fail(ErrorKind::Unsupported, fmt::format("clamp of '{}'", instruction.text));
  uop.e = e;
  uop.f = f;
  const bool narrow = table && table->narrows(emitter.lanes());
  const uint32_t saved = narrow ? emitter.temporary_scalars(2) : 0;
  if (narrow) emitter.emit(Micro::DppNarrow, saved).pointer = table;
  const auto has_role = [&](auto what) { return std::any_of(row.roles, row.roles + row.count, what); };
  const bool halves =
      has_role([](const Role& role) { return role.use == Role::Use::Write && role.type == Type::V2F16; });
  if (halves && has_role([](const Role& role) { return role.destination_too; }))
    emitter.flush_half_destination(row, uop.d);
  emitter.emit(uop);
  for (uint32_t i = 0; scales && i < (row.roles[0].type == Type::V2F32 ? 2 : 1); ++i) {
    const uint32_t result = uop.d + i * kRowBytes;
    const float factor = instruction.has("mul") ? static_cast<float>(instruction.value("mul"))
                                                : 1.0f / static_cast<float>(instruction.value("div"));
    emitter.emit(Micro::ScaleF32, result, result, 0, std::bit_cast<uint32_t>(factor));
    if (instruction.has("clamp")) emitter.emit(Micro::ClampF32, result, result);
  }
  if (halves) emitter.flush_half_result(row, uop.d, 3);
  if (row.mnemonics.find("mix") != std::string_view::npos && row.roles[0].type == Type::B16)
    emitter.flush_half_result(row, uop.d, f == 0 ? 1 : 2);
  if (narrow) emitter.emit(Micro::CopyScalar64, scalar_offset(scalar_index::kExec), saved);
  return {};
}

}  // namespace wavesmith::emulate
