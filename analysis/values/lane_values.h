// Register contents lane by lane, as far as they follow from the lane's number and constants: what addresses
// of memory accesses are computed from.
//
// A value is `U + f(lane)`: U is the same for all lanes of the wave and known only up to the power of two
// that divides it; f is known for each lane. Index arithmetic keeps this form: the work-item's number, sums,
// shifts, masks, products with constants. Values that are loaded or multiplied by an argument are unknown,
// with the reason.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/values/exec.h"
#include "analysis/values/lane_domain.h"

namespace wavesmith::analysis {

/// The workgroup's shape, which determines the initial value of v0.
struct WorkgroupShape {
  bool uses_x_alone = true;  ///< the kernel asks for no other number
  uint32_t size[3] = {};     ///< 0: not known
  bool first_wave = false;   ///< of the workgroup, whose number is then known; otherwise any
};

class LaneValues : public LaneArithmetic {
 public:
  LaneValues(const Code& code, const Graph& graph, const ExecSets& exec, const WorkgroupShape& shape);

  /// A register's value before an instruction, in the lanes for which that runs.
  [[nodiscard]] LaneValue before(uint32_t instruction, uint16_t r);
  /// The first register of a memory instruction's address operand.
  [[nodiscard]] LaneValue address(uint32_t instruction) const;
  /// Whether a branch before it may have disabled some of the lanes.
  [[nodiscard]] bool masked(uint32_t instruction) const { return exec_.of[instruction] != LaneSets::kAll; }

 private:
  using State = std::vector<LaneValue>;
  LaneValue read(const isa::Operand& operand, const State& state, uint32_t lanes);
  /// The value that an instruction writes to the first register of its result.
  LaneValue compute(uint32_t i, const isa::Instruction& in, const State& state);
  LaneValue meant(uint32_t i, const isa::Row& row, const State& state);
  LaneValue unfollowed(uint32_t i, const isa::Row* row, const State& state);
  LaneOperand source(uint32_t i, const isa::Row& row, uint64_t number, const State& state);
  void step(uint32_t i, State& state);
  LaneValue narrowed(const LaneValue& before, LaneValue now, bool settle);
  void start(const WorkgroupShape& shape, State& state);
  void solve(const WorkgroupShape& shape);
  [[nodiscard]] uint32_t slot(uint16_t r) const { return number_[r]; }

  const Code& code_;
  const Graph& graph_;
  const ExecSets& exec_;
  std::vector<uint32_t> number_;  ///< dense number of a register
  uint32_t registers_ = 0;
  std::vector<std::vector<LaneValue>> in_;
  std::vector<LaneValue> addresses_;  ///< by instruction
};

}  // namespace wavesmith::analysis
