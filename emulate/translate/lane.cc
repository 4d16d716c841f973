// Vector instructions: operands and modifiers become rows, then the row's handler runs.
//
// DPP: the first source's lanes are exchanged into a temporary row; EXEC is narrowed around the instruction.
// SDWA, halves: a field of a source is extracted into a temporary row; a result is computed in a temporary
// row and inserted.
// neg, abs: the sign bit is changed in a temporary row.
// omod, clamp: finish the result in place; integer clamp is a row of its own.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "emulate/translate/dpp.h"
#include "emulate/translate/emitter.h"
#include "emulate/translate/operand_fields.h"

namespace wavesmith::emulate {
namespace {

using isa::Encoding;
using isa::Operand;
using isa::Role;
using isa::Type;

constexpr bool is_half(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::U16 || type == Type::I16;
}
constexpr bool is_float(Type type) { return type == Type::F16 || type == Type::F32 || type == Type::F64; }

/// Modifiers that this file gives meaning, and those that have none for the result.
constexpr std::array<std::string_view, 30> kKnown = {
    "clamp",     "mul",          "div",       "op_sel",     "bitop3",
    "dst_sel",   "dst_unused",   "src0_sel",  "src1_sel",   "row_mask",
    "bank_mask", "bound_ctrl",   "fi",        "quad_perm",  "dpp8",
    "row_shl",   "row_shr",      "row_ror",   "row_mirror", "row_half_mirror",
    "row_share", "row_newbcast", "row_xmask", "row_bcast",  "wave_shl",
    "wave_shr",  "wave_rol",     "wave_ror",  "done",       "wait_exp"};

Field field_of(std::string_view selection) {
  if (selection.starts_with("BYTE_")) return {8u * static_cast<uint32_t>(selection.back() - '0'), 8};
  if (selection.starts_with("WORD_")) return {16u * static_cast<uint32_t>(selection.back() - '0'), 16};
  return {};
}

class LaneTranslator {
 public:
  LaneTranslator(Emitter& emitter, const isa::Instruction& instruction, const Implementation& implementation)
      : emitter_(emitter), instruction_(instruction), implementation_(&implementation) {}

  Result<void> translate() {
    for (const isa::Modifier& modifier : instruction_.modifiers)
      if (std::find(kKnown.begin(), kKnown.end(), modifier.name) == kKnown.end())
        return fail(ErrorKind::Unsupported,
                    fmt::format("modifier '{}' of '{}'", modifier.name, instruction_.text));
    if (auto done = choose_row(); !done) return done;
    if (is_dpp(instruction_)) {
      auto table = dpp_table(instruction_, emitter_.lanes());
      if (!table) return tl::unexpected(table.error());
      dpp_ = *table;
      if (is_plain_move()) return move();
    }
    if (auto done = operands(); !done) return done;
    emit();
    return {};
  }

 private:
  /// The operands that a row prints; some are printed as modifiers.
  [[nodiscard]] std::vector<Operand> printed_operands() const {
    std::vector<Operand> operands = instruction_.operands;
    // A scalar costs nothing as the first source.
    const bool plain = instruction_.encoding != Encoding::Sdwa && !dpp_ && !instruction_.has("op_sel");
    if (implementation_->row.facts.commutes && plain && operands.size() >= 3 && is_row(operands[1]) &&
        !is_row(operands[2]))
      std::swap(operands[1], operands[2]);
    if (const std::string_view last = implementation_->row.facts.modifier; !last.empty())
      operands.push_back({.kind = Operand::Kind::Integer,
                          .half = Operand::Half::Low,  // op_sel's fourth value is the result's
                          .bits = instruction_.value(last)});
    return operands;
  }

