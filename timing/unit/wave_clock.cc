#include "timing/unit/wave_clock.h"

#include <algorithm>
#include <bit>

namespace wavesmith::timing {
namespace {

using Kind = Step::Kind;

/// Clocks from an LDS instruction to its data (as timing/grid/unit.cc has it).
constexpr double kLdsLatency = 64;

void drain(std::deque<double>& outstanding, uint16_t most, double& now) {
  while (outstanding.size() > most) {
    now = std::max(now, outstanding.front());
    outstanding.pop_front();
  }
}

}  // namespace

WaveClocks::WaveClocks(const MemoryParameters& memory, const UnitParameters& unit, uint64_t begin,
                       uint64_t number)
    : unit_(unit), memory_(memory, {}, 1, 0), begin_(static_cast<double>(begin)), number_(number) {}

WaveClocks::Wave& WaveClocks::of(const emulate::WaveView& wave) {
  if (waves_.size() <= wave.index()) waves_.resize(wave.index() + 1, Wave{.now = begin_});
  return waves_[wave.index()];
}

const InstructionUse& WaveClocks::use(const emulate::Site& site, uint32_t lanes) {
  const auto found = uses_.find(&site);
  return found != uses_.end() ? found->second
                              : uses_.emplace(&site, use_of(site, lanes, unit_)).first->second;
}

void WaveClocks::wave_begins(const emulate::WaveView& wave) { of(wave); }

void WaveClocks::instruction(const emulate::WaveView& view, const emulate::Site& site) {
  Wave& wave = of(view);
  const InstructionUse& use = this->use(site, view.lanes());
  wave.now += use.others + (use.kind == Kind::Compute ? use.clocks : 0);
  if (use.kind == Kind::Wait) {
    if (use.memory != Step::kAny) drain(wave.memory, use.memory, wave.now);
    if (use.local != Step::kAny) drain(wave.local, use.local, wave.now);
    if (use.stores != Step::kAny) drain(wave.stores, use.stores, wave.now);
  }
  wave.meets = use.kind == Kind::Barrier;
}

void WaveClocks::access(const emulate::WaveView& view, const emulate::Site& site,
                        const emulate::MemoryAccess& access) {
  Wave& wave = of(view);
  const auto answer = [](std::deque<double>& queue, double ready) {  // in order
    queue.push_back(std::max(ready, queue.empty() ? 0 : queue.back()));
  };
  if (access.space == emulate::AddressSpace::Lds) {
    if (use(site, view.lanes()).kind == Kind::Lds) answer(wave.local, wave.now + kLdsLatency);
    return;
  }
  addresses_.clear();
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.address[lane];
    addresses_.push_back(
        access.space == emulate::AddressSpace::Private
            ? private_address(address, static_cast<uint32_t>(lane), view.lanes(), number_ * 64 + view.index())
            : address);
  }
  const MemoryParameters& p = memory_.parameters();
  if (use(site, view.lanes()).kind == Kind::Scalar) {
    double ready = wave.now + p.scalar_latency;
    for (const uint64_t address : addresses_) ready = std::max(ready, memory_.scalar(address / 64, wave.now));
    answer(wave.local, ready);
    return;
  }
  const Coalesced coalesced = coalesce(addresses_, access.bytes, p.line);
  const double clocks = std::max<double>(coalesced.clocks, 1) * 64 / p.l1_rate;
  const double taken = memory_.address(wave.now, clocks) + clocks;
  double ready = taken + p.l1_latency;
  for (const LineUse& line : coalesced.lines)
    ready = std::max(ready, access.direction == isa::Direction::Load ? memory_.load(line.line, taken)
                            : access.direction == isa::Direction::Store
                                ? memory_.store(line.line, line.bytes, taken)
                                : memory_.atomic(line.line, taken));
  answer(wave.memory, ready);
}

void WaveClocks::barrier_completes() {
  double last = 0;
  for (const Wave& wave : waves_)
    if (wave.meets) last = std::max(last, wave.now);
  for (Wave& wave : waves_)
    if (wave.meets) wave.now = last, wave.meets = false;
}

std::optional<uint64_t> WaveClocks::cycles(const emulate::WaveView& wave) {
  return static_cast<uint64_t>(of(wave).now);
}

}  // namespace wavesmith::timing
