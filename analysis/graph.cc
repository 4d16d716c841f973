// Dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001). Loops: the back edges
// of the graph, those with one header taken together (Aho et al., "Compilers", section 9.6.6).
#include "analysis/graph.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace wavesmith::analysis {
namespace {

using isa::Flow;

void make_blocks(const Code& code, Graph& graph) {
  std::vector<bool> leader(code.size());
  const auto lead = [&](uint64_t pc) {
    if (const uint32_t at = code.at(pc); at != kNone) leader[at] = true;
  };
  lead(code.entry);
  for (const uint64_t pc : code.functions) lead(pc);
  for (uint32_t i = 0; i < code.size(); ++i) {
    const isa::Instruction& in = code.instructions[i];
    if (i == 0 || code.instructions[i - 1].pc + code.instructions[i - 1].size != in.pc) leader[i] = true;
    const auto edge = code.edges.find(i);
    if (edge != code.edges.end() && edge->second.kind == Edge::Kind::Jump) lead(edge->second.target);
    const bool ends = code.flow[i] == Flow::Conditional || !isa::goes_on(code.flow[i]);
    if (ends && i + 1 < code.size()) leader[i + 1] = true;
  }
  graph.block_of.resize(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (leader[i]) {
      if (!graph.blocks.empty()) graph.blocks.back().end = i;
      graph.blocks.push_back({.begin = i});
    }
    graph.block_of[i] = static_cast<uint32_t>(graph.blocks.size() - 1);
  }
  graph.blocks.back().end = static_cast<uint32_t>(code.size());
}

void connect(const Code& code, Graph& graph) {
  for (uint32_t b = 0; b < graph.blocks.size(); ++b) {
    Block& block = graph.blocks[b];
    const uint32_t last = block.end - 1;
    const auto add = [&](uint32_t to) {
      if (std::find(block.successors.begin(), block.successors.end(), to) != block.successors.end()) return;
      block.successors.push_back(to);
      graph.blocks[to].predecessors.push_back(b);
    };
    if (isa::goes_on(code.flow[last])) {
      const uint32_t next = code.at(code.instructions[last].pc + code.instructions[last].size);
      if (next != kNone) add(graph.block_of[next]);
    }
    const auto edge = code.edges.find(last);
    if (edge != code.edges.end() && edge->second.kind == Edge::Kind::Jump) {
      const uint32_t to = code.at(edge->second.target);
      if (to != kNone) add(graph.block_of[to]);
    }
  }
}

/// Blocks in reverse post-order from the entries of all functions; each block belongs to the function that
/// reaches it first.
void order(Graph& graph, std::vector<uint32_t>& number) {
  std::vector<uint8_t> seen(graph.blocks.size());
  std::vector<uint32_t> post;
  for (uint32_t f = static_cast<uint32_t>(graph.functions.size()); f-- > 0;) {
    const uint32_t entry = graph.functions[f].entry;
    if (entry == kNone || seen[entry]) continue;
    std::vector<std::pair<uint32_t, size_t>> stack{{entry, 0}};
    seen[entry] = 1;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      graph.blocks[block].function = f;
      if (next < graph.blocks[block].successors.size()) {
        const uint32_t to = graph.blocks[block].successors[next++];
        if (!seen[to]) seen[to] = 1, stack.emplace_back(to, 0);
      } else {
        post.push_back(block);
        stack.pop_back();
      }
    }
  }
  graph.reverse_post.assign(post.rbegin(), post.rend());
  number.assign(graph.blocks.size(), kNone);
  for (uint32_t i = 0; i < graph.reverse_post.size(); ++i) number[graph.reverse_post[i]] = i;
}

void find_dominators(Graph& graph, const std::vector<uint32_t>& number) {
  auto& blocks = graph.blocks;
  std::set<uint32_t> entries;
  for (const Function& function : graph.functions)
    if (function.entry != kNone)
      entries.insert(function.entry), blocks[function.entry].dominator = function.entry;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      const uint32_t later = number[a] > number[b] ? a : b;
      const uint32_t up = blocks[later].dominator;
      if (up == later) return kNone;  // two functions share this code
      (number[a] > number[b] ? a : b) = up;
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t b : graph.reverse_post) {
      if (entries.contains(b)) continue;
      uint32_t dominator = kNone;
      bool first = true;
      for (const uint32_t p : blocks[b].predecessors) {
        if (number[p] == kNone || blocks[p].dominator == kNone) continue;
        dominator = first ? p : dominator == kNone ? kNone : meet(p, dominator);
        first = false;
      }
      if (dominator != blocks[b].dominator) blocks[b].dominator = dominator, changed = true;
    }
  }
  for (const uint32_t entry : entries) blocks[entry].dominator = kNone;
}

