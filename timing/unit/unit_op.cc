#include "timing/unit/unit_op.h"

#include <algorithm>
#include <unordered_map>

#include "isa/effects.h"

namespace wavesmith::timing {
namespace {

Gate gate_of(const Op& op, const isa::IssueRules& rules) {
  using isa::Pipe;
  switch (op.cost.pipe) {
    case Pipe::Valu:
      return rules.queued && op.cost.issue > 1 ? Gate::SlowVector : Gate::Vector;
    case Pipe::Transcendental:
      return rules.queued ? Gate::SlowVector : Gate::Vector;
    case Pipe::Matrix:
      return rules.queued ? Gate::Vector : Gate::Matrix;
    case Pipe::Salu:
    case Pipe::Smem:
      return Gate::Scalar;
    case Pipe::Branch:
      return Gate::Branch;
    case Pipe::Vmem:
      return Gate::Memory;
    case Pipe::Lds:
      return Gate::Lds;
    default:
      return Gate::None;
  }
}

/// A matrix instruction reads operands A and B of up to 64 bits a lane at once, wider ones in two parts, and
/// its wave's vector and memory instructions go on behind that. Thread traces of an MI350X
/// (jhinpan/flydsl-kernel-profiling-lib): ds_read and buffer_load issue 4 cycles behind
/// v_mfma_f32_16x16x32_fp8_fp8 (64 bits), 8 behind v_mfma_f32_32x32x16_bf16 (128 bits) and
/// v_mfma_scale_f32_16x16x128_f8f6f4 (256 bits), also those that overwrite A or B.
uint16_t matrix_quanta(const Op& op) {
  uint16_t widest = 0;
  for (const RegisterRange& range : op.vector_reads)
    if (range.first != op.c.first || range.count != op.c.count) widest = std::max(widest, range.count);
  return widest > 2 ? 2 : 1;
}

/// Dwords a lane that an LDS instruction reads: address and data. A load of half a register keeps the other
/// half, which LDS does not read.
uint16_t lds_operands(const Op& op) {
  const bool load = !op.store && !op.atomic;
  uint16_t dwords = 0;
  for (const RegisterRange& range : op.vector_reads)
    if (!load || std::ranges::none_of(op.vector_writes, [&](const RegisterRange& kept) {
          return kept.first == range.first && kept.count == range.count;
        }))
      dwords += range.count;
  return std::max<uint16_t>(dwords, 1);
}

}  // namespace

UnitOps::UnitOps(const OpTable& ops, const isa::IssueRules& rules) {
  size_t ranges = 0;
  for (uint32_t i = 0; i < ops.size(); ++i)
    ranges += ops[i].vector_reads.size() + ops[i].vector_writes.size() + ops[i].scalar_reads.size() +
              ops[i].scalar_writes.size();
  ranges_.reserve(ranges);  // the spans stay where they are
  ops_.reserve(ops.size());
  const auto keep = [&](const std::vector<RegisterRange>& from, uint32_t base) {
    const size_t begin = ranges_.size();
    for (const RegisterRange& range : from)
      ranges_.push_back({static_cast<uint16_t>(range.first - base), range.count});
    return std::span<const RegisterRange>(ranges_).subspan(begin);
  };
  std::unordered_map<uint64_t, uint32_t> lines;
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    UnitOp& to = ops_.emplace_back();
    to.pc = op.pc;
    to.line = lines.try_emplace(op.pc / kFetchLine, static_cast<uint32_t>(lines.size())).first->second;
    to.number = i;
    to.size = static_cast<uint16_t>(op.size);
    to.pipe = op.cost.pipe;
    to.gate = gate_of(op, rules);
    to.control = op.control;
    to.counter = op.counter;
    if (op.memory && op.cost.pipe != isa::Pipe::Smem) to.taken = Cause::Memory;
    to.lds = op.lds;
    to.atomic = op.atomic;
    to.store = op.store;
    to.hardware = op.hardware;
    to.sets_hardware = op.sets_hardware;
    to.dual = op.dual;
    to.accumulates = op.accumulates;
    to.issue = op.cost.issue;
    to.result = op.cost.result;
    if (op.cost.pipe == isa::Pipe::Matrix) {
      to.matrix_result = isa::matrix_result_cycles(op.cost, isa::MatrixUse::Other, ops.target());
      to.matrix_accumulate = isa::matrix_result_cycles(op.cost, isa::MatrixUse::Accumulate, ops.target());
      if (!rules.queued) to.quanta = matrix_quanta(op);
    }
    to.nops = op.nops;
    if (op.lds) to.lds_operands = lds_operands(op);
    std::copy(std::begin(op.delay), std::end(op.delay), to.delay);
    to.delay_skip = op.delay_skip;
    to.wait = op.wait;
    to.c = op.c;
    to.d = op.d;
    to.vector_reads = keep(op.vector_reads, 0);
    to.vector_writes = keep(op.vector_writes, 0);
    to.scalar_reads = keep(op.scalar_reads, isa::reg::kSgpr);
    to.scalar_writes = keep(op.scalar_writes, isa::reg::kSgpr);
  }
  lines_ = lines.size();
}

}  // namespace wavesmith::timing
