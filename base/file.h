// Whole files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace wavesmith {

/// The bytes of a file. Error: NotFound when it can't be read.
Result<std::vector<uint8_t>> read_file(const std::string& path);

}  // namespace wavesmith
