// `wavesmith kernels tune` and `wavesmith kernels launch`, subcommands of `wavesmith kernels`.
#pragma once

#include "cli/command.h"

namespace wavesmith::cli {

void add_tune(CLI::App& kernels, Action& action);
void add_launch(CLI::App& kernels, Action& action);

}  // namespace wavesmith::cli
