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

UnitMemory& GridPort::make_unit(uint32_t number) {
  if (units_.size() <= number) units_.resize(number + 1);
  units_[number] = std::make_unique<UnitMemory>(parameters_, regions_, active_, die_bytes_, true);
  return *units_[number];
}

MemoryCounts GridPort::counts(uint32_t number) const {
  return number < units_.size() && units_[number] ? units_[number]->counts() : MemoryCounts{};
}

/// `begins`: the line of the access's base.
const GridPort::Shape& GridPort::shape_of(const WaveRecord& record, const AccessRecord& access,
                                          uint64_t begins) {
  // Only where every period begins with a line does a shape tell how it lies in them.
  const bool numbered = access.shape != AccessRecord::kNoShape && kShapePeriod % parameters_.line == 0;
  if (numbered && access.shape >= shapes_.size())
    shapes_.resize(std::max<size_t>(access.shape + size_t{1}, 2 * shapes_.size()));
  Shape& shape = numbered ? shapes_[access.shape] : shape_;
  record.expand(access, addresses_);
  coalesce(addresses_, access.bytes, parameters_.line, shape.coalesced);
  shape.clocks = std::max(1u, shape.coalesced.clocks) * 64 / parameters_.l1_rate;
  shape.least = shape.reach = 0;
  auto& lines = shape.coalesced.lines;
  if (lines.empty()) return shape;
  const auto [least, most] = std::ranges::minmax(lines, {}, &LineUse::line);
  shape.least = least.line - begins;
  shape.reach = most.line - least.line;
  for (LineUse& use : lines) use.line -= begins + shape.least;
  return shape;
}

double GridPort::read_scalars(UnitMemory& memory, const WaveRecord& record, const AccessRecord& access,
                              double now) {
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
  return ready;
}

Completion GridPort::access(uint64_t cycle, uint32_t number, uint32_t, const WaveRecord& record,
                            const AccessRecord& access) {
  UnitMemory& memory = unit(number);
  // Clocks fit a signed number, which a processor converts in one step.
  const auto now = static_cast<double>(static_cast<int64_t>(cycle));
  const auto cycles = [](double clocks) { return static_cast<uint64_t>(static_cast<int64_t>(clocks)); };
  if (access.space == AccessSpace::Scalar)
    return {cycle + 1, cycles(read_scalars(memory, record, access, now))};
  const uint64_t begins = line_of(access.base);
  const bool known = access.shape < shapes_.size() && shapes_[access.shape].clocks > 0;
  const Shape& shape = known ? shapes_[access.shape] : shape_of(record, access, begins);
  const double taken = memory.address(now, shape.clocks) + shape.clocks;
  const double ready = memory.access(access.kind, shape.coalesced.lines, begins + shape.least, taken,
                                     memory.scattered(shape.reach), access.bypasses);
  return {cycles(std::max(taken, memory.admits())), cycles(ready)};
}

uint64_t GridPort::fetch(uint64_t cycle, uint32_t, uint64_t) {
  if (code_cached_) return cycle;
  // Another unit that shares the instruction cache may have fetched the line before.
  return cycle + static_cast<uint64_t>(parameters_.l2_latency / 2);
}

}  // namespace wavesmith::timing
