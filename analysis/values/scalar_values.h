// Register contents at a point of the code, as formulas of the kernel's arguments, the ids of work-item and
// workgroup, and the registers at the start of a loop's pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/values/formula_domain.h"
#include "analysis/values/trips.h"

namespace wavesmith::analysis {

class ScalarValues {
 public:
  ScalarValues(const Code& code, const Graph& graph, const EntryValues& entry);

  /// A 32-bit operand of instruction `i`; `part` selects one of several registers.
  Formula operand(const isa::Operand& operand, uint32_t i, uint16_t part = 0);
  /// A node of the expression of instruction `i`.
  Formula meaning(uint32_t i, isa::Expression::Id id);
  /// A register before instruction `i`.
  Formula before(uint32_t i, uint16_t r);
  /// A register at the end of a block.
  Formula at_end(uint32_t block, uint16_t r);

  /// What register `r` held when a pass of `loop` began, as an atom.
  static std::string carried(uint32_t loop, uint16_t r);
  /// The register of such an atom of this loop; kNone for other atoms.
  static uint32_t carried_register(uint32_t loop, const std::string& atom);

  /// The last instruction before `i` in its block that writes `r`; kNone: there is none.
  [[nodiscard]] uint32_t writer_in_block(uint32_t i, uint16_t r) const;

 private:
  Formula at_begin(uint32_t block, uint16_t r);
  Formula written(uint32_t i, uint16_t r);
  Formula loaded(uint32_t i, uint16_t part);
  Formula source(const isa::Node& node, uint32_t i, uint16_t part);
  [[nodiscard]] bool writes(uint32_t block, uint16_t r) const;
  [[nodiscard]] bool written_between(uint32_t dominator, uint32_t block, uint16_t r) const;

  const Code& code_;
  const Graph& graph_;
  const EntryValues& entry_;
  std::vector<std::string> halves_;  ///< arguments of 16 bits
  int depth_ = 0, steps_ = 0;
};

}  // namespace wavesmith::analysis
