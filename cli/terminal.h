// Printing: text for people, colour only on a terminal, tables, errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"

namespace wavesmith::cli {

enum class Style : unsigned char { Plain, Strong, Faint, Good, Warning, Bad };

/// Adds the style's escape codes if stdout is a terminal and NO_COLOR is not set.
std::string styled(std::string_view text, Style style);

/// A table whose columns are as wide as their widest cells; the first row is the head.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void align_right(size_t column) { right_.push_back(column); }
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> right_;
};

/// Prints "wavesmith: what (where)" and the hint on stderr; returns the error's exit code.
Exit report(const Error& error);

/// Formats a size: "64 KiB".
std::string bytes_text(uint64_t bytes);

/// Formats a time: "12.3 us", "4.56 ms", "7.8 s".
std::string time_text(double seconds);

/// Formats a count: "1.24 M".
std::string count_text(double count);

}  // namespace wavesmith::cli
