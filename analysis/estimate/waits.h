// Wait instructions: the accesses that each waits for, how long after their issue, and the accesses that it
// would have to wait for.
//
// Memory instructions are followed in issue order, in one queue per counter. Where paths meet, a position in
// the queue holds every instruction that may be there, youngest first.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/estimate/cycles.h"
#include "analysis/graph.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

std::vector<Wait> find_waits(const Code& code, const Graph& graph, const Costs& costs);

}  // namespace wavesmith::analysis
