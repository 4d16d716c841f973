// Text in parts.
#pragma once

#include <algorithm>
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

/// The words between blanks and line ends; none in an empty text. They point into `text`.
inline std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return found;
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace wavesmith
