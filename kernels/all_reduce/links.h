// Which form of an all-reduce takes the least time, by what joins GPUs of a kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace wavesmith::kernels {

/// What crosses in one direction, and until a waiting workgroup sees a flag.
struct LinkRates {
  std::string_view target;
  double bytes_per_microsecond;
  double flag_microseconds;
  bool shared;  ///< one way to all others, PCIe; otherwise a link to each
};

/// Rates are those of gpus/data, times the share of them that is seen; that and flags are those of
/// model/fitted/constants.toml: link.xgmi, link.pcie, link.hop and link.latency.cdna4. Of GPUs that nothing
/// joins the first line serves as well.
inline constexpr LinkRates kLinkRates[] = {
    {"gfx90a", 0.75 * 50e3, 2.6, false},           //
    {"gfx942", 0.75 * 64e3, 2.6, false},           //
    {"gfx950", 0.75 * 76.8e3, 0.82 * 2.6, false},  //
    {"gfx1100", 0.8 * 32e3, 2 * 2.6, true},        //
    {"gfx1201", 0.8 * 64e3, 2 * 2.6, true},        //
};

/// What launching and all but exchanges take, at the least and while much crosses the links: modelled, of
/// rows of 8,192 on eight MI300X.
inline constexpr double kLeastMicroseconds = 13.4, kOtherMicroseconds = 5.3;

/// The time of so many exchanges, by which a rank sends so many bytes to each of the others.
constexpr double microseconds(const LinkRates& links, int ranks, int exchanges, double bytes) {
  const double crossing = (links.shared ? ranks - 1 : 1) * bytes / links.bytes_per_microsecond;
  return exchanges * links.flag_microseconds + std::max(kLeastMicroseconds, kOtherMicroseconds + crossing);
}

/// Whether slices are faster than everything at once, for x of so many bytes.
constexpr bool is_sliced(std::string_view target, int ranks, int64_t bytes) {
  const LinkRates* links = kLinkRates;
  for (const LinkRates& one : kLinkRates)
    if (one.target == target) links = &one;
  const auto all = static_cast<double>(bytes);
  return microseconds(*links, ranks, 2, 2 * all / ranks) < microseconds(*links, ranks, 1, all);
}

}  // namespace wavesmith::kernels
