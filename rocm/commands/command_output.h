// What a command of ROCm answers: text for its two streams and its exit code. Nothing here prints.
#pragma once

#include <string>

namespace wavesmith::rocm {

struct Answer {
  std::string out, err;
  int code = 0;
};

}  // namespace wavesmith::rocm
