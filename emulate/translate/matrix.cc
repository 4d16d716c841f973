// Matrix instructions: a plan, and the handler that follows it.
#include <fmt/format.h>

#include <algorithm>

#include "emulate/translate/emitter.h"
#include "emulate/translate/matrix_plan.h"

namespace wavesmith::emulate {
namespace {

using isa::Operand;

/// Whether two groups of registers have some, but not all, in common.
bool overlaps_in_part(uint32_t x, uint32_t y, uint32_t registers) {
  const uint32_t distance = x < y ? y - x : x - y;
  return distance != 0 && distance < registers * kRowBytes;
}

}  // namespace

Result<void> translate_matrix(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation) {
  const isa::MatrixInstruction& in = *implementation.row.matrix;
  const size_t printed = (in.modifiers & isa::kScaled) ? 6 : 4;
  if (instruction.operands.size() != printed)
    return fail(ErrorKind::Internal, fmt::format("'{}' has not the operands of its row", instruction.text));
  auto plan = make_matrix_plan(in, emitter.target(), emitter.lanes(), instruction);
  if (!plan) return tl::unexpected(plan.error());

  Uop uop;
  uint32_t* const offsets[] = {&uop.d, &uop.a, &uop.b, &uop.c};
  for (size_t i = 0; i < 4; ++i) {
    const Operand& operand = instruction.operands[i];
    if (i == 3 && !is_row(operand) && !in.sparse) {
      if (operand.kind != Operand::Kind::Integer && operand.kind != Operand::Kind::Float)
        return fail(ErrorKind::Unsupported, fmt::format("C of '{}'", instruction.text));
      plan->c_is_constant = true;
      plan->constant = constant_bits(operand, implementation.row.roles[0].type);
      continue;
    }
    if (!is_row(operand))
      return fail(ErrorKind::Unsupported, fmt::format("operands of '{}'", instruction.text));
    const auto offset = emitter.register_offset(operand);
    if (!offset) return tl::unexpected(offset.error());
    *offsets[i] = *offset;
  }
  if (plan->scaled) {
    const auto a = emitter.row_source(instruction.operands[4], isa::Type::U32);
    const auto b = emitter.row_source(instruction.operands[5], isa::Type::U32);
    if (!a) return tl::unexpected(a.error());
    if (!b) return tl::unexpected(b.error());
    plan->scale_a = *a, plan->scale_b = *b;
  }
  if (!in.sparse && !plan->c_is_constant) plan->copy_c = overlaps_in_part(uop.c, uop.d, plan->registers_of_d);
  plan->copy_c |= plan->c_negate || plan->c_absolute;
  if (plan->c_is_constant && !plan->copy_c)
    std::fill(std::begin(plan->row_of_c), std::end(plan->row_of_c), 0u);
  if (plan->sums != Sums::F64) {
    const Widened::Lookup a = emitter.widened().find(plan->a, uop.a);
    const Widened::Lookup b = emitter.widened().find(plan->b, uop.b);
    plan->slot_of_a = a.slot, plan->a_is_ready = a.ready;
    plan->slot_of_b = b.slot, plan->b_is_ready = b.ready;
  }
  emitter.widened().written(uop.d, plan->registers_of_d);
  uop.handler = implementation.handlers[emitter.wave32()][0];
  uop.pointer = emitter.keep(std::move(*plan));
  emitter.emit(uop);
  return {};
}

}  // namespace wavesmith::emulate
