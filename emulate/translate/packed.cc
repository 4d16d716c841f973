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

class PackedTranslator {
 public:
  PackedTranslator(Emitter& emitter, const isa::Instruction& instruction,
                   const Implementation& implementation)
      : emitter_(emitter),
        instruction_(instruction),
        implementation_(implementation),
        row_(implementation.row),
        sources_(static_cast<size_t>(
            std::count_if(row_.roles, row_.roles + row_.count,
                          [](const Role& role) { return role.use == Role::Use::Read && role.printed; }))),
        op_sel_(instruction, sources_),
        // Output modifiers are those of whole floats; `clamp` comes after them.
        scales_(instruction.has("mul") || instruction.has("div")) {}

  Result<void> translate() {
    if (auto done = check(); !done) return done;
    if (auto done = operands(); !done) return done;
    uop_.handler = implementation_.handlers[0][instruction_.has("clamp") && !scales_];
    if (!uop_.handler) return fail(ErrorKind::Unsupported, fmt::format("clamp of '{}'", instruction_.text));
    emit();
    return {};
  }

 private:
  /// Whether the form and all modifiers are among those that are served; finds the table of a DPP form.
  Result<void> check() {
    const bool sdwa = instruction_.encoding == isa::Encoding::Sdwa;
    const bool with_dpp =
        instruction_.encoding == isa::Encoding::Dpp || instruction_.encoding == isa::Encoding::E64Dpp;
    if (sdwa && instruction_.has("dst_sel") && instruction_.find("dst_sel")->text != "DWORD")
      return fail(ErrorKind::Unsupported, fmt::format("unsupported form '{}'", instruction_.text));
    const bool known = std::all_of(
        instruction_.modifiers.begin(), instruction_.modifiers.end(),
        [&](const isa::Modifier& modifier) { return known_modifier(modifier.name, sdwa, with_dpp); });
    const Type result = row_.roles[0].type;
    if (!known || (scales_ && result != Type::F32 && result != Type::V2F32))
      return fail(ErrorKind::Unsupported, fmt::format("unsupported modifier of '{}'", instruction_.text));
    if (with_dpp) {
      const auto found = dpp_table(instruction_, emitter_.lanes());
      if (!found) return tl::unexpected(found.error());
      table_ = *found;
    }
    if (instruction_.operands.size() < sources_ + 1)
      return fail(ErrorKind::Internal,
                  fmt::format("'{}' has fewer operands than its row", instruction_.text));
    return {};
  }

  Result<void> operands() {
    uint32_t* const slots[] = {&uop_.a, &uop_.b, &uop_.c};
    size_t printed = 0, index = 0;
    for (int i = 0; i < row_.count; ++i) {
      const Role& role = row_.roles[i];
      if (role.type == Type::Immediate) immediate();
      if (!role.printed) continue;
      const Operand& operand = instruction_.operands[printed++];
      if (role.use == Role::Use::Write) {
        if (auto done = result(operand, role.type); !done) return done;
        continue;
      }
      const auto offset = source(operand, role.type, index);
      if (!offset) return tl::unexpected(offset.error());
      const bool half = role.type == Type::V2F16 || role.type == Type::F16 ||
                        (role.type == Type::Mixed && flag("op_sel_hi", index, 0));
      *slots[index++] = half ? emitter_.flushed_half_source(row_, *offset) : *offset;
    }
    uop_.e = e_;
    uop_.f = f_;
    return {};
  }

  [[nodiscard]] bool flag(std::string_view name, size_t i, int64_t otherwise) const {
    return instruction_.value(name, otherwise, i) != 0;
  }

  /// What the instruction says beside its operands: a truth table, or which sources are signed.
  void immediate() {
    e_ = static_cast<uint32_t>(instruction_.value("bitop3"));
    for (size_t k = 0; k < 3; ++k) e_ |= flag("neg_lo", k, 0) ? 1u << k : 0;
  }

  /// Where the result goes, and to which part of the register.
  Result<void> result(const Operand& operand, Type type) {
    const auto offset = emitter_.row_register(operand);
    if (!offset) return tl::unexpected(offset.error());
    uop_.d = *offset;
    if (type == Type::B8)
      f_ = instruction_.has("byte_sel") ? part_position(instruction_, 0) : (op_sel_[3] * 2 + op_sel_[2]) * 8;
    if (type == Type::B16) {
      const bool high_only =
          row_.mnemonics.find("hi_f16") != std::string_view::npos;  // v_fma_mixhi_f16, v_mad_mixhi_f16
      f_ = high_only || op_sel_[3] || operand.half == Operand::Half::High ? 16 : 0;
    }
    return {};
  }

  /// The rows of a source, arranged for the handler.
  Result<uint32_t> source(const Operand& operand, Type type, size_t index) {
    const DppTable* const dpp = index == 0 ? table_ : nullptr;
    if (is_halves(type)) {
      const bool sign = operand.negate;  // VOP3's neg of a packed source means both halves
      return halves_source(
          emitter_, operand, type,
          {flag("op_sel", index, 0), flag("op_sel_hi", index, 1), flag("neg_lo", index, 0) != sign,
           flag("neg_hi", index, 0) != sign, operand.absolute},
          dpp);
    }
    if (is_pair(type)) return pair_source(operand, index, dpp);
    switch (type) {
      case Type::B8:
        e_ = part_position(instruction_, (op_sel_[1] * 2 + op_sel_[0]) * 8);
        return rows_of(emitter_, operand, Type::U32, dpp);
      case Type::B16:
        return part_source(operand, index, dpp);
      case Type::B192:
      case Type::B512:
      case Type::B1024:
        if (!is_row(operand))
          return fail(ErrorKind::Unsupported, fmt::format("scalar array in '{}'", instruction_.text));
        return emitter_.register_offset(operand);
      case Type::Mixed:
        return mixed_source(operand, index, dpp);
      default:
        return float_source(operand, type, index, dpp);
    }
  }

