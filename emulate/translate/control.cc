// Control: waits, barriers, messages, traps, hardware registers, relative moves, modes.
//
// Execution is in order and every memory access is done when its instruction is, so every wait is already
// satisfied; what that leaves to do for other workgroups is in docs/MEMORY_MODEL.md. Sources of what each
// does: AMD's ISA manuals, "Scalar instructions" (SOP1, SOPK, SOPP); LLVM, "Syntax of AMDGPU instruction
// operands" for how messages and hardware registers are printed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "emulate/run/control.h"
#include "emulate/run/hardware_registers.h"
#include "emulate/translate/emitter.h"
#include "emulate/translate/plain.h"
#include "isa/coherence.h"
#include "isa/control/row.h"
#include "isa/mnemonic.h"
#include "isa/wait_counters.h"

namespace wavesmith::emulate {
namespace {

using isa::Instruction;
using isa::Operand;
using isa::Type;
namespace index = scalar_index;

tl::unexpected<Error> unsupported(const Instruction& instruction) {
  return fail(ErrorKind::Unsupported, fmt::format("unsupported instruction '{}'", instruction.text));
}

Result<void> nothing(Emitter& emitter, const Instruction&) {
  emitter.emit(Micro::Nop);
  return {};
}

/// A wait for stores, of which a release at agent scope may consist.
Result<void> wait_for_stores(Emitter& emitter, const Instruction& instruction) {
  // CDNA counts loads and stores by the same counter.
  const bool of_others = isa::operation_of(instruction.mnemonic) == isa::Operation::WaitForSome &&
                         isa::wait_counters(instruction).vm != 0;
  if (control::kHostKeepsOrder || of_others) return nothing(emitter, instruction);
  emitter.emit(control::fence);
  return {};
}

/// Write-back and invalidation of caches that other workgroups do not share.
Result<void> cache_control(Emitter& emitter, const Instruction&) {
  emitter.emit(control::fence);
  return {};
}

/// The same, of the scope that the instruction says.
Result<void> scoped_cache_control(Emitter& emitter, const Instruction& instruction) {
  return isa::reaches_other_workgroups(instruction) ? cache_control(emitter, instruction)
                                                    : nothing(emitter, instruction);
}

Result<void> barrier(Emitter& emitter, const Instruction&) {
  emitter.emit(Micro::Barrier);
  return {};
}

Result<void> sleep(Emitter& emitter, const Instruction&) {
  emitter.emit(Micro::Sleep);
  return {};
}

Result<void> grid_barrier(Emitter& emitter, const Instruction&) {
  emitter.emit(control::grid_barrier);
  return {};
}

/// Barrier -1 is the workgroup's. 0 is none, and named ones exist on no target here.
Result<bool> is_workgroup_barrier(const Instruction& instruction) {
  if (instruction.operands.empty()) return unsupported(instruction);
  const Operand& number = instruction.operands.back();
  if (number.kind != Operand::Kind::Integer) return unsupported(instruction);
  const auto value = static_cast<int16_t>(number.bits);
  if (value > 0 || value < -1) return unsupported(instruction);
  return value == -1;
}

template <ControlFunction kFunction, uint32_t kFlag>
Result<void> split_barrier(Emitter& emitter, const Instruction& instruction) {
  const auto served = is_workgroup_barrier(instruction);
  if (!served) return tl::unexpected(served.error());
  if (*served)
    emitter.emit(kFunction, 0, 0, kFlag);
  else if (kFlag)
    emitter.emit(copy_of(isa::Shape::Scalar, Type::U32).handlers[0][0], scalar_offset(index::kScc),
                 emitter.constant(0));
  else
    emitter.emit(Micro::Nop);
  return {};
}

Result<void> barrier_state(Emitter& emitter, const Instruction& instruction) {
  const auto served = is_workgroup_barrier(instruction);
  if (!served) return tl::unexpected(served.error());
  const auto result = emitter.register_offset(instruction.operands.front());
  if (!result || !*served) return unsupported(instruction);
  emitter.emit(control::barrier_state, *result);
  return {};
}

Result<void> trap(Emitter& emitter, const Instruction& instruction) {
  const int64_t id = instruction.operands.empty() ? 0 : instruction.operands[0].bits;
  // LLVM, "Trap Handler ABI": 2 is llvm.trap, 3 is llvm.debugtrap, which does nothing without a debugger.
  if (id == 3) return nothing(emitter, instruction);
  emitter.emit_stop(
      Error{ErrorKind::Trap, id == 2 ? "the kernel ended itself (a failed assertion, abort, or a trap)"
                                     : fmt::format("the kernel trapped (s_trap {})", id)});
  return {};
}

Result<void> illegal(Emitter& emitter, const Instruction&) {
  emitter.emit_stop(Error{ErrorKind::Trap, "an illegal instruction was executed"});
  return {};
}

Result<void> halt(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.empty() || (instruction.operands[0].bits & 1) == 0)
    return nothing(emitter, instruction);
  emitter.emit_stop(Error{ErrorKind::Trap, "a wave halted itself forever (s_sethalt)"});
  return {};
}

Result<void> kill(Emitter& emitter, const Instruction& instruction) {
  emitter.emit(!instruction.operands.empty() && (instruction.operands[0].bits & 1) ? Micro::End : Micro::Nop);
  return {};
}

/// The inner text of `hwreg(...)` or `sendmsg(...)`, split at commas.
std::vector<std::string_view> arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return parts;
  text = text.substr(open + 1, text.size() - open - 2);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    parts.push_back(part);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return parts;
}

