// The control-flow graph: basic blocks, dominators, natural loops.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

struct Graph {
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  std::vector<Function> functions;
  std::vector<uint32_t> block_of;      ///< by instruction
  std::vector<uint32_t> reverse_post;  ///< blocks in reverse post-order
  std::vector<Unknown> unknown;        ///< loops with several entries
};

/// Builds the graph. A call's successor is the next instruction; the callee is a function of its own. The
/// figures of loops are filled in elsewhere.
Graph make_graph(const Code& code);

/// Whether every path from the function's entry to `block` goes through `dominator`.
bool dominates(const Graph& graph, uint32_t dominator, uint32_t block);
/// Whether `block` is in `loop` or in one within it.
bool contains(const Graph& graph, uint32_t loop, uint32_t block);

}  // namespace wavesmith::analysis
