#include "timing/port.h"

#include <algorithm>

namespace wavesmith::timing {
namespace {

/// Clocks to the L1's data where nobody has published them: CDNA3's (published pointer chases).
constexpr uint64_t kL1Cycles = 120, kL2Cycles = 250, kMemoryCycles = 800;
/// The address unit takes a quarter of a wave64 a clock, and the L1 gives 64 bytes (AMD, CDNA3 ISA guide; 61
/// bytes a clock are measured).
constexpr uint64_t kLanesPerClock = 16, kBytesPerClock = 64;

}  // namespace

uint64_t* UnitPort::Lines::find(uint64_t line) {
  const auto at = at_.find(line);
  if (at == at_.end()) return nullptr;
  order_.splice(order_.begin(), order_, at->second);
  return &at->second->ready;
}

void UnitPort::Lines::insert(uint64_t line, uint64_t ready) {
  if (most_ == 0) return;
  if (at_.size() >= most_) {
    at_.erase(order_.back().line);
    order_.pop_back();
  }
  order_.push_front({line, ready});
  at_[line] = order_.begin();
}

UnitPort::UnitPort(const gpus::Gpu& gpu)
    : line_(std::max(32u, gpu.l1_line_bytes)),
      l1_cycles_(gpu.l1_cycles.value_or(kL1Cycles)),
      l2_cycles_(gpu.l2_cycles.value_or(kL2Cycles)),
      memory_cycles_(gpu.memory_cycles.value_or(kMemoryCycles)),
      l1_(gpu.l1_vector_bytes / std::max(32u, gpu.l1_line_bytes)),
      scalar_(gpu.l1_scalar_bytes / 64),
      l2_(gpu.l2_bytes / std::max(32u, gpu.l1_line_bytes)) {
  const double units = std::max(1.0, static_cast<double>(gpu.compute_units) / std::max(1u, gpu.xcds));
  const double l2_rate = static_cast<double>(gpu.l2_channels.value_or(16)) *
                         static_cast<double>(gpu.l2_bytes_per_clock_per_channel.value_or(64)) / units;
  l2_clocks_ = static_cast<double>(line_) / std::min(64.0, std::max(1.0, l2_rate));
}

uint64_t UnitPort::behind(uint64_t line, uint64_t cycle) {
  l2_free_ = std::max(l2_free_, static_cast<double>(cycle)) + l2_clocks_;
  const auto sent = static_cast<uint64_t>(l2_free_);
  if (uint64_t* const ready = l2_.find(line)) return std::max(sent + l2_cycles_, *ready);
  ++counts_.l2_first;
  const uint64_t ready = sent + memory_cycles_;
  l2_.insert(line, ready);
  return ready;
}

Completion UnitPort::access(uint64_t cycle, uint32_t, uint32_t, const WaveRecord& trace,
                            const AccessRecord& access) {
  trace.expand(access, addresses_);
  if (access.space == Space::Scalar) {
    uint64_t done = cycle + l1_cycles_ / 2;
    for (const uint64_t address : addresses_)
      for (uint64_t line = address / scalar_line_; line <= (address + access.bytes - 1) / scalar_line_;
           ++line) {
        if (const uint64_t* const ready = scalar_.find(line)) {
          ++counts_.scalar_hits;
          done = std::max(done, *ready);
          continue;
        }
        ++counts_.scalar_misses;
        const uint64_t ready = behind(line * scalar_line_ / line_, cycle);
        scalar_.insert(line, ready);
        done = std::max(done, ready);
      }
    return {cycle + 1, done};
  }
  touched_.clear();
  for (const uint64_t address : addresses_)
    for (uint64_t line = address / line_; line <= (address + std::max<uint64_t>(1, access.bytes) - 1) / line_;
         ++line)
      if (touched_.empty() || touched_.back() != line) touched_.push_back(line);
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  const uint64_t bytes = addresses_.size() * access.bytes;
  const uint64_t clocks =
      std::max({(addresses_.size() + kLanesPerClock - 1) / kLanesPerClock,
                (bytes + kBytesPerClock - 1) / kBytesPerClock, uint64_t{touched_.size()}});
  address_free_ = std::max(address_free_, cycle) + clocks;
  cycle = address_free_;
  uint64_t done = cycle + l1_cycles_;
  for (const uint64_t line : touched_) {
    if (access.kind == Access::Load) {
      if (const uint64_t* const ready = l1_.find(line)) {
        ++counts_.l1_hits;
        done = std::max(done, *ready);
        continue;
      }
      ++counts_.l1_misses;
      const uint64_t ready = behind(line, cycle);
      l1_.insert(line, ready);
      done = std::max(done, ready);
    } else {
      ++counts_.stores;
      done = std::max(done, behind(line, cycle));
    }
  }
  return {cycle, done};
}

uint64_t UnitPort::fetch(uint64_t cycle, uint32_t, uint64_t) { return cycle + l2_cycles_ / 2; }

}  // namespace wavesmith::timing
