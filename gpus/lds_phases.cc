#include "gpus/lds_phases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <tuple>

namespace wavesmith::gpus {
namespace {

constexpr uint64_t lanes(unsigned first, unsigned last) {
  return (last == 63 ? ~uint64_t{0} : (uint64_t{1} << (last + 1)) - 1) & ~((uint64_t{1} << first) - 1);
}

/// As the first 32 lanes of a wave64, so the last.
std::vector<uint64_t> twice(std::initializer_list<uint64_t> half) {
  std::vector<uint64_t> all(half);
  for (const uint64_t phase : half) all.push_back(phase << 32);
  return all;
}

std::vector<uint64_t> consecutive(uint32_t wave_lanes, uint32_t each) {
  std::vector<uint64_t> all;
  for (uint32_t first = 0; first < wave_lanes; first += each)
    all.push_back(lanes(first, std::min(first + each, wave_lanes) - 1));
  return all;
}

LdsPhases make(std::string_view architecture, LdsAccess access, uint32_t bytes, uint32_t wave_lanes) {
  const uint32_t width = bytes <= 4 ? 4 : bytes <= 8 ? 8 : bytes <= 12 ? 12 : 16;
  const bool read = access == LdsAccess::Read;
  const std::vector<uint64_t> four_and_four =
      twice({lanes(0, 3) | lanes(20, 23), lanes(4, 7) | lanes(16, 19), lanes(8, 11) | lanes(28, 31),
             lanes(12, 15) | lanes(24, 27)});
  const Source hipkittens{"HipKittens, measured LDS phases of an MI355X", Kind::Measured};
  if (architecture == "CDNA4" && wave_lanes == 64) {
    // AMD's fp8 product that loads to LDS (notebook fp8_gemm_hip_cdna4) makes 507 TFLOP/s: of 79 cycles of
    // each wave's step 64 are conflicting reads, which leaves less than 4 for the 1 KB that each of four
    // loads brings.
    if (access == LdsAccess::Load)
      return {64,
              consecutive(64, 256 / width),
              {"at the least; AMD, fp8 GEMM for CDNA4, the step that loads to LDS", Kind::Derived}};
    if (read && width == 16)
      return {
          64,
          twice({lanes(0, 3) | lanes(12, 15) | lanes(20, 27), lanes(4, 11) | lanes(16, 19) | lanes(28, 31)}),
          hipkittens};
    if (read && width == 8) return {64, consecutive(64, 32), hipkittens};
    if (read && width == 12) return {32, four_and_four, hipkittens};
    if (!read && width == 8) return {32, consecutive(64, 16), hipkittens};
    if (width == 16 || width == 12)
      return {32, consecutive(64, 8), {"as measured on CDNA3; not published for CDNA4", Kind::Modelled}};
    return {32, consecutive(64, 32), {"128 bytes a clock over 32 banks", Kind::Derived}};
  }
  if ((architecture == "CDNA3" || architecture == "CDNA2") && wave_lanes == 64) {
    const Source measured =
        architecture == "CDNA3"
            ? Source{"HipKittens and Composable Kernel's notes, LDS phases of an MI300X", Kind::Measured}
            : Source{"as measured on CDNA3", Kind::Modelled};
    if (read && width >= 12) return {32, four_and_four, measured};
    if (width >= 12) return {32, consecutive(64, 8), measured};
    if (width == 8)
      return {32,
              consecutive(64, 16),
              {"128 bytes a clock over 32 banks; lanes in order assumed", Kind::Derived}};
    return {32, consecutive(64, 32), {"128 bytes a clock over 32 banks", Kind::Derived}};
  }
  // RDNA: 32 banks a compute unit, 128 bytes a clock; AMD's guides name no order of lanes.
  return {32,
          consecutive(wave_lanes, 128 / (width == 12 ? 16 : width)),
          {"128 bytes a clock over 32 banks; lanes in order assumed", Kind::Derived}};
}

}  // namespace

const LdsPhases& lds_phases(const Gpu& gpu, LdsAccess access, uint32_t bytes, uint32_t wave_lanes) {
  using Key = std::tuple<std::string, LdsAccess, uint32_t, uint32_t>;
  static auto& known = *new std::map<Key, LdsPhases>;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const Key key{gpu.architecture, access, bytes, wave_lanes};
  const auto at = known.find(key);
  if (at != known.end()) return at->second;
  return known.emplace(key, make(gpu.architecture, access, bytes, wave_lanes)).first->second;
}

LdsCycles lds_cycles(const Gpu& gpu, LdsAccess access, uint32_t bytes, uint32_t wave_lanes,
                     std::span<const uint32_t> addresses, uint64_t active) {
  return lds_cycles(lds_phases(gpu, access, bytes, wave_lanes), access, bytes, addresses, active);
}

LdsCycles lds_cycles(const LdsPhases& how, LdsAccess access, uint32_t bytes,
                     std::span<const uint32_t> addresses, uint64_t active) {
  LdsCycles sum;
  std::array<uint32_t, 64 * 5> words;  // a lane touches five dwords at most, where 16 bytes lie across dwords
  for (const uint64_t phase : how.phases) {
    size_t count = 0;
    for (uint64_t rest = phase & active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (lane >= addresses.size()) break;
      const uint32_t first = addresses[lane] / 4, last = (addresses[lane] + std::max(bytes, 1u) - 1) / 4;
      for (uint32_t word = first; word <= last && count < words.size(); ++word) words[count++] = word;
    }
    if (count == 0) continue;
    const auto end = words.begin() + static_cast<ptrdiff_t>(count);
    std::sort(words.begin(), end);
    std::array<uint16_t, 64> load{};
    uint32_t most = 0;
    for (auto word = words.begin(); word != end; ++word) {
      if (access != LdsAccess::Atomic && word != words.begin() && *word == *(word - 1)) continue;
      most = std::max<uint32_t>(most, ++load[*word % how.banks]);
    }
    sum.cycles += most;
    sum.conflicts += most - 1;
  }
  return sum;
}

}  // namespace wavesmith::gpus
