// The steps of an analysis after the code has been read, in the order in which analyse() takes them.
#pragma once

#include "analysis/analyse.h"
#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/liveness.h"
#include "analysis/report.h"
#include "analysis/values/lane_values.h"
#include "analysis/values/trips.h"

namespace wavesmith::analysis {

/// Fills in instructions, blocks, loops and functions as the code has them.
void describe_code(const Code& code, const Graph& graph, KernelAnalysis& out);

/// Fills in what follows from these and the resources: live registers, cycles, waits, occupancy, findings.
/// Source lines come first, because findings name them.
void complete(const Code& code, const Graph& graph, const gpus::Gpu& gpu, const Options& options,
              const RegisterSet& entry, const WorkgroupShape& shape, KernelAnalysis& out,
              const EntryValues& begin = {});

}  // namespace wavesmith::analysis
