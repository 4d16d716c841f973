// --gpu and --set on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "study/gpu_option.h"

namespace wavesmith::cli {

void add_gpu_option(CLI::App& command, study::GpuOption& option);

}  // namespace wavesmith::cli
