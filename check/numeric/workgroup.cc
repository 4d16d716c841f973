#include "check/numeric/workgroup.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wavesmith::check::numeric {
namespace {

namespace reg = isa::reg;
using Kind = init::Place::Kind;

std::span<const uint32_t> row_of(const emulate::WaveView& view, int number) {
  return number < reg::kAgpr ? view.vgpr(number) : view.agpr(number - reg::kAgpr);
}

/// Lanes in which an operand is an infinity or a NaN.
uint64_t infinite_lanes(const emulate::WaveView& view, const Plan::Operand& operand) {
  const init::Place& place = operand.place;
  if (!operand.exponents.any()) return 0;
  if (place.kind == Kind::Scalar) {
    const uint32_t word = view.sgpr(place.first - reg::kSgpr + (operand.type == isa::Type::F64 ? 1 : 0));
    return infinite_or_nan(word, operand.exponents) ? ~uint64_t{0} : 0;
  }
  if (place.kind != Kind::Vector) return 0;
  uint64_t lanes = 0;
  for (int d = operand.type == isa::Type::F64 ? 1 : 0; d < place.dwords;
       d += operand.type == isa::Type::F64 ? 2 : 1)
    lanes |= infinite_or_nan(row_of(view, place.first + d), operand.exponents);
  return lanes;
}

/// An operand's number in a lane; of pairs the low one.
double number(const emulate::WaveView& view, const Plan::Operand& operand, int lane) {
  const init::Place& place = operand.place;
  const auto at = static_cast<size_t>(lane);
  double value = 0;
  if (place.kind == Kind::None) {
    value = operand.type == isa::Type::F64 ? std::bit_cast<double>(place.constant)
                                           : std::bit_cast<float>(static_cast<uint32_t>(place.constant));
  } else {
    const auto word = [&](int d) {
      return place.kind == Kind::Vector ? row_of(view, place.first + d)[at]
                                        : view.sgpr(place.first - reg::kSgpr + d);
    };
    if (operand.type == isa::Type::F64)
      value = std::bit_cast<double>(word(0) | uint64_t{word(1)} << 32);
    else if (operand.type == isa::Type::F32)
      value = std::bit_cast<float>(word(0));
    else
      value = std::nan("");
  }
  if (operand.absolute) value = std::fabs(value);
  return operand.negate ? -value : value;
}

bool overlaps(const init::Place& a, const init::Place& b) {
  return a.kind == Kind::Vector && b.kind == Kind::Vector && a.first < b.first + b.dwords &&
         b.first < a.first + a.dwords;
}

}  // namespace

std::unique_ptr<emulate::WorkgroupListener> LaunchListener::workgroup(const emulate::WorkgroupView& view) {
  return std::make_unique<Workgroup>(*this, view);
}

void Workgroup::wave_begins(const emulate::WaveView& view) {
  if (waves_.size() <= view.index()) waves_.resize(view.index() + 1);
  waves_[view.index()] = std::make_unique<Wave>();
}

void Workgroup::instruction(const emulate::WaveView& view, const emulate::Site& site) {
  finish(view);
  ++event_;
  Wave& wave = *waves_[view.index()];
  wave.next_dword = wave.next_place = 0;
  const Plan& plan = launch_.plan(site);
  if (plan.moves && view.exec()) begin(wave, view, site, plan);
}