Result<void> send_message(Emitter& emitter, const Instruction& instruction) {
  const auto parts = instruction.operands.empty() ? std::vector<std::string_view>{}
                                                  : arguments(instruction.operands[0].name);
  if (parts.empty()) return unsupported(instruction);
  if (parts[0] == "MSG_INTERRUPT")
    emitter.emit(control::interrupt);
  else
    emitter.emit(Micro::Nop);  // to the graphics pipeline or to the scheduler
  return {};
}

Result<void> message_return(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 2) return unsupported(instruction);
  const auto result = emitter.register_offset(instruction.operands[0]);
  const auto parts = arguments(instruction.operands[1].name);
  if (!result || parts.empty()) return unsupported(instruction);
  const bool clock = parts[0] == "MSG_RTN_GET_REALTIME";
  static constexpr std::array<std::string_view, 3> kZero = {"MSG_RTN_GET_DOORBELL", "MSG_RTN_GET_DDID",
                                                            "MSG_RTN_GET_SE_AID_ID"};
  if (!clock && std::find(kZero.begin(), kZero.end(), parts[0]) == kZero.end())
    return unsupported(instruction);
  emitter.emit(control::message_return, *result, clock ? 1 : 0,
               instruction.mnemonic.ends_with("b64") ? 2 : 1);
  return {};
}

/// s_memtime and s_memrealtime: a clock in a pair of SGPRs.
template <uint32_t kClock>
Result<void> memory_time(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.empty()) return unsupported(instruction);
  const auto result = emitter.register_offset(instruction.operands[0]);
  if (!result) return unsupported(instruction);
  emitter.emit(control::message_return, *result, kClock, 2);
  return {};
}

struct RegisterField {
  HardwareRegister which;
  uint32_t offset, bits;
};

Result<RegisterField> register_field(const Instruction& instruction, const Operand& operand) {
  const auto parts = arguments(operand.name);
  if (parts.empty()) return unsupported(instruction);
  const auto which = hardware_register(parts[0]);
  if (!which) return unsupported(instruction);
  const auto number = [&](size_t i, uint32_t otherwise) {
    return i < parts.size() ? static_cast<uint32_t>(std::atoi(std::string(parts[i]).c_str())) : otherwise;
  };
  const RegisterField field{*which, number(1, 0), number(2, 32)};
  if (field.offset > 31 || field.bits == 0 || field.bits > 32) return unsupported(instruction);
  return field;
}

Result<void> get_register(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 2) return unsupported(instruction);
  const auto result = emitter.register_offset(instruction.operands[0]);
  const auto field = register_field(instruction, instruction.operands[1]);
  if (!field) return tl::unexpected(field.error());
  if (!result) return tl::unexpected(result.error());
  emitter.emit(control::get_register, *result, static_cast<uint32_t>(field->which), field->offset,
               field->bits);
  return {};
}