  /// A move of 32 bits with DPP and nothing else.
  [[nodiscard]] bool is_plain_move() const {
    const std::vector<Operand>& operands = instruction_.operands;
    const isa::Row& row = implementation_->row;
    return row.facts.copies && row.roles[0].type == Type::U32 && operands.size() == 2 &&
           is_row(operands[0]) && is_row(operands[1]) && !operands[1].negate && !operands[1].absolute &&
           !instruction_.has("clamp") && !instruction_.has("mul") && !instruction_.has("div");
  }
  Result<void> move() {
    const auto to = emitter_.register_offset(instruction_.operands[0]);
    const auto from = emitter_.register_offset(instruction_.operands[1]);
    if (!to) return tl::unexpected(to.error());
    if (!from) return tl::unexpected(from.error());
    emitter_.emit(Micro::DppInsert, *to, *from).pointer = dpp_;
    return {};
  }

  /// Integer results with `clamp` have a row that saturates.
  Result<void> choose_row() {
    const isa::Row& row = implementation_->row;
    const bool result_is_lanes = row.roles[0].type == Type::LaneMask || row.roles[0].type == Type::Exec;
    if (!instruction_.has("clamp") || is_float(row.roles[0].type) || result_is_lanes) return {};
    const Implementation* const saturating =
        find_implementation(instruction_.mnemonic, emitter_.target(), true);
    if (!saturating && (row.facts.bounded || row.facts.chooses)) return {};
    implementation_ = saturating;
    if (!implementation_)
      return fail(ErrorKind::Unsupported, fmt::format("clamp of '{}'", instruction_.text));
    return {};
  }

  Result<void> operands() {
    const isa::Row& row = implementation_->row;
    const std::vector<Operand> operands = printed_operands();
    uint32_t* const results[] = {&uop_.d, &uop_.e};
    uint32_t* const sources[] = {&uop_.a, &uop_.b, &uop_.c, &uop_.f};
    size_t printed = 0, result = 0, source = 0;
    for (int i = 0; i < row.count; ++i) {
      const Role& role = row.roles[i];
      if (role.destination_too) {
        reads_destination_ = true;
        continue;
      }
      if (role.printed && printed >= operands.size())
        return fail(ErrorKind::Internal,
                    fmt::format("'{}' has fewer operands than its row", instruction_.text));
      if (role.type == Type::Exec && role.use == Role::Use::Write) {
        if (result == 0)
          uop_.d = scalar_offset(scalar_index::kExec);
        else
          exec_too_ = true;  // v_cmpx of CDNA writes the lanes to both
        ++result;
        continue;
      }
      Result<uint32_t> offset = scalar_offset(scalar_index::kVcc);
      if (role.printed) {
        const Operand& operand = operands[printed++];
        if (role.use == Role::Use::Write)
          offset = result == 0 && is_row(operand) ? first_result(operand, role.type)
                   : role.type == Type::LaneMask  ? emitter_.register_offset(operand)
                                                  : emitter_.row_register(operand);
        else if (role.type == Type::LaneMask)
          offset = emitter_.scalar_source(operand, Type::U64);
        else if (source == 1 && adds_nothing(operand))
          second_zero_ = true;
        else
          offset = lane_source(operand, role.type, source);
      }
      if (!offset) return tl::unexpected(offset.error());
      (role.use == Role::Use::Write ? *results[result++] : *sources[source++]) = *offset;
    }
    return {};
  }

  /// Whether a second source is a 0 that a handler needs not see.
  [[nodiscard]] bool adds_nothing(const Operand& operand) const {
    return implementation_->second_zero[0] && emitter_.lanes() == 64 &&
           operand.kind == Operand::Kind::Integer && operand.bits == 0;
  }

  /// Whether the handler for changed signs is the one to run; it reads rows only.
  [[nodiscard]] bool changes_signs() const {
    return implementation_->signs[emitter_.wave32()] &&
           std::any_of(instruction_.operands.begin(), instruction_.operands.end(),
                       [](const Operand& operand) { return operand.negate || operand.absolute; });
  }

  [[nodiscard]] bool op_sel(size_t index) const { return instruction_.value("op_sel", 0, index) != 0; }
  /// Whether the upper half of an operand is meant, of a printed position in op_sel.
  [[nodiscard]] bool high(const Operand& operand, size_t index) const {
    return operand.half == Operand::Half::Whole ? op_sel(index) : operand.half == Operand::Half::High;
  }

