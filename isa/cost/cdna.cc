// CDNA2, CDNA3, CDNA4: four SIMDs of 16 lanes take turns, one a cycle, so an instruction of 64 lanes takes
// its SIMD for four cycles and its result is ready when its wave's turn comes again.
#include <algorithm>
#include <array>

#include "isa/cost/generation.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::isa::cost_detail {
namespace {

/// Rates: AMD, Instinct MI200 and MI300 ISA guides and CDNA white papers (128 FLOP a clock and compute unit
/// of FP32 and of FP64, not packed, is one instruction in four cycles); LLVM 22, SISchedule.td,
/// SIDPFullSpeedModel, SIDPGFX942FullSpeedModel and SIDPGFX950FullSpeedModel, whose unit is four cycles
/// (quarter rate: 4).
uint16_t valu_cycles(Rate rate, const Target& target) {
  switch (rate) {
    case Rate::Transcendental:
      // AMD, CDNA4 white paper: twice the rate of transcendental instructions.
      return target.is(kCdna4) ? 8 : 16;
    case Rate::WideTranscendental:
    case Rate::Quarter:
      return 16;
    case Rate::Half:
      // Two results. A thread trace of an MI355X (jhinpan/flydsl-rocprof-cli, examples/flash_attn_fwd): 80
      // v_permlane32_swap_b32 take 8 cycles each, then a VALU instruction that reads one issues. In those of
      // cdna_rules 758 of 768 v_bitop3_b16 take 8 cycles, where v_bitop3_b32 takes 4.
      return 8;
    case Rate::Multiply:
      // CDNA4: full rate. The same trace has v_mul_lo_u32 and v_mad_u64_u32 each followed by a VALU
      // instruction that reads the result, which issues 4 cycles later. LLVM's models say so of CDNA2 and
      // CDNA3 as well (WriteIntMul 1); no trace of these shows it, so they keep the quarter rate of GCN3's
      // ISA timing tables.
      return target.is(kCdna4) ? 4 : 16;
    case Rate::Wide:
    case Rate::Double:
    case Rate::Plain:
      return 4;
  }
  return 4;
}

/// Which of its two VALU pipes a SIMD of CDNA3 and CDNA4 gives an instruction: "In specific circumstances,
/// the GPU can co-issue two VALU instructions in the same clock cycle" (ROCm Compute Profiler, FAQ), which
/// MI350's counter SQ_ACTIVE_INST_VALU2 counts ("quad-cycles when two VALU instructions are issued"). The
/// circumstances were read off thread traces of an MI350X (those of cdna_rules): of softmax, quant and
/// topk_gating_softmax; that xor, sub_u32, ashrrev and bitop3 may go to either, off pa_mqa_logits_fp4 and
/// flash_attn_func. Of 11,583 pairs in all programs that this says can not issue at once 25 do. For CDNA3 the
/// same is assumed: the page names MI350 for the counter alone.
VectorPipe vector_pipe(const Instruction& instruction, const Row* row, Rate rate) {
  static constexpr std::array<std::string_view, 6> kSecond = {"v_add_f32", "v_sub_f32",  "v_mul_f32",
                                                              "v_fma_f32", "v_fmac_f32", "v_mov_b32"};
  static constexpr std::array<std::string_view, 10> kEither = {
      "v_cndmask_b32", "v_and_b32", "v_or_b32",  "v_not_b32",     "v_lshrrev_b32",
      "v_add_u32",     "v_xor_b32", "v_sub_u32", "v_ashrrev_i32", "v_bitop3_b32"};
  const std::string_view name = instruction.mnemonic;
  if (name.starts_with("v_pk_") && (name.ends_with("_f32") || name == "v_pk_mov_b32"))
    return VectorPipe::Packed;
  if (name.starts_with("v_dot")) return VectorPipe::Packed;
  if (rate != Rate::Plain || !row || name.starts_with("v_pk_") || name.starts_with("v_cvt_pk_"))
    return VectorPipe::Alone;
  if (has_type(*row, Type::U64) || has_type(*row, Type::I64)) return VectorPipe::Alone;
  if (std::ranges::find(kSecond, name) != kSecond.end()) return VectorPipe::SecondOrFirst;
  if (std::ranges::find(kEither, name) != kEither.end()) return VectorPipe::FirstOrSecond;
  return VectorPipe::First;
}

}  // namespace

