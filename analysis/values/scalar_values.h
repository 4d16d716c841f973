// What a register holds at a place of the code, as a formula of the kernel's arguments, of the work-item's
// and the workgroup's number and of what a loop's registers held when its pass began.
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

  /// An operand of instruction `i`, a number of 32 bits. `part` of several registers.
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

  /// The instruction that wrote `r` last, within the block of `i`; kNone.
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
