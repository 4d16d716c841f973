#include "check/source.h"

#include <charconv>

namespace wavesmith::check {

std::optional<SourceLine> source_line(std::string_view source) {
  // "function 'f' + 0x10, /a/file.hip:12": a file's name may hold a comma, the function's part none behind
  // its last quote.
  const size_t quote = source.rfind("' + 0x");
  if (quote != std::string_view::npos) {
    const size_t comma = source.find(", ", quote);
    if (comma == std::string_view::npos) return std::nullopt;
    source.remove_prefix(comma + 2);
  }
  const size_t colon = source.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view digits = source.substr(colon + 1);
  int line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return SourceLine{std::string(source.substr(0, colon)), line};
}

}  // namespace wavesmith::check
