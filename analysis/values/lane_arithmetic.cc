#include "analysis/values/lane_arithmetic.h"

#include <algorithm>
#include <bit>
#include <set>

namespace wavesmith::analysis {

int trailing_zeros(int64_t value) {
  return value == 0 ? kExactLanes
                    : std::min<int>(kExactLanes, std::countr_zero(static_cast<uint64_t>(value)));
}

namespace {

uint8_t distinct(const PerLane& f) {
  return static_cast<uint8_t>(std::set<int32_t>(f.begin(), f.end()).size());
}

bool is_strided(const LaneValue& value) { return !value.known() && value.reason == Reason::RunTimeStride; }

}  // namespace

bool is_constant(const PerLane& f) {
  return std::all_of(f.begin(), f.end(), [&](int32_t x) { return x == f[0]; });
}

std::string_view text_of(Reason reason) {
  switch (reason) {
    case Reason::None:
      return "";
    case Reason::NotWritten:
      return "nothing in sight writes the address";
    case Reason::Loaded:
      return "the address depends on what is loaded";
    case Reason::RunTimeStride:
      return "the distance between lanes is only known at run time";
    case Reason::Computed:
      return "the address is computed in a way that is not followed";
    case Reason::Paths:
      return "the address depends on the path";
    case Reason::Masked:
      return "the address was written for other lanes";
    case Reason::Shape:
      return "the workgroup's shape is only known at launch";
  }
  return "";
}

LaneValue LaneArithmetic::known(const PerLane& f, int zeros, uint32_t lanes) {
  const auto [found, added] = numbers_.try_emplace(f, static_cast<uint32_t>(functions_.size()));
  if (added) functions_.push_back(&found->first);
  return {found->second, static_cast<uint8_t>(std::clamp(zeros, 0, int{kExactLanes})), Reason::None, lanes};
}

LaneValue LaneArithmetic::constant(int64_t value) {
  PerLane f;
  f.fill(static_cast<int32_t>(value));
  return known(f, kExactLanes, LaneSets::kAll);
}

LaneValue LaneArithmetic::uniform(uint8_t zeros) {
  return known(PerLane{}, std::min<uint8_t>(zeros, kExactLanes - 1), LaneSets::kAll);
}

LaneValue LaneArithmetic::add(const LaneValue& a, const LaneValue& b, int sign) {
  if (is_strided(a) || is_strided(b)) return strided_sum(a, b, sign);
  if (!a.known()) return a;
  if (!b.known()) return b;
  PerLane f;
  for (size_t i = 0; i < f.size(); ++i)
    f[i] = static_cast<int32_t>(static_cast<uint32_t>(function(a.function)[i]) +
                                static_cast<uint32_t>(sign * function(b.function)[i]));
  return known(f, std::min(a.zeros, b.zeros), LaneSets::kAll);
}

LaneValue LaneArithmetic::multiply(const LaneValue& a, const LaneValue& b) {
  if (is_strided(a) || is_strided(b)) return strided_product(a, b);
  if (!a.known()) return a;
  if (!b.known()) return b;
  if (a.zeros != kExactLanes && b.zeros == kExactLanes) return multiply(b, a);
  const PerLane &f = function(a.function), &g = function(b.function);
  if (a.zeros == kExactLanes && is_constant(f)) {  // a constant times U + g
    PerLane product;
    for (size_t i = 0; i < product.size(); ++i)
      product[i] = static_cast<int32_t>(static_cast<uint32_t>(f[0]) * static_cast<uint32_t>(g[i]));
    return known(product, b.zeros == kExactLanes ? kExactLanes : std::min(31, b.zeros + trailing_zeros(f[0])),
                 LaneSets::kAll);
  }
  if (a.zeros == kExactLanes && b.zeros == kExactLanes) {
    PerLane product;
    for (size_t i = 0; i < product.size(); ++i)
      product[i] = static_cast<int32_t>(static_cast<uint32_t>(f[i]) * static_cast<uint32_t>(g[i]));
    return known(product, kExactLanes, LaneSets::kAll);
  }
  if (is_constant(f) && is_constant(g)) {
    const int za = std::min<int>(a.zeros, trailing_zeros(f[0])),
              zb = std::min<int>(b.zeros, trailing_zeros(g[0]));
    return uniform(static_cast<uint8_t>(std::min(31, za + zb)));
  }
  // (U + f) * (V + g) is U * V + f * V + U * g where f is the same for all lanes, of which U + f is R.
  if (is_constant(f)) return strided(g);
  if (is_constant(g)) return strided(f);
  LaneValue product = unknown(Reason::RunTimeStride);
  product.rows = std::max(distinct(f), distinct(g));
  return product;
}

LaneValue LaneArithmetic::strided(const PerLane& multiples) {
  LaneValue value = unknown(Reason::RunTimeStride);
  value.rows = distinct(multiples);
  value.multiples = known(multiples, 0, LaneSets::kAll).function;
  value.beside = known(PerLane{}, 0, LaneSets::kAll).function;
  return value;
}

LaneValue LaneArithmetic::rows_alone(LaneValue value) {
  value.multiples = value.beside = kNone;
  value.bounded = false;
  return value;
}

LaneValue LaneArithmetic::strided_sum(const LaneValue& a, const LaneValue& b, int sign) {
  // Of two, the one that lies in more rows.
  if (is_strided(a) && is_strided(b)) return rows_alone(a.rows >= b.rows ? a : b);
  const LaneValue &value = is_strided(a) ? a : b, &other = is_strided(a) ? b : a;
  if (!other.known()) return is_strided(a) ? rows_alone(a) : a;
  if (value.beside == kNone || value.bounded) return rows_alone(value);
  // Which of the two is negative does not matter to how many places there are.
  const PerLane &f = function(value.beside), &g = function(other.function);
  PerLane sum;
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<int32_t>(static_cast<uint32_t>(f[i]) +
                                  static_cast<uint32_t>(sign) *
                                      (static_cast<uint32_t>(g[i]) - static_cast<uint32_t>(g[0])));
  LaneValue result = value;
  result.beside = known(sum, 0, LaneSets::kAll).function;
  return result;
}

LaneValue LaneArithmetic::strided_product(const LaneValue& a, const LaneValue& b) {
  if (is_strided(a) && is_strided(b)) return rows_alone(a);
  const LaneValue &value = is_strided(a) ? a : b, &by = is_strided(a) ? b : a;
  if (!by.known()) return is_strided(a) ? rows_alone(a) : a;
  const PerLane& factor = function(by.function);
  if (value.beside == kNone || value.bounded || by.zeros != kExactLanes || !is_constant(factor))
    return rows_alone(value);
  LaneValue result = value;  // R becomes that many times as large
  PerLane product = function(value.beside);
  for (int32_t& x : product)
    x = static_cast<int32_t>(static_cast<uint32_t>(x) * static_cast<uint32_t>(factor[0]));
  result.beside = known(product, 0, LaneSets::kAll).function;
  return result;
}

LaneValue LaneArithmetic::bounded(const LaneValue& value) {
  if (!is_strided(value)) return unknown(value.known() ? Reason::Computed : value.reason);
  LaneValue result = value;
  result.bounded = true;
  return result;
}

std::optional<double> LaneArithmetic::distinct_bytes(const LaneValue& places, uint32_t bytes,
                                                     uint32_t lanes) const {
  if (!places.known() && (places.multiples == kNone || places.beside == kNone)) return std::nullopt;
  const PerLane& f = function(places.known() ? places.function : places.beside);
  std::vector<std::pair<int64_t, int64_t>> sorted;  // by row, where a row's bytes begin
  for (size_t l = 0; l < lanes; ++l)
    sorted.emplace_back(places.known() ? 0 : function(places.multiples)[l], f[l]);
  std::sort(sorted.begin(), sorted.end());
  int64_t sum = 0, row = INT64_MIN, end = 0;
  for (const auto& [of, begin] : sorted) {
    if (of != row) row = of, end = INT64_MIN;
    sum += std::max<int64_t>(0, begin + bytes - std::max(begin, end));
    end = std::max(end, begin + bytes);
  }
  return static_cast<double>(sum);
}

LaneValue LaneArithmetic::shift_left(const LaneValue& a, const LaneValue& by) {
  if (!a.known() && !is_strided(a)) return a;
  if (!by.known()) return rows_alone(by);
  if (is_strided(a) && (by.zeros != kExactLanes || !is_constant(function(by.function)))) return rows_alone(a);
  if (by.zeros != kExactLanes || !is_constant(function(by.function)))
    return is_constant(function(a.function)) && is_constant(function(by.function))
               ? uniform(0)
               : unknown(Reason::RunTimeStride);
  return multiply(constant(int64_t{1} << (function(by.function)[0] & 31)), a);
}

LaneValue LaneArithmetic::shift_right(const LaneValue& a, const LaneValue& by, bool arithmetic) {
  if (!a.known()) return rows_alone(a);
  if (!by.known()) return rows_alone(by);
  const PerLane& f = function(a.function);
  if (by.zeros != kExactLanes || !is_constant(function(by.function)))
    return is_constant(f) && is_constant(function(by.function)) ? uniform(0) : unknown(Reason::Computed);
  const int n = function(by.function)[0] & 31;
  // U and f may be shifted each by itself where U has zeros below and f stays within them.
  const bool apart =
      a.zeros == kExactLanes ||
      (a.zeros >= n && a.zeros < 32 &&
       std::all_of(f.begin(), f.end(), [&](int32_t x) { return x >= 0 && (int64_t{x} >> a.zeros) == 0; }));
  if (!apart) return is_constant(f) ? uniform(0) : unknown(Reason::Computed);
  PerLane shifted;
  for (size_t i = 0; i < shifted.size(); ++i)
    shifted[i] = arithmetic ? f[i] >> n : static_cast<int32_t>(static_cast<uint32_t>(f[i]) >> n);
  return known(shifted, a.zeros == kExactLanes ? kExactLanes : a.zeros - n, LaneSets::kAll);
}

LaneValue LaneArithmetic::bitwise(const LaneValue& a, const LaneValue& b,
                                  int32_t (*operation)(int32_t, int32_t)) {
  if (!a.known()) return rows_alone(a);
  if (!b.known()) return rows_alone(b);
  const PerLane &f = function(a.function), &g = function(b.function);
  const int zeros = std::min(a.zeros, b.zeros);
  PerLane result;
  for (size_t i = 0; i < result.size(); ++i) result[i] = operation(f[i], g[i]);
  if (zeros == kExactLanes) return known(result, kExactLanes, LaneSets::kAll);
  // Bits below U's lowest one are f's alone where f stays within them; those above are the same for all
  // lanes, if the other operand's are.
  const auto high_is_uniform = [&](const PerLane& h) {
    return std::all_of(h.begin(), h.end(), [&](int32_t x) { return x >> zeros == h[0] >> zeros; });
  };
  if (is_constant(f) && is_constant(g) && (f[0] >> zeros || g[0] >> zeros)) return uniform(0);
  if (!high_is_uniform(f) || !high_is_uniform(g)) return unknown(Reason::Computed);
  // A carry from f into U is no bit of its own.
  const auto stays = [&](const LaneValue& v, const PerLane& h) {
    return v.zeros == kExactLanes ||
           std::all_of(h.begin(), h.end(), [&](int32_t x) { return x >> zeros == 0; });
  };
  if (!stays(a, f) || !stays(b, g)) return unknown(Reason::Computed);
  const int32_t low = static_cast<int32_t>((uint32_t{1} << zeros) - 1);
  for (int32_t& x : result) x &= low;
  // An AND with a mask that has no bit above leaves nothing of U.
  const bool gone = (a.zeros == kExactLanes && operation(f[0] & ~low, -1) == 0 && operation(0, -1) == 0) ||
                    (b.zeros == kExactLanes && operation(-1, g[0] & ~low) == 0 && operation(-1, 0) == 0);
  return known(result, gone ? kExactLanes : zeros, LaneSets::kAll);
}

LaneValue LaneArithmetic::kept(LaneValue given_up, const LaneValue& other) {
  if (given_up.multiples != other.multiples || given_up.beside != other.beside) return rows_alone(given_up);
  given_up.bounded |= other.bounded;
  return given_up;
}

LaneValue LaneArithmetic::merge(const LaneValue& a, const LaneValue& b) {
  if (!a.known() || !b.known()) return kept(!a.known() ? a : b, !a.known() ? b : a);
  LaneValue merged = a;
  merged.zeros = std::min(a.zeros, b.zeros);
  if (a.function == b.function) return merged;
  // A value that grows by the same amount in all lanes from pass to pass: what lane 0 has goes to U.
  PerLane f = function(a.function);
  const PerLane g = function(b.function);
  const int32_t first = f[0];
  for (size_t i = 0; i < f.size(); ++i) {
    if (int64_t{g[i]} - f[i] != int64_t{g[0]} - first) return unknown(Reason::Paths);
  }
  for (int32_t& x : f) x = static_cast<int32_t>(static_cast<uint32_t>(x) - static_cast<uint32_t>(first));
  const int zeros =
      std::min({int{merged.zeros}, trailing_zeros(first), trailing_zeros(g[0]), kExactLanes - 1});
  return known(f, zeros, a.lanes);
}

}  // namespace wavesmith::analysis
