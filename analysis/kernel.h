// The steps of an analysis after the code has been read; analyse() takes them in this order.
#pragma once

#include "analysis/analyse.h"
#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/liveness.h"
#include "analysis/report.h"
#include "analysis/values/lane_values.h"
#include "analysis/values/trips.h"

namespace wavesmith::analysis {

/// Instructions, blocks, loops and functions as they stand in the code.
void describe_code(const Code& code, const Graph& graph, KernelAnalysis& out);

/// What follows from these and from the resources: live registers, cycles, waits, occupancy, findings. Source
/// lines have to be there before, as findings name them.
void complete(const Code& code, const Graph& graph, const gpus::Gpu& gpu, const Options& options,
              const RegisterSet& entry, const WorkgroupShape& shape, KernelAnalysis& out,
              const EntryValues& begin = {});

}  // namespace wavesmith::analysis
