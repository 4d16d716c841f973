// Statistics of a thread trace: the cost of each instruction of a kernel to its waves. rocprofv3 --att writes
// such tables (stats_ui_output_*.csv), and so does `wavesmith profile --statistics`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "isa/cost/cost.h"
#include "isa/target.h"
#include "validate/csv.h"

namespace wavesmith::validate {

/// An instruction that was executed.
struct InstructionStatistics {
  size_t row = 0;           ///< of the table
  std::string_view object;  ///< the code object's number, as written
  uint64_t address = 0;     ///< in the code object
  std::string_view text;    ///< as LLVM prints it
  std::string mnemonic;     ///< without the suffix of its encoding
  uint64_t hits = 0;        ///< waves that executed it, as often as they did
  uint64_t latency = 0;     ///< cycles, summed over hits: stall and issue
  uint64_t stall = 0;       ///< of these, before it issued
  uint64_t idle = 0;        ///< before the wave came to it
  std::string_view source;  ///< "file:line"
  isa::Pipe pipe = isa::Pipe::Internal;
  [[nodiscard]] double latency_per_hit() const {
    return static_cast<double>(latency) / static_cast<double>(hits);
  }
  [[nodiscard]] double stall_per_hit() const {
    return static_cast<double>(stall) / static_cast<double>(hits);
  }
  [[nodiscard]] double issue_per_hit() const { return latency_per_hit() - stall_per_hit(); }
};

struct ThreadStatistics {
  std::vector<InstructionStatistics> instructions;  ///< their views point into the table
  size_t not_executed = 0;                          ///< rows without a hit
  size_t odd = 0;                                   ///< rows that stall for longer than they take: left out
};

/// Reads a table. Error: a missing column, a malformed number, an unknown instruction.
Result<ThreadStatistics> read_thread_statistics(const Csv& csv);

/// The target that has most of the instructions; the first of several that have all.
const isa::Target& target_of(const ThreadStatistics& statistics);

/// Matches the instructions of two tables: pairs of indices, in the order of `a`. The addresses of one code
/// object differ by a constant, which is 0 if both tables use addresses of the code object; `profile` counts
/// from a kernel's first instruction.
std::vector<std::pair<size_t, size_t>> same_instructions(const ThreadStatistics& a,
                                                         const ThreadStatistics& b);

/// Issue cycles of an instruction as a thread trace counts them (Latency less Stall); 0 for the sequencer's
/// own instructions, whose time is all stall.
uint32_t traced_issue_cycles(const isa::Cost& cost, const isa::Target& target);

}  // namespace wavesmith::validate