void Workgroup::begin(Wave& wave, const emulate::WaveView& view, const emulate::Site& site,
                      const Plan& plan) {
  wave.marked = {};
  if (plan.reads.meet(wave.dirty))
    for (const Plan::Operand& source : plan.sources)
      for (int d = 0; source.place.kind == Kind::Vector && d < source.place.dwords; ++d) {
        const Mark& mark = wave.marks[size_t{source.place.first} + static_cast<size_t>(d)];
        if (!mark.lanes) continue;
        wave.marked.lanes |= mark.lanes;
        wave.marked.maker = mark.maker;
      }
  if (plan.scalars && wave.any_scalar)
    for (const Plan::Operand& source : plan.sources) {
      const auto s = static_cast<size_t>(source.place.first - reg::kSgpr);
      for (size_t d = 0; source.place.kind == Kind::Scalar && d < source.place.dwords && s + d < kScalars;
           ++d)
        if (const uint32_t maker = wave.scalar_makers[s + d]) wave.marked = {~uint64_t{0}, maker};
    }
  if (plan.small_sources) note_small(wave, view, plan);
  if (plan.converts && plan.most != 0) check_range(view, site, plan);
  if (plan.sums && launch_.cancellation) check_cancellation(view, site, plan);
  // Of others it is known beforehand that no mark comes or goes.
  const bool written = plan.writes.meet(wave.dirty) || (plan.scalars && wave.any_scalar);
  if (!plan.floats && !wave.marked.lanes && !written && !plan.small_sources) return;
  wave.site = &site;
  wave.plan = &plan;
  wave.exec = plan.matrix ? ~uint64_t{0} : view.exec();
  wave.infinite = plan.floats ? infinite_sources(wave, view, true) : 0;
}

/// Lanes in which a source is not finite: of those that the results replace, or of the others.
uint64_t Workgroup::infinite_sources(const Wave& wave, const emulate::WaveView& view, bool replaced) const {
  uint64_t lanes = 0;
  for (const Plan::Operand& source : wave.plan->sources) {
    const bool over = std::any_of(wave.plan->results.begin(), wave.plan->results.end(),
                                  [&](const auto& result) { return overlaps(source.place, result.place); });
    if (over == replaced) lanes |= infinite_lanes(view, source);
  }
  return lanes && wave.plan->across ? ~uint64_t{0} : lanes;
}

void Workgroup::finish(const emulate::WaveView& view) {
  Wave& wave = *waves_[view.index()];
  if (!wave.plan) return;
  look_at_results(wave, view);
  wave.plan = nullptr;
}

void Workgroup::look_at_results(Wave& wave, const emulate::WaveView& view) {
  const Plan& plan = *wave.plan;
  if (plan.converts && plan.floats) check_underflow(wave, view);
  if (plan.small_sources) check_small(wave, view);
  const uint64_t every = view.lanes() == 64 ? ~uint64_t{0} : 0xffffffffu;
  const uint64_t written = wave.exec & every;
  for (const Plan::Operand& result : plan.results) {
    if (result.place.kind == Kind::Scalar) look_at_scalar(wave, view, result);
    if (result.place.kind != Kind::Vector) continue;
    const bool wide = result.type == isa::Type::F64;
    for (int d = 0; d < result.place.dwords; ++d) {
      const auto r = static_cast<uint16_t>(result.place.first + d);
      // What is no float may hold one: a move, a selection, two halves.
      const Exponents exponents = result.exponents.any() ? result.exponents : exponents_of(isa::Type::V2F16);
      if (result.exponents.any() && wide && d == 0) continue;
      const auto row = row_of(view, r);
      uint64_t lanes = infinite_or_nan(row, exponents) & written;
      if (!result.exponents.any()) lanes |= infinite_or_nan(row, exponents_of(isa::Type::V2BF16)) & written;
      const uint64_t from = wave.marked.lanes && plan.across ? ~uint64_t{0} : wave.marked.lanes;
      if (lanes & from) {
        mark(wave, r, lanes & from, wave.marked, written);
        continue;
      }
      uint64_t made = 0;
      if (lanes && result.exponents.any()) made = lanes & ~wave.infinite;
      if (made) made &= ~infinite_sources(wave, view, false);
      Mark fresh;
      if (made) {
        Maker maker = here(view, *wave.site, made);
        const auto first = static_cast<size_t>(std::countr_zero(made));
        maker.nan = is_nan(row[first], result.exponents, wide ? row_of(view, r - 1)[first] : 0);
        maker.converts = plan.converts;
        maker.single = result.type == isa::Type::F32;
        fresh.maker = number_of(maker);
      }
      mark(wave, r, made, fresh, written);
    }
  }
}

