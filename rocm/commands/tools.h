// ROCm's commands that tell of GPUs, for emulated ones: `wavesmith run` shows a link of each name to the
// command `wavesmith`, which answers by the name that it was called by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rocm/commands/answer.h"

namespace wavesmith::rocm {

/// The answer of the command `name`, as rocminfo, to its arguments; nothing when there is no such command
/// here. The GPUs are those of WAVESMITH_GPU. Without valid ones the answer is an error and a code that is
/// not 0.
std::optional<Answer> answer(std::string_view name, const std::vector<std::string>& arguments);

}  // namespace wavesmith::rocm
