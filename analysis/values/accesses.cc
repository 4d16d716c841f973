#include "analysis/values/accesses.h"

#include <algorithm>
#include <set>

#include "gpus/lds_phases.h"
#include "isa/memory/lds_accesses.h"

namespace wavesmith::analysis {
namespace {

using isa::Direction;
using isa::Row;

/// `places`: so many accesses, shifted by a constant, so that they cost the same.
void set_lds_cycles(AccessPattern& access, const Row& row, double places, const gpus::Gpu& gpu,
                    uint32_t lanes) {
  const gpus::LdsAccess kind = row.access.direction == Direction::Store    ? gpus::LdsAccess::Write
                               : row.access.direction == Direction::Atomic ? gpus::LdsAccess::Atomic
                                                                           : gpus::LdsAccess::Read;
  const uint32_t width = std::clamp(access.bytes, 1u, 16u);
  const gpus::LdsPhases& phases = gpus::lds_phases(gpu, kind, width, lanes);
  const uint64_t all = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
  const int64_t least = *std::min_element(access.offsets.begin(), access.offsets.end());
  std::vector<uint32_t> addresses(lanes);
  for (uint32_t l = 0; l < lanes; ++l) addresses[l] = static_cast<uint32_t>(access.offsets[l] - least);
  const gpus::LdsCycles cycles = gpus::lds_cycles(phases, kind, width, addresses, all);
  access.cycles = {.value = cycles.cycles * places, .tag = Tag::Derived, .unknown_because = {}};
  access.ideal_cycles = {
      .value = (cycles.cycles - cycles.conflicts) * places, .tag = Tag::Derived, .unknown_because = {}};
}

void set_lines(AccessPattern& access, const gpus::Gpu& gpu, uint32_t lanes) {
  const int64_t line = std::max(64u, gpu.l1_line_bytes);
  std::set<int64_t> lines;
  const auto number = [line](int64_t offset) {
    return offset >= 0 ? offset / line : -((-offset + line - 1) / line);
  };
  for (const int64_t offset : access.offsets)
    for (int64_t n = number(offset); n <= number(offset + access.bytes - 1); ++n) lines.insert(n);
  access.lines = {.value = static_cast<double>(lines.size()), .tag = Tag::Derived, .unknown_because = {}};
  const int64_t bytes = int64_t{access.bytes} * lanes;
  const int64_t ideal = (bytes + line - 1) / line;
  access.ideal_lines = {.value = std::min(static_cast<double>(lines.size()), static_cast<double>(ideal)),
                        .tag = Tag::Derived,
                        .unknown_because = {}};
}

/// Bytes that a wave's access names where it says so in a register.
std::optional<double> named_bytes(const LaneValues& values, const AccessPattern& access) {
  using isa::Space;
  const LaneValue places = values.address(access.instruction);
  const bool buffer = access.space == Space::Buffer || access.space == Space::Typed;
  // Lanes that are kept out of a buffer read nothing; elsewhere there is no such place.
  if (access.space == Space::Lds || (places.bounded && !buffer)) return std::nullopt;
  return values.distinct_bytes(places, access.bytes, access.lanes);
}

/// Bytes a second from L2 to all compute units; 0: not known.
double l2_rate(const gpus::Gpu& gpu) {
  const double hertz = gpu.engine_mhz * 1e6;
  // Each unit's way to it may be narrower than its share.
  const double units = gpu.l2_bytes_per_clock_per_unit.value_or(0) * gpu.compute_units * hertz;
  double all = 0;
  if (gpu.sustained_l2)
    all = *gpu.sustained_l2 * 1e9;
  else if (gpu.l2_channels && gpu.l2_bytes_per_clock_per_channel)
    all = static_cast<double>(*gpu.l2_channels) * *gpu.l2_bytes_per_clock_per_channel * gpu.xcds * hertz;
  return units > 0 && all > 0 ? std::min(units, all) : std::max(units, all);
}

}  // namespace

void add_memory(Cycles& cycles, const std::vector<uint32_t>& blocks, const std::vector<uint32_t>& block_of,
                const std::vector<AccessPattern>& accesses, const gpus::Gpu& gpu, ServedBy by) {
  double certain = 0;
  for (const AccessPattern& access : accesses) {
    if (access.space == isa::Space::Lds ||
        !std::binary_search(blocks.begin(), blocks.end(), block_of[access.instruction]))
      continue;
    const double bytes = access.distinct_bytes.value_or(static_cast<double>(access.bytes) * access.lanes);
    (access.direction == Direction::Load ? cycles.load_bytes : cycles.store_bytes) += bytes;
    ++cycles.accesses;
    if (access.offsets.empty()) ++cycles.unknown_accesses;
    if (access.distinct_bytes) certain += bytes;
  }
  const double all = cycles.load_bytes + cycles.store_bytes;
  const double simds = static_cast<double>(gpu.compute_units) * gpu.simds_per_unit;
  const double hertz = gpu.engine_mhz * 1e6, l2 = l2_rate(gpu);
  const double memory = gpu.sustained_memory.value_or(gpu.memory_gigabytes_per_second) * 1e9;
  if (l2 > 0) cycles.l2 = all * simds * hertz / l2, cycles.served = certain * simds * hertz / l2;
  if (memory > 0) cycles.memory = all * simds * hertz / memory;
  if (by == ServedBy::Memory) cycles.served = cycles.memory;
}

std::vector<AccessPattern> find_accesses(const Code& code, const LaneValues& values,
                                         const std::function<const LaneValues&()>& first_wave,
                                         const gpus::Gpu& gpu) {
  std::vector<AccessPattern> accesses;
  const auto lanes = static_cast<uint32_t>(code.wave_lanes);
  for (uint32_t i = 0; i < code.size(); ++i) {
    const Row* const row = code.rows[i];
    const isa::Instruction& in = code.instructions[i];
    if (!row || row->shape != isa::Shape::Memory || row->access.bytes == 0) continue;
    const isa::Space space = space_of(in.mnemonic);
    const bool moves_between_lanes =
        row->access.lane != isa::LdsLane::None && row->access.lane < isa::LdsLane::Transpose16;
    if (space == isa::Space::Scalar || space == isa::Space::Scratch || moves_between_lanes) continue;
    AccessPattern access;
    access.instruction = i;
    access.space = space;
    access.lanes = lanes;
    access.masked = values.masked(i);
    access.direction = row->access.direction == Direction::None ? Direction::Load : row->access.direction;
    const isa::LdsAccesses made = space == isa::Space::Lds ? isa::lds_accesses(in, row->access)
                                                           : isa::LdsAccesses{row->access.bytes, 1};
    access.bytes = made.bytes;
    const MemoryOperands operands = memory_operands(in, *row);
    const bool buffer = space == isa::Space::Buffer || space == isa::Space::Typed;
    LaneValue value = values.address(i);
    if (buffer && in.has("idxen")) {
      access.unknown_because = "the distance between elements stands in the buffer's resource";
    } else if (row->access.transposes != 0 || row->access.masked || row->access.formatted) {
      access.unknown_because = "its lanes exchange data";
    } else if (!operands.address && !buffer) {
      access.unknown_because = "the hardware makes the address";
    } else if (operands.address && !value.known()) {
      access.unknown_because = text_of(value.reason);
      if (space != isa::Space::Lds) access.rows = value.rows;
      access.distinct_bytes = named_bytes(values, access);
      if (!access.distinct_bytes && space != isa::Space::Lds)
        access.distinct_bytes = named_bytes(first_wave(), access);
    } else {
      access.distinct_bytes = operands.address ? named_bytes(values, access) : access.bytes;
      access.offsets.resize(lanes);
      for (uint32_t l = 0; l < lanes; ++l)
        access.offsets[l] = operands.address ? values.function(value.function)[l] : 0;
      access.stride = access.offsets[1] - access.offsets[0];
      access.affine = true;
      for (uint32_t l = 1; l < lanes; ++l)
        access.affine &= access.offsets[l] - access.offsets[l - 1] == access.stride;
      if (space == isa::Space::Lds)
        set_lds_cycles(access, *row, made.count, gpu, lanes);
      else
        set_lines(access, gpu, lanes);
    }
    for (Figure* figure : {&access.cycles, &access.ideal_cycles, &access.lines, &access.ideal_lines})
      if (!figure->value) figure->unknown_because = access.unknown_because;
    accesses.push_back(std::move(access));
  }
  return accesses;
}

}  // namespace wavesmith::analysis
