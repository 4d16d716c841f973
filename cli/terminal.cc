#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace wavesmith::cli {
namespace {

bool colour(int descriptor) {
  const char* off = std::getenv("NO_COLOR");
  return isatty(descriptor) && !(off && *off);
}

std::string painted(std::string_view text, Style style, int descriptor) {
  static constexpr const char* kCodes[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[33m", "\033[31m"};
  const char* code = kCodes[static_cast<size_t>(style)];
  if (!*code || !colour(descriptor)) return std::string(text);
  return fmt::format("{}{}\033[0m", code, text);
}

}  // namespace

std::string styled(std::string_view text, Style style) { return painted(text, style, STDOUT_FILENO); }

void Table::print() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      if (i > 0) line += "  ";
      line += right ? gap + row[i] : row[i] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", &row == &rows_.front() ? styled(line, Style::Strong) : line);
  }
}

Exit report(const Error& error) {
  fmt::print(stderr, "{} {}", painted("wavesmith:", Style::Bad, STDERR_FILENO), error.what);
  if (!error.where.empty()) fmt::print(stderr, " ({})", error.where);
  fmt::print(stderr, "\n");
  if (!error.hint.empty()) fmt::print(stderr, "  {}\n", error.hint);
  return exit_of(error.kind);
}

std::string bytes_text(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.4g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.4g} ms", seconds * 1e3)
                        : fmt::format("{:.4g} s", seconds);
}

std::string count_text(double count) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (count >= 1000 && unit + 1 < std::size(kUnits)) count /= 1000, ++unit;
  return unit == 0 ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}{}", count, kUnits[unit]);
}

}  // namespace wavesmith::cli
