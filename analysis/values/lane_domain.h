// The domain of values lane by lane: evaluates an instruction's operations (isa/meaning) on them.
#pragma once

#include <array>
#include <optional>

#include "analysis/values/lane_arithmetic.h"
#include "isa/meaning/expression.h"

namespace wavesmith::analysis {

/// An operand: a lane value keeps the low 32 bits, `number` all 64 of a constant.
struct LaneOperand {
  LaneValue lanes;
  std::optional<uint64_t> number = {};
};

/// `Source` gives the LaneOperand of a Node that is an Op::Source.
template <class Source>
class LaneDomain;

/// Every operation except the sources.
class LaneOperations {
 public:
  using Value = LaneOperand;
  LaneOperations(LaneArithmetic& values, int wave_lanes) : values_(values), wave_lanes_(wave_lanes) {}
  Value operation(const isa::Node& node, const std::array<Value, 3>& arguments);

 protected:
  /// The value of a leaf that is not a source.
  Value number(const isa::Node& node);

 private:
  [[nodiscard]] std::optional<LaneValue> exact(const isa::Node& node, const std::array<Value, 3>& arguments);
  [[nodiscard]] LaneValue followed(const isa::Node& node, const std::array<Value, 3>& arguments);
  [[nodiscard]] LaneValue read_lane(const LaneValue& from, const std::optional<uint64_t>& lane);
  [[nodiscard]] LaneValue select(const isa::Node& node, const std::array<Value, 3>& arguments);
  [[nodiscard]] LaneValue other(const isa::Node& node, const std::array<Value, 3>& arguments);
  [[nodiscard]] LaneValue low(const LaneValue& value, int bits);

  LaneArithmetic& values_;
  int wave_lanes_;
};

template <class Source>
class LaneDomain : public LaneOperations {
 public:
  LaneDomain(LaneArithmetic& values, int wave_lanes, Source source)
      : LaneOperations(values, wave_lanes), source_(source) {}
  LaneOperand leaf(const isa::Node& node) {
    return node.op == isa::Op::Source ? source_(node) : number(node);
  }

 private:
  Source source_;
};

}  // namespace wavesmith::analysis
