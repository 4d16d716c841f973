#include "timing/port.h"

#include <algorithm>

#include "timing/memory_parameters.h"

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

UnitPort::UnitPort(const gpus::Gpu& gpu, const Sharing& sharing, double active)
    : line_(std::max(32u, gpu.l1_line_bytes)),
      sharing_(sharing),
      l1_(gpu.l1_vector_bytes / std::max(32u, gpu.l1_line_bytes)),
      scalar_(gpu.l1_scalar_bytes / 64),
      l2_(gpu.l2_bytes / std::max(32u, gpu.l1_line_bytes)) {
  const MemoryParameters memory = memory_parameters(gpu);
  const auto cycles = [](double clocks, uint64_t otherwise) {
    return clocks > 0 ? static_cast<uint64_t>(clocks) : otherwise;
  };
  l1_cycles_ = cycles(memory.l1_latency, kL1Cycles);
  l2_cycles_ = cycles(memory.l2_latency, kL2Cycles);
  memory_cycles_ = cycles(memory.memory_latency, kMemoryCycles);
  cache_cycles_ = cycles(memory.infinity_cache_latency, memory_cycles_);
  // What many units share is shared evenly; no unit has more than its own way to the L2.
  const double on_die = std::max(1.0, active / std::max(1u, gpu.xcds));
  const auto clocks = [&](double rate) {
    return static_cast<double>(line_) / std::clamp(rate, 0.01, std::max(1.0, memory.unit_rate));
  };
  l2_clocks_ = clocks(memory.l2_rate / on_die);
  memory_clocks_ = clocks(memory.memory_rate / std::max(1.0, active));
  cache_clocks_ = memory.infinity_cache_rate > 0 ? clocks(memory.infinity_cache_rate / std::max(1.0, active))
                                                 : memory_clocks_;
}

uint64_t UnitPort::behind(uint64_t line, uint64_t cycle, bool store) {
  l2_free_ = std::max(l2_free_, static_cast<double>(cycle)) + l2_clocks_;
  const auto sent = static_cast<uint64_t>(l2_free_);
  if (const uint64_t* const ready = l2_.find(line)) {
    ++counts_.l2_hits;
    return std::max(sent + l2_cycles_, *ready);
  }
  uint64_t ready = 0;
  if (draw(sharing_.l2, l2_left_)) {
    ++counts_.l2_hits;
    ready = sent + l2_cycles_;
  } else if (draw(sharing_.infinity_cache, cache_left_)) {
    ++counts_.infinity_cache_hits;
    cache_free_ = std::max(cache_free_, static_cast<double>(sent)) + cache_clocks_;
    ready = static_cast<uint64_t>(cache_free_) + cache_cycles_;
  } else {
    ++counts_.memory_lines;
    memory_free_ = std::max(memory_free_, static_cast<double>(sent)) + memory_clocks_;
    // A store is acknowledged by the L2, which writes the line back later; the bytes take the way all the
    // same.
    ready = store ? std::max(sent + l2_cycles_, static_cast<uint64_t>(memory_free_))
                  : static_cast<uint64_t>(memory_free_) + memory_cycles_;
  }
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
        const uint64_t ready = behind(line * scalar_line_ / line_, cycle, false);
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
  if (!std::is_sorted(touched_.begin(), touched_.end())) std::sort(touched_.begin(), touched_.end());
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
      const uint64_t ready = behind(line, cycle, false);
      l1_.insert(line, ready);
      done = std::max(done, ready);
    } else {
      ++counts_.stores;
      done = std::max(done, behind(line, cycle, access.kind == Access::Store));
    }
  }
  return {cycle, done};
}

uint64_t UnitPort::fetch(uint64_t cycle, uint32_t, uint64_t) { return cycle + l2_cycles_ / 2; }

}  // namespace wavesmith::timing
