// What a loop does in its last passes alone, such as clearing what lies behind the end of a row.
#pragma once

#include <vector>

#include "analysis/values/trips.h"

namespace wavesmith::analysis {

/// Fills in Loop::usual_blocks: without those that come behind a branch whose condition changes once, where
/// the number of passes before is set by arguments and that behind it is not.
void find_usual_blocks(const Code& code, const Graph& graph, const EntryValues& entry,
                       std::vector<Loop>& loops);

}  // namespace wavesmith::analysis