uint32_t Workgroup::number_of(const Maker& maker) {
  const auto known = std::find_if(makers_.begin() + 1, makers_.end(), [&](const Maker& one) {
    return one.site == maker.site && one.nan == maker.nan;
  });
  const auto number = static_cast<uint32_t>(known - makers_.begin());
  if (known == makers_.end()) makers_.push_back(maker);
  return number;
}

/// A scalar register's number is the same in all lanes.
void Workgroup::look_at_scalar(Wave& wave, const emulate::WaveView& view, const Plan::Operand& result) {
  const auto s = static_cast<size_t>(result.place.first - reg::kSgpr);
  for (size_t d = 0; d < result.place.dwords && s + d < kScalars; ++d) {
    const uint32_t bits = view.sgpr(static_cast<int>(s + d));
    uint32_t& maker = wave.scalar_makers[s + d];
    // What is no float may hold one, as of vectors.
    const bool special = result.exponents.any() ? infinite_or_nan(bits, result.exponents)
                                                : infinite_or_nan(bits, exponents_of(isa::Type::V2F16)) ||
                                                      infinite_or_nan(bits, exponents_of(isa::Type::V2BF16));
    maker = 0;
    if (special && wave.marked.lanes) {
      maker = wave.marked.maker;
    } else if (special && result.exponents.any() && result.type != isa::Type::F64 && !wave.infinite &&
               !infinite_sources(wave, view, false)) {
      Maker made = here(view, *wave.site, 0);
      made.nan = is_nan(bits, result.exponents);
      made.converts = wave.plan->converts;
      made.single = result.type == isa::Type::F32;
      maker = number_of(made);
    }
    wave.any_scalar |= maker != 0;
  }
}

void Workgroup::note_small(Wave& wave, const emulate::WaveView& view, const Plan& plan) const {
  for (size_t i = 0; i < plan.small_sources && i < plan.sources.size(); ++i) {
    wave.beyond[i] = wave.other_than_0[i] = 0;
    for (uint64_t left = view.exec(); left; left &= left - 1) {
      const double value = number(view, plan.sources[i], std::countr_zero(left));
      if (plan.small.is_beyond(value)) wave.beyond[i] |= left & -left;
      if (std::isfinite(value) && value != 0) wave.other_than_0[i] |= left & -left;
    }
  }
}

void Workgroup::check_small(const Wave& wave, const emulate::WaveView& view) {
  const Plan& plan = *wave.plan;
  if (plan.results.empty() || plan.results[0].place.kind != Kind::Vector) return;
  const init::Place& place = plan.results[0].place;
  const auto row = row_of(view, place.first);
  uint64_t over = 0, clamped = 0, under = 0;
  for (size_t i = 0; i < plan.small_sources; ++i)
    for (uint64_t left = wave.other_than_0[i]; left; left &= left - 1) {
      const uint64_t lane = left & -left;
      const uint32_t byte = row[static_cast<size_t>(std::countr_zero(left))] >> (place.shift + 8 * i) & 0xff;
      if (wave.beyond[i] & lane) (plan.small.is_special(byte) ? over : clamped) |= lane;
      if ((byte & 0x7f) == 0 && !plan.small.is_special(byte)) under |= lane;
    }
  const auto say = [&](const char* rule, Severity severity, const char* what, const char* fix,
                       uint64_t lanes) {
    if (lanes) tell(rule, severity, what, fix, here(view, *wave.site, lanes), nullptr, 0, 0);
  };
  say("overflow", Severity::Warning, "a finite number is too large for the 8 bits that it is converted to",
      "scale it, or clamp it", over);
  say("saturation", Severity::Hint, "a number is cut to the largest that 8 bits hold", "scale it", clamped);
  say("underflow", Severity::Hint, "a number becomes 0 in a conversion to 8 bits",
      "scale it, or keep it wider", under);
}