Result<void> set_register(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 2) return unsupported(instruction);
  const auto field = register_field(instruction, instruction.operands[0]);
  if (!field) return tl::unexpected(field.error());
  const auto source = emitter.scalar_source(instruction.operands[1], Type::U32);
  if (!source) return tl::unexpected(source.error());
  emitter.emit(control::set_register, static_cast<uint32_t>(field->which), *source, field->offset,
               field->bits);
  return {};
}

/// s_round_mode, s_denorm_mode: four bits of MODE.
template <uint32_t kOffset>
Result<void> set_mode(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.empty()) return unsupported(instruction);
  emitter.emit(control::set_register, static_cast<uint32_t>(HardwareRegister::Mode),
               emitter.constant(static_cast<uint64_t>(instruction.operands[0].bits)), kOffset, 4);
  return {};
}

template <ControlFunction kFunction, uint32_t kDwords>
Result<void> move_relative(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 2) return unsupported(instruction);
  const auto result = emitter.register_offset(instruction.operands[0]);
  const auto source =
      kFunction == control::move_to_relative
          ? emitter.scalar_source(instruction.operands[1], kDwords == 2 ? Type::U64 : Type::U32)
          : emitter.register_offset(instruction.operands[1]);
  if (!result) return tl::unexpected(result.error());
  if (!source) return tl::unexpected(source.error());
  emitter.emit(kFunction, *result, *source, kDwords);
  return {};
}

template <uint32_t kSourceBit, uint32_t kResultBit>
Result<void> move_rows_relative(Emitter& emitter, const Instruction& instruction) {
  const bool plain =
      instruction.modifiers.empty() && instruction.operands.size() == 2 && is_row(instruction.operands[0]);
  if (!plain || (kSourceBit < 32 && !is_row(instruction.operands[1]))) return unsupported(instruction);
  const auto result = emitter.register_offset(instruction.operands[0]);
  const auto source = emitter.row_source(instruction.operands[1], Type::U32);
  if (!result) return tl::unexpected(result.error());
  if (!source) return tl::unexpected(source.error());
  emitter.emit(control::move_rows_relative, *result, *source, kSourceBit, kResultBit);
  return {};
}

/// s_atomic_inc s5, s[2:3], s7 offset:16 glc, or s_buffer_ with a resource; without glc memory alone changes.
Result<void> scalar_atomic(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 3) return unsupported(instruction);
  control::ScalarAtomic how;
  how.operation = isa::find_control(instruction.mnemonic)->facts.atomic;
  how.buffer = isa::is_scalar_buffer(instruction.mnemonic);
  how.wide = instruction.mnemonic.ends_with("_x2");
  how.returns = instruction.has("glc");
  int64_t immediate = instruction.value("offset");
  uint32_t offset = emitter.constant(0);
  if (instruction.operands[2].kind == Operand::Kind::Integer) {
    immediate += instruction.operands[2].bits;
  } else {
    const auto scalar = emitter.scalar_source(instruction.operands[2], Type::U32);
    if (!scalar) return tl::unexpected(scalar.error());
    offset = *scalar;
  }
  if (immediate < -(1 << 20) || immediate >= 1 << 20) return unsupported(instruction);
  how.immediate = static_cast<int32_t>(immediate);
  const auto data = emitter.register_offset(instruction.operands[0]);
  const auto base = emitter.register_offset(instruction.operands[1]);
  if (!data) return tl::unexpected(data.error());
  if (!base) return tl::unexpected(base.error());
  emitter.emit(control::scalar_atomic, *data, *base, offset, how.packed());
  return {};
}

