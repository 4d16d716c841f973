// What the scalar control instructions do to a wave: messages, split barriers, hardware registers, relative
// moves. None of these is frequent, so they are ordinary functions that a micro-operation calls.
#pragma once

#include "emulate/run/wave.h"
#include "emulate/translate/uop.h"
#include "isa/control/row.h"

namespace wavesmith::emulate {

/// Called by Micro::Call. False stops the wave; then the function has set its status and where it goes on.
using ControlFunction = bool (*)(const Uop* uop, Wave* wave);

namespace control {

/// Whether the host shows a thread's loads in their order, and its stores: only a load may pass an earlier
/// store (docs/MEMORY_MODEL.md).
#if defined(__x86_64__)
inline constexpr bool kHostKeepsOrder = true;
#else
inline constexpr bool kHostKeepsOrder = false;
#endif

/// What the wave has written is there for the whole host before it reads on (docs/MEMORY_MODEL.md).
bool fence(const Uop* uop, Wave* wave);

/// s_getreg: d = result, a = register, b = offset, c = bits.
bool get_register(const Uop* uop, Wave* wave);
/// s_setreg: a = source, d = register, b = offset, c = bits.
bool set_register(const Uop* uop, Wave* wave);

/// s_movrels, s_movreld, s_movrelsd_2: d = result, a = source (offsets of the SGPRs that the instruction
/// names). M0 is added to the number of the source, the result, or (its halves) both. b = dwords.
bool move_from_relative(const Uop* uop, Wave* wave);
bool move_to_relative(const Uop* uop, Wave* wave);
bool move_relative_both(const Uop* uop, Wave* wave);

/// v_movrels, v_movreld, v_movrelsd, v_movrelsd_2: row d = row a in active lanes; b, c = the bit of M0 from
/// which ten bits are added to the number of the source, the result (32: nothing is added).
bool move_rows_relative(const Uop* uop, Wave* wave);

/// src_vccz and src_execz: d = 1 when b dwords at a are 0.
bool is_zero(const Uop* uop, Wave* wave);

/// s_sendmsg(MSG_INTERRUPT): the host looks by itself (Dispatch::serve), so the wave only gives it time.
bool interrupt(const Uop* uop, Wave* wave);
/// s_sendmsg_rtn: d = result, a = message, b = dwords.
bool message_return(const Uop* uop, Wave* wave);

/// gfx12's split barrier. Its first signal of a phase sets SCC where b is 1.
bool barrier_signal(const Uop* uop, Wave* wave);
bool barrier_wait(const Uop* uop, Wave* wave);
/// d = result
bool barrier_state(const Uop* uop, Wave* wave);

/// ds_gws_barrier: waits for the other workgroups of a cooperative launch.
bool grid_barrier(const Uop* uop, Wave* wave);

/// M0-relative VGPRs: rows d.. = rows of the VGPR at a, to which M0's index is added when M0's bit b asks for
/// it; c = rows. And back.
bool load_indexed(const Uop* uop, Wave* wave);
bool store_indexed(const Uop* uop, Wave* wave);
/// M0's bits given by the mask b = those of the value at a, shifted left by c.
bool set_index(const Uop* uop, Wave* wave);

/// s_atomic_* and s_buffer_atomic_*: d = data, a = base pair or resource, b = dword of the offset, c = a
/// ScalarAtomic.
bool scalar_atomic(const Uop* uop, Wave* wave);

/// What the word c of scalar_atomic says.
struct ScalarAtomic {
  using Operation = isa::ScalarAtomicOperation;
  Operation operation = Operation::Swap;
  bool wide = false, returns = false, buffer = false;
  int32_t immediate = 0;  ///< 21 bits

  [[nodiscard]] constexpr uint32_t packed() const {
    return static_cast<uint32_t>(operation) | uint32_t{wide} << 5 | uint32_t{returns} << 6 |
           uint32_t{buffer} << 7 | static_cast<uint32_t>(immediate) << 8;
  }
  static constexpr ScalarAtomic unpack(uint32_t word) {
    return {static_cast<Operation>(word & 31), (word >> 5 & 1) != 0, (word >> 6 & 1) != 0,
            (word >> 7 & 1) != 0, static_cast<int32_t>(word) >> 8};
  }
};

/// VSKIP = bit (the value at b) of the value at a.
bool set_skip(const Uop* uop, Wave* wave);

}  // namespace control
}  // namespace wavesmith::emulate
