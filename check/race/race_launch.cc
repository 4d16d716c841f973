#include "check/race/race_launch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "check/race/code_ahead.h"
#include "check/race/race_findings.h"
#include "check/race/race_workgroup.h"
#include "isa/control/row.h"

namespace wavesmith::check {
namespace {

/// Of a launch whose workgroups are told apart: each needs some memory, and numbers of accessors some bits.
constexpr uint64_t kMostWorkgroups = uint64_t{1} << 22;

/// Of a launch: more would take too long to judge.
constexpr size_t kMostHandOvers = 1 << 20;

/// The code from an instruction on. It ends somewhere before: whoever decodes it stops at the kernel's end.
std::span<const uint8_t> code_at(uint64_t pc) {
  constexpr size_t kAhead = 512;
  return {reinterpret_cast<const uint8_t*>(pc), kAhead};
}

}  // namespace

/// Two accesses of a cell by different workgroups, at least one of which writes.
struct RaceLaunch::Pair {
  GlobalKind first_kind, second_kind;
  uint32_t first, second;  ///< numbers of accessors
};

uint16_t ProgramFacts::number_of(const emulate::Site& site) {
  const std::scoped_lock lock(mutex);
  if (sites.size() > UINT16_MAX) return 0;
  sites.push_back(&site);
  return static_cast<uint16_t>(sites.size() - 1);
}

RaceLaunch::RaceLaunch(const Launch& launch, Findings& findings, std::shared_ptr<ProgramFacts> program,
                       bool equal_writes)
    : launch_(launch), findings_(findings), program_(std::move(program)), equal_writes_(equal_writes) {
  const uint64_t workgroups = launch.workgroups().count();
  accessor_bits_ = 32 - static_cast<int>(std::bit_width(std::min(workgroups, kMostWorkgroups)));
  if (workgroups <= kMostWorkgroups) accessors_.resize(workgroups);
  find_runtimes_memory();
}

void RaceLaunch::find_runtimes_memory() {
  using Kind = object::Argument::Kind;
  const auto arguments = reinterpret_cast<uint64_t>(launch_.kernarg.data());
  arguments_ = {arguments, arguments + launch_.kernarg.size()};
  if (const auto held = launch_.memory.find(launch_.kernarg.data()))
    arguments_ = {held->address, held->address + held->bytes};
  for (const object::Argument& argument : launch_.kernel.arguments) {
    const bool shared = argument.kind == Kind::HiddenPrintfBuffer ||
                        argument.kind == Kind::HiddenHostcallBuffer || argument.kind == Kind::HiddenHeap ||
                        argument.kind == Kind::HiddenMultigridSyncArg;
    uint64_t address = 0;
    if (!shared || argument.offset + sizeof address > launch_.kernarg.size()) continue;
    std::memcpy(&address, launch_.kernarg.data() + argument.offset, sizeof address);
    if (const auto held = launch_.memory.find(reinterpret_cast<const void*>(address)))
      runtimes_.emplace_back(held->address, held->address + held->bytes);
  }
}

std::unique_ptr<emulate::WorkgroupListener> RaceLaunch::workgroup(const emulate::WorkgroupView& view) {
  return std::make_unique<RaceWorkgroup>(*this, view);
}

SiteFacts RaceLaunch::make_facts(const emulate::Site& site) const {
  SiteFacts facts = facts_of(site, launch_.target);
  const bool memory = site.row ? site.row->shape == isa::Shape::Memory
                               : isa::operation_of(site.instruction.mnemonic) == isa::Operation::ScalarAtomic;
  if (facts.events & SiteFacts::kArrives)
    facts.meets =
        meets_at_once(site.instruction.pc, code_at(site.instruction.pc), launch_.target, launch_.wave_lanes);
  if (!memory) return facts;
  if (facts.narrow) program_->narrow = true;
  facts.number = program_->number_of(site);
  return facts;
}

bool RaceLaunch::make_polls(const emulate::Site& site) const {
  return check::polls(site.instruction, code_at, launch_.target, launch_.wave_lanes);
}

bool RaceLaunch::needs_write_back() const { return launch_.target.is(isa::kCdna3 | isa::kCdna4); }
bool RaceLaunch::stores_show_scope() const {
  return launch_.target.is(isa::kCdna3 | isa::kCdna4 | isa::kRdna4);
}
bool RaceLaunch::splits_barriers() const { return launch_.target.is(isa::kRdna4); }
bool RaceLaunch::spreads_workgroups() const {
  constexpr uint32_t kWgpMode = 1u << 29;  // of compute_pgm_rsrc1, on RDNA
  return launch_.target.is(isa::kRdna3 | isa::kRdna4) && (launch_.kernel.fields.compute_pgm_rsrc1 & kWgpMode);
}
bool RaceLaunch::shows_workgroup_scope(isa::Direction direction) const {
  if (launch_.target.is(isa::kCdna3 | isa::kCdna4)) return true;
  return spreads_workgroups() && (direction == isa::Direction::Load || launch_.target.is(isa::kRdna4));
}

std::unique_ptr<LdsShadow> RaceLaunch::take_lds_shadow(uint32_t bytes, uint32_t& generation) {
  std::unique_ptr<LdsShadow> shadow;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      shadow = std::move(idle_.back().first);
      generation = idle_.back().second;
      idle_.pop_back();
    }
  }
  if (!shadow) shadow = std::make_unique<LdsShadow>();
  shadow->reserve(bytes);
  return shadow;
}