/// Four masked sums of absolute differences, of the bytes from 0 to 3 on of the first source (ISA manuals,
/// V_MQSAD_U32_U8): each is a v_msad_u8.
Result<void> masked_sums_of_differences(Emitter& emitter, const Instruction& instruction) {
  const bool clamp = instruction.has("clamp");
  const Implementation* const align = find_implementation("v_alignbyte_b32", emitter.target());
  const Implementation* const sum = find_implementation("v_msad_u8", emitter.target(), clamp);
  const Implementation& copy = copy_of(isa::Shape::Lane, Type::U32);
  if (instruction.operands.size() != 4 || instruction.modifiers.size() != size_t{clamp} || !align || !sum)
    return unsupported(instruction);
  const auto& printed = instruction.operands;
  const auto result = emitter.row_register(printed[0]);
  const auto bytes = emitter.row_source(printed[1], Type::U64);
  const auto reference = emitter.row_source(printed[2], Type::U32);
  if (!result) return tl::unexpected(result.error());
  if (!bytes) return tl::unexpected(bytes.error());
  if (!reference) return tl::unexpected(reference.error());
  uint32_t addends[4];
  for (uint32_t i = 0; i < 4; ++i) {
    // A constant is extended to 128 bits, registers are four of them.
    Operand part = printed[3];
    if (part.kind == Operand::Kind::Vgpr || part.kind == Operand::Kind::Sgpr ||
        part.kind == Operand::Kind::Agpr) {
      part.index = static_cast<uint16_t>(part.index + i), part.count = 1;
    } else if (part.kind == Operand::Kind::Integer) {
      if (i != 0) part.bits = part.bits < 0 ? -1 : 0;
    } else {
      return unsupported(instruction);
    }
    const auto addend = emitter.row_source(part, Type::U32);
    if (!addend) return tl::unexpected(addend.error());
    addends[i] = *addend;
  }
  const bool small = emitter.wave32();
  const uint32_t shifted = emitter.temporary_rows(), sums = emitter.temporary_rows(4);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t shift = emitter.temporary_rows();
    emitter.emit(Micro::Splat, shift, emitter.constant(i));
    emitter.emit(align->handlers[small][0], shifted, *bytes + kRowBytes, *bytes, shift);
    emitter.emit(sum->handlers[small][0], sums + i * kRowBytes, shifted, *reference, addends[i]);
  }
  for (uint32_t i = 0; i < 4; ++i)
    emitter.emit(copy.handlers[small][0], *result + i * kRowBytes, sums + i * kRowBytes);
  return {};
}

/// gpr_idx(SRC0,DST): which operands M0's index is added to, as M0 holds it in bits 12 to 15.
Result<uint32_t> index_operands(const Instruction& instruction, const Operand& operand) {
  if (operand.kind == Operand::Kind::Integer) return static_cast<uint32_t>(operand.bits) & 15;
  uint32_t bits = 0;
  static constexpr std::array<std::string_view, 4> kNames = {"SRC0", "SRC1", "SRC2", "DST"};
  for (const std::string_view part : arguments(operand.name)) {
    const auto* const found = std::find(kNames.begin(), kNames.end(), part);
    if (found == kNames.end()) return unsupported(instruction);
    bits |= 1u << (found - kNames.begin());
  }
  return bits;
}

Result<void> index_on(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 2) return unsupported(instruction);
  const auto source = emitter.scalar_source(instruction.operands[0], Type::U32);
  const auto operands = index_operands(instruction, instruction.operands[1]);
  if (!source) return tl::unexpected(source.error());
  if (!operands) return tl::unexpected(operands.error());
  emitter.emit(control::set_index, 0, *source, 0xff, 0);
  emitter.emit(control::set_index, 0, emitter.constant(*operands), 0xf000, 12);
  return {};
}

Result<void> index_index(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.empty()) return unsupported(instruction);
  const auto source = emitter.scalar_source(instruction.operands[0], Type::U32);
  if (!source) return tl::unexpected(source.error());
  emitter.emit(control::set_index, 0, *source, 0xff, 0);
  return {};
}

Result<void> index_mode(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.empty()) return unsupported(instruction);
  const auto operands = index_operands(instruction, instruction.operands[0]);
  if (!operands) return tl::unexpected(operands.error());
  emitter.emit(control::set_index, 0, emitter.constant(*operands), 0xf000, 12);
  return {};
}

Result<void> skip(Emitter& emitter, const Instruction& instruction) {
  if (instruction.operands.size() < 2) return unsupported(instruction);
  const auto value = emitter.scalar_source(instruction.operands[0], Type::U32);
  const auto bit = emitter.scalar_source(instruction.operands[1], Type::U32);
  if (!value) return tl::unexpected(value.error());
  if (!bit) return tl::unexpected(bit.error());
  emitter.emit(control::set_skip, 0, *value, *bit);
  return {};
}