  Result<uint32_t> pair_source(const Operand& operand, size_t index, const DppTable* dpp) {
    auto offset = rows_of(emitter_, operand, Type::V2F32, dpp);
    if (offset) offset = with_signs(emitter_, operand, *offset, 0x80000000u, 2);
    e_ |= (op_sel_[static_cast<int>(index)] ? kPairLowFromSecond : 0) << index;
    // The result's second half of v_pk_mov_b32 is its second source's, chosen by op_sel alone.
    e_ |= (flag("op_sel_hi", index, 1) ? kPairHighFromSecond : 0) << index;
    e_ |= (flag("neg_lo", index, 0) ? kPairNegateLow : 0) << index;
    e_ |= (flag("neg_hi", index, 0) ? kPairNegateHigh : 0) << index;
    return offset;
  }

  /// A 16-bit part: the handler picks it.
  Result<uint32_t> part_source(const Operand& operand, size_t index, const DppTable* dpp) {
    auto offset = rows_of(emitter_, operand, constant_type(instruction_.mnemonic), dpp);
    // Both halves: which of them is the part comes after.
    if (offset) offset = with_signs(emitter_, operand, *offset, kBothSigns);
    const bool high = op_sel_[static_cast<int>(index)] || operand.half == Operand::Half::High;
    e_ = part_position(instruction_, high ? 16 : 0);
    return offset;
  }

  /// An f32, or an f16 in either half.
  Result<uint32_t> mixed_source(const Operand& operand, size_t index, const DppTable* dpp) {
    const bool f16 = flag("op_sel_hi", index, 0);
    const uint32_t flags = (f16 ? kMixedF16 : 0) | (op_sel_[static_cast<int>(index)] ? kMixedHigh : 0) |
                           (operand.negate ? kMixedNegate : 0) | (operand.absolute ? kMixedAbsolute : 0);
    e_ |= flags << (kMixedBits * index);
    return rows_of(emitter_, operand, f16 ? Type::F16 : Type::F32, dpp);
  }

  Result<uint32_t> float_source(const Operand& operand, Type type, size_t index, const DppTable* dpp) {
    const auto offset = whole_source(emitter_, operand, type, dpp);
    if (!offset || type != Type::F32 || !flag("neg_lo", index, 0)) return offset;
    const uint32_t negated = emitter_.temporary_rows();
    emitter_.emit(Micro::Negate, negated, *offset, 0, 0x80000000u);
    return negated;
  }

  /// The operation, between what DPP, MODE and output modifiers want before and after it.
  void emit() {
    const bool narrow = table_ && table_->narrows(emitter_.lanes());
    const uint32_t saved = narrow ? emitter_.temporary_scalars(2) : 0;
    if (narrow) emitter_.emit(Micro::DppNarrow, saved).pointer = table_;
    const auto has_role = [&](auto what) { return std::any_of(row_.roles, row_.roles + row_.count, what); };
    const bool halves =
        has_role([](const Role& role) { return role.use == Role::Use::Write && role.type == Type::V2F16; });
    if (halves && has_role([](const Role& role) { return role.destination_too; }))
      emitter_.flush_half_destination(row_, uop_.d);
    emitter_.emit(uop_);
    if (scales_) scale();
    if (halves) emitter_.flush_half_result(row_, uop_.d, 3);
    if (row_.mnemonics.find("mix") != std::string_view::npos && row_.roles[0].type == Type::B16)
      emitter_.flush_half_result(row_, uop_.d, f_ == 0 ? 1 : 2);
    if (narrow) emitter_.emit(Micro::CopyScalar64, scalar_offset(scalar_index::kExec), saved);
  }

  void scale() {
    const float factor = instruction_.has("mul") ? static_cast<float>(instruction_.value("mul"))
                                                 : 1.0f / static_cast<float>(instruction_.value("div"));
    for (uint32_t i = 0; i < (row_.roles[0].type == Type::V2F32 ? 2 : 1); ++i) {
      const uint32_t result = uop_.d + i * kRowBytes;
      emitter_.emit(Micro::ScaleF32, result, result, 0, std::bit_cast<uint32_t>(factor));
      if (instruction_.has("clamp")) emitter_.emit(Micro::ClampF32, result, result);
    }
  }

  Emitter& emitter_;
  const isa::Instruction& instruction_;
  const Implementation& implementation_;
  const isa::Row& row_;
  const size_t sources_;  ///< that are printed
  const OpSel op_sel_;
  const bool scales_;
  const DppTable* table_ = nullptr;  ///< of a DPP form
  Uop uop_;
  uint32_t e_ = 0, f_ = 0;  ///< of uop_, whose pointer shares their place
};

}  // namespace

Result<void> translate_packed(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation) {
  return PackedTranslator(emitter, instruction, implementation).translate();
}

}  // namespace wavesmith::emulate