void RaceLaunch::give_back(std::unique_ptr<LdsShadow> shadow, uint32_t generation) {
  const std::scoped_lock lock(mutex_);
  idle_.emplace_back(std::move(shadow), generation);
}

std::unique_ptr<WaveLog> RaceLaunch::take_wave_log() {
  const std::scoped_lock lock(mutex_);
  if (idle_logs_.empty()) return std::make_unique<WaveLog>();
  std::unique_ptr<WaveLog> log = std::move(idle_logs_.back());
  idle_logs_.pop_back();
  return log;
}

void RaceLaunch::give_back(std::unique_ptr<WaveLog> log) {
  const std::scoped_lock lock(mutex_);
  idle_logs_.push_back(std::move(log));
}

void RaceLaunch::ended(uint32_t workgroup, std::vector<Accessor> accessors, SyncLog log,
                       const HandOvers& taken) {
  // Each workgroup has its place.
  if (workgroup < accessors_.size()) accessors_[workgroup] = std::move(accessors);
  order_.add(workgroup, std::move(log));
  const std::scoped_lock lock(mutex_);
  if (hand_overs_.size() < kMostHandOvers) hand_overs_.insert(hand_overs_.end(), taken.begin(), taken.end());
}

void RaceLaunch::meets_narrowly(uint64_t address, uint32_t accessor) {
  const std::scoped_lock lock(mutex_);
  const auto [place, fresh] = last_narrow_.try_emplace(address, accessor);
  const uint32_t before = std::exchange(place->second, accessor);
  if (fresh || before >> accessor_bits_ == accessor >> accessor_bits_) return;
  if (narrow_.size() < kMostHandOvers)
    narrow_.emplace(uint64_t{before} << 32 | accessor, HandOver{.address = address, .invalidated = 0});
}

const Accessor* RaceLaunch::accessor(uint32_t number) const {
  const uint32_t workgroup = number >> accessor_bits_, own = number & ((uint32_t{1} << accessor_bits_) - 1);
  if (workgroup >= accessors_.size() || own >= accessors_[workgroup].size()) return nullptr;
  return &accessors_[workgroup][own];
}

