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

/// Bytes that a wave's access names, those that lanes share counted once.
double distinct_bytes(const AccessPattern& access, uint32_t lanes) {
  if (access.offsets.empty()) return static_cast<double>(access.bytes) * lanes;
  std::vector<int64_t> offsets = access.offsets;
  std::sort(offsets.begin(), offsets.end());
  int64_t sum = 0, end = INT64_MIN;
  for (const int64_t offset : offsets) {
    sum += std::max<int64_t>(0, offset + access.bytes - std::max(offset, end));
    end = std::max(end, offset + access.bytes);
  }
  return static_cast<double>(sum);
}

/// Bytes a second from L2 to all compute units; 0: not known.
double l2_rate(const gpus::Gpu& gpu) {
  if (gpu.sustained_l2) return *gpu.sustained_l2 * 1e9;
  if (gpu.l2_channels && gpu.l2_bytes_per_clock_per_channel)
    return static_cast<double>(*gpu.l2_channels) * *gpu.l2_bytes_per_clock_per_channel * gpu.xcds *
           gpu.engine_mhz * 1e6;
  return 0;
}

}  // namespace

void add_memory(Cycles& cycles, const std::vector<uint32_t>& blocks, const std::vector<uint32_t>& block_of,
                const std::vector<AccessPattern>& accesses, const gpus::Gpu& gpu, ServedBy by) {
  double certain = 0;
  for (const AccessPattern& access : accesses) {
    if (access.space == isa::Space::Lds ||
        !std::binary_search(blocks.begin(), blocks.end(), block_of[access.instruction]))
      continue;
    const double bytes = distinct_bytes(access, access.lanes);
    (access.direction == Direction::Load ? cycles.load_bytes : cycles.store_bytes) += bytes;
    ++cycles.accesses;
    if (access.offsets.empty())
      ++cycles.unknown_accesses;
    else
      certain += bytes;
  }
  const double all = cycles.load_bytes + cycles.store_bytes;
  const double simds = static_cast<double>(gpu.compute_units) * gpu.simds_per_unit;
  const double hertz = gpu.engine_mhz * 1e6, l2 = l2_rate(gpu);
  const double memory = gpu.sustained_memory.value_or(gpu.memory_gigabytes_per_second) * 1e9;
  if (l2 > 0) cycles.l2 = all * simds * hertz / l2, cycles.served = certain * simds * hertz / l2;
  if (memory > 0) cycles.memory = all * simds * hertz / memory;
  if (by == ServedBy::Memory) cycles.served = cycles.memory;
}

std::vector<AccessPattern> find_accesses(const Code& code, const LaneValues& values, const gpus::Gpu& gpu) {
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
    } else {
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
