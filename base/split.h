// Text in parts.
#pragma once

#include <string_view>
#include <vector>

namespace wavesmith {

/// The parts between the separators, empty ones too; one part when there is no separator. They point into
/// `text`.
inline std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(by);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace wavesmith