using Translator = Result<void> (*)(Emitter&, const Instruction&);

struct Translated {
  isa::Operation operation;
  Translator translate;  ///< nullptr for what Program translates, and for what nobody does
};

using enum isa::Operation;
constexpr Translated kTranslated[] = {
    {None, nullptr},
    {Unserved, nullptr},
    // Waits and hints
    {WaitForSome, wait_for_stores},
    {WaitForStores, wait_for_stores},
    {WaitForOthers, nothing},
    {Nop, nothing},
    {Sleep, sleep},
    {Delay, nothing},
    {Clause, nothing},
    {Priority, nothing},
    {Padding, nothing},
    {Hint, nothing},
    // Caches
    {Prefetch, nothing},
    {ScalarCache, nothing},
    {WriteBack, cache_control},
    {Invalidate, cache_control},
    {InvalidateOwn, nothing},
    {ScopedWriteBack, scoped_cache_control},
    {ScopedInvalidate, scoped_cache_control},
    // Barriers
    {Barrier, barrier},
    {BarrierSignal, split_barrier<control::barrier_signal, 0>},
    {BarrierSignalFirst, split_barrier<control::barrier_signal, 1>},
    {BarrierWait, split_barrier<control::barrier_wait, 0>},
    {BarrierState, barrier_state},
    {GridBarrier, grid_barrier},
    // Messages, clocks, traps, the end
    {Message, send_message},
    {MessageReturn, message_return},
    {RealTime, memory_time<1>},
    {CoreTime, memory_time<2>},
    {Trap, trap},
    {Illegal, illegal},
    {Halt, halt},
    {Kill, kill},
    {End, nullptr},
    // Hardware registers and modes
    {GetRegister, get_register},
    {SetRegister, set_register},
    {RoundMode, set_mode<0>},
    {DenormMode, set_mode<4>},
    {IndexOn, index_on},
    {IndexOff, nothing},
    {IndexIndex, index_index},
    {IndexMode, index_mode},
    {Skip, skip},
    // Relative moves
    {ScalarFromRelative, move_relative<control::move_from_relative, 1>},
    {ScalarFromRelative64, move_relative<control::move_from_relative, 2>},
    {ScalarToRelative, move_relative<control::move_to_relative, 1>},
    {ScalarToRelative64, move_relative<control::move_to_relative, 2>},
    {ScalarRelativeBoth, move_relative<control::move_relative_both, 1>},
    {RowsFromRelative, move_rows_relative<0, 32>},
    {RowsToRelative, move_rows_relative<32, 0>},
    {RowsRelativeBoth, move_rows_relative<0, 0>},
    {RowsRelativeBoth2, move_rows_relative<0, 16>},
    // Others
    {ScalarAtomic, scalar_atomic},
    {MaskedSumsOfDifferences, masked_sums_of_differences},
    // Flow
    {Branch, nullptr},
    {ConditionalBranch, nullptr},
    {DebuggerBranch, nullptr},
    {Call, nullptr},
    {IndirectBranch, nullptr},
    {IndirectCall, nullptr},
    {ProgramCounter, nullptr},
};

/// Every operation has its line, in the order in which isa::Operation lists them: so each is found at its
/// number.
constexpr bool each_has_its_line() {
  for (size_t i = 0; i < std::size(kTranslated); ++i)
    if (kTranslated[i].operation != static_cast<isa::Operation>(i)) return false;
  return std::size(kTranslated) == isa::kOperations;
}
static_assert(each_has_its_line());

Translator translator_of(isa::Operation operation) {
  return kTranslated[static_cast<size_t>(operation)].translate;
}

}  // namespace

Result<void> translate_control(Emitter& emitter, const Instruction& instruction) {
  const isa::ControlRow* const row = isa::find_control(instruction.mnemonic);
  const Translator translate =
      row && emitter.target().is(row->facts.generations) ? translator_of(row->operation) : nullptr;
  return translate ? translate(emitter, instruction) : unsupported(instruction);
}

}  // namespace wavesmith::emulate
