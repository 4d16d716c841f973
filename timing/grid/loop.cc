#include "timing/grid/loop.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace wavesmith::timing {
namespace {

/// Iterations that tell a pace, at most.
constexpr uint64_t kMost = 256;
/// An iteration longer than this is recorded: few are left out of such a loop.
constexpr size_t kInstructions = 2048, kAccesses = 128;

using emulate::AddressSpace;
using emulate::MemoryAccess;

/// Where it lies in LDS does not matter to the model of a grid.
bool has_place(const MemoryAccess& access) { return access.space != AddressSpace::Lds; }

uint64_t first_address(const MemoryAccess& access) {
  return access.lanes ? access.address[std::countr_zero(access.lanes)] : 0;
}
uint64_t last_address(const MemoryAccess& access) {
  return access.lanes ? access.address[63 - std::countl_zero(access.lanes)] : 0;
}

bool alike(const MemoryAccess& a, const MemoryAccess& b) {
  return a.lanes == b.lanes && a.bytes == b.bytes && a.space == b.space && a.direction == b.direction &&
         a.scalar == b.scalar && a.side_by_side == b.side_by_side;
}

/// Whether each lane's address is `step` behind that of the access before.
bool moved_by(const MemoryAccess& before, const MemoryAccess& now, int64_t step) {
  uint64_t other = 0;
  if (now.lanes == ~uint64_t{0}) {
    for (int lane = 0; lane < 64; ++lane)
      other |= now.address[lane] - before.address[lane] ^ static_cast<uint64_t>(step);
  } else {
    for (uint64_t left = now.lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      other |= now.address[lane] - before.address[lane] ^ static_cast<uint64_t>(step);
    }
  }
  return other == 0;
}

uint64_t distance(int64_t step) {
  return step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
}

}  // namespace

void Loop::forget() {
  head_ = nullptr;
  in_loop_ = ignored_ = folds_ = false;
  next_ = &kEnd;
  marks_.clear();
  before_.clear();
  now_.clear();
}

Loop::Same Loop::compare() const {
  if (before_.executed.empty() || now_.executed.size() != before_.executed.size() ||
      now_.accesses.size() != before_.accesses.size())
    return Same::No;
  for (size_t i = 0; i < now_.executed.size(); ++i)
    if (now_.executed[i].site != before_.executed[i].site ||
        now_.executed[i].accesses != before_.executed[i].accesses)
      return Same::No;
  bool steps = steps_.size() == now_.accesses.size();
  for (size_t i = 0; i < now_.accesses.size(); ++i) {
    const MemoryAccess &now = now_.accesses[i], &before = before_.accesses[i];
    if (!alike(now, before)) return Same::No;
    if (!has_place(now)) continue;
    const auto step = static_cast<int64_t>(first_address(now) - first_address(before));
    if (!moved_by(before, now, step)) return Same::No;
    steps = steps && step == steps_[i];
  }
  return steps ? Same::Steps : Same::Shape;
}

/// An iteration has ended and the next one begins.
void Loop::begin(size_t steps) {
  const auto here = static_cast<uint32_t>(steps);
  switch (compare()) {
    case Same::No:
      marks_.assign(1, here);
      steps_.clear();
      break;
    case Same::Shape: {
      const uint32_t last = marks_.back();
      marks_.assign({last, here});
      steps_.resize(now_.accesses.size());
      uint64_t period = 1;
      changes_elsewhere_ = false;
      for (size_t i = 0; i < now_.accesses.size(); ++i) {
        const MemoryAccess& access = now_.accesses[i];
        steps_[i] = has_place(access)
                        ? static_cast<int64_t>(first_address(access) - first_address(before_.accesses[i]))
                        : 0;
        if (steps_[i] == 0) continue;
        changes_elsewhere_ |=
            access.direction != isa::Direction::Load || access.space == AddressSpace::Private;
        // So many iterations later it is at the same place of a line.
        if (period <= kMost) period = std::lcm(period, line_ / std::gcd(line_, distance(steps_[i])));
      }
      measured_ = period > kMost ? 0 : (kMeasured + period - 1) / period * period;
      break;
    }
    case Same::Steps:
      marks_.push_back(here);
      break;
  }
  std::swap(before_, now_);
  now_.clear();
}

