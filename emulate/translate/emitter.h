// Builds the micro-operations of one instruction: what the translate_*.cc files write with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/engine/handlers.h"
#include "emulate/run/control.h"
#include "emulate/run/wave.h"
#include "emulate/translate/program.h"
#include "emulate/translate/widened.h"
#include "isa/instruction.h"

namespace wavesmith::emulate {

class Emitter {
 public:
  Emitter(Program& program, std::vector<Uop>& uops) : program_(program), uops_(uops) {}

  [[nodiscard]] const isa::Target& target() const { return program_.target(); }
  [[nodiscard]] bool mode_varies() const { return program_.mode_varies(); }
  [[nodiscard]] bool sram_ecc() const { return program_.sram_ecc(); }
  [[nodiscard]] int lanes() const { return program_.wave_lanes(); }
  [[nodiscard]] bool wave32() const { return lanes() == 32; }

  /// Forgets the temporaries of the instruction before.
  void begin() { temporary_row_ = 0, temporary_scalar_ = 0; }
  Uop& emit(const Uop& uop) { return uops_.emplace_back(uop); }
  Uop& emit(Handler handler, uint32_t d = 0, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    return emit(Uop{handler, d, a, b, c});
  }
  Uop& emit(Micro operation, uint32_t d = 0, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    return emit(engine().micro[static_cast<size_t>(operation)][wave32()], d, a, b, c);
  }
  Uop& emit(Address kind, uint32_t d, uint32_t a, uint32_t b, uint32_t c = 0) {
    return emit(engine().address[static_cast<size_t>(kind)][wave32()], d, a, b, c);
  }
  /// A micro-operation that calls `function`, which reads d, a, b and c.
  Uop& emit(ControlFunction function, uint32_t d = 0, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    Uop& uop = emit(Micro::Call, d, a, b, c);
    uop.pointer = reinterpret_cast<const void*>(function);
    return uop;
  }
  /// A micro-operation that stops the wave with `error`.
  void emit_stop(Error error);

  /// Offset of `count` temporary rows, or scalar dwords, free until the next instruction.
  uint32_t temporary_rows(int count = 1);
  uint32_t temporary_scalars(int count = 1);
  /// Offset of a constant of 64 bits (of which an instruction may read the lower part).
  uint32_t constant(uint64_t value);

  /// Operands of matrix instructions that the wave has as floats here.
  [[nodiscard]] Widened& widened() { return widened_; }
  /// A plan that lives as long as the program.
  const MatrixPlan* keep(MatrixPlan plan);

  /// An operand that names a register that may be written: its offset. Error: Unsupported for any other.
  Result<uint32_t> register_offset(const isa::Operand& operand) const;
  /// The same for an operand that has to be a v or a register. Error: Unsupported for any other.
  Result<uint32_t> row_register(const isa::Operand& operand) const;
  /// A scalar source: register, special value or constant of a type. The offset is of contiguous dwords.
  Result<uint32_t> scalar_source(const isa::Operand& operand, isa::Type type);
  /// Where MODE may flush f16 denormals: micro-operations that do so to a source of `row`, which they copy,
  /// to a destination that is also read, or to a result, both in place. `halves`: 1 low, 2 high, 3 both.
  uint32_t flushed_half_source(const isa::Row& instruction, uint32_t row);
  void flush_half_destination(const isa::Row& instruction, uint32_t row);
  void flush_half_result(const isa::Row& instruction, uint32_t row, uint32_t halves);
  /// A vector source as a row (constants and scalars are spread over the lanes).
  Result<uint32_t> row_source(const isa::Operand& operand, isa::Type type);

 private:
  Widened widened_;
  Program& program_;
  std::vector<Uop>& uops_;
  int temporary_row_ = 0, temporary_scalar_ = 0;
};

/// The bits of an inline constant or literal for an operand of `type`.
uint64_t constant_bits(const isa::Operand& operand, isa::Type type);

/// True for v and a registers.
constexpr bool is_row(const isa::Operand& operand) {
  return operand.kind == isa::Operand::Kind::Vgpr || operand.kind == isa::Operand::Kind::Agpr;
}

/// True for types that a lane holds in two registers.
constexpr bool is_wide(isa::Type type) {
  using isa::Type;
  return type == Type::F64 || type == Type::U64 || type == Type::I64 || type == Type::V2F32 ||
         type == Type::V2U32;
}

// One translator a shape. Each emits the instruction's micro-operations or says why it can't.
Result<void> translate_lane(Emitter& emitter, const isa::Instruction& instruction,
                            const Implementation& implementation);
Result<void> translate_packed(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation);
Result<void> translate_wave(Emitter& emitter, const isa::Instruction& instruction,
                            const Implementation& implementation);
Result<void> translate_scalar(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation);
Result<void> translate_memory(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation);
/// Both halves of a dual-issue instruction.
Result<void> translate_dual(Emitter& emitter, const isa::Instruction& instruction);
/// Any instruction that is not dual and does not change the flow of control.
Result<void> translate_plain(Emitter& emitter, const isa::Instruction& instruction);
/// The same while GPR_IDX_EN is 1: M0's index is added to the numbers of the VGPRs that M0's bits 12 to 15
/// name.
Result<void> translate_indexed(Emitter& emitter, isa::Instruction instruction);
Result<void> translate_matrix(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation);
/// Everything else but branches: waits, barriers, messages, sleeps.
Result<void> translate_control(Emitter& emitter, const isa::Instruction& instruction);

}  // namespace wavesmith::emulate