void Workgroup::mark(Wave& wave, uint16_t r, uint64_t lanes, const Mark& from, uint64_t written) {
  Mark& mark = wave.marks[r];
  const uint64_t bit = uint64_t{1} << (r % 64);
  uint64_t& word = wave.dirty[r / 64];
  if (!lanes && !(word & bit)) return;
  mark.lanes = (mark.lanes & ~written) | lanes;
  if (lanes) mark.maker = from.maker;
  mark.lanes ? word |= bit : word &= ~bit;
}

void Workgroup::check_range(const emulate::WaveView& view, const emulate::Site& site, const Plan& plan) {
  const Plan::Operand& source = plan.sources[0];
  if (source.type != isa::Type::F32 && source.type != isa::Type::F64) return;
  uint64_t lanes = 0;
  for (uint64_t left = view.exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const double value = number(view, source, lane);
    if (std::isfinite(value) && (value >= plan.most + 1 || value <= plan.least - 1))
      lanes |= uint64_t{1} << lane;
  }
  if (lanes)
    tell("integer-overflow", Severity::Warning,
         "a number that the integer type cannot hold is converted to it", "compare it with the limits first",
         here(view, site, lanes), nullptr, 0, 0);
}

void Workgroup::check_underflow(const Wave& wave, const emulate::WaveView& view) {
  const Plan::Operand &source = wave.plan->sources[0], &result = wave.plan->results[0];
  // Of pairs only what has a register of its own is looked at.
  if (source.type != isa::Type::F32 || source.place.kind != Kind::Vector || source.place.lanes ||
      result.place.kind != Kind::Vector ||
      (result.type != isa::Type::F16 && result.type != isa::Type::V2F16) ||
      overlaps(source.place, result.place))
    return;
  const auto from = row_of(view, source.place.first), to = row_of(view, result.place.first);
  uint64_t lanes = 0;
  for (uint64_t left = wave.exec; left; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    if (lane >= from.size()) break;
    if ((from[lane] & 0x7fffffff) != 0 && (to[lane] >> result.place.shift & 0x7fff) == 0)
      lanes |= uint64_t{1} << lane;
  }
  if (lanes)
    tell("underflow", Severity::Hint, "a number becomes 0 in a conversion", "scale it, or keep it wider",
         here(view, *wave.site, lanes), nullptr, 0, 0);
}

void Workgroup::check_cancellation(const emulate::WaveView& view, const emulate::Site& site,
                                   const Plan& plan) {
  const bool wide = plan.sources[0].type == isa::Type::F64, fused = plan.sources.size() > 2;
  const std::string& name = site.instruction.mnemonic;
  const bool subtracts = name == "v_sub_f32", reversed = name == "v_subrev_f32";
  const int lost = wide ? 26 : 12;  // half of the mantissa
  uint64_t lanes = 0;
  for (uint64_t left = view.exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    double a = number(view, plan.sources[0], lane), b = number(view, plan.sources[1], lane);
    if (fused) {
      a *= b;
      b = number(view, plan.sources[2], lane);
    }
    const double sum = subtracts ? a - b : reversed ? b - a : a + b;
    const double largest = std::max(std::fabs(a), std::fabs(b));
    if (std::isfinite(sum) && sum != 0 && std::isfinite(largest) &&
        std::ilogb(largest) - std::ilogb(sum) >= lost)
      lanes |= uint64_t{1} << lane;
  }
  if (lanes)
    tell("cancellation", Severity::Hint,
         "numbers that are nearly equal are subtracted: more than half of the digits go",
         "rearrange the formula, or compute this part wider", here(view, site, lanes), nullptr, 0, 0);
}

void Workgroup::access(const emulate::WaveView& view, const emulate::Site& site,
                       const emulate::MemoryAccess& access) {
  const Plan& plan = launch_.plan(site);
  if (!plan.memory || access.scalar) return;
  Wave& wave = *waves_[view.index()];
  if (access.direction == isa::Direction::Load)
    load(wave, plan, access);
  else
    store(wave, view, site, plan, access);
}

