#include "check/race/race_findings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace wavesmith::check {
namespace {

constexpr std::string_view kAcquireFix =
    "make a fence behind the lock that is taken, and one before it is given back (__threadfence_block between waves, "
    "__threadfence between workgroups)";

struct Words {
  std::string_view rule;
  Severity severity;
  std::string_view what, fix;
};

std::string_view verb(GlobalKind kind) {
  switch (kind) {
    case GlobalKind::Write:
      return "writes";
    case GlobalKind::Read:
      return "reads";
    case GlobalKind::Atomic:
      return "makes an atomic";
    case GlobalKind::CoherentRead:
      return "reads coherently";
  }
  return "";
}

Words words_of(const RaceLaunch& launch, const GlobalRace& race) {
  const auto is = [](const GlobalRace::Side& side, GlobalKind kind) { return side.kind == kind; };
  constexpr std::string_view kGlobalFix =
      "give each workgroup its own place, make the accesses atomic at agent scope, or split the kernel in two";
  constexpr std::string_view kScopeFix =
      "use agent scope (__HIP_MEMORY_SCOPE_AGENT, __threadfence) on both sides";
  switch (race.fault) {
    case GlobalFault::NotSeen:
      return {
          "insufficient-scope", Severity::Warning,
          "a workgroup reads what another one wrote without invalidating its caches first: it acquires at workgroup "
          "scope, or not at all",
          kScopeFix};
    case GlobalFault::NotOwn:
      return {
          "insufficient-scope", Severity::Warning,
          "a wave reads what another workgroup wrote, and only another wave of its workgroup, which may run on the "
          "other compute unit, has invalidated its cache",
          "acquire in each wave that reads: a fence behind the barrier (__threadfence_block)"};
    case GlobalFault::NotVisible:
      return {
          "insufficient-scope", Severity::Warning,
          is(race.first, GlobalKind::Write)
              ? "two workgroups write to the same place in turns, and the first does not make it visible: it "
                "releases at workgroup scope, or not at all"
              : "a workgroup reads what another one wrote and did not make visible: it releases at workgroup scope, "
                "or not at all",
          kScopeFix};
    case GlobalFault::NotAcquired:
      return {
          "lock-without-acquire", Severity::Warning,
          "a workgroup takes a lock and does not acquire at agent scope: what it reads under the lock may be stale",
          kAcquireFix};
    case GlobalFault::Narrow:
      return {"insufficient-scope", Severity::Warning, "workgroups meet by atomics at workgroup scope",
              "make both atomic at agent scope"};
    case GlobalFault::Unordered:
      break;
  }
  if (is(race.first, GlobalKind::Write) && is(race.second, GlobalKind::Write)) {
    if (race.equal)
      return {"global-same-value", launch.severity_of_equal(),
              "workgroups write the same value to the same place, unordered",
              "let one workgroup write it, or use an atomic store"};
    return {"global-write-write", Severity::Error,
            "two workgroups write different values to the same place, and nothing orders them", kGlobalFix};
  }
  if (is(race.first, GlobalKind::Read) && is(race.second, GlobalKind::Write))
    return {"global-read-write", Severity::Error,
            "a workgroup reads what another one writes, and nothing orders the two", kGlobalFix};
  return {"global-atomic-plain", Severity::Warning,
          "a workgroup's plain access meets another one's atomic, and nothing orders the two",
          "make both accesses atomic at agent scope"};
}

Words words_of(const WaveRace& race) {
  using enum WaveRace::Rule;
  switch (race.rule) {
    case WriteWrite:
      return {
          "wave-write-write", race.severity,
          "two waves of a workgroup write different values to the same place in device memory, and nothing orders "
          "them",
          kBarrier};
    case SameValue:
      return {"wave-same-value", race.severity,
              "two waves of a workgroup write the same value to the same place in device memory, unordered",
              "let one wave write it, or order the two by a barrier"};
    case AtomicPlain:
      return {
          "wave-atomic-plain", race.severity,
          "a wave's plain access to device memory and the atomic of another one of its workgroup meet, and nothing "
          "orders the two",
          kBarrier};
    case NotSeen:
      return {
          "insufficient-scope", race.severity,
          "a wave reads what another one of its workgroup wrote without invalidating its caches first: it does not "
          "acquire",
          "acquire at workgroup scope (__threadfence_block) behind the access that tells of the data"};
    case NotAcquired:
      return {"lock-without-acquire", race.severity,
              "a wave takes a lock and does not acquire: what it reads under the lock may be stale",
              kAcquireFix};
    default:
      return {
          "wave-read-write", race.severity,
          "a wave reads from device memory what another one of its workgroup writes, and nothing orders the two",
          kBarrier};
  }
}

}  // namespace

