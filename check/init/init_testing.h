// For tests: kernels in assembly text that serve all generations.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace wavesmith::check {

/// A target and its wave's lanes.
struct WaveOf {
  std::string_view target;
  int lanes;
};
inline constexpr WaveOf kCdna[] = {{"gfx90a", 64}, {"gfx942", 64}, {"gfx950", 64}};
inline constexpr WaveOf kRdna[] = {
    {"gfx1100", 32}, {"gfx1100", 64}, {"gfx1151", 32}, {"gfx1201", 32}, {"gfx1201", 64}};

/// The text with these words replaced by what the target calls them: VCC, EXEC, SAVEEXEC (s_and_saveexec),
/// MOVX (s_mov of a lane mask), PAIR (s[8:9], or s8), ADD (v_add_u32), NONE (an offset of 0), CARRY (a result
/// that is not used), WAIT; FIRST stands for half of the lanes. Before it, s[4:5] get the kernel's argument
/// and v1 the lane's number times 4.
inline std::string text_for(std::string_view text, const WaveOf& wave) {
  const bool wide = wave.lanes == 64, cdna = wave.target.starts_with("gfx9"),
             gfx12 = wave.target == "gfx1201";
  const std::pair<std::string_view, std::string_view> words[] = {
      {"SAVEEXEC", wide ? "s_and_saveexec_b64" : "s_and_saveexec_b32"},
      {"MOVX", wide ? "s_mov_b64" : "s_mov_b32"},
      {"EXEC", wide ? "exec" : "exec_lo"},
      {"VCC", wide ? "vcc" : "vcc_lo"},
      {"PAIR", wide ? "s[8:9]" : "s8"},
      {"FIRST", "0xffff"},
      {"CARRY", cdna ? "s[10:11]" : "null"},
      {"NONE", gfx12 ? "null" : "0"},
      {"ADD", cdna ? "v_add_u32" : "v_add_nc_u32"},
      {"WAIT",
       gfx12 ? "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_kmcnt 0x0" : "s_waitcnt vmcnt(0) lgkmcnt(0)"}};
  std::string made =
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\nWAIT\nv_lshlrev_b32 v1, 2, v0\n" + std::string(text);
  for (const auto& [from, to] : words)
    for (size_t at = made.find(from); at != std::string::npos; at = made.find(from, at + to.size()))
      made.replace(at, from.size(), to);
  return made;
}

}  // namespace wavesmith::check