std::vector<RaceLaunch::Pair> RaceLaunch::pairs_of(const GlobalShadow::CellView& cell) {
  using enum GlobalKind;
  static constexpr GlobalKind kPairs[][2] = {{Read, Write},  {Write, Write},        {Write, Atomic},
                                             {Read, Atomic}, {Write, CoherentRead}, {Atomic, Atomic}};
  std::vector<Pair> pairs;
  if (cell.of_one_workgroup(accessor_bits_)) return pairs;
  for (const auto& [first_kind, second_kind] : kPairs) {
    const Accessors& a = cell.kinds[static_cast<size_t>(first_kind)];
    const Accessors& b = cell.kinds[static_cast<size_t>(second_kind)];
    if (!a.any() || !b.any() || (first_kind == Atomic && !program_->narrow)) continue;
    const auto add = [&](uint32_t one, uint32_t other) {
      if (one >> accessor_bits_ == other >> accessor_bits_) return;
      const Pair pair{first_kind, second_kind, one, other};
      if (is_race(pair)) pairs.push_back(pair);
    };
    if (first_kind == second_kind) {
      add(a.first(), a.last());
      continue;
    }
    for (const uint32_t one : {a.first(), a.last()})
      for (const uint32_t other : {b.first(), b.last()}) add(one, other);
  }
  return pairs;
}

bool RaceLaunch::is_race(const Pair& pair) {
  const auto site_of = [&](uint32_t number) {
    const Accessor* const one = accessor(number);
    return one ? site(one->site) : nullptr;
  };
  if (pair.first_kind == GlobalKind::Read || pair.second_kind == GlobalKind::Write) return true;
  const emulate::Site* const first = site_of(pair.first);
  const emulate::Site* const second = site_of(pair.second);
  if (!first || !second) return true;
  if (pair.first_kind == GlobalKind::Atomic) return facts(*first).narrow || facts(*second).narrow;
  return !is_atomic_in_disguise(*first, *second, false);
}

bool RaceLaunch::is_atomic_in_disguise(const emulate::Site& store, const emulate::Site& other, bool waves) {
  constexpr int kWidest = 8;
  if (waves ? shows_workgroup_scope(isa::Direction::Store) : stores_show_scope()) return false;
  if (!store.row || store.row->access.bytes > kWidest) return false;
  // A volatile one is not, but who waits for it sees it.
  return !facts(store).is_volatile || polls(other);
}

OrderQuestion RaceLaunch::question(uint32_t first, uint32_t second) const {
  const Accessor* const a = accessor(first);
  const Accessor* const b = accessor(second);
  return {first >> accessor_bits_, a ? a->segment : 0, second >> accessor_bits_, b ? b->segment : 0};
}

std::optional<GlobalFault> RaceLaunch::fault_of(const Pair& pair, const Order& forward,
                                                const Order& back) const {
  using enum GlobalKind;
  if (!forward.ordered && !back.ordered)
    return pair.first_kind == Atomic ? GlobalFault::Narrow : GlobalFault::Unordered;
  const Accessor* const a = accessor(pair.first);
  const Accessor* const b = accessor(pair.second);
  const bool locked = a && b && a->lock && a->lock == b->lock && pair.second_kind != Atomic;
  if (locked && std::min(a->acquired, b->acquired) < Acquired::Agent) return GlobalFault::NotAcquired;
  if (pair.first_kind == Read && pair.second_kind == Write && !forward.ordered && !back.seen)
    return back.visible ? GlobalFault::NotSeen : GlobalFault::NotVisible;
  if (pair.first_kind == Write && pair.second_kind == Write && !forward.visible && !back.visible)
    return GlobalFault::NotVisible;
  if (pair.first_kind == Write && pair.second_kind == CoherentRead && !back.ordered && !forward.visible)
    return GlobalFault::NotVisible;
  return std::nullopt;
}