bool compares_and_swaps(const emulate::Site& site) {
  return site.instruction.mnemonic.find("cmpswap") != std::string::npos ||
         site.instruction.mnemonic.find("cmpst") != std::string::npos;
}

void tell_lane_conflict(const RaceLaunch& launch, const LaneRace& race) {
  const LaneConflict& conflict = race.conflict;
  const std::string_view rule = conflict.equal ? "lanes-same-value" : "lanes-write-write";
  const bool lds = race.access.space == emulate::AddressSpace::Lds;
  const uint64_t other_pc = conflict.other_site ? conflict.other_site->instruction.pc : 0;
  const Findings::Key key{.rule = rule, .first = race.site.instruction.pc, .second = other_pc};
  launch.findings().add(key, race.order, [&] {
    const auto party_of = [&](const emulate::Site& site, uint64_t lanes) {
      return party(launch.launch(), "writes", site.instruction, race.workgroup, race.wave.index(), lanes);
    };
    const uint64_t own = uint64_t{1} << conflict.lane, other = uint64_t{1} << conflict.other_lane;
    Finding finding{
        .topic = Topic::Race,
        .rule = std::string(rule),
        .severity = Severity::Warning,
        .what = conflict.equal
                    ? "two lanes of a wave write the same value to the same place, unordered in the source"
                    : "two lanes of one store write different values to the same place: either may stay",
        .parties = {party_of(race.site, conflict.other_site ? own : own | other)},
        .address =
            lds ? fmt::format("LDS + {:#x}", conflict.address) : place_of(launch.launch(), conflict.address),
        .fix = "let one lane write, or use an atomic"};
    if (conflict.other_site) finding.parties.push_back(party_of(*conflict.other_site, other));
    return finding;
  });
}

WaveRace::Rule rule_of(RaceLaunch& launch, const WaveConflict& conflict, Severity& severity) {
  using enum WaveRace::Rule;
  const WaveAccess& a = conflict.first;
  const WaveAccess& b = conflict.second;
  const auto is = [&](GlobalKind one, GlobalKind other) {
    return (a.kind == one && b.kind == other) || (a.kind == other && b.kind == one);
  };
  const bool atomic = a.kind == GlobalKind::Atomic || b.kind == GlobalKind::Atomic;
  if (conflict.ordered) {
    severity = Severity::Warning;
    if (!launch.spreads_workgroups()) return None;
    const WaveContext& one = conflict.first_context;
    const WaveContext& other = conflict.second_context;
    const bool locked = one.lock && one.lock == other.lock && !atomic;
    if (locked && std::min(one.acquired, other.acquired) == Acquired::Nothing) return NotAcquired;
    return !conflict.seen && a.kind == GlobalKind::Write && b.kind == GlobalKind::Read ? NotSeen : None;
  }
  const emulate::Site* const first = launch.site(a.site);
  const emulate::Site* const second = launch.site(b.site);
  if (!first || !second) return None;
  if (is(GlobalKind::Write, GlobalKind::Write)) {
    severity = conflict.equal ? launch.severity_of_equal() : Severity::Error;
    return conflict.equal ? SameValue : WriteWrite;
  }
  if (is(GlobalKind::Read, GlobalKind::Write)) {
    // Either may be an atomic one in the source.
    const bool shown = launch.shows_workgroup_scope(isa::Direction::Load) ||
                       launch.shows_workgroup_scope(isa::Direction::Store);
    severity = a.flag && b.flag && !shown ? Severity::Warning : Severity::Error;
    return ReadWrite;
  }
  severity = Severity::Warning;
  const bool first_plain = a.kind == GlobalKind::Read || a.kind == GlobalKind::Write;
  const WaveAccess& plain = first_plain ? a : b;
  const emulate::Site& own = first_plain ? *first : *second;
  const emulate::Site& other = first_plain ? *second : *first;
  if (plain.kind == GlobalKind::Write)
    return launch.is_atomic_in_disguise(own, other, true) ? None : AtomicPlain;
  const bool disguised = plain.flag && !launch.shows_workgroup_scope(isa::Direction::Load);
  return disguised || compares_and_swaps(other) ? None : AtomicPlain;
}

