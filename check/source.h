// The source line in what a launch says of a pc: "function 'f' + 0x10, file.hip:12".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wavesmith::check {

struct SourceLine {
  std::string file;
  int line = 0;
  bool operator==(const SourceLine&) const = default;
};

/// nullopt where there is no debug information.
std::optional<SourceLine> source_line(std::string_view source);

}  // namespace wavesmith::check
