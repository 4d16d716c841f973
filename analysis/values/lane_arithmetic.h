// Values lane by lane and arithmetic on them: `U + f(lane)`, where U is the same for all lanes of the wave
// and known only up to the power of two that divides it, and f is known for each lane. A matrix whose size is
// an argument has lanes at `U + f(lane) + R * g(lane)`, where R is the same for all lanes and not known: no
// address is, but how many different ones there are.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/report.h"
#include "analysis/values/exec.h"

namespace wavesmith::analysis {

/// Why a value is not known.
enum class Reason : uint8_t { None, NotWritten, Loaded, RunTimeStride, Computed, Paths, Masked, Shape };
std::string_view text_of(Reason reason);

using PerLane = std::array<int32_t, 64>;

struct LaneValue {
  uint32_t function = kNone;  ///< of LaneValues::function(); kNone: not known
  uint8_t zeros = 0;          ///< low bits of U that are 0; 32: U is 0
  Reason reason = Reason::None;
  uint32_t lanes = LaneSets::kAll;  ///< the set of lanes that it holds for
  // Of RunTimeStride.
  uint8_t rows = 0;            ///< so many different multiples of what is only known at run time
  uint32_t multiples = kNone;  ///< the function g; kNone: not followed
  uint32_t beside = kNone;     ///< the function f, less what lane 0 has
  bool bounded = false;        ///< lanes may have all bits set instead, which is outside of any buffer
  [[nodiscard]] bool known() const { return function != kNone; }
  bool operator==(const LaneValue&) const = default;
};

/// Computes values from values. Each function of lanes is stored once.
class LaneArithmetic {
 public:
  [[nodiscard]] const PerLane& function(uint32_t number) const { return *functions_[number]; }

  LaneValue known(const PerLane& f, int zeros, uint32_t lanes);
  LaneValue constant(int64_t value);
  [[nodiscard]] static LaneValue unknown(Reason reason) { return {kNone, 0, reason, LaneSets::kAll}; }
  [[nodiscard]] LaneValue uniform(uint8_t zeros);
  LaneValue add(const LaneValue& a, const LaneValue& b, int sign = 1);
  LaneValue multiply(const LaneValue& a, const LaneValue& b);
  LaneValue shift_left(const LaneValue& a, const LaneValue& by);
  LaneValue shift_right(const LaneValue& a, const LaneValue& by, bool arithmetic);
  LaneValue bitwise(const LaneValue& a, const LaneValue& b, int32_t (*operation)(int32_t, int32_t));
  /// The value where two paths meet.
  LaneValue merge(const LaneValue& a, const LaneValue& b);
  /// A value of RunTimeStride that was changed in a way which leaves no more than the number of its rows.
  [[nodiscard]] static LaneValue rows_alone(LaneValue value);
  /// What is left of a value that is not known where another one may stand in its place.
  [[nodiscard]] static LaneValue kept(LaneValue given_up, const LaneValue& other);
  /// The value in some lanes, all bits set in the others.
  [[nodiscard]] static LaneValue bounded(const LaneValue& value);
  /// Bytes that an access to these places names, those that lanes share counted once; nullopt: not known.
  [[nodiscard]] std::optional<double> distinct_bytes(const LaneValue& places, uint32_t bytes,
                                                     uint32_t lanes) const;

 private:
  [[nodiscard]] LaneValue strided(const PerLane& multiples);
  [[nodiscard]] LaneValue strided_sum(const LaneValue& a, const LaneValue& b, int sign);
  [[nodiscard]] LaneValue strided_product(const LaneValue& a, const LaneValue& b);

  std::map<PerLane, uint32_t> numbers_;
  std::vector<const PerLane*> functions_;
};

/// U is 0.
inline constexpr uint8_t kExactLanes = 32;
/// Low bits of a number that are 0; kExactLanes of 0.
int trailing_zeros(int64_t value);
bool is_constant(const PerLane& f);

}  // namespace wavesmith::analysis
