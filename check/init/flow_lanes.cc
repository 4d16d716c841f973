// Instructions that move values between lanes: permutations and matrices.
#include <algorithm>
#include <array>
#include <bit>

#include "check/init/flow.h"
#include "isa/matrix/instruction.h"
#include "isa/memory/lds_lanes.h"

namespace wavesmith::check::init {

void Flow::copy_lane(uint16_t to, int lane, uint32_t bits, bool computed, uint32_t origin) {
  Row& row = wave_.row(to);
  wave_.set_bits(to, lane, bits, ~uint32_t{0});
  const uint64_t bit = uint64_t{1} << lane;
  row.computed = (row.computed & ~bit) | (computed && bits ? bit : 0);
  if (bits) row.origin = origin;
}

/// Without knowing which lane goes where: undefined where all of the sources' active lanes are.
void Flow::fill(const Step& step, uint64_t active) {
  uint64_t dirty = ~uint64_t{0};
  for (const Place& source : step.sources)
    if (source.kind == Place::Kind::Vector) dirty &= undefined_lanes(source);
  const bool all = (dirty & active) == active && active;
  const Taint taint = all ? taint_of(step.sources, active) : Taint{};
  for (const Place& place : step.results)
    if (place.kind == Place::Kind::Vector)
      wave_.set(place.first, active, all ? active : 0, all && taint.computed ? active : 0, taint.origin);
}

/// Exchanges the lanes of `a` that have bit `distance` with the lanes of `b` that do not; 0: lane by lane.
void Flow::exchange(uint16_t a, uint16_t b, uint64_t exec, int distance) {
  const auto swap = [&](int lane_a, int lane_b) {
    const uint32_t bits_a = wave_.bits(a, lane_a), bits_b = wave_.bits(b, lane_b);
    Row &row_a = wave_.row(a), &row_b = wave_.row(b);
    const bool computed_a = row_a.computed >> lane_a & 1, computed_b = row_b.computed >> lane_b & 1;
    const uint32_t origin_a = origins_.first_read(a, row_a.origin),
                   origin_b = origins_.first_read(b, row_b.origin);
    if (exec >> lane_a & 1) copy_lane(a, lane_a, bits_b, computed_b, origin_b);
    if (exec >> lane_b & 1) copy_lane(b, lane_b, bits_a, computed_a, origin_a);
  };
  for (int lane = 0; lane < lanes_; ++lane)
    if (distance == 0)
      swap(lane, lane);
    else if ((lane & distance) == 0)
      swap(lane + distance, lane);
  wave_.update(a);
  wave_.update(b);
}

void Flow::shuffle(const Step& step) {
  const uint64_t active = exec();
  if (step.shuffle == Shuffle::Swap || step.shuffle == Shuffle::Swap16 || step.shuffle == Shuffle::Swap32) {
    if (step.results.size() < 2) return;
    return exchange(step.results[0].first, step.results[1].first, active,
                    step.shuffle == Shuffle::Swap     ? 0
                    : step.shuffle == Shuffle::Swap16 ? 16
                                                      : 32);
  }
  if (step.results.empty() || step.sources.empty() || step.results[0].kind != Place::Kind::Vector) return;
  const uint16_t to = step.results[0].first;
  static thread_local Values data, select;
  // The last source of these is the data, the first one of all others.
  const bool last = step.shuffle == Shuffle::Permute || step.shuffle == Shuffle::BackPermute;
  const Place& moved = last ? step.sources.back() : step.sources[0];
  if (step.shuffle == Shuffle::Unknown) return fill(step, active);
  read(moved, every(), data);
  if (step.shuffle == Shuffle::WriteLane) {
    read(step.sources.back(), every(), select);
    copy_lane(to, static_cast<int>(select.value[0]) & (lanes_ - 1), static_cast<uint32_t>(data.undefined[0]),
              data.taint.computed, data.taint.origin);
    return wave_.update(to);
  }
  uint64_t selects = 0;
  if (step.shuffle == Shuffle::Rows16 || step.shuffle == Shuffle::RowsX16) {
    if (step.sources.size() < 3) return fill(step, active);
    read(step.sources[1], every(), select);
    selects = select.value[0];
    read(step.sources[2], every(), select);
    selects |= select.value[0] << 32;
  } else if (last) {
    read(step.sources[0], every(), select);
  }
  // A permutation forwards: lanes that nobody writes to become 0.
  std::array<int, kLanes> source{};
  source.fill(-1);
  for (int lane = 0; lane < lanes_; ++lane) {
    const auto at = static_cast<size_t>(lane);
    const auto select_lane = static_cast<int>((select.value[lane] + step.offset) >> 2) & (lanes_ - 1);
    switch (step.shuffle) {
      case Shuffle::Rows16:
        source[at] = (lane & ~15) + static_cast<int>(selects >> (4 * (lane & 15)) & 15);
        break;
      case Shuffle::RowsX16:
        source[at] = ((lane & ~15) ^ 16) + static_cast<int>(selects >> (4 * (lane & 15)) & 15);
        break;
      case Shuffle::Halves64:
        source[at] = lane ^ 32;
        break;
      case Shuffle::Swizzle:
        source[at] = static_cast<int>(isa::swizzled(static_cast<uint32_t>(lane), step.offset));
        break;
      case Shuffle::BackPermute:
        source[at] = select_lane;
        break;
      case Shuffle::Permute:
        if (active >> lane & 1) source[static_cast<size_t>(select_lane)] = lane;
        break;
      default:
        break;
    }
  }
  for (uint64_t left = active & every(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const int from = source[static_cast<size_t>(lane)];
    const bool reads = from >= 0 && from < lanes_ && (active >> from & 1);
    uint32_t undefined = reads ? static_cast<uint32_t>(data.undefined[from]) : 0;
    const bool chosen = last && step.shuffle == Shuffle::BackPermute && select.undefined[lane];
    if (chosen) undefined = ~uint32_t{0};
    copy_lane(to, lane, undefined, data.taint.computed || chosen,
              chosen ? select.taint.origin : data.taint.origin);
  }
  wave_.update(to);
}

/// An undefined element of A makes a row of the result undefined, one of B a column.
void Flow::matrix(const Step& step, const MatrixPlaces* places) {
  if (step.results.empty() || step.sources.size() < 3) return;
  const Place& d = step.results[0];
  const auto dirty = [&](const Place& place) { return undefined_lanes(place) != 0; };
  const Taint taint = taint_of(step.sources, ~uint64_t{0});
  const auto define = [&] {
    for (int i = 0; i < d.dwords; ++i) wave_.define(static_cast<uint16_t>(d.first + i), ~uint64_t{0});
  };
  if (std::none_of(step.sources.begin(), step.sources.end(), dirty)) return define();
  const bool others = std::any_of(step.sources.begin() + 3, step.sources.end(), dirty);
  const bool sparse = step.row->matrix->sparse;
  if (!places || others || sparse) {
    for (int i = 0; i < d.dwords; ++i)
      wave_.set(static_cast<uint16_t>(d.first + i), every(), every(), every(), taint.origin);
    return;
  }
  static thread_local std::array<std::array<bool, 256>, 32> rows, columns;
  const auto lines = [&](const Place& source, const std::vector<MatrixPlaces::Element>& elements,
                         auto& found) {
    for (auto& block : found) block.fill(false);
    if (!dirty(source)) return;
    for (const MatrixPlaces::Element& element : elements)
      if (element.dword < source.dwords && source.kind == Place::Kind::Vector &&
          (wave_.bits(static_cast<uint16_t>(source.first + element.dword), element.lane) & element.mask))
        found[element.block][element.line] = true;
  };
  lines(step.sources[0], places->a, rows);
  lines(step.sources[1], places->b, columns);
  const Place& c = step.sources[2];
  const bool added = c.kind == Place::Kind::Vector && dirty(c);
  std::array<std::array<uint32_t, kLanes>, 64> bits{};
  for (const MatrixPlaces::Result& at : places->d)
    for (int i = 0; i < at.dwords && at.dword + i < d.dwords; ++i) {
      const auto dword = size_t{at.dword} + static_cast<size_t>(i);
      const bool before =
          added && (wave_.bits(static_cast<uint16_t>(c.first + dword), at.lane) & at.mask) != 0;
      if (before || rows[at.block][at.row] || columns[at.block][at.column]) bits[dword][at.lane] |= at.mask;
    }
  for (size_t i = 0; i < d.dwords; ++i) {
    const auto r = static_cast<uint16_t>(d.first + i);
    for (int lane = 0; lane < lanes_; ++lane)
      copy_lane(r, lane, bits[i][static_cast<size_t>(lane)], true, taint.origin);
    wave_.update(r);
  }
}

}  // namespace wavesmith::check::init
