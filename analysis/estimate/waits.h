// Wait instructions: what each waits for, how long after its issue, and what it would have had to wait for.
//
// Memory instructions are followed in the order of their issue, a queue for each counter. Where paths meet, a
// place in the queue holds all that may stand there, the youngest first.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/estimate/cycles.h"
#include "analysis/graph.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

std::vector<Wait> find_waits(const Code& code, const Graph& graph, const Costs& costs);

}  // namespace wavesmith::analysis
