#include <array>
#include <unordered_map>

#include "base/split.h"
#include "isa/control/row.h"

namespace wavesmith::isa {
namespace {

constexpr std::string_view kPlacement =
    "HW_ID and XCC_ID are made from the workgroup's number; clocks tell the host's time";
constexpr std::string_view kHostClock = "the clock tells the host's time";

using enum Operation;
using Waits = WaitCounters;
using Flag = BranchCondition::Flag;
using Atomic = ScalarAtomicOperation;

// clang-format off
constexpr std::array kRows = {
    // Waits
    ControlRow{"s_waitcnt", WaitForSome, Pipe::Internal, {.fields = true}},
    ControlRow{"s_waitcnt_vscnt", WaitForStores, Pipe::Internal, {.waits = {&Waits::vs}}},
    ControlRow{"s_wait_storecnt", WaitForStores, Pipe::Internal, {.waits = {&Waits::store}}},
    ControlRow{"s_wait_storecnt_dscnt", WaitForStores, Pipe::Internal, {.waits = {&Waits::store, &Waits::ds}}},
    ControlRow{"s_wait_idle", WaitForStores, Pipe::Internal},
    ControlRow{"s_waitcnt_vmcnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::vm}}},
    ControlRow{"s_waitcnt_lgkmcnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::lgkm}}},
    ControlRow{"s_waitcnt_expcnt s_wait_expcnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::exp}}},
    ControlRow{"s_wait_loadcnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::load}}},
    ControlRow{"s_wait_dscnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::ds}}},
    ControlRow{"s_wait_kmcnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::km}}},
    ControlRow{"s_wait_samplecnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::sample}}},
    ControlRow{"s_wait_bvhcnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::bvh}}},
    ControlRow{"s_wait_loadcnt_dscnt", WaitForOthers, Pipe::Internal, {.waits = {&Waits::load, &Waits::ds}}},
    ControlRow{"s_waitcnt_depctr s_wait_alu", WaitForOthers, Pipe::Internal, {.fields = true}},
    ControlRow{"s_wait_event", WaitForOthers, Pipe::Internal},
    // Hints
    ControlRow{"s_nop", Nop, Pipe::Internal},
    ControlRow{"s_sleep s_sleep_var", Sleep, Pipe::Internal},
    ControlRow{"s_delay_alu", Delay, Pipe::Internal, {.fields = true}},
    ControlRow{"s_clause", Clause, Pipe::Internal, {.fields = true}},
    ControlRow{"s_setprio", Priority, Pipe::Internal},
    ControlRow{"s_code_end", Padding, Pipe::Internal},
    ControlRow{"s_inst_prefetch s_set_inst_prefetch_distance s_wakeup s_version s_incperflevel s_decperflevel", Hint, Pipe::Internal},
    ControlRow{"s_ttracedata", Hint, Pipe::Message, {.reads_m0 = true}},
    ControlRow{"s_ttracedata_imm", Hint, Pipe::Message},
    ControlRow{"v_nop v_pipeflush v_clrexcp", Hint, Pipe::Valu},
    // Caches
    ControlRow{"s_icache_inv", ScalarCache, Pipe::Internal},
    ControlRow{"s_dcache_inv s_dcache_inv_vol s_dcache_wb s_dcache_wb_vol s_gl1_inv s_dcache_discard s_dcache_discard_x2 s_atc_probe "
               "s_atc_probe_buffer", ScalarCache, Pipe::Smem},
    ControlRow{"s_prefetch_inst s_prefetch_inst_pc_rel s_prefetch_data s_prefetch_data_pc_rel s_buffer_prefetch_data", Prefetch, Pipe::Smem},
    ControlRow{"buffer_wbl2 buffer_wbinvl1 buffer_wbinvl1_vol", WriteBack, Pipe::Vmem, {.fields = true}},
    ControlRow{"buffer_invl2 buffer_gl1_inv", Invalidate, Pipe::Vmem},
    ControlRow{"buffer_gl0_inv", InvalidateOwn, Pipe::Vmem},
    ControlRow{"buffer_inv global_inv", ScopedInvalidate, Pipe::Vmem, {.fields = true}},
    ControlRow{"global_wb global_wbinv", ScopedWriteBack, Pipe::Vmem, {.fields = true}},
    // Barriers
    ControlRow{"s_barrier", Barrier, Pipe::Internal, {.generations = kCdna | kRdna3}},
    ControlRow{"s_barrier_signal", BarrierSignal, Pipe::Internal, {.generations = kRdna4}},
    ControlRow{"s_barrier_signal_isfirst", BarrierSignalFirst, Pipe::Internal, {.generations = kRdna4, .writes_scc = true}},
    ControlRow{"s_barrier_wait", BarrierWait, Pipe::Internal, {.generations = kRdna4}},
    ControlRow{"s_get_barrier_state", BarrierState, Pipe::Salu, {.generations = kRdna4, .result = true}},
    ControlRow{"ds_gws_barrier", GridBarrier, Pipe::Lds, {.generations = kCdna | kRdna3}},
    // Messages, clocks, traps, the end
    ControlRow{"s_sendmsg s_sendmsghalt", Message, Pipe::Message, {.reads_m0 = true}},
    ControlRow{"s_sendmsg_rtn_b32 s_sendmsg_rtn_b64", MessageReturn, Pipe::Message, {.generations = kRdna, .fidelity = Fidelity::Approximate, .note = kHostClock, .result = true}},
    ControlRow{"s_memrealtime", RealTime, Pipe::Smem, {.generations = kCdna, .fidelity = Fidelity::Approximate, .note = kHostClock, .result = true}},
    ControlRow{"s_memtime", CoreTime, Pipe::Smem, {.generations = kCdna, .fidelity = Fidelity::Approximate, .note = kHostClock, .result = true}},
    ControlRow{"s_trap", Trap, Pipe::Message},
    ControlRow{"v_illegal", Illegal, Pipe::Valu, {.unknown = true}},
    ControlRow{"s_sethalt", Halt, Pipe::Internal},
    ControlRow{"s_setkill", Kill, Pipe::Internal},
    ControlRow{"s_endpgm s_endpgm_saved", End, Pipe::Internal},
    // Hardware registers and modes
    ControlRow{"s_getreg_b32", GetRegister, Pipe::Salu, {.fidelity = Fidelity::Approximate, .note = kPlacement, .result = true}},
    ControlRow{"s_setreg_b32 s_setreg_imm32_b32", SetRegister, Pipe::Salu},
    ControlRow{"s_round_mode", RoundMode, Pipe::Internal, {.generations = kRdna}},
    ControlRow{"s_denorm_mode", DenormMode, Pipe::Internal, {.generations = kRdna}},
    ControlRow{"s_set_gpr_idx_on", IndexOn, Pipe::Salu, {.generations = kCdna, .writes_m0 = true, .unknown = true}},
    ControlRow{"s_set_gpr_idx_off", IndexOff, Pipe::Salu, {.generations = kCdna}},
    ControlRow{"s_set_gpr_idx_idx", IndexIndex, Pipe::Salu, {.generations = kCdna, .writes_m0 = true, .unknown = true}},
    ControlRow{"s_set_gpr_idx_mode", IndexMode, Pipe::Salu, {.generations = kCdna}},
    ControlRow{"s_setvskip", Skip, Pipe::Salu, {.generations = kCdna}},
    // Relative moves
    ControlRow{"s_movrels_b32", ScalarFromRelative, Pipe::Salu, {.result = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"s_movrels_b64", ScalarFromRelative64, Pipe::Salu, {.result = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"s_movreld_b32", ScalarToRelative, Pipe::Salu, {.result = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"s_movreld_b64", ScalarToRelative64, Pipe::Salu, {.result = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"s_movrelsd_2_b32", ScalarRelativeBoth, Pipe::Salu, {.result = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"v_movrels_b32", RowsFromRelative, Pipe::Valu, {.generations = kRdna, .result = true, .masked = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"v_movreld_b32", RowsToRelative, Pipe::Valu, {.generations = kRdna, .result = true, .masked = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"v_movrelsd_b32", RowsRelativeBoth, Pipe::Valu, {.generations = kRdna, .result = true, .masked = true, .reads_m0 = true, .unknown = true}},
    ControlRow{"v_movrelsd_2_b32", RowsRelativeBoth2, Pipe::Valu, {.generations = kRdna, .result = true, .masked = true, .reads_m0 = true, .unknown = true}},
    // Others
    ControlRow{"s_atomic_swap s_atomic_swap_x2 s_buffer_atomic_swap s_buffer_atomic_swap_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Swap}},
    ControlRow{"s_atomic_cmpswap s_atomic_cmpswap_x2 s_buffer_atomic_cmpswap s_buffer_atomic_cmpswap_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::CompareSwap}},
    ControlRow{"s_atomic_add s_atomic_add_x2 s_buffer_atomic_add s_buffer_atomic_add_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Add}},
    ControlRow{"s_atomic_sub s_atomic_sub_x2 s_buffer_atomic_sub s_buffer_atomic_sub_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Sub}},
    ControlRow{"s_atomic_smin s_atomic_smin_x2 s_buffer_atomic_smin s_buffer_atomic_smin_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Smin}},
    ControlRow{"s_atomic_umin s_atomic_umin_x2 s_buffer_atomic_umin s_buffer_atomic_umin_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Umin}},
    ControlRow{"s_atomic_smax s_atomic_smax_x2 s_buffer_atomic_smax s_buffer_atomic_smax_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Smax}},
    ControlRow{"s_atomic_umax s_atomic_umax_x2 s_buffer_atomic_umax s_buffer_atomic_umax_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Umax}},
    ControlRow{"s_atomic_and s_atomic_and_x2 s_buffer_atomic_and s_buffer_atomic_and_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::And}},
    ControlRow{"s_atomic_or s_atomic_or_x2 s_buffer_atomic_or s_buffer_atomic_or_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Or}},
    ControlRow{"s_atomic_xor s_atomic_xor_x2 s_buffer_atomic_xor s_buffer_atomic_xor_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Xor}},
    ControlRow{"s_atomic_inc s_atomic_inc_x2 s_buffer_atomic_inc s_buffer_atomic_inc_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Inc}},
    ControlRow{"s_atomic_dec s_atomic_dec_x2 s_buffer_atomic_dec s_buffer_atomic_dec_x2", ScalarAtomic, Pipe::Smem, {.generations = kCdna, .atomic = Atomic::Dec}},
    ControlRow{"v_mqsad_u32_u8", MaskedSumsOfDifferences, Pipe::Valu, {.result = true, .masked = true, .unknown = true, .quarter = true}},
    // Flow
    ControlRow{"s_branch", Branch, Pipe::Branch},
    ControlRow{"s_cbranch_scc0", ConditionalBranch, Pipe::Branch, {.condition = {Flag::Scc, false}}},
    ControlRow{"s_cbranch_scc1", ConditionalBranch, Pipe::Branch, {.condition = {Flag::Scc, true}}},
    ControlRow{"s_cbranch_vccz", ConditionalBranch, Pipe::Branch, {.condition = {Flag::Vcc, false}}},
    ControlRow{"s_cbranch_vccnz", ConditionalBranch, Pipe::Branch, {.condition = {Flag::Vcc, true}}},
    ControlRow{"s_cbranch_execz", ConditionalBranch, Pipe::Branch, {.condition = {Flag::Exec, false}}},
    ControlRow{"s_cbranch_execnz", ConditionalBranch, Pipe::Branch, {.condition = {Flag::Exec, true}}},
    ControlRow{"s_cbranch_cdbgsys s_cbranch_cdbguser s_cbranch_cdbgsys_or_user s_cbranch_cdbgsys_and_user", DebuggerBranch, Pipe::Branch, {.generations = kCdna | kRdna3}},
    ControlRow{"s_call_b64", Call, Pipe::Branch, {.result = true}},
    ControlRow{"s_setpc_b64", IndirectBranch, Pipe::Branch},
    ControlRow{"s_swappc_b64", IndirectCall, Pipe::Branch, {.result = true}},
    ControlRow{"s_getpc_b64", ProgramCounter, Pipe::Salu, {.result = true}},
};
// clang-format on

}  // namespace

std::span<const ControlRow> control_rows() { return kRows; }

const ControlRow* find_control(std::string_view mnemonic) {
  // Never destroyed: kernels may run on while the process ends.
  static const auto& by_name = *new auto([] {
    std::unordered_map<std::string_view, const ControlRow*> map;
    for (const auto& rows : {control_rows(), unserved_rows()})
      for (const ControlRow& row : rows)
        for (const std::string_view name : words(row.mnemonics)) map.emplace(name, &row);
    return map;
  }());
  const auto found = by_name.find(mnemonic);
  return found == by_name.end() ? nullptr : found->second;
}

Operation operation_of(std::string_view mnemonic) {
  const ControlRow* const row = find_control(mnemonic);
  return row ? row->operation : Operation::None;
}

}  // namespace wavesmith::isa
