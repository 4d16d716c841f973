// Waits, barriers, sleeps and the end of a wave.
#include <fmt/format.h>

#include <array>

#include "emulate/emitter.h"

namespace wavesmith::emulate {
namespace {

/// Instructions that have no effect on the result: execution is in order, so every wait is already satisfied.
constexpr std::array kNoEffect = {
    "s_waitcnt",
    "s_waitcnt_depctr",
    "s_waitcnt_vscnt",
    "s_waitcnt_vmcnt",
    "s_waitcnt_lgkmcnt",
    "s_waitcnt_expcnt",
    "s_wait_loadcnt",
    "s_wait_storecnt",
    "s_wait_dscnt",
    "s_wait_kmcnt",
    "s_wait_expcnt",
    "s_wait_samplecnt",
    "s_wait_bvhcnt",
    "s_wait_loadcnt_dscnt",
    "s_wait_storecnt_dscnt",
    "s_wait_alu",
    "s_delay_alu",
    "s_clause",
    "s_nop",
    "s_setprio",
    "s_inst_prefetch",
    "s_set_inst_prefetch_distance",
    "s_icache_inv",
    "s_dcache_inv",
    "s_dcache_wb",
    "buffer_wbl2",
    "buffer_inv",
    "buffer_wbinvl1",
    "buffer_wbinvl1_vol",
    "buffer_invl2",
    "buffer_gl0_inv",
    "buffer_gl1_inv",
    "global_inv",
    "global_wb",
    "global_wbinv",
    "s_code_end",
    "v_nop",
};

}  // namespace

Result<void> translate_control(Emitter& emitter, const isa::Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  for (const std::string_view none : kNoEffect)
    if (name == none) {
      emitter.emit(Micro::Nop);
      return {};
    }
  if (name == "s_barrier") {
    emitter.emit(Micro::Barrier);
    return {};
  }
  if (name == "s_sleep") {
    emitter.emit(Micro::Sleep);
    return {};
  }
  return fail(ErrorKind::Unsupported, fmt::format("unsupported instruction '{}'", instruction.text));
}

}  // namespace wavesmith::emulate