void tell_wave_conflict(const RaceLaunch& launch, const WaveRace& race) {
  const WaveAccess* first = &race.conflict.first;
  const WaveAccess* second = &race.conflict.second;
  const emulate::Site* sites[] = {launch.site(first->site), launch.site(second->site)};
  if (!sites[0] || !sites[1]) return;
  // The same two instructions are the same race, whichever the emulator ran first.
  if (std::pair(first->kind, sites[0]->number) > std::pair(second->kind, sites[1]->number)) {
    std::swap(first, second);
    std::swap(sites[0], sites[1]);
  }
  const Words words = words_of(race);
  const Findings::Key key{
      .rule = words.rule, .first = sites[0]->instruction.pc, .second = sites[1]->instruction.pc};
  launch.findings().add(key, race.order, [&] {
    const auto party_of = [&](const WaveAccess& one, const emulate::Site& site) {
      return party(launch.launch(), std::string(verb(one.kind)), site.instruction, race.workgroup, one.wave,
                   0);
    };
    return Finding{.topic = Topic::Race,
                   .rule = std::string(words.rule),
                   .severity = words.severity,
                   .what = std::string(words.what),
                   .parties = {party_of(*first, *sites[0]), party_of(*second, *sites[1])},
                   .address = place_of(launch.launch(), race.conflict.address),
                   .fix = std::string(words.fix)};
  });
}

void tell_global_conflict(const RaceLaunch& launch, const GlobalRace& race) {
  const emulate::Site* const first = launch.site(race.first.accessor->site);
  const emulate::Site* const second = launch.site(race.second.accessor->site);
  if (!first || !second) return;
  if (race.first.kind == GlobalKind::Read && race.second.kind == GlobalKind::Atomic &&
      compares_and_swaps(*second))
    return;
  const Words words = words_of(launch, race);
  const auto party_of = [&](const GlobalRace::Side& side, const emulate::Site& site) {
    return party(launch.launch(), std::string(verb(side.kind)), site.instruction,
                 launch.launch().workgroups().position_of(side.workgroup), side.accessor->wave, 0);
  };
  uint64_t first_pc = first->instruction.pc, second_pc = second->instruction.pc;
  if (race.first.kind == race.second.kind && first_pc > second_pc) std::swap(first_pc, second_pc);
  launch.findings().add({.rule = words.rule, .first = first_pc, .second = second_pc}, race.order, [&] {
    return Finding{.topic = Topic::Race,
                   .rule = std::string(words.rule),
                   .severity = words.severity,
                   .what = std::string(words.what),
                   .parties = {party_of(race.first, *first), party_of(race.second, *second)},
                   .address = place_of(launch.launch(), race.address),
                   .fix = std::string(words.fix)};
  });
}

}  // namespace wavesmith::check
