// What registers hold lane by lane, as far as it follows from the lane's number and from constants: the
// addresses of memory accesses.
//
// A value is `U + f(lane)`: U the same for all lanes of the wave, of which only is known by which power of
// two it can be divided; f known for each lane. That is what index arithmetic keeps: the work-item's number,
// sums, shifts, masks, products with constants. What is loaded, or multiplied by an argument, is unknown,
// with the reason.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/values/exec.h"
#include "analysis/values/lane_domain.h"

namespace wavesmith::analysis {

/// How work-items lie in the workgroup, for what v0 holds at the start.
struct WorkgroupShape {
  bool uses_x_alone = true;  ///< the kernel asks for no other number
  uint32_t size[3] = {};     ///< 0: not known
};

class LaneValues : public LaneArithmetic {
 public:
  LaneValues(const Code& code, const Graph& graph, const ExecSets& exec, const WorkgroupShape& shape);

  /// Of a register before an instruction, for the lanes that it runs for.
  [[nodiscard]] LaneValue before(uint32_t instruction, uint16_t r);
  /// Of the operand that is the address of a memory instruction: its first register.
  [[nodiscard]] LaneValue address(uint32_t instruction) const;
  /// Whether a branch before it may have left some of the lanes only.
  [[nodiscard]] bool masked(uint32_t instruction) const { return exec_.of[instruction] != LaneSets::kAll; }

 private:
  using State = std::vector<LaneValue>;
  LaneValue read(const isa::Operand& operand, const State& state, uint32_t lanes);
  /// What an instruction leaves in the first register of its result.
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
