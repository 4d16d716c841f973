// What registers hold lane by lane, as far as it follows from the lane's number and from constants: the
// addresses of memory accesses.
//
// A value is `U + f(lane)`: U the same for all lanes of the wave, of which only is known by which power of
// two it can be divided; f known for each lane. That is what index arithmetic keeps: the work-item's number,
// sums, shifts, masks, products with constants. What is loaded, or multiplied by an argument, is unknown,
// with the reason.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/code.h"
#include "analysis/exec.h"
#include "analysis/graph.h"

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
  [[nodiscard]] bool known() const { return function != kNone; }
  bool operator==(const LaneValue&) const = default;
};

/// How work-items lie in the workgroup, for what v0 holds at the start.
struct WorkgroupShape {
  bool uses_x_alone = true;  ///< the kernel asks for no other number
  uint32_t size[3] = {};     ///< 0: not known
};

class LaneValues {
 public:
  LaneValues(const Code& code, const Graph& graph, const ExecSets& exec, const WorkgroupShape& shape);

  /// Of a register before an instruction, for the lanes that it runs for.
  [[nodiscard]] LaneValue before(uint32_t instruction, uint16_t r);
  /// Of the operand that is the address of a memory instruction: its first register.
  [[nodiscard]] LaneValue address(uint32_t instruction) const;
  [[nodiscard]] const PerLane& function(uint32_t number) const { return *functions_[number]; }

 private:
  using State = std::vector<LaneValue>;
  LaneValue known(const PerLane& f, int zeros, uint32_t lanes);
  LaneValue constant(int64_t value);
  [[nodiscard]] LaneValue unknown(Reason reason) const { return {kNone, 0, reason, LaneSets::kAll}; }
  [[nodiscard]] LaneValue uniform(uint8_t zeros);
  LaneValue read(const isa::Operand& operand, const State& state, uint32_t lanes);
  LaneValue compute(uint32_t i, const isa::Instruction& in, const State& state);
  void step(uint32_t i, State& state);
  LaneValue merge(const LaneValue& a, const LaneValue& b);
  LaneValue add(const LaneValue& a, const LaneValue& b, int sign = 1);
  LaneValue multiply(const LaneValue& a, const LaneValue& b);
  LaneValue low24(const LaneValue& a);
  LaneValue shift_left(const LaneValue& a, const LaneValue& by);
  LaneValue shift_right(const LaneValue& a, const LaneValue& by, bool arithmetic);
  template <class Operation>
  LaneValue bitwise(const LaneValue& a, const LaneValue& b, Operation operation);
  void start(const WorkgroupShape& shape, State& state);
  void solve(const WorkgroupShape& shape);
  [[nodiscard]] uint32_t slot(uint16_t r) const { return number_[r]; }

  const Code& code_;
  const Graph& graph_;
  const ExecSets& exec_;
  std::vector<uint32_t> number_;  ///< dense number of a register
  uint32_t registers_ = 0;
  std::map<PerLane, uint32_t> numbers_;
  std::vector<const PerLane*> functions_;
  std::vector<std::vector<LaneValue>> in_;
  std::vector<LaneValue> addresses_;  ///< by instruction
};

}  // namespace wavesmith::analysis