  /// Which lanes a source comes from, when not each from its own. V_INTERP_P10_* multiply the difference of a
  /// parameter that lane 1 of each quad holds and add its value in lane 0, V_INTERP_P2_* that of lane 2.
  /// Source: AMD, "RDNA3 Instruction Set Architecture", section "VINTERP Instructions".
  [[nodiscard]] const DppTable* exchange(size_t index) const {
    switch (implementation_->row.facts.interpolates) {
      case isa::Interpolation::P10:
        return index == 0 ? quad_table(1) : index == 2 ? quad_table(0) : nullptr;
      case isa::Interpolation::P2:
        return index == 0 ? quad_table(2) : nullptr;
      case isa::Interpolation::None:
        break;
    }
    return index == 0 ? dpp_ : nullptr;
  }

  Result<uint32_t> lane_source(const Operand& operand, Type type, size_t index) {
    Field field;
    if (instruction_.encoding == Encoding::Sdwa && index < 2) {
      const isa::Modifier* selection = instruction_.find(index == 0 ? "src0_sel" : "src1_sel");
      if (selection) field = field_of(selection->text);
      field.sign_extend = operand.sign_extend;
    } else if ((is_half(type) || operand.half != Operand::Half::Whole) && high(operand, index)) {
      field = {16, 16};
    }
    const bool plain = field.width == 32 && !operand.negate && !operand.absolute;
    const bool may_flush = type == Type::F16 && emitter_.mode_varies();
    if (index == 0 && plain && !may_flush && !is_row(operand) && !dpp_ && !changes_signs() &&
        implementation_->handlers[emitter_.wave32()][1]) {
      scalar_first_ = true;
      return emitter_.scalar_source(operand, type);
    }
    auto row = emitter_.row_source(operand, type);
    if (!row) return row;
    uint32_t source = *row;
    const int count = is_wide(type) ? 2 : 1;
    if (const DppTable* const table = exchange(index)) {
      const uint32_t moved = emitter_.temporary_rows(count);
      for (int i = 0; i < count; ++i)
        emitter_.emit(Micro::DppMove, moved + kRowBytes * i, source + kRowBytes * i).pointer = table;
      source = moved;
    }
    if (field.width != 32) {
      const uint32_t part = emitter_.temporary_rows();
      emitter_.emit(Micro::Extract, part, source, field.first(), field.second());
      source = part;
    }
    if (may_flush) source = emitter_.flushed_half_source(implementation_->row, source);
    if (!operand.absolute && !operand.negate) return source;
    if (implementation_->signs[emitter_.wave32()]) {
      signs_ |= static_cast<uint32_t>(operand.negate) << index | static_cast<uint32_t>(operand.absolute)
                                                                     << (8 + index);
      return source;
    }
    // The sign is the highest bit of any type; of a wide one it stands in the second row.
    const uint32_t changed = emitter_.temporary_rows(count);
    if (count == 2) emitter_.emit(Micro::CopyRow, changed, source);
    const uint32_t sign = is_half(type) ? 0x8000u : 0x80000000u;
    const uint32_t to = changed + kRowBytes * (count - 1);
    uint32_t from = source + kRowBytes * (count - 1);
    if (operand.absolute) emitter_.emit(Micro::ClearSign, to, from, 0, sign), from = to;
    if (operand.negate) emitter_.emit(Micro::Negate, to, from, 0, sign);
    return changed;
  }

  /// Where the handler writes: the register, or a temporary row that is inserted into it afterwards.
  Result<uint32_t> first_result(const Operand& operand, Type type) {
    result_type_ = type;
    const auto offset = emitter_.register_offset(operand);
    if (!offset) return offset;
    if (const isa::Modifier* selection = instruction_.find("dst_sel")) {
      part_ = field_of(selection->text);
      const isa::Modifier* unused = instruction_.find("dst_unused");
      if (unused && unused->text == "UNUSED_PRESERVE") part_.rest = Field::Rest::Keep;
      if (unused && unused->text == "UNUSED_SEXT") part_.rest = Field::Rest::Sign;
    } else if (is_half(type)) {
      const bool keeps = !emitter_.target().clears_high_half() || implementation_->row.facts.keeps_high;
      const bool upper = high(operand, op_sel_of_result());
      if (keeps || upper) part_ = {upper ? 16u : 0u, 16, false, Field::Rest::Keep};
    }
    if (part_.width == 32) return offset;
    register_ = *offset;
    return emitter_.temporary_rows();
  }

