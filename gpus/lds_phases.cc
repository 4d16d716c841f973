#include "gpus/lds_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

namespace wavesmith::gpus {
namespace {

constexpr uint32_t kMostBanks = 64;

constexpr uint64_t lanes(unsigned first, unsigned last) {
  return (last == 63 ? ~uint64_t{0} : (uint64_t{1} << (last + 1)) - 1) & ~((uint64_t{1} << first) - 1);
}

/// The fields of a GPU's file: of reads, writes and loads, by width.
constexpr size_t kWidths = 4;
struct Text {
  std::string Gpu::* member;
  std::string_view path;
};
constexpr Text kTexts[3][kWidths] = {
    {{&Gpu::lds_read_b32, "lds_phases.read_b32"},
     {&Gpu::lds_read_b64, "lds_phases.read_b64"},
     {&Gpu::lds_read_b96, "lds_phases.read_b96"},
     {&Gpu::lds_read_b128, "lds_phases.read_b128"}},
    {{&Gpu::lds_write_b32, "lds_phases.write_b32"},
     {&Gpu::lds_write_b64, "lds_phases.write_b64"},
     {&Gpu::lds_write_b96, "lds_phases.write_b96"},
     {&Gpu::lds_write_b128, "lds_phases.write_b128"}},
    {{&Gpu::lds_load_b32, "lds_phases.load_b32"},
     {&Gpu::lds_load_b64, "lds_phases.load_b64"},
     {&Gpu::lds_load_b96, "lds_phases.load_b96"},
     {&Gpu::lds_load_b128, "lds_phases.load_b128"}},
};

const Text& text_of(const Gpu& gpu, LdsAccess access, uint32_t bytes) {
  constexpr size_t kRead = 0, kWrite = 1, kLoad = 2;
  const size_t width = bytes <= 4 ? 0 : bytes <= 8 ? 1 : bytes <= 12 ? 2 : 3;
  if (access == LdsAccess::Read) return kTexts[kRead][width];
  const Text& load = kTexts[kLoad][width];
  return access == LdsAccess::Load && gpu.*load.member != "as writes" ? load : kTexts[kWrite][width];
}

/// Takes a number off the front; 64 when there is none below it.
uint32_t take_number(std::string_view& text) {
  uint32_t value = 64;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return code == std::errc() ? value : 64;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// "0-3+20-23 4-7+16-19" as masks of lanes; empty when it is something else.
std::vector<uint64_t> groups_of(std::string_view text) {
  std::vector<uint64_t> groups{0};
  while (true) {
    const uint32_t first = take_number(text);
    if (!take(text, "-")) return {};
    const uint32_t last = take_number(text);
    if (first > last || last > 31 || (groups.back() & lanes(first, last)) != 0) return {};
    groups.back() |= lanes(first, last);
    if (text.empty()) return groups;
    if (take(text, " "))
      groups.push_back(0);
    else if (!take(text, "+"))
      return {};
  }
}

/// No phases: the text is not understood.
LdsPhases phases_of(std::string_view text, uint32_t wave_lanes) {
  LdsPhases made{.banks = take_number(text), .phases = {}, .source = {}};
  if (made.banks == 0 || made.banks > kMostBanks || !take(text, " banks, ")) return {};
  if (take(text, "lanes ")) {
    const std::vector<uint64_t> groups = groups_of(text);
    for (uint32_t half = 0; half < wave_lanes; half += 32)
      for (const uint64_t group : groups) made.phases.push_back(group << half);
    return made;
  }
  const uint32_t each = take_number(text);
  if (each == 0 || text != " lanes") return {};
  for (uint32_t first = 0; first < wave_lanes; first += each)
    made.phases.push_back(lanes(first, std::min(first + each, wave_lanes) - 1));
  return made;
}

}  // namespace

Result<void> check_lds_phases(const Gpu& gpu) {
  for (const LdsAccess access : {LdsAccess::Read, LdsAccess::Write, LdsAccess::Load})
    for (const uint32_t bytes : {4u, 8u, 12u, 16u})
      for (const uint32_t wave_lanes : gpu.wave_sizes) {
        const Text& text = text_of(gpu, access, bytes);
        uint64_t seen = 0;
        bool twice = false;
        for (const uint64_t phase : phases_of(gpu.*text.member, wave_lanes).phases) {
          twice |= (seen & phase) != 0;
          seen |= phase;
        }
        if (twice || seen != lanes(0, wave_lanes - 1))
          return fail(
              ErrorKind::BadInput,
              fmt::format("{} = '{}' does not put each lane into one phase", text.path, gpu.*text.member),
              gpu.id,
              "write \"32 banks, 16 lanes\", or \"32 banks, lanes 0-3+20-23 4-7+16-19 8-11+28-31 "
              "12-15+24-27\"");
      }
  return {};
}

const LdsPhases& lds_phases(const Gpu& gpu, LdsAccess access, uint32_t bytes, uint32_t wave_lanes) {
  using Key = std::tuple<std::string, std::string, uint32_t>;
  static auto& known = *new std::map<Key, LdsPhases>;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const Text& text = text_of(gpu, access, bytes);
  const auto source = gpu.sources.find(text.path);
  const Key key{gpu.*text.member, source == gpu.sources.end() ? "" : source->second.text, wave_lanes};
  const auto at = known.find(key);
  if (at != known.end()) return at->second;
  LdsPhases made = phases_of(gpu.*text.member, wave_lanes);
  if (source != gpu.sources.end()) made.source = source->second;
  return known.emplace(key, std::move(made)).first->second;
}

LdsCycles lds_cycles(const Gpu& gpu, LdsAccess access, uint32_t bytes, uint32_t wave_lanes,
                     std::span<const uint32_t> addresses, uint64_t active) {
  return lds_cycles(lds_phases(gpu, access, bytes, wave_lanes), access, bytes, addresses, active);
}

LdsCycles lds_cycles(const LdsPhases& how, LdsAccess access, uint32_t bytes,
                     std::span<const uint32_t> addresses, uint64_t active) {
  LdsCycles sum;
  constexpr uint16_t kNone = 0xffff;
  constexpr size_t kMostWords =
      64 * 5;  // a lane touches five dwords at most, where 16 bytes lie across dwords
  std::array<uint32_t, kMostWords> words;
  std::array<uint16_t, kMostWords> next;  // of the same bank
  const bool mask = std::has_single_bit(how.banks);
  for (const uint64_t phase : how.phases) {
    uint16_t count = 0;
    std::array<uint16_t, kMostBanks> first_of, load{};
    first_of.fill(kNone);
    uint32_t most = 0;
    const auto touch = [&](uint32_t word) {
      const uint32_t bank = mask ? word & (how.banks - 1) : word % how.banks;
      if (access != LdsAccess::Atomic)
        for (uint16_t i = first_of[bank]; i != kNone; i = next[i])
          if (words[i] == word) return;
      words[count] = word;
      next[count] = first_of[bank];
      first_of[bank] = count++;
      most = std::max<uint32_t>(most, ++load[bank]);
    };
    for (uint64_t rest = phase & active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (lane >= addresses.size()) break;
      const uint32_t first = addresses[lane] / 4, last = (addresses[lane] + std::max(bytes, 1u) - 1) / 4;
      for (uint32_t word = first; word <= last && count < kMostWords; ++word) touch(word);
    }
    if (count == 0) continue;
    sum.cycles += most;
    sum.conflicts += most - 1;
  }
  return sum;
}

}  // namespace wavesmith::gpus
