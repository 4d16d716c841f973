#include "timing/unit/unit_op.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <unordered_map>
#include <utility>

#include "isa/effects.h"
#include "timing/unit/vector_registers.h"

namespace wavesmith::timing {
namespace {

/// Whether a VALU instruction reads an SGPR or VCC. EXEC, which all do, is none of these.
bool reads_scalar(const Op& op) {
  return std::ranges::any_of(op.scalar_reads,
                             [](const RegisterRange& range) { return range.first < isa::reg::kM0; });
}

/// Of a VALU instruction where there are two pipes.
Gate gate_of_two(const Op& op) {
  const bool scalar = reads_scalar(op);
  switch (op.cost.vector) {
    case isa::VectorPipe::Alone:
      return Gate::LoneVector;
    case isa::VectorPipe::Packed:
      return Gate::PackedVector;
    case isa::VectorPipe::First:
      return scalar ? Gate::ScalarVector : Gate::Vector;
    case isa::VectorPipe::FirstOrSecond:
    case isa::VectorPipe::SecondOrFirst:
      return scalar ? Gate::EitherScalarVector : Gate::EitherVector;
  }
  return Gate::LoneVector;
}

Gate gate_of(const Op& op, const isa::IssueRules& rules) {
  using isa::Pipe;
  switch (op.cost.pipe) {
    case Pipe::Valu:
      if (rules.second_pipe) return gate_of_two(op);
      return rules.queued && op.cost.issue > 1 ? Gate::SlowVector : Gate::Vector;
    case Pipe::Transcendental:
      if (rules.second_pipe) return gate_of_two(op);
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

/// Registers of the wider of A and B.
uint16_t widest_operand(const Op& op) {
  uint16_t widest = 0;
  for (const RegisterRange& range : op.vector_reads)
    if (range.first != op.c.first || range.count != op.c.count) widest = std::max(widest, range.count);
  return widest;
}

/// A matrix instruction reads operands A and B of up to 64 bits a lane at once, wider ones in two parts, and
/// its wave's vector and memory instructions go on behind that. Thread traces of an MI350X
/// (jhinpan/flydsl-kernel-profiling-lib): ds_read and buffer_load issue 4 cycles behind
/// v_mfma_f32_16x16x32_fp8_fp8 (64 bits), 8 behind v_mfma_f32_32x32x16_bf16 (128 bits) and
/// v_mfma_scale_f32_16x16x128_f8f6f4 (256 bits), also those that overwrite A or B.
uint8_t matrix_quanta(const Op& op) { return widest_operand(op) > 2 ? 2 : 1; }

/// How long a matrix instruction keeps the VALU and its second pipe, in chances to issue, where there are
/// two. "An XDL holds VALU off until 1 + (widest A/B source in bytes) / 16. PK_F32 and DOT issue at NumPasses
/// + 2, one cycle more for XDL2x (an A source of 16 bytes or more). SGEMM and DGEMM hold every VALU until
/// NumPasses + 2" (LLVM, pull request 233721, from thread traces of an MI308X and an MI350X). Those of
/// isa/cost/cdna.cc agree: of pa_mqa_logits_fp4, flash_attn_func and preshuffle_gemm no VALU instruction of
/// any wave issues earlier, nor two at once before a packed one would.
void set_matrix_quanta(const Op& op, UnitOp& to) {
  const uint16_t bytes = 4 * widest_operand(op);
  const uint16_t done = op.cost.passes + 2;
  to.vector_quanta = op.xdl ? 1 + bytes / 16 : done;
  to.second_quanta = op.xdl && bytes >= 16 ? done + 1 : done;
}

/// Dwords a lane that an LDS instruction reads: address and data. A load of half a register keeps the other
/// half, which LDS does not read.
uint8_t lds_operands(const Op& op) {
  const bool load = !op.store && !op.atomic;
  uint32_t dwords = 0;
  for (const RegisterRange& range : op.vector_reads)
    if (!load || std::ranges::none_of(op.vector_writes, [&](const RegisterRange& kept) {
          return kept.first == range.first && kept.count == range.count;
        }))
      dwords += range.count;
  return static_cast<uint8_t>(std::max(dwords, 1u));
}

bool turns(Control control) {
  switch (control) {
    case Control::Barrier:
    case Control::BarrierSignal:
    case Control::BarrierWait:
    case Control::Branch:
    case Control::Conditional:
    case Control::End:
      return true;
    default:
      return false;
  }
}

bool is_vector(const Op& op) {
  using isa::Pipe;
  return op.cost.pipe == Pipe::Valu || op.cost.pipe == Pipe::Transcendental || op.cost.pipe == Pipe::Matrix;
}

/// Registers, vector and scalar ones, by their number.
using RegisterSet = std::bitset<isa::reg::kCount>;

void add(RegisterSet& to, const std::vector<RegisterRange>& ranges) {
  for (const RegisterRange& range : ranges)
    for (size_t r = range.first; r < size_t{range.first} + range.count; ++r) to.set(r);
}

bool any_of(const RegisterSet& set, const RegisterRange& range) {
  for (size_t r = range.first; r < size_t{range.first} + range.count; ++r)
    if (set[r]) return true;
  return false;
}

/// Which registers instructions of the kernel write that something may have to wait for.
struct Written {
  RegisterSet vector;  ///< vector registers by VALU and matrix instructions
  RegisterSet matrix;  ///< by matrix instructions
  RegisterSet memory;  ///< by others: loads
  RegisterSet scalar;  ///< scalar registers by VALU and SALU instructions

  explicit Written(const OpTable& ops) {
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      add(is_vector(op) ? vector : memory, op.vector_writes);
      if (op.cost.pipe == isa::Pipe::Matrix) add(matrix, op.vector_writes);
      add(scalar, op.scalar_writes);
    }
  }
};

}  // namespace

UnitOps::UnitOps(const OpTable& ops, const isa::IssueRules& rules) {
  size_t ranges = 0;
  for (uint32_t i = 0; i < ops.size(); ++i)
    ranges += 2 * (ops[i].vector_reads.size() + ops[i].vector_writes.size()) + ops[i].scalar_reads.size() +
              ops[i].scalar_writes.size();
  ranges_.reserve(ranges);  // the spans stay where they are
  ops_.reserve(ops.size());
  places_.reserve(ops.size());
  const Written written(ops);
  const auto all = [](const RegisterRange&) { return true; };
  const auto in = [](const RegisterSet& set) {
    return [&set](const RegisterRange& range) { return any_of(set, range); };
  };
  std::unordered_map<uint64_t, uint32_t> lines;
  std::map<std::vector<std::pair<uint16_t, uint16_t>>, uint16_t> sets;
  const auto set_of = [&sets](const std::vector<RegisterRange>& ranges) {
    constexpr size_t kMost = 0x8000;
    std::vector<std::pair<uint16_t, uint16_t>> set;
    for (const RegisterRange& range : ranges) set.emplace_back(range.first, range.count);
    if (sets.size() == kMost && !sets.contains(set)) return VectorRegisters::kNoSet;
    return sets.try_emplace(std::move(set), static_cast<uint16_t>(sets.size() + 1)).first->second;
  };
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    UnitOp& to = ops_.emplace_back();
    places_.push_back({op.pc, op.size});
    to.line = lines.try_emplace(op.pc / kFetchLine, static_cast<uint32_t>(lines.size())).first->second;
    to.pipe = op.cost.pipe;
    to.gate = gate_of(op, rules);
    to.control = op.control;
    to.turns = turns(op.control);
    to.counter = op.counter;
    if (op.memory && op.cost.pipe != isa::Pipe::Smem) to.taken = Cause::Memory;
    to.lds = op.lds;
    to.atomic = op.atomic;
    to.store = op.store;
    to.hardware = op.hardware;
    to.sets_hardware = op.sets_hardware;
    to.dual = op.dual;
    to.issue = op.cost.issue;
    to.result = op.cost.result;
    to.vector = op.cost.vector;
    to.reads_scalar = reads_scalar(op);
    if (op.cost.pipe == isa::Pipe::Matrix) {
      to.matrix_result = isa::matrix_result_cycles(op.cost, isa::MatrixUse::Other, ops.target());
      to.matrix_accumulate = isa::matrix_result_cycles(op.cost, isa::MatrixUse::Accumulate, ops.target());
      if (!rules.queued) to.quanta = matrix_quanta(op);
      if (rules.second_pipe) set_matrix_quanta(op, to);
    }
    to.nops = op.nops;
    if (op.lds) to.lds_operands = lds_operands(op);
    std::copy(std::begin(op.delay), std::end(op.delay), to.delay);
    to.delay_skip = op.delay_skip & 0x7f;
    to.wait = op.wait;
    to.c = op.c;
    to.d = op.d;
    to.written_set = set_of(op.vector_writes);
    for (const RegisterRange& range : op.vector_writes) to.written += range.count;
    const size_t first = ranges_.size();
    to.ranges = ranges_.data() + first;
    size_t kind = 0;
    const auto keep = [&](const std::vector<RegisterRange>& from, uint32_t base, const auto& wanted) {
      for (const RegisterRange& range : from)
        if (wanted(range)) ranges_.push_back({static_cast<uint16_t>(range.first - base), range.count});
      to.ends[kind++] = static_cast<uint8_t>(ranges_.size() - first);
    };
    to.accumulates = op.cost.pipe == isa::Pipe::Matrix && op.c.count != 0 && op.c.first == op.d.first &&
                     op.c.count == op.d.count && to.written == op.d.count;
    keep(op.vector_reads, 0, [&](const RegisterRange& range) {
      const bool accumulator = to.accumulates && range.first == op.c.first && range.count == op.c.count;
      return !accumulator && any_of(written.vector, range);
    });
    if (!is_vector(op))
      keep(op.vector_writes, 0, in(written.vector));
    else
      keep(op.vector_writes, 0, [&](const RegisterRange& range) {
        const bool accumulator = op.accumulates && range.first == op.d.first;
        return !accumulator && any_of(written.matrix, range);
      });
    keep(op.vector_writes, 0, all);
    keep(op.vector_reads, 0, in(written.memory));
    keep(op.scalar_reads, isa::reg::kSgpr, in(written.scalar));
    keep(op.scalar_writes, isa::reg::kSgpr, all);
  }
  lines_ = lines.size();
}

}  // namespace wavesmith::timing