/// Loops with several entries: what lies on a way from an edge's target to its source, within the smallest
/// natural loop that has both. Its header is the target.
void add_unnatural_loops(Graph& graph, const std::vector<uint32_t>& number,
                         const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  const size_t natural = graph.loops.size();
  for (const auto& [from, to] : edges) {
    const Loop* around = nullptr;
    for (size_t l = 0; l < natural; ++l) {
      const auto& blocks = graph.loops[l].blocks;
      const bool both = std::binary_search(blocks.begin(), blocks.end(), from) &&
                        std::binary_search(blocks.begin(), blocks.end(), to);
      if (both && (!around || blocks.size() < around->blocks.size())) around = &graph.loops[l];
    }
    const auto inside = [&](uint32_t b) {
      return number[b] != kNone &&
             (!around ||
              (b != around->header && std::binary_search(around->blocks.begin(), around->blocks.end(), b)));
    };
    const auto reached = [&](uint32_t start, auto next) {
      std::set<uint32_t> seen;
      std::vector<uint32_t> work{start};
      while (!work.empty()) {
        const uint32_t b = work.back();
        work.pop_back();
        if (!inside(b) || !seen.insert(b).second) continue;
        for (const uint32_t other : next(b)) work.push_back(other);
      }
      return seen;
    };
    const auto forward = reached(to, [&](uint32_t b) -> const auto& { return graph.blocks[b].successors; });
    const auto backward =
        reached(from, [&](uint32_t b) -> const auto& { return graph.blocks[b].predecessors; });
    Loop loop;
    loop.header = to;
    loop.natural = false;
    loop.latches = {from};
    std::set_intersection(forward.begin(), forward.end(), backward.begin(), backward.end(),
                          std::back_inserter(loop.blocks));
    const bool known =
        loop.blocks.empty() || std::any_of(graph.loops.begin(), graph.loops.end(),
                                           [&](const Loop& other) { return other.blocks == loop.blocks; });
    if (known) continue;
    graph.unknown.push_back(
        {graph.blocks[to].begin, "loop", "it has several entries; which blocks a pass takes is not certain"});
    graph.loops.push_back(std::move(loop));
  }
}

void find_loops(Graph& graph, const std::vector<uint32_t>& number) {
  std::map<uint32_t, std::vector<uint32_t>> latches;  // by header
  std::vector<std::pair<uint32_t, uint32_t>> others;  // edges that go back to no dominator
  for (uint32_t b = 0; b < graph.blocks.size(); ++b)
    for (const uint32_t to : graph.blocks[b].successors) {
      if (number[b] == kNone || number[to] > number[b]) continue;  // goes forward
      if (dominates(graph, to, b))
        latches[to].push_back(b);
      else
        others.emplace_back(b, to);
    }
  for (auto& [header, from] : latches) {
    Loop loop;
    loop.header = header;
    loop.latches = from;
    std::set<uint32_t> body{header};
    std::vector<uint32_t> work(from.begin(), from.end());
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      if (!body.insert(b).second) continue;
      for (const uint32_t p : graph.blocks[b].predecessors)
        if (number[p] != kNone) work.push_back(p);
    }
    loop.blocks.assign(body.begin(), body.end());
    graph.loops.push_back(std::move(loop));
  }
  add_unnatural_loops(graph, number, others);
  for (Loop& loop : graph.loops)
    for (const uint32_t b : loop.blocks)
      for (const uint32_t to : graph.blocks[b].successors)
        if (!std::binary_search(loop.blocks.begin(), loop.blocks.end(), to)) {
          loop.exits.push_back(b);
          break;
        }
  // The larger one is outside, so its blocks are given to the smaller ones after it.
  std::sort(graph.loops.begin(), graph.loops.end(), [](const Loop& a, const Loop& b) {
    return a.blocks.size() != b.blocks.size() ? a.blocks.size() > b.blocks.size() : a.header < b.header;
  });
  for (uint32_t l = 0; l < graph.loops.size(); ++l) {
    Loop& loop = graph.loops[l];
    loop.parent = graph.blocks[loop.header].loop;
    if (loop.parent != kNone) {
      loop.depth = graph.loops[loop.parent].depth + 1;
      graph.loops[loop.parent].innermost = false;
    }
    for (const uint32_t b : loop.blocks) graph.blocks[b].loop = l;
  }
}

}  // namespace

bool dominates(const Graph& graph, uint32_t dominator, uint32_t block) {
  while (block != kNone && block != dominator) block = graph.blocks[block].dominator;
  return block == dominator;
}

bool contains(const Graph& graph, uint32_t loop, uint32_t block) {
  const auto& blocks = graph.loops[loop].blocks;
  return std::binary_search(blocks.begin(), blocks.end(), block);
}

Graph make_graph(const Code& code) {
  Graph graph;
  make_blocks(code, graph);
  connect(code, graph);
  const auto function = [&](uint64_t pc) {
    const uint32_t at = code.at(pc);
    graph.functions.push_back({.pc = pc, .entry = at == kNone ? kNone : graph.block_of[at]});
  };
  function(code.entry);
  for (const uint64_t pc : code.functions) function(pc);
  std::vector<uint32_t> number;
  order(graph, number);
  find_dominators(graph, number);
  find_loops(graph, number);
  return graph;
}

}  // namespace wavesmith::analysis
