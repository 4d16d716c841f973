// ROCm's commands that describe GPUs, for emulated ones. `wavesmith run` shows programs a link of each name
// to `wavesmith`, which acts by the name under which it is called.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rocm/commands/command_output.h"

namespace wavesmith::rocm {

/// Runs the command `name`, such as rocminfo, on its arguments for the GPUs of WAVESMITH_GPU; nullopt when
/// there is no such command. Invalid GPUs give an error text and a nonzero code.
std::optional<CommandOutput> run_command(std::string_view name, const std::vector<std::string>& arguments);

}  // namespace wavesmith::rocm
