#include "timing/memory/port.h"

#include <algorithm>
#include <bit>

#include "timing/memory/coalesce.h"

namespace wavesmith::timing {
GridPort::GridPort(const MemoryParameters& parameters, std::vector<RegionHits> regions, double active,
                   double die_bytes, bool code_cached)
    : parameters_(parameters),
      regions_(std::move(regions)),
      line_bits_(std::has_single_bit(parameters.line)
                     ? static_cast<uint32_t>(std::countr_zero(parameters.line))
                     : 0),
      active_(active),
      die_bytes_(die_bytes),
      code_cached_(code_cached) {}

UnitMemory& GridPort::unit(uint32_t number) {
  if (units_.size() <= number) units_.resize(number + 1);
  if (!units_[number])
    units_[number] = std::make_unique<UnitMemory>(parameters_, regions_, active_, die_bytes_, true);
  return *units_[number];
}

MemoryCounts GridPort::counts(uint32_t number) const {
  return number < units_.size() && units_[number] ? units_[number]->counts() : MemoryCounts{};
}

GridPort::Lines GridPort::lines_of(const WaveRecord& record, const AccessRecord& access) {
  constexpr size_t kShapes = 1 << 14;  // a kernel whose accesses all differ gains nothing, and should not pay
  const uint32_t line = parameters_.line;
  const uint64_t begins = line_bits_ ? access.base >> line_bits_ : access.base / line;
  const AccessShape shape = AccessShape::of(record, access, access.base - begins * line, 0);
  const Shape* known = shapes_.find(shape);
  if (!known) {
    record.expand(access, addresses_);
    coalesce(addresses_, access.bytes, line, coalesced_);
    if (coalesced_.lines.empty()) return {coalesced_, 0, 0};
    const auto [least, most] = std::ranges::minmax(coalesced_.lines, {}, &LineUse::line);
    const uint64_t first = least.line, reach = most.line - first;
    if (shapes_.size() >= kShapes) return {coalesced_, 0, reach};
    for (LineUse& use : coalesced_.lines) use.line -= first;
    known = shapes_.insert(shape, {coalesced_, first - begins, reach});
  }
  return {known->coalesced, begins + known->least, known->reach};
}

Completion GridPort::access(uint64_t cycle, uint32_t number, uint32_t, const WaveRecord& record,
                            const AccessRecord& access) {
  UnitMemory& memory = unit(number);
  const auto now = static_cast<double>(cycle);
  if (access.space == AccessSpace::Scalar) {
    double ready = now + parameters_.scalar_latency;
    const auto read = [&](uint64_t address) {
      for (uint64_t line = address / 64; line <= (address + std::max<uint64_t>(1, access.bytes) - 1) / 64;
           ++line)
        ready = std::max(ready, memory.scalar(line, now));
    };
    if (access.affine && access.lanes == 1) {
      read(access.base);
    } else {
      record.expand(access, addresses_);
      for (const uint64_t address : addresses_) read(address);
    }
    return {cycle + 1, static_cast<uint64_t>(ready)};
  }
  const auto [coalesced, least, reach] = lines_of(record, access);
  const double clocks = std::max(1u, coalesced.clocks) * 64 / parameters_.l1_rate;
  const double start = memory.address(now, clocks), taken = start + clocks;
  const bool scattered = memory.scattered(reach);
  const double ready = memory.access(access.kind, coalesced.lines, least, taken, scattered, access.bypasses);
  return {static_cast<uint64_t>(std::max(taken, memory.admits())), static_cast<uint64_t>(ready)};
}

uint64_t GridPort::fetch(uint64_t cycle, uint32_t, uint64_t) {
  if (code_cached_) return cycle;
  // Another unit that shares the instruction cache may have fetched the line before.
  return cycle + static_cast<uint64_t>(parameters_.l2_latency / 2);
}

}  // namespace wavesmith::timing