bool Loop::executes(const emulate::Site& site, bool idle, size_t steps) {
  const uint64_t pc = site.instruction.pc;
  bool ended = false;
  if (pc <= last_pc_) {
    if (&site == head_ && in_loop_) {
      begin(steps);
      ended = true;
    } else if (&site != head_ || !ignored_) {
      forget();
      head_ = &site;
      in_loop_ = true;
      marks_.assign(1, static_cast<uint32_t>(steps));
      steps_.clear();
    }
  }
  last_pc_ = pc;
  if (!in_loop_) return false;
  if (now_.executed.size() >= kInstructions || now_.accesses.size() >= kAccesses) {
    ignore();
    return false;
  }
  now_.executed.push_back({&site, static_cast<uint32_t>(now_.accesses.size()), idle});
  return ended;
}

void Loop::accesses(const MemoryAccess& access) {
  if (in_loop_ && now_.accesses.size() < kAccesses) now_.accesses.push_back(access);
}

void Loop::ignore() {
  const emulate::Site* const head = head_;
  forget();
  head_ = head;
  ignored_ = true;
}

void Loop::fold() {
  folds_ = true;
  folded_ = 0;
  before_.executed.push_back(kEnd);
  next_ = before_.executed.data();
  next_access_ = 0;
}

bool Loop::begins_again(const emulate::Site& site) {
  if (!ended() || before_.executed.front().site != &site) return false;
  ++folded_;
  next_ = before_.executed.data() + 1;
  next_access_ = 0;
  return true;
}

bool Loop::goes_on(const MemoryAccess& access) {
  if (next_access_ >= before_.accesses.size()) return false;
  const MemoryAccess& expected = before_.accesses[next_access_];
  if (!alike(access, expected)) return false;
  if (has_place(access)) {
    const uint64_t further = (folded_ + 1) * static_cast<uint64_t>(steps_[next_access_]);
    if (first_address(access) != first_address(expected) + further ||
        last_address(access) != last_address(expected) + further)
      return false;
  }
  ++next_access_;
  return true;
}

void Loop::sweep(const MemoryAccess& access, int64_t step, std::vector<Sweep>& to) const {
  const size_t first = to.size();
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const uint64_t address = access.address[std::countr_zero(left)] + static_cast<uint64_t>(step);
    if (to.size() > first) {  // lanes at one place, or side by side
      Sweep& last = to.back();
      if (address == last.address && access.bytes <= last.bytes) continue;
      if (address == last.address + last.bytes) {
        last.bytes += access.bytes;
        continue;
      }
    }
    to.push_back({address, access.bytes, step, folded_});
  }
}

Loop::Folded Loop::unfold() {
  auto begun = static_cast<size_t>(next_ - before_.executed.data());
  if (ended()) {
    ++folded_;
    begun = next_access_ = 0;
  }
  Folded done;
  done.times = folded_;
  done.instructions = before_.executed.size() - 1;
  for (size_t i = 0; folded_ != 0 && i < before_.accesses.size(); ++i)
    if (steps_[i] != 0) sweep(before_.accesses[i], steps_[i], done.sweeps);
  done.begun = std::move(before_);
  done.begun.executed.resize(begun);
  done.begun.accesses.resize(next_access_);
  for (size_t i = 0; i < next_access_; ++i)
    for (uint64_t& address : done.begun.accesses[i].address)
      address += (folded_ + 1) * static_cast<uint64_t>(steps_[i]);
  forget();
  return done;
}

}  // namespace wavesmith::timing
