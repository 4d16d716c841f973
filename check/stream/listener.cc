#include "check/stream/listener.h"

#include <algorithm>
#include <array>
#include <bit>

#include "isa/coherence.h"

namespace wavesmith::check {
namespace {

constexpr uint64_t kPage = TouchedBytes::kPage;

}  // namespace

void TouchingSites::prepare(const Launch& launch) {
  std::call_once(prepared_, [&] {
    begin_ = reinterpret_cast<uint64_t>(launch.code.data());
    kinds_ = std::make_unique<std::atomic<uint8_t>[]>(launch.code.size() / 4 + 2);
  });
}

Touch TouchingSites::note(const emulate::Site& site, uint32_t number) {
  const isa::Instruction& instruction = site.instruction;
  const bool coherent = isa::reaches_other_workgroups(instruction);
  const auto direction = site.row ? site.row->access.direction : isa::Direction::Atomic;
  using enum Touch;
  const Touch kind = direction == isa::Direction::Load    ? coherent ? CoherentRead : Read
                     : direction == isa::Direction::Store ? coherent ? Atomic : Write
                     : instruction.returns_old_value()    ? Exchange
                                                          : Atomic;
  const std::scoped_lock lock(mutex_);
  instructions_[number] = {instruction.pc, instruction.text};
  kinds_[number].store(static_cast<uint8_t>(static_cast<uint8_t>(kind) + 1), std::memory_order_relaxed);
  return kind;
}

TouchingSites::Instruction TouchingSites::instruction(uint32_t number) const {
  const std::scoped_lock lock(mutex_);
  const auto found = instructions_.find(number);
  return found == instructions_.end() ? Instruction{} : found->second;
}

class StreamListener::Workgroup final : public emulate::WorkgroupListener {
 public:
  explicit Workgroup(StreamListener& launch) : launch_(launch) {}
  void access(const emulate::WaveView&, const emulate::Site& site,
              const emulate::MemoryAccess& access) override {
    if (access.space != emulate::AddressSpace::Global || access.lanes == 0) return;
    const TouchingSites::Fact fact = launch_.sites_->of(site);
    const int first = std::countr_zero(access.lanes), last = 63 - std::countl_zero(access.lanes);
    if (access.side_by_side || first == last)
      return add(access.address[first], access.address[last] + access.bytes, fact);
    uint64_t begin = 0, end = 0;
    for (uint64_t left = access.lanes; left; left &= left - 1) {
      const uint64_t address = access.address[std::countr_zero(left)];
      if (address == end) {
        end += access.bytes;
        continue;
      }
      if (address >= begin && address + access.bytes <= end) continue;
      if (begin != end) add(begin, end, fact);
      begin = address, end = address + access.bytes;
    }
    add(begin, end, fact);
  }

 private:
  void add(uint64_t begin, uint64_t end, const TouchingSites::Fact& fact) {
    while (begin < end) {
      const uint64_t number = begin / kPage, to = std::min(end, (number + 1) * kPage);
      auto& [known, marks] = known_[(number + 7 * static_cast<uint64_t>(fact.kind)) % known_.size()];
      if (!marks || known != number * kTouches + static_cast<uint64_t>(fact.kind)) {
        known = number * kTouches + static_cast<uint64_t>(fact.kind);
        marks = &launch_.pages_.page(number).of(fact.kind);
      }
      marks->add(static_cast<uint32_t>(begin - number * kPage), static_cast<uint32_t>(to - number * kPage),
                 fact.number);
      begin = to;
    }
  }

  StreamListener& launch_;
  /// Pages that were touched last, and how.
  std::array<std::pair<uint64_t, TouchedPages::Marks*>, 64> known_{};
};

std::unique_ptr<emulate::WorkgroupListener> StreamListener::workgroup(const emulate::WorkgroupView&) {
  return std::make_unique<Workgroup>(*this);
}

StreamListener::Result StreamListener::take() const {
  Result result;
  TouchedBytes shared;
  result.touched = pages_.take([&](uint64_t address) -> int64_t {
    const auto held = launch_.memory.find(reinterpret_cast<const void*>(address));
    // Between allocations there is nothing to be told of, up to the next one, which begins at 256 bytes.
    constexpr uint64_t kStep = 256;
    const auto place = held ? emulate::Place{.allocation = *held} : launch_.memory.place_of(address);
    // Memory may have been freed while the kernel waited for its turn.
    if (!held && place.kind != emulate::Place::Kind::Freed)
      return -static_cast<int64_t>(kStep - address % kStep);
    const emulate::Allocation& allocation = place.allocation;
    const auto left = static_cast<int64_t>(allocation.address + allocation.bytes - address);
    const auto owner = launch_.owner_of ? launch_.owner_of(allocation.use) : Launch::Owner::Program;
    if (owner == Launch::Owner::ProgramAndHost) shared.add(address, address + static_cast<uint64_t>(left), 0);
    return owner == Launch::Owner::Runtime ? -left : left;
  });
  for (const Touch writes : {Touch::Write, Touch::Atomic, Touch::Exchange})
    result.shows_host = result.shows_host || result.touched.of(writes).meets(shared);
  return result;
}

}  // namespace wavesmith::check
