// For tests of what is known of mutants: the programs that they run.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace wavesmith::mutants {

/// The text with `by` in the place of each `word`.
inline std::string replaced(std::string text, std::string_view word, std::string_view by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

/// Assembly with its words for waits and barriers, which targets name otherwise: MEET for a barrier; KM, DS,
/// LOAD and STORED for a wait for all scalar loads, accesses of LDS, loads and stores.
inline std::string with_waits(std::string code, std::string_view target) {
  const bool is_rdna4 = target == "gfx1201";
  const auto replace = [&](std::string_view word, std::string_view text) {
    code = replaced(std::move(code), word, text);
  };
  replace("KM", is_rdna4 ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)");
  replace("DS", is_rdna4 ? "s_wait_dscnt 0x0" : "s_waitcnt lgkmcnt(0)");
  replace("LOAD", is_rdna4 ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)");
  replace("STORED", is_rdna4 ? "s_wait_storecnt 0x0" : "s_waitcnt vmcnt(0)");
  replace("MEET", is_rdna4 ? "s_barrier_signal -1\ns_barrier_wait -1" : "s_barrier");
  return code;
}

/// A program for two workgroups of two waves of 32: own dwords at s[4:5] + v1; those of the workgroup's other
/// wave at s[4:5] + v2; those of the other workgroup at s[4:5] + v3.
inline std::string of_two_workgroups(std::string_view code, std::string_view target) {
  const bool is_cdna = target.starts_with("gfx9"), is_rdna4 = target == "gfx1201";
  return with_waits(std::string(is_rdna4 ? "s_mov_b32 s2, ttmp9\n" : "") +
                        (is_cdna ? "s_load_dwordx2" : "s_load_b64") +
                        " s[4:5], s[0:1], 0x0\n"
                        "s_lshl_b32 s3, s2, 8\n"
                        "v_and_b32 v0, 0x3ff, v0\n"
                        "v_lshl_add_u32 v1, v0, 2, s3\n"
                        "v_xor_b32 v2, 0x80, v1\n"
                        "v_xor_b32 v3, 0x100, v1\n" +
                        std::string(code) + "\ns_endpgm\n",
                    target);
}

}  // namespace wavesmith::mutants
