// Scalar instructions that combine a mask with EXEC and write EXEC. SCC says whether a lane is active
// afterwards. The destination takes EXEC's former value (saveexec) or its new one (wrexec).
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

namespace salu {

inline constexpr auto save = [](auto before, auto after) { return Results3{before, after != 0, after}; };
inline constexpr auto write = [](auto after) { return Results3{after, after != 0, after}; };

}  // namespace salu

template <class Visitor>
void scalar_exec(Visitor& v) {
  using namespace salu;
  // clang-format off
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_and_saveexec_b64", [](auto s, auto e) { return save(e, s & e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_and_saveexec_b32", [](auto s, auto e) { return save(e, s & e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_or_saveexec_b64", [](auto s, auto e) { return save(e, s | e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_or_saveexec_b32", [](auto s, auto e) { return save(e, s | e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_xor_saveexec_b64", [](auto s, auto e) { return save(e, s ^ e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_xor_saveexec_b32", [](auto s, auto e) { return save(e, s ^ e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_nand_saveexec_b64", [](auto s, auto e) { return save(e, ~(s & e)); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_nand_saveexec_b32", [](auto s, auto e) { return save(e, ~(s & e)); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_nor_saveexec_b64", [](auto s, auto e) { return save(e, ~(s | e)); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_nor_saveexec_b32", [](auto s, auto e) { return save(e, ~(s | e)); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_xnor_saveexec_b64", [](auto s, auto e) { return save(e, ~(s ^ e)); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_xnor_saveexec_b32", [](auto s, auto e) { return save(e, ~(s ^ e)); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_andn1_saveexec_b64 s_and_not0_saveexec_b64", [](auto s, auto e) { return save(e, ~s & e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_andn1_saveexec_b32 s_and_not0_saveexec_b32", [](auto s, auto e) { return save(e, ~s & e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_orn1_saveexec_b64 s_or_not0_saveexec_b64", [](auto s, auto e) { return save(e, ~s | e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_orn1_saveexec_b32 s_or_not0_saveexec_b32", [](auto s, auto e) { return save(e, ~s | e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_andn2_saveexec_b64 s_and_not1_saveexec_b64", [](auto s, auto e) { return save(e, s & ~e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_andn2_saveexec_b32 s_and_not1_saveexec_b32", [](auto s, auto e) { return save(e, s & ~e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_orn2_saveexec_b64 s_or_not1_saveexec_b64", [](auto s, auto e) { return save(e, s | ~e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_orn2_saveexec_b32 s_or_not1_saveexec_b32", [](auto s, auto e) { return save(e, s | ~e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_andn1_wrexec_b64 s_and_not0_wrexec_b64", [](auto s, auto e) { return write(~s & e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_andn1_wrexec_b32 s_and_not0_wrexec_b32", [](auto s, auto e) { return write(~s & e); }, kSaluRdna);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_andn2_wrexec_b64 s_and_not1_wrexec_b64", [](auto s, auto e) { return write(s & ~e); });
  v(scalar<out<u32, scc, exec32>(u32, exec32)>, "s_andn2_wrexec_b32 s_and_not1_wrexec_b32", [](auto s, auto e) { return write(s & ~e); }, kSaluRdna);
  // clang-format on
}

}  // namespace wavesmith::isa