void RaceLaunch::finish() {
  std::map<OrderQuestion, Order> questions;
  if (!order_.empty()) {
    shadow_.for_each_written([&](const GlobalShadow::CellView& cell) {
      for (const Pair& pair : pairs_of(cell)) {
        questions[question(pair.first, pair.second)];
        questions[question(pair.second, pair.first)];
      }
    });
    for (const TakenOver& taken : hand_overs_) {
      questions[question(taken.first)];
      if (spreads_workgroups()) questions[own_question(taken)];
    }
    for (const auto& [numbers, met] : narrow_) questions[question(numbers)];
    order_.answer(questions);
  }
  const auto order_of = [&](uint32_t first, uint32_t second) {
    const auto found = questions.find(question(first, second));
    return found == questions.end() ? Order{} : found->second;
  };
  struct Last {
    Pair pair;
    uint64_t end;
  };
  std::optional<Last> last;
  uint64_t event = 0;
  Told told;
  shadow_.for_each_written([&](const GlobalShadow::CellView& cell) {
    for (const Pair& pair : pairs_of(cell)) {
      const std::optional<GlobalFault> fault =
          fault_of(pair, order_of(pair.first, pair.second), order_of(pair.second, pair.first));
      if (!fault) continue;
      const Accessor* const a = accessor(pair.first);
      const Accessor* const b = accessor(pair.second);
      if (!a || !b) continue;
      // What goes on from the cell before it is the same race.
      const auto is_same = [&](uint32_t one, uint32_t other) {
        const Accessor* const x = accessor(one);
        const Accessor* const y = accessor(other);
        return x && y && x->site == y->site && one >> accessor_bits_ == other >> accessor_bits_;
      };
      const bool goes_on = last && last->end == cell.address && is_same(last->pair.first, pair.first) &&
                           is_same(last->pair.second, pair.second);
      last = Last{pair, cell.address + cell.bytes};
      told.emplace(*fault, a->site, b->site);
      if (goes_on) break;
      tell_global_conflict(*this, {.first = {pair.first_kind, pair.first >> accessor_bits_, a},
                                   .second = {pair.second_kind, pair.second >> accessor_bits_, b},
                                   .address = cell.address,
                                   .bytes = cell.bytes,
                                   .equal = cell.equal_writes,
                                   .fault = *fault,
                                   .order = {launch_.id, pair.first >> accessor_bits_, ++event}});
      break;
    }
  });
  tell_hand_overs(questions, told);
  tell_narrow(questions, told);
}

OrderQuestion RaceLaunch::own_question(const TakenOver& taken) const {
  OrderQuestion own = question(taken.first);
  own.second_segment = taken.second.invalidated;
  return own;
}

void RaceLaunch::tell_hand_overs(const std::map<OrderQuestion, Order>& answers, Told& told) {
  for (const TakenOver& taken : hand_overs_) {
    const Pair pair{GlobalKind::Read, GlobalKind::Write, static_cast<uint32_t>(taken.first),
                    static_cast<uint32_t>(taken.first >> 32)};
    const Order back = answers.at(question(pair.second, pair.first));
    if (!back.ordered) continue;  // whether it is a race, the cell's pairs tell
    std::optional<GlobalFault> fault = fault_of(pair, {}, back);
    if (!fault && spreads_workgroups() && !answers.at(own_question(taken)).ordered)
      fault = GlobalFault::NotOwn;
    const Accessor* const a = accessor(pair.first);
    const Accessor* const b = accessor(pair.second);
    if (!fault || !a || !b || !told.emplace(*fault, a->site, b->site).second) continue;
    tell_global_conflict(*this, {.first = {pair.first_kind, pair.first >> accessor_bits_, a},
                                 .second = {pair.second_kind, pair.second >> accessor_bits_, b},
                                 .address = taken.second.address,
                                 .fault = *fault,
                                 .order = {launch_.id, pair.first >> accessor_bits_, taken.second.address}});
  }
}

void RaceLaunch::tell_narrow(const std::map<OrderQuestion, Order>& answers, Told& told) {
  for (const auto& [numbers, met] : narrow_) {
    const auto before = static_cast<uint32_t>(numbers >> 32), behind = static_cast<uint32_t>(numbers);
    const auto answer = answers.find(question(numbers));
    if (answer != answers.end() && answer->second.ordered) continue;
    const Accessor* const a = accessor(before);
    const Accessor* const b = accessor(behind);
    if (!a || !b || !told.emplace(GlobalFault::Narrow, a->site, b->site).second) continue;
    tell_global_conflict(*this, {.first = {GlobalKind::Atomic, before >> accessor_bits_, a},
                                 .second = {GlobalKind::Atomic, behind >> accessor_bits_, b},
                                 .address = met.address,
                                 .fault = GlobalFault::Narrow,
                                 .order = {launch_.id, before >> accessor_bits_, met.address}});
  }
}

}  // namespace wavesmith::check
