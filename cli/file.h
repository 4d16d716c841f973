// Writes the files that options of commands name.
#pragma once

#include <string>

#include "base/result.h"

namespace wavesmith::cli {

/// Writes a file; "-" is stdout. Error: BadInput when it can't be written.
Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace wavesmith::cli
