// Whole files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace wavesmith::cli {

/// The bytes of a file. Error: NotFound when it can't be read.
Result<std::vector<uint8_t>> read_file(const std::string& path);

/// Writes a file; "-" is stdout. Error: BadInput when it can't be written.
Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace wavesmith::cli