Cost cdna_cost(const Instruction& instruction, const Row* row, const Target& target, Pipe pipe) {
  Cost cost;
  switch (pipe) {
    case Pipe::Valu:
    case Pipe::Transcendental: {
      const Rate rate = rate_of(instruction, row);
      cost.issue = valu_cycles(rate, target);
      cost.vector = vector_pipe(instruction, row, rate);
      cost.result = cost.issue;  // dependent v_add_f32 +4: measured on gfx950
      return cost;
    }
    case Pipe::Matrix: {
      cost.issue = row && row->matrix ? matrix_cycles(instruction, *row->matrix) : 16;
      cost.passes = static_cast<uint16_t>(cost.issue / 4);
      cost.result = matrix_result_cycles(cost, MatrixUse::Accumulate, target);
      return cost;
    }
    case Pipe::Salu:
    case Pipe::Branch:
    case Pipe::Message:
      cost.issue = cost.result = 4;  // LLVM 22, SISchedule.td, WriteSALU 1, in units of four cycles
      return cost;
    case Pipe::Smem:
    case Pipe::Vmem:
    case Pipe::Lds:
    case Pipe::Export:
      cost.issue = 4;
      cost.result = 0;
      return cost;
    case Pipe::Internal:
      cost.issue = cost.result = 4;
      return cost;
  }
  return cost;
}

/// LLVM 22, GCNHazardRecognizer.cpp, checkMAIHazards90A and checkMAIVALUHazards: with N passes of four
/// cycles, an XDL result read as A, B or an overlapping C wants N + 3 wait states
/// (GFX940_XDL_N_PassWriteVgpr...), by the VALU or memory likewise; an accumulation into the same registers
/// goes on without.
uint16_t cdna_matrix_result(const Cost& cost, MatrixUse use) {
  switch (use) {
    case MatrixUse::Accumulate:
      return cost.issue;
    case MatrixUse::Operand:
    case MatrixUse::Other:
      return static_cast<uint16_t>(cost.issue + 12);
  }
  return cost.issue;
}

/// Read off thread traces of 18 programs of FlyDSL's on an MI350X (jhinpan/flydsl-kernel-profiling-lib,
/// examples/*/att_viewer), whose clock counts in fours: what most deltas between two pipes are that no memory
/// holds up. For CDNA2 and CDNA3 the same is assumed. validate/stalls/issue_cycles.py makes tables of them. A
/// taken branch takes 20 cycles in 258 of 356 cases there; kernels of AMD's own show that 16 can be relied
/// on. Of 1,205 SALU instructions up to three VALU instructions behind one that writes an SGPR or VCC none
/// issues sooner than 20 cycles behind it, 1,040 do then. Of 144 branches that are passed to an instruction
/// beyond their 32 bytes all take 20 cycles or more, of 211 others 178 take 4.
const IssueRules& cdna_rules(const Target& target) {
  static constexpr IssueRules kRules{.quantum = 4,
                                     .scalar_condition = 4,
                                     .scalar_to_scalar_memory = 4,
                                     .scalar_to_vector = 4,
                                     .scalar_to_branch = 8,
                                     .scalar_to_memory = 8,
                                     .vector_to_scalar = 20,
                                     .vector_to_overwrite = 4,
                                     .vector_to_branch = 24,
                                     .vector_to_memory = 12,
                                     .dual_to_memory = 12,
                                     .vector_then_memory = 12,
                                     .carry = 4,
                                     .branch_taken = 20,
                                     .branch_passed = 4,
                                     .branch_window = 32,
                                     .memory_to_vector = 4,
                                     .memory_to_wait = 4,
                                     .memory_issue = 4,
                                     .delay_issue = 0,
                                     .barrier = 8,
                                     .second_pipe = true,
                                     .branch_taken_least = 16};
  static constexpr IssueRules kOnePipe = [] {
    IssueRules rules = kRules;
    rules.second_pipe = false;
    return rules;
  }();
  return target.is(kCdna2) ? kOnePipe : kRules;
}

}  // namespace wavesmith::isa::cost_detail