void Workgroup::load(Wave& wave, const Plan& plan, const emulate::MemoryAccess& access) {
  using emulate::AddressSpace;
  const bool lds = access.space == AddressSpace::Lds;
  auto& held = lds ? lds_ : wave.scratch;
  const uint32_t dwords = (access.bytes + 3) / 4;
  for (uint32_t d = 0; d < dwords && wave.next_dword + d < plan.result.count; ++d) {
    const auto r = static_cast<uint16_t>(plan.result.first + wave.next_dword + d);
    if (r >= kRegisters) break;
    Mark found;
    if (access.space != AddressSpace::Global && !held.empty())
      for (uint64_t left = access.lanes; left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const uint64_t dword = access.address[lane] / 4 + d;
        const auto known = held.find(lds ? dword : dword * 64 + static_cast<uint64_t>(lane));
        if (known == held.end()) continue;
        found.lanes |= uint64_t{1} << lane;
        found.maker = known->second;
      }
    mark(wave, r, found.lanes, found, access.lanes);
  }
  wave.next_dword += dwords;
}

void Workgroup::store(Wave& wave, const emulate::WaveView& view, const emulate::Site& site, const Plan& plan,
                      const emulate::MemoryAccess& access) {
  using emulate::AddressSpace;
  const isa::RegisterRange data = wave.next_place++ == 0 || !plan.second.count ? plan.data : plan.second;
  const bool lds = access.space == AddressSpace::Lds, global = access.space == AddressSpace::Global;
  auto& held = lds ? lds_ : wave.scratch;
  for (uint32_t d = 0; d < data.count && data.first + d < kRegisters; ++d) {
    const Mark& mark = wave.marks[data.first + d];
    const uint64_t lanes = mark.lanes & access.lanes;
    if (lanes && global) {
      const Maker& maker = makers_[mark.maker];
      // What is stored may differ from what it began with: an infinity less an infinity.
      const auto stored =
          row_of(view, data.first + static_cast<int>(d))[static_cast<size_t>(std::countr_zero(lanes))];
      const Exponents single = exponents_of(isa::Type::F32);
      const bool nan = maker.single && infinite_or_nan(stored, single) ? is_nan(stored, single) : maker.nan;
      if (maker.converts)
        tell("overflow", Severity::Warning,
             "a finite number is too large for what it is converted to, and is stored",
             "scale it, or clamp it", maker, &site, view.index(), lanes);
      else
        tell(
            nan ? "nan" : "infinity", Severity::Warning,
            nan ? "a NaN is stored that comes of finite numbers"
                : "an infinity is stored that comes of finite numbers",
            nan ? "keep 0/0, inf-inf and roots of negative numbers out" : "scale, or keep the divisor from 0",
            maker, &site, view.index(), lanes);
    }
    if (global || (!lanes && held.empty())) continue;
    for (uint64_t left = access.lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t dword = access.address[lane] / 4 + d,
                     key = lds ? dword : dword * 64 + static_cast<uint64_t>(lane);
      if (lanes >> lane & 1)
        held[key] = mark.maker;
      else
        held.erase(key);
    }
  }
}

void Workgroup::tell(std::string_view rule, Severity severity, std::string_view what, std::string_view fix,
                     const Maker& maker, const emulate::Site* stores, uint32_t wave, uint64_t lanes) {
  launch_.findings.add({.rule = rule, .first = maker.site->instruction.pc},
                       {launch_.launch.id, launch_.launch.number_of(id_), maker.event}, [&] {
                         Finding finding{
                             .topic = Topic::Numeric,
                             .rule = std::string(rule),
                             .severity = severity,
                             .what = std::string(what),
                             .parties = {party(launch_.launch, "begins with", maker.site->instruction, id_,
                                               maker.wave, maker.lanes)},
                             .fix = std::string(fix)};
                         if (stores)
                           finding.parties.push_back(
                               party(launch_.launch, "stores it", stores->instruction, id_, wave, lanes));
                         return finding;
                       });
}

}  // namespace wavesmith::check::numeric
