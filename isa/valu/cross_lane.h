// Lanes read and written by number, permutations within and between the rows of 16 lanes, swaps.
#pragma once

#include <bit>
#include <utility>

#include "isa/wave.h"

namespace wavesmith::isa {

namespace cross_lane {

inline bool active(uint64_t exec, int lane) { return (exec >> lane & 1) != 0; }

/// What a permutation does when the lane that it reads is inactive: op_sel:[fi, bound_ctrl] of
/// V_PERMLANE16_B32 (LLVM, llvm.amdgcn.permlane16): fi fetches it all the same; otherwise bound_ctrl gives 0,
/// and without both the destination stays.
struct Fetch {
  Lanes source;
  uint32_t before[Lanes::kStride];
  uint64_t exec;
  uint32_t options;

  Fetch(Lanes from, uint64_t active_lanes, uint32_t how)
      : source(from), before{}, exec(active_lanes), options(how) {
    for (int lane = 0; lane < from.count; ++lane) before[lane] = from[lane];
  }
  void to(uint32_t& destination, int from) const {
    if ((options & 1) != 0 || active(exec, from))
      destination = before[from];
    else if ((options & 2) != 0)
      destination = 0;
  }
};

/// Lane i of a row of 16 reads lane nibble i of `high:low`; of the other row of its pair when `across` is 16.
inline void permute_rows(Lanes d, const Fetch& fetch, uint32_t low, uint32_t high, int across) {
  const uint64_t select = low | uint64_t{high} << 32;
  for (int lane = 0; lane < d.count; ++lane)
    if (active(fetch.exec, lane))
      fetch.to(d[lane], ((lane & ~15) ^ across) + static_cast<int>(select >> (4 * (lane & 15)) & 15));
}

/// The same with a selection of its own for each lane.
inline void permute_rows(Lanes d, const Fetch& fetch, Lanes select, int across) {
  uint32_t selects[Lanes::kStride];
  for (int lane = 0; lane < d.count; ++lane) selects[lane] = select[lane];
  for (int lane = 0; lane < d.count; ++lane)
    if (active(fetch.exec, lane))
      fetch.to(d[lane], ((lane & ~15) ^ across) + static_cast<int>(selects[lane] & 15));
}

/// Exchanges the lanes of `a` that have bit `distance` with the lanes of `b` that do not.
inline void swap_rows(Lanes a, Lanes b, uint64_t exec, uint32_t options, int distance) {
  const Fetch from_a(a, exec, options), from_b(b, exec, options);
  for (int lane = 0; lane < a.count; ++lane) {
    if ((lane & distance) != 0) continue;
    if (active(exec, lane + distance)) from_b.to(a[lane + distance], lane);
    if (active(exec, lane)) from_a.to(b[lane], lane + distance);
  }
}

inline void swap(Lanes a, Lanes b, uint64_t exec) {
  for (int lane = 0; lane < a.count; ++lane)
    if (active(exec, lane)) std::swap(a[lane], b[lane]);
}

/// Exchanges 16 bits: those of the upper half of the first register where bit 0 of `upper` is set, of the
/// second's where bit 1 is.
inline void swap_halves(Lanes a, Lanes b, uint64_t exec, uint32_t upper) {
  const int shift_a = (upper & 1) != 0 ? 16 : 0, shift_b = (upper & 2) != 0 ? 16 : 0;
  for (int lane = 0; lane < a.count; ++lane) {
    if (!active(exec, lane)) continue;
    const uint32_t half_a = a[lane] >> shift_a & 0xffffu, half_b = b[lane] >> shift_b & 0xffffu;
    a[lane] = (a[lane] & ~(0xffffu << shift_a)) | half_b << shift_a;
    b[lane] = (b[lane] & ~(0xffffu << shift_b)) | half_a << shift_b;
  }
}

}  // namespace cross_lane

template <class Visitor>
void cross_lane_instructions(Visitor& v) {
  using namespace cross_lane;
  constexpr std::string_view kSwapBound =
      "exact with all lanes active; the manual does not say what inactive ones do";
  // What permutes may be told to fetch from lanes that are switched off.
  constexpr Facts rdna{.generations = kRdna, .fetches = true}, rdna4{.generations = kRdna4, .fetches = true};
  constexpr Facts swaps{.issue = Issue::Half,
                        .generations = kCdna4,
                        .fidelity = Fidelity::Approximate,
                        .bound = kSwapBound,
                        .fetches = true};
  // clang-format off
  v(wave<u32(row, exec)>, "v_readfirstlane_b32", [](auto s, auto exec) { return s[exec ? convert<int>(count_trailing_zeros(exec)) : 0]; });
  v(wave<u32(row, u32)>,  "v_readlane_b32", [](auto s, auto lane) { return s[convert<int>(lane) & (s.count - 1)]; }, {.fetches = true});
  v(wave<row(u32, u32)>,  "v_writelane_b32", [](Lanes d, uint32_t value, uint32_t lane) { d[static_cast<int>(lane) & (d.count - 1)] = value; }, {.fetches = true, .unmasked = true});

  v(wave<row(row, u32, u32, exec, immediate)>, "v_permlane16_b32", [](Lanes d, Lanes s, uint32_t low, uint32_t high, uint64_t exec, uint32_t options) {
    permute_rows(d, Fetch(s, exec, options), low, high, 0);
  }, rdna);
  v(wave<row(row, u32, u32, exec, immediate)>, "v_permlanex16_b32", [](Lanes d, Lanes s, uint32_t low, uint32_t high, uint64_t exec, uint32_t options) {
    permute_rows(d, Fetch(s, exec, options), low, high, 16);
  }, rdna);
  v(wave<row(row, row, exec, immediate)>, "v_permlane16_var_b32", [](Lanes d, Lanes s, Lanes select, uint64_t exec, uint32_t options) {
    permute_rows(d, Fetch(s, exec, options), select, 0);
  }, rdna4);
  v(wave<row(row, row, exec, immediate)>, "v_permlanex16_var_b32", [](Lanes d, Lanes s, Lanes select, uint64_t exec, uint32_t options) {
    permute_rows(d, Fetch(s, exec, options), select, 16);
  }, rdna4);
  // The halves of a wave64 are exchanged, inactive lanes read too; a wave32 has no other half: nothing happens.
  v(wave<row(row, exec)>, "v_permlane64_b32", [](Lanes d, Lanes s, uint64_t exec) {
    if (d.count != 64) return;
    const Fetch fetch(s, exec, 1);
    for (int lane = 0; lane < 64; ++lane) if (active(exec, lane)) fetch.to(d[lane], lane ^ 32);
  }, rdna);

  v(wave<out<row_in_place, row_in_place>(exec, immediate)>, "v_permlane16_swap_b32", [](Lanes a, Lanes b, uint64_t exec, uint32_t options) {
    swap_rows(a, b, exec, options, 16);
  }, swaps);
  v(wave<out<row_in_place, row_in_place>(exec, immediate)>, "v_permlane32_swap_b32", [](Lanes a, Lanes b, uint64_t exec, uint32_t options) {
    swap_rows(a, b, exec, options, 32);
  }, swaps);
  v(wave<out<row_in_place, row_in_place>(exec)>, "v_swap_b32", [](Lanes a, Lanes b, uint64_t exec) { swap(a, b, exec); });
  v(wave<out<row_in_place, row_in_place>(exec, immediate)>, "v_swap_b16", [](Lanes a, Lanes b, uint64_t exec, uint32_t options) {
    swap_halves(a, b, exec, options);
  }, {.generations = kRdna});
  // Both registers' numbers have parts of M0 added.
  v(wave<out<row_in_place, row_in_place>(exec, m0)>, "v_swaprel_b32", [](Lanes a, Lanes b, uint64_t exec, uint32_t m) {
    const uint32_t from = m & 0x3ff, to = m >> 16 & 0x3ff;
    if (from < 256 && to < 256) swap(a.further(to), b.further(from), exec);
  }, {.generations = kRdna});
  // clang-format on
}

}  // namespace wavesmith::isa