  /// op_sel's last value is the result's.
  [[nodiscard]] size_t op_sel_of_result() const {
    const isa::Modifier* modifier = instruction_.find("op_sel");
    return modifier && !modifier->values.empty() ? modifier->values.size() - 1 : 0;
  }

  void emit() {
    const bool in_part = part_.width != 32;
    if (in_part && reads_destination_)
      emitter_.emit(Micro::Extract, uop_.d, register_, part_.first(), Field{part_.low, part_.width}.second());
    const bool narrow = dpp_ && dpp_->narrows(emitter_.lanes());
    const uint32_t exec = scalar_offset(scalar_index::kExec);
    const uint32_t saved = narrow ? emitter_.temporary_scalars(2) : 0;
    if (narrow) emitter_.emit(Micro::DppNarrow, saved).pointer = dpp_;
    if (reads_destination_ && result_type_ == Type::F16)
      emitter_.flush_half_destination(implementation_->row, uop_.d);
    uop_.handler = second_zero_ ? implementation_->second_zero[scalar_first_]
                                : implementation_->handlers[emitter_.wave32()][scalar_first_];
    if (signs_ != 0) {
      uop_.handler = implementation_->signs[emitter_.wave32()];
      uop_.e = signs_;
    }
    emitter_.emit(uop_);
    if (is_float(result_type_)) finish_float();
    if (result_type_ == Type::F16) emitter_.flush_half_result(implementation_->row, uop_.d, 1);
    if (in_part) emitter_.emit(Micro::Insert, register_, uop_.d, part_.first(), part_.second());
    if (narrow && uop_.d != exec) emitter_.emit(Micro::CopyScalar64, exec, saved);
    if (exec_too_) emitter_.emit(Micro::CopyScalar64, exec, uop_.d);
  }

  void finish_float() {
    const auto by_type = [&](Micro of16, Micro of32, Micro of64) {
      return result_type_ == Type::F16 ? of16 : result_type_ == Type::F32 ? of32 : of64;
    };
    // Where denormals may be flushed, a minimum has to do it, which is otherwise a choice of its sources.
    if (implementation_->row.facts.chooses && emitter_.mode_varies() && result_type_ != Type::F16)
      emitter_.emit(by_type(Micro::ScaleF16, Micro::ScaleF32, Micro::ScaleF64), uop_.d, uop_.d, 0,
                    std::bit_cast<uint32_t>(1.0f));
    const float factor = instruction_.has("mul")   ? static_cast<float>(instruction_.value("mul"))
                         : instruction_.has("div") ? 1.0f / static_cast<float>(instruction_.value("div"))
                                                   : 1.0f;
    if (factor != 1)
      emitter_.emit(by_type(Micro::ScaleF16, Micro::ScaleF32, Micro::ScaleF64), uop_.d, uop_.d, 0,
                    std::bit_cast<uint32_t>(factor));
    if (instruction_.has("clamp"))
      emitter_.emit(by_type(Micro::ClampF16, Micro::ClampF32, Micro::ClampF64), uop_.d, uop_.d);
  }

  Emitter& emitter_;
  const isa::Instruction& instruction_;
  const Implementation* implementation_;
  const DppTable* dpp_ = nullptr;
  Uop uop_;
  bool scalar_first_ = false, second_zero_ = false, reads_destination_ = false, exec_too_ = false;
  uint32_t signs_ = 0;  ///< of f32 sources, for the handler that changes them
  Type result_type_ = Type::U32;
  Field part_;             ///< of the register, that the result goes to
  uint32_t register_ = 0;  ///< when part_ is not all of it
};

}  // namespace

Result<void> translate_lane(Emitter& emitter, const isa::Instruction& instruction,
                            const Implementation& implementation) {
  return LaneTranslator(emitter, instruction, implementation).translate();
}

}  // namespace wavesmith::emulate
