// --gpu and --set on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "study/gpu_option.h"

namespace wavesmith::cli {

void add_gpu_option(CLI::App& command, study::GpuOption& option);

/// --set alone, for commands with a --gpu of their own.
void add_set_option(CLI::App& command, std::vector<std::string>& set);

}  // namespace wavesmith::cli
