#include "check/init/flow.h"

#include <algorithm>
#include <bit>

#include "check/init/bits.h"

namespace wavesmith::check::init {
namespace {

namespace reg = isa::reg;
using isa::low_bits;

uint32_t mask_of(const Place& place, int dword) {
  if (place.dwords > 1) return static_cast<uint32_t>(low_bits(place.bits) >> std::min(63, 32 * dword));
  return static_cast<uint32_t>(low_bits(place.bits) << place.shift);
}

}  // namespace

std::vector<Flow::Values>& Flow::nodes() {
  static thread_local std::vector<Values> values;
  return values;
}

Flow::Exec Flow::run(const std::vector<Step>& steps, const MatrixPlaces* places) {
  Exec exec;
  if (steps.size() == 1 && steps[0].rule == Rule::Shuffle) {
    shuffle(steps[0]);
    return exec;
  }
  if (steps.size() == 1 && steps[0].rule == Rule::Matrix) {
    matrix(steps[0], places);
    return exec;
  }
  static thread_local std::vector<Result> results;
  results.clear();
  for (const Step& step : steps) run(step, results);
  for (const Result& result : results) write(result, exec);
  return exec;
}

uint64_t Flow::mask_bits(const Place& place) const {
  uint64_t bits = wave_.scalar(place.first).bits;
  if (place.dwords > 1) bits |= uint64_t{wave_.scalar(static_cast<uint16_t>(place.first + 1)).bits} << 32;
  return bits;
}

/// Lanes that read one of these through DPP.
uint64_t Flow::moved(const Place& source, uint64_t lanes) const {
  if (!source.lanes) return lanes;
  const emulate::DppTable& table = *source.lanes;
  if (!table.inactive_too) lanes &= exec();
  uint64_t found = 0;
  for (uint64_t left = table.inside & every(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    found |= (lanes >> table.lane[static_cast<size_t>(lane)] & 1) << lane;
  }
  return found;
}

/// Lanes in which a bit of the source is undefined.
uint64_t Flow::undefined_lanes(const Place& source) const {
  switch (source.kind) {
    case Place::Kind::None:
      return 0;
    case Place::Kind::Scalar: {
      for (int d = 0; d < source.dwords; ++d)
        if (wave_.scalar(static_cast<uint16_t>(source.first + d)).bits & mask_of(source, d)) return every();
      return 0;
    }
    case Place::Kind::LaneMask:
      return mask_bits(source) & every();
    case Place::Kind::Vector:
      break;
  }
  uint64_t lanes = 0;
  for (int d = 0; d < source.dwords; ++d) {
    const auto r = static_cast<uint16_t>(source.first + d);
    if (wave_.dirty(r)) lanes |= wave_.lanes(r, mask_of(source, d));
  }
  return lanes ? moved(source, lanes & every()) : 0;
}

Taint Flow::taint_of(const Place& source, uint64_t lanes) {
  if ((undefined_lanes(source) & lanes) == 0) return {};
  for (int d = 0; d < source.dwords; ++d) {
    const auto r = static_cast<uint16_t>(source.first + d);
    if (!wave_.dirty(r)) continue;
    if (is_vector(r)) {
      Row& row = wave_.row(r);
      row.origin = origins_.first_read(r, row.origin);
      return {(row.computed & lanes) != 0 || (source.lanes && row.computed), row.origin};
    }
    Scalar& scalar = wave_.scalar(r);
    scalar.origin = origins_.first_read(r, scalar.origin);
    return {scalar.computed, scalar.origin};
  }
  return {};
}

Taint Flow::taint_of(const std::vector<Place>& sources, uint64_t lanes) {
  Taint taint;
  for (const Place& source : sources) {
    const Taint one = taint_of(source, lanes);
    taint.computed |= one.computed;
    if (one.origin != kNeverWritten) taint.origin = one.origin;
  }
  return taint;
}

/// Lanes that the instruction writes.
uint64_t Flow::active_lanes(const Step& step) const {
  if (step.scalar) return 1;
  uint64_t active = exec();
  if (!step.dpp) return active;
  active &= step.dpp->written;
  return step.dpp->bound_ctrl ? active : active & moved({.lanes = step.dpp}, ~uint64_t{0});
}

void Flow::read(const Place& source, uint64_t lanes, Values& values) {
  const int count = lanes_;
  std::fill_n(values.value, count, source.constant);
  std::fill_n(values.undefined, count, 0);
  values.taint = {};
  if (source.kind == Place::Kind::None) return;
  values.taint = taint_of(source, lanes);
  const uint64_t mask = low_bits(source.bits);
  if (source.kind == Place::Kind::Scalar || source.kind == Place::Kind::LaneMask) {
    const int number = source.first - reg::kSgpr;
    const uint64_t bits = mask_bits(source);
    uint64_t value = view_.sgpr(number);
    if (source.dwords > 1) value |= uint64_t{view_.sgpr(number + 1)} << 32;
    for (int lane = 0; lane < count; ++lane) {
      const bool each = source.kind == Place::Kind::LaneMask;
      values.value[lane] = each ? value >> lane & 1 : value >> source.shift & mask;
      values.undefined[lane] = each ? bits >> lane & 1 : bits >> source.shift & mask;
    }
    return;
  }
  const auto row = [&](int d) {
    const int number = source.first + d;
    return number < reg::kAgpr ? view_.vgpr(number) : view_.agpr(number - reg::kAgpr);
  };
  const uint64_t there = source.lanes ? moved(source, ~uint64_t{0}) : every();
  for (int lane = 0; lane < count; ++lane) {
    const int from = source.lanes ? static_cast<int>(source.lanes->lane[static_cast<size_t>(lane)]) : lane;
    uint64_t value = row(0)[static_cast<size_t>(from)], undefined = wave_.bits(source.first, from);
    if (source.dwords > 1) {
      value |= uint64_t{row(1)[static_cast<size_t>(from)]} << 32;
      undefined |= uint64_t{wave_.bits(static_cast<uint16_t>(source.first + 1), from)} << 32;
    }
    value = value >> source.shift & mask;
    undefined = undefined >> source.shift & mask;
    if (source.sign && source.bits < 32) {
      const int above = 64 - source.bits;
      value = static_cast<uint64_t>(static_cast<int64_t>(value << above) >> above);
      undefined = static_cast<uint64_t>(static_cast<int64_t>(undefined << above) >> above);
    }
    const bool read = there >> lane & 1;
    values.value[lane] = read ? value : 0;
    values.undefined[lane] = read ? undefined : 0;
  }
}

void Flow::run(const Step& step, std::vector<Result>& results) {
  const uint64_t active = active_lanes(step);
  const bool all_lanes = step.scalar || step.row->shape == isa::Shape::Wave;
  uint64_t dirty = 0;
  for (const Place& source : step.sources) dirty |= undefined_lanes(source);
  if (!all_lanes) dirty &= active;
  const size_t first = results.size();
  for (const Place& place : step.results) {
    Result& result = results.emplace_back();
    result.place = &place;
    result.active = active;
  }
  if (!dirty) return;
  if (step.rule == Rule::Expression) return evaluate(step, all_lanes ? every() : active, results, first);
  Taint taint = taint_of(step.sources, dirty);
  taint.computed |= !step.copies;
  for (size_t i = first; i < results.size(); ++i) {
    results[i].undefined = dirty;
    results[i].taint = taint;
    if (step.rule == Rule::Halves || step.rule == Rule::Pair) halves(step, results[i]);
  }
}

/// The low and the high value of each result from those of the sources.
void Flow::halves(const Step& step, Result& result) {
  const int width = result.place->dwords > 1 ? 32 : 16;
  const uint64_t part = low_bits(width);
  std::fill_n(result.bits, kLanes, 0);
  result.bit_by_bit = true;
  static thread_local Values values;
  for (size_t i = 0; i < step.sources.size(); ++i) {
    const Place& source = step.sources[i];
    if (!(undefined_lanes(source) & result.active)) continue;
    read(source, result.active, values);
    const bool pair = step.rule == Rule::Pair;
    for (int lane = 0; lane < lanes_; ++lane) {
      const uint64_t undefined = values.undefined[lane];
      const bool low = undefined >> (source.low_from_high ? width : 0) & part;
      const bool high =
          undefined >> ((pair ? source.low_from_high : source.high_from_high) ? width : 0) & part;
      if (low && !(pair && i == 1)) result.bits[lane] |= part;
      if (high && !(pair && i == 0)) result.bits[lane] |= part << width;
    }
  }
}

void Flow::evaluate(const Step& step, uint64_t lanes, std::vector<Result>& results, size_t first) {
  const isa::Expression& meaning = *step.meaning;
  std::vector<Values>& values = nodes();
  if (values.size() < meaning.size()) values.resize(meaning.size());
  const int count = step.scalar ? 1 : lanes_;
  for (size_t id = 0; id < meaning.size(); ++id) node(step, id, lanes, count);
  for (size_t i = first; i < results.size(); ++i) {
    const size_t number = std::min(i - first, meaning.results().size() - 1);
    const Values& value = values[meaning.results()[number]];
    Result& result = results[i];
    result.bit_by_bit = true;
    std::copy_n(value.undefined, count, result.bits);
    result.taint = value.taint;
  }
}

void Flow::node(const Step& step, size_t id, uint64_t lanes, int count) {
  const isa::Node& node = step.meaning->node(static_cast<isa::Expression::Id>(id));
  Values& made = nodes()[id];
  switch (node.op) {
    case isa::Op::Source:
      read(node.constant < step.sources.size() ? step.sources[node.constant] : Place{}, lanes, made);
      for (int lane = 0; lane < lanes_; ++lane) {
        made.value[lane] &= low_bits(node.bits);
        made.undefined[lane] &= low_bits(node.bits);
      }
      return;
    case isa::Op::Constant:
    case isa::Op::LaneNumber:
    case isa::Op::WaveLanes:
      made.taint = {};
      for (int lane = 0; lane < count; ++lane) {
        made.undefined[lane] = 0;
        made.value[lane] = node.op == isa::Op::Constant     ? node.constant
                           : node.op == isa::Op::LaneNumber ? static_cast<uint64_t>(lane)
                                                            : static_cast<uint64_t>(lanes_);
      }
      return;
    default:
      break;
  }
  const auto source = [&](uint16_t argument) -> const Place* {
    const isa::Node& of = step.meaning->node(argument);
    return of.op == isa::Op::Source && of.constant < step.sources.size() ? &step.sources[of.constant]
                                                                         : nullptr;
  };
  // x ^ x and x - x are 0 whatever x is.
  if (node.op == isa::Op::Xor || node.op == isa::Op::Subtract || node.op == isa::Op::Equal) {
    const Place *const a = source(node.arguments[0]), *const b = source(node.arguments[1]);
    if (a && b && a->kind != Place::Kind::None && a->kind == b->kind && a->first == b->first &&
        a->shift == b->shift && a->bits == b->bits && a->lanes == b->lanes) {
      std::fill_n(made.value, count, node.op == isa::Op::Equal ? 1 : 0);
      std::fill_n(made.undefined, count, 0);
      made.taint = {};
      return;
    }
  }
  operation(node, lanes, made, count);
}

void Flow::operation(const isa::Node& node, uint64_t lanes, Values& made, int count) {
  const std::vector<Values>& all = nodes();
  const Values& a = all[node.arguments[0]];
  const Values& b = all[node.count > 1 ? node.arguments[1] : node.arguments[0]];
  const Values& c = all[node.count > 2 ? node.arguments[2] : node.arguments[0]];
  bool undefined = false, chosen = false;
  for (int lane = 0; lane < count; ++lane) {
    const bool counts = lanes >> lane & 1;
    if (node.op == isa::Op::ReadLane) {
      const auto from = static_cast<size_t>(b.value[lane] & static_cast<uint64_t>(lanes_ - 1));
      made.value[lane] = a.value[from];
      made.undefined[lane] = b.undefined[lane] ? low_bits(node.bits) : a.undefined[from];
      chosen |= counts && b.undefined[lane] != 0;
    } else {
      made.value[lane] = isa::compute(node, a.value[lane], b.value[lane], c.value[lane]);
      const uint64_t bits =
          a.undefined[lane] | b.undefined[lane] | (node.count > 2 ? c.undefined[lane] : 0)
              ? undefined_after(node, {a.value[lane], a.undefined[lane]}, {b.value[lane], b.undefined[lane]},
                                {c.value[lane], c.undefined[lane]})
              : 0;
      made.undefined[lane] = bits;
      chosen |= counts && node.op == isa::Op::Select && bits && (a.undefined[lane] & 1);
    }
    undefined |= counts && made.undefined[lane] != 0;
  }
  made.taint = {};
  if (!undefined) return;
  const Values* const arguments[] = {&a, &b, &c};
  for (int i = node.count - 1; i >= 0; --i) {
    made.taint.computed |= arguments[i]->taint.computed;
    if (arguments[i]->taint.origin != kNeverWritten) made.taint.origin = arguments[i]->taint.origin;
  }
  made.taint.computed |= chosen || !moves_bits(node.op);
}

void Flow::write(const Result& result, Exec& exec) {
  const Place& place = *result.place;
  if (place.kind == Place::Kind::None) return;
  if (place.kind == Place::Kind::Vector) return write_row(result);
  uint64_t undefined = 0;
  if (place.kind == Place::Kind::LaneMask) {
    undefined = result.undefined & result.active;
    if (result.bit_by_bit)
      for (uint64_t left = result.active & every(); left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        undefined |= (result.bits[lane] & 1) << lane;
      }
  } else {
    undefined = result.bit_by_bit ? result.bits[0] : result.undefined ? low_bits(place.bits) : 0;
  }
  if (place.first == reg::kExec || place.first == reg::kExec + 1) {
    const uint64_t here = (undefined << (32 * (place.first - reg::kExec))) & every();
    exec.undefined |= here;
    if (here) exec.taint = result.taint;
    return;
  }
  for (int d = 0; d < place.dwords; ++d)
    wave_.set_scalar(static_cast<uint16_t>(place.first + d), static_cast<uint32_t>(undefined >> (32 * d)),
                     result.taint.computed, result.taint.origin);
}

void Flow::write_row(const Result& result) {
  const Place& place = *result.place;
  const bool whole = place.rest || place.dwords > 1 || place.bits == 32;
  for (int d = 0; d < place.dwords; ++d) {
    const auto r = static_cast<uint16_t>(place.first + d);
    const uint32_t mask = whole ? ~uint32_t{0} : mask_of(place, 0);
    if (!result.bit_by_bit && (result.undefined & result.active) == 0) {
      wave_.define(r, result.active, mask);
      continue;
    }
    if (!result.bit_by_bit && whole && (place.bits == 32 || place.dwords > 1)) {
      wave_.set(r, result.active, result.undefined, result.taint.computed ? ~uint64_t{0} : 0,
                result.taint.origin);
      continue;
    }
    Row& row = wave_.row(r);
    uint64_t tainted = 0;
    for (uint64_t left = result.active & every(); left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t bits = result.bit_by_bit              ? result.bits[lane]
                            : result.undefined >> lane & 1 ? low_bits(place.bits)
                                                           : 0;
      const auto here = static_cast<uint32_t>(place.dwords > 1 ? bits >> (32 * d) : bits << place.shift);
      wave_.set_bits(r, lane, here, mask);
      if (here & mask) tainted |= uint64_t{1} << lane;
    }
    if (whole) row.computed &= ~result.active;
    if (result.taint.computed) row.computed |= tainted;
    row.computed &= row.lanes();
    if (tainted) row.origin = result.taint.origin;
    wave_.update(r);
  }
}

}  // namespace wavesmith::check::init
