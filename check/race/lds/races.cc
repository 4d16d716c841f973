#include "check/race/lds/races.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "check/race/race_findings.h"

namespace wavesmith::check {
namespace {

constexpr std::string_view kReadWrite = "lds-read-write", kUnusedRead = "lds-unused-read";

std::string_view verb(AccessKind kind) {
  return kind == AccessKind::Read ? "reads" : kind == AccessKind::Write ? "writes" : "makes an atomic";
}

bool is_pair(const LdsRace& race, AccessKind one, AccessKind other) {
  const AccessKind a = race.conflict.kind, b = race.conflict.other_kind;
  return (a == one && b == other) || (a == other && b == one);
}

/// The data of the lane that meets another wave's. False: unknown.
bool stored_by(const LdsRace& race, uint8_t* data) {
  const int lane = race.conflict.lane;
  if (!race.loaded) return race.data.read(race.wave, lane, race.access.bytes, data);
  if (race.loaded->bytes != race.access.bytes || !(race.loaded->lanes >> lane & 1)) return false;
  std::memcpy(data, reinterpret_cast<const void*>(race.loaded->address[lane]), race.access.bytes);
  return true;
}

/// Whether the store writes what is in LDS already, where the two overlap.
bool writes_the_same(const LdsRace& race) {
  uint8_t data[16];
  const LdsConflict& conflict = race.conflict;
  const uint64_t from = conflict.address - race.access.address[conflict.lane];
  if (race.access.bytes > sizeof data || from + conflict.bytes > race.access.bytes ||
      conflict.address + conflict.bytes > race.wave.lds().size())
    return false;
  return stored_by(race, data) &&
         std::memcmp(data + from, race.wave.lds().data() + conflict.address, conflict.bytes) == 0;
}

struct Words {
  std::string_view rule;
  Severity severity;
  std::string_view what, fix;
};

Words words_of(const RaceLaunch& launch, const LdsRace& race) {
  if (is_pair(race, AccessKind::Write, AccessKind::Write)) {
    if (writes_the_same(race))
      return {"lds-same-value", launch.severity_of_equal(),
              "two waves write the same value to the same place in LDS, unordered",
              "let one wave write it, or order the two by a barrier"};
    return {"lds-write-write", Severity::Error,
            "two waves write to the same place in LDS, and no barrier orders them", kBarrier};
  }
  const bool benign = race.conflict.kind == AccessKind::Write &&
                      race.conflict.other_kind == AccessKind::Read && race.conflict.own_value &&
                      writes_the_same(race);
  if (benign)
    return {"lds-same-value", launch.severity_of_equal(),
            "a wave writes to LDS what another one has written there and reads, unordered",
            "let one wave write it, or order the two by a barrier"};
  if (is_pair(race, AccessKind::Write, AccessKind::Read))
    return {kReadWrite, Severity::Error,
            "a wave reads from LDS what another one writes, and no barrier orders the two", kBarrier};
  // A plain access of one address may be an atomic one in the source: LDS instructions do not show it.
  const bool maybe_atomic =
      race.conflict.kind == AccessKind::Atomic ? race.conflict.other_flag : race.made.flag;
  return {"lds-atomic-plain", maybe_atomic ? Severity::Warning : Severity::Error,
          "a wave's plain access to LDS and another wave's atomic meet, and no barrier orders the two",
          kBarrier};
}

/// An unlock, or another release: a store to one address, behind a wait for all that came before it.
bool is_release(const LdsRace& race) {
  if (!is_pair(race, AccessKind::Write, AccessKind::Atomic)) return false;
  return race.conflict.kind == AccessKind::Write ? race.made.flag && race.made.waited
                                                 : race.conflict.other_flag && race.conflict.other_waited;
}

/// The same two instructions are the same race, whichever the emulator ran first.
bool swaps(const LdsRace& race, const emulate::Site& other) {
  return race.conflict.kind != race.conflict.other_kind ? race.conflict.kind > race.conflict.other_kind
                                                        : race.site.number > other.number;
}

Findings::Key key_of(const LdsRace& race, const emulate::Site& other, std::string_view rule) {
  const uint64_t own_pc = race.site.instruction.pc, other_pc = other.instruction.pc;
  const bool swapped = swaps(race, other);
  return {.rule = rule, .first = swapped ? other_pc : own_pc, .second = swapped ? own_pc : other_pc};
}

Finding finding_of(const RaceLaunch& launch, const LdsRace& race, const emulate::Site& other,
                   const Words& words) {
  Party own = party(launch.launch(), std::string(verb(race.conflict.kind)), race.site.instruction,
                    race.workgroup, race.wave.index(), race.lanes);
  Party others = party(launch.launch(), std::string(verb(race.conflict.other_kind)), other.instruction,
                       race.workgroup, race.conflict.other_wave, uint64_t{1} << race.conflict.other_lane);
  if (swaps(race, other)) std::swap(own, others);
  return {.topic = Topic::Race,
          .rule = std::string(words.rule),
          .severity = words.severity,
          .what = std::string(words.what),
          .parties = {std::move(own), std::move(others)},
          .address = fmt::format("LDS + {:#x}", race.conflict.address),
          .fix = std::string(words.fix)};
}

void tell_error(const RaceLaunch& launch, const LdsRace& race) {
  if (is_release(race)) return;
  const emulate::Site* const other = launch.site(race.conflict.other_site);
  if (!other) return;
  if (is_pair(race, AccessKind::Read, AccessKind::Atomic) &&
      compares_and_swaps(race.conflict.kind == AccessKind::Atomic ? race.site : *other))
    return;
  const Words words = words_of(launch, race);
  launch.findings().add(key_of(race, *other, words.rule), race.order,
                        [&] { return finding_of(launch, race, *other, words); });
}

/// Of one who reads and one who writes: the reader's wave and instruction. nullopt: it is no such race.
struct LdsReader {
  uint32_t wave;
  const emulate::Site& site;
};
std::optional<LdsReader> reader_of(const RaceLaunch& launch, const LdsRace& race) {
  if (!is_pair(race, AccessKind::Write, AccessKind::Read)) return std::nullopt;
  const emulate::Site* const other = launch.site(race.conflict.other_site);
  if (!other || words_of(launch, race).rule != kReadWrite) return std::nullopt;
  if (race.conflict.kind == AccessKind::Read) return LdsReader{race.wave.index(), race.site};
  return LdsReader{race.conflict.other_wave, *other};
}

/// The same race as an error or, where the value that is read is never used, as a hint: once it is known.
/// It must be one with a reader.
std::function<void(bool used)> teller_of(const RaceLaunch& launch, const LdsRace& race) {
  const emulate::Site& other = *launch.site(race.conflict.other_site);
  const Words words = words_of(launch, race);
  return [&launch, order = race.order, key = key_of(race, other, words.rule),
          finding = finding_of(launch, race, other, words)](bool used) mutable {
    if (!used) {
      key.rule = kUnusedRead;
      finding.rule = kUnusedRead;
      finding.severity = Severity::Hint;
      finding.what += "; the value that is read is never used";
    }
    launch.findings().add(key, order, [&] { return std::move(finding); });
  };
}

}  // namespace

LdsRaces::LdsRaces(const RaceLaunch& launch, uint32_t waves)
    : launch_(launch), unused_(waves, launch.launch().target, launch.launch().wave_lanes) {}

void LdsRaces::tell(const LdsRace& race) {
  const auto reader = reader_of(launch_, race);
  if (!reader || used_.contains({reader->wave, &reader->site})) return tell_error(launch_, race);
  const std::optional<uint64_t> lanes = unused_.unused_lanes(reader->wave, reader->site);
  if (!lanes) return tell_error(launch_, race);
  unused_.ask(
      reader->wave, reader->site, *lanes,
      [this, read = std::pair(reader->wave, &reader->site), tell = teller_of(launch_, race)](bool used) {
        if (used) used_.insert(read);
        tell(used);
      });
}

}  // namespace wavesmith::check
