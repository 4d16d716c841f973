#include <array>
#include <unordered_map>

#include "isa/control/row.h"

namespace wavesmith::isa {
namespace {

constexpr std::string_view kPlacement =
    "HW_ID and XCC_ID are made from the workgroup's number; clocks tell the host's time";
constexpr std::string_view kHostClock = "the clock tells the host's time";

using enum Operation;

// clang-format off
constexpr std::array kRows = {
    // Waits and hints
    ControlRow{"s_waitcnt", WaitForSome, Pipe::Internal},
    ControlRow{"s_waitcnt_vscnt s_wait_storecnt s_wait_storecnt_dscnt s_wait_idle", WaitForStores, Pipe::Internal},
    ControlRow{"s_waitcnt_depctr s_waitcnt_vmcnt s_waitcnt_lgkmcnt s_waitcnt_expcnt s_wait_loadcnt s_wait_dscnt s_wait_kmcnt "
               "s_wait_expcnt s_wait_samplecnt s_wait_bvhcnt s_wait_loadcnt_dscnt s_wait_alu s_wait_event", WaitForOthers, Pipe::Internal},
    ControlRow{"s_nop", Nop, Pipe::Internal},
    ControlRow{"s_sleep s_sleep_var", Sleep, Pipe::Internal},
    ControlRow{"s_delay_alu", Delay, Pipe::Internal},
    ControlRow{"s_clause", Clause, Pipe::Internal},
    ControlRow{"s_setprio", Priority, Pipe::Internal},
    ControlRow{"s_inst_prefetch s_set_inst_prefetch_distance s_wakeup s_code_end s_version s_incperflevel s_decperflevel", Hint, Pipe::Internal},
    ControlRow{"s_ttracedata s_ttracedata_imm", Hint, Pipe::Message},
    ControlRow{"v_nop v_pipeflush v_clrexcp", Hint, Pipe::Valu},
    // Caches
    ControlRow{"s_icache_inv", ScalarCache, Pipe::Internal},
    ControlRow{"s_dcache_inv s_dcache_inv_vol s_dcache_wb s_dcache_wb_vol s_gl1_inv s_dcache_discard s_dcache_discard_x2 s_atc_probe "
               "s_atc_probe_buffer", ScalarCache, Pipe::Smem},
    ControlRow{"s_prefetch_inst s_prefetch_inst_pc_rel s_prefetch_data s_prefetch_data_pc_rel s_buffer_prefetch_data", Prefetch, Pipe::Smem},
    ControlRow{"buffer_wbl2 buffer_wbinvl1 buffer_wbinvl1_vol", WriteBack, Pipe::Vmem},
    ControlRow{"buffer_invl2 buffer_gl1_inv", Invalidate, Pipe::Vmem},
    ControlRow{"buffer_gl0_inv", InvalidateOwn, Pipe::Vmem},
    ControlRow{"buffer_inv global_inv", ScopedInvalidate, Pipe::Vmem},
    ControlRow{"global_wb global_wbinv", ScopedWriteBack, Pipe::Vmem},
    // Barriers
    ControlRow{"s_barrier", Barrier, Pipe::Internal, kCdna | kRdna3},
    ControlRow{"s_barrier_signal", BarrierSignal, Pipe::Internal, kRdna4},
    ControlRow{"s_barrier_signal_isfirst", BarrierSignalFirst, Pipe::Internal, kRdna4},
    ControlRow{"s_barrier_wait", BarrierWait, Pipe::Internal, kRdna4},
    ControlRow{"s_get_barrier_state", BarrierState, Pipe::Salu, kRdna4},
    ControlRow{"ds_gws_barrier", GridBarrier, Pipe::Lds, kCdna | kRdna3},
    // Messages, clocks, traps, the end
    ControlRow{"s_sendmsg s_sendmsghalt", Message, Pipe::Message},
    ControlRow{"s_sendmsg_rtn_b32 s_sendmsg_rtn_b64", MessageReturn, Pipe::Message, kRdna, Fidelity::Approximate, kHostClock},
    ControlRow{"s_memrealtime", RealTime, Pipe::Smem, kCdna, Fidelity::Approximate, kHostClock},
    ControlRow{"s_memtime", CoreTime, Pipe::Smem, kCdna, Fidelity::Approximate, kHostClock},
    ControlRow{"s_trap", Trap, Pipe::Message},
    ControlRow{"v_illegal", Illegal, Pipe::Valu},
    ControlRow{"s_sethalt", Halt, Pipe::Internal},
    ControlRow{"s_setkill", Kill, Pipe::Internal},
    ControlRow{"s_endpgm s_endpgm_saved", End, Pipe::Internal},
    // Hardware registers and modes
    ControlRow{"s_getreg_b32", GetRegister, Pipe::Salu, kEvery, Fidelity::Approximate, kPlacement},
    ControlRow{"s_setreg_b32 s_setreg_imm32_b32", SetRegister, Pipe::Salu},
    ControlRow{"s_round_mode", RoundMode, Pipe::Internal, kRdna},
    ControlRow{"s_denorm_mode", DenormMode, Pipe::Internal, kRdna},
    ControlRow{"s_set_gpr_idx_on", IndexOn, Pipe::Salu, kCdna},
    ControlRow{"s_set_gpr_idx_off", IndexOff, Pipe::Salu, kCdna},
    ControlRow{"s_set_gpr_idx_idx", IndexIndex, Pipe::Salu, kCdna},
    ControlRow{"s_set_gpr_idx_mode", IndexMode, Pipe::Salu, kCdna},
    ControlRow{"s_setvskip", Skip, Pipe::Salu, kCdna},
    // Relative moves
    ControlRow{"s_movrels_b32", ScalarFromRelative, Pipe::Salu},
    ControlRow{"s_movrels_b64", ScalarFromRelative64, Pipe::Salu},
    ControlRow{"s_movreld_b32", ScalarToRelative, Pipe::Salu},
    ControlRow{"s_movreld_b64", ScalarToRelative64, Pipe::Salu},
    ControlRow{"s_movrelsd_2_b32", ScalarRelativeBoth, Pipe::Salu},
    ControlRow{"v_movrels_b32", RowsFromRelative, Pipe::Valu, kRdna},
    ControlRow{"v_movreld_b32", RowsToRelative, Pipe::Valu, kRdna},
    ControlRow{"v_movrelsd_b32", RowsRelativeBoth, Pipe::Valu, kRdna},
    ControlRow{"v_movrelsd_2_b32", RowsRelativeBoth2, Pipe::Valu, kRdna},
    // Others
    ControlRow{"s_atomic_swap s_atomic_cmpswap s_atomic_add s_atomic_sub s_atomic_smin s_atomic_umin s_atomic_smax s_atomic_umax "
               "s_atomic_and s_atomic_or s_atomic_xor s_atomic_inc s_atomic_dec s_atomic_swap_x2 s_atomic_cmpswap_x2 "
               "s_atomic_add_x2 s_atomic_sub_x2 s_atomic_smin_x2 s_atomic_umin_x2 s_atomic_smax_x2 s_atomic_umax_x2 "
               "s_atomic_and_x2 s_atomic_or_x2 s_atomic_xor_x2 s_atomic_inc_x2 s_atomic_dec_x2 "
               "s_buffer_atomic_swap s_buffer_atomic_cmpswap s_buffer_atomic_add s_buffer_atomic_sub s_buffer_atomic_smin "
               "s_buffer_atomic_umin s_buffer_atomic_smax s_buffer_atomic_umax s_buffer_atomic_and s_buffer_atomic_or "
               "s_buffer_atomic_xor s_buffer_atomic_inc s_buffer_atomic_dec s_buffer_atomic_swap_x2 s_buffer_atomic_cmpswap_x2 "
               "s_buffer_atomic_add_x2 s_buffer_atomic_sub_x2 s_buffer_atomic_smin_x2 s_buffer_atomic_umin_x2 "
               "s_buffer_atomic_smax_x2 s_buffer_atomic_umax_x2 s_buffer_atomic_and_x2 s_buffer_atomic_or_x2 "
               "s_buffer_atomic_xor_x2 s_buffer_atomic_inc_x2 s_buffer_atomic_dec_x2", ScalarAtomic, Pipe::Smem, kCdna},
    ControlRow{"v_mqsad_u32_u8", MaskedSumsOfDifferences, Pipe::Valu},
    // Flow
    ControlRow{"s_branch", Branch, Pipe::Branch},
    ControlRow{"s_cbranch_scc0 s_cbranch_scc1 s_cbranch_vccz s_cbranch_vccnz s_cbranch_execz s_cbranch_execnz", ConditionalBranch, Pipe::Branch},
    ControlRow{"s_cbranch_cdbgsys s_cbranch_cdbguser s_cbranch_cdbgsys_or_user s_cbranch_cdbgsys_and_user", DebuggerBranch, Pipe::Branch, kCdna | kRdna3},
    ControlRow{"s_call_b64", Call, Pipe::Branch},
    ControlRow{"s_setpc_b64", IndirectBranch, Pipe::Branch},
    ControlRow{"s_swappc_b64", IndirectCall, Pipe::Branch},
    ControlRow{"s_getpc_b64", ProgramCounter, Pipe::Salu},
};
// clang-format on

}  // namespace

std::span<const ControlRow> control_rows() { return kRows; }

const ControlRow* find_control(std::string_view mnemonic) {
  // Never destroyed: kernels may run on while the process ends.
  static const auto& by_name = *new auto([] {
    std::unordered_map<std::string_view, const ControlRow*> map;
    for (const ControlRow& row : kRows) {
      std::string_view names = row.mnemonics;
      while (!names.empty()) {
        const size_t space = names.find(' ');
        map.emplace(names.substr(0, space), &row);
        names = space == std::string_view::npos ? std::string_view{} : names.substr(space + 1);
      }
    }
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
