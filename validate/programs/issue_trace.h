// Hardware thread traces, with the cycle at which each instruction of each wave issued: read from a table and
// replayed by timing's compute unit.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/target.h"
#include "timing/trace.h"
#include "timing/unit/compute_unit.h"
#include "timing/unit/op.h"
#include "validate/csv.h"

namespace wavesmith::validate {

/// One wave of a trace.
struct TracedWave {
  uint32_t simd = 0;
  std::string name;           ///< "se 0 simd 0 wave 1"
  timing::WaveRecord record;  ///< with what the trace does not show where its addresses leave gaps
  timing::Observed observed;  ///< the cycles of waits, and of the first instruction
  struct Row {
    size_t row = 0;   ///< in the table
    size_t site = 0;  ///< in the record
    uint64_t cycle = 0;
    bool counted = false;  ///< the delta that it ends is judged
    bool late = false;     ///< the instruction came late from memory: given, and counted as wrong
  };
  std::vector<Row> rows;
};

/// The waves of one compute unit.
struct TracedUnit {
  std::deque<TracedWave> waves;
};

struct IssueTrace {
  const isa::Target* target = nullptr;
  std::string program;  ///< the kernel's name
  std::unique_ptr<timing::OpTable> ops;
  std::vector<TracedUnit> units;
};

/// The traces of a table, one per kernel. The names of the packets tell the generation.
Result<std::vector<IssueTrace>> read_issue_traces(const Csv& csv);

/// Fills `observed.issued` of every wave. `rules` replace those of the generation.
void replay(IssueTrace& trace, const isa::IssueRules* rules = nullptr);

}  // namespace wavesmith::validate
