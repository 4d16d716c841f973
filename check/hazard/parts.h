// What the rules about hazards ask of an instruction, found once a site.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulate/run/events.h"
#include "isa/control/row.h"
#include "isa/effects.h"
#include "isa/pipe.h"
#include "isa/target.h"
#include "isa/wait_counters.h"

namespace wavesmith::check::hazard {

using Registers = std::vector<isa::RegisterRange>;

/// What hardware has not finished when a wait for its dependency counters is over: s_waitcnt_depctr and
/// s_wait_alu.
struct Drains {
  bool vector = false;         ///< va_vdst(0): VGPRs that the VALU writes
  bool vector_scalar = false;  ///< va_sdst(0): SGPRs that it writes
  bool vector_vcc = false;     ///< va_vcc(0): VCC, which it writes
  bool scalar = false;         ///< sa_sdst(0): SGPRs that the SALU writes
};

/// The units of matrix instructions, as the manuals name them: F32 and F64 have their own on CDNA3 and CDNA4.
enum class MatrixUnit : uint8_t { Xdl, Single, Double };

struct Parts {
  const isa::Instruction* in = nullptr;
  isa::Pipe pipe = isa::Pipe::Internal;
  isa::Operation operation = isa::Operation::None;
  int states = 1;  ///< wait states from it to the next instruction
  int passes = 0;  ///< of a matrix instruction, four cycles each
  // Vector instructions
  bool valu = false;  ///< matrix instructions too
  bool matrix = false;
  bool transcendental = false;
  bool dot = false;
  bool dpp = false;
  bool compares_to_exec = false;  ///< v_cmpx
  bool moves_result = false;      ///< its result is shifted in its register: by op_sel, or by SDWA's dst_sel
  bool does_nothing = false;      ///< v_nop
  bool salu = false;
  bool memory = false;            ///< vector memory, LDS or an export
  bool waits_for_memory = false;  ///< until all of vector memory is done: vmcnt(0)
  // Registers. Sources are those that an instruction needs, not those that it leaves as they were.
  Registers vector_sources, vector_writes;  ///< VGPRs and AGPRs
  Registers vector_reads;                   ///< with those that it keeps parts of
  Registers constants;           ///< scalar registers whose value a vector instruction computes with
  Registers masks;               ///< scalar registers that it takes a bit a lane from
  Registers scalar_reads;        ///< all scalar registers, VCC with them, without EXEC, M0 and SCC
  Registers scalar_writes;       ///< likewise, and M0
  Registers exec_writes;         ///< EXEC
  bool reads_zero_flag = false;  ///< VCCZ or EXECZ as a source
  // Of a matrix instruction
  MatrixUnit unit = MatrixUnit::Xdl;
  isa::RegisterRange d, c;
  Registers ab;  ///< A and B, the index of sparse forms, scales
  // Of others
  Registers store_data;  ///< of a store of more than 64 bits that does not take an offset from an SGPR
  std::string_view hardware_register = {};  ///< of s_setreg and s_getreg: "HW_REG_MODE"
  bool sets_skip = false;                   ///< MODE.VSKIP
  bool needs_m0 = false;  ///< reads M0 where hardware does not wait for the SALU to write it
  Drains drains;
  // Of RDNA
  bool releases_registers = false;  ///< MSG_DEALLOC_VGPRS
  bool stores = false;              ///< counts as a store: vscnt, storecnt
  bool stores_to_scratch = false;
  int stores_left = isa::WaitCounters::kAny;  ///< stores that a wait lets be under way
};

Parts parts_of(const emulate::Site& site, const isa::Target& target, int wave_lanes);

}  // namespace wavesmith::check::hazard
