// Values lane by lane and arithmetic on them: `U + f(lane)`, where U is the same for all lanes of the wave
// and known only up to the power of two that divides it, and f is known for each lane.
#pragma once

#include <array>
#include <cstdint>
#include <map>
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
  uint8_t rows = 0;  ///< of RunTimeStride: so many different multiples of what is only known at run time
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

 private:
  std::map<PerLane, uint32_t> numbers_;
  std::vector<const PerLane*> functions_;
};

/// U is 0.
inline constexpr uint8_t kExactLanes = 32;
/// Low bits of a number that are 0; kExactLanes of 0.
int trailing_zeros(int64_t value);
bool is_constant(const PerLane& f);

}  // namespace wavesmith::analysis
