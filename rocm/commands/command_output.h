// The output of a ROCm command: text for stdout and stderr, and an exit code. Nothing here prints.
#pragma once

#include <string>

namespace wavesmith::rocm {

struct CommandOutput {
  std::string out, err;
  int code = 0;
};

}  // namespace wavesmith::rocm
