// A comma-separated table, plain or gzip, held in memory: named columns, rows with the line they came from.
#pragma once

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wavesmith::validate {

/// RFC 4180: quoted cells may hold commas, line ends and doubled quotes. Every row has as many cells as the
/// first line has names.
class Csv {
 public:
  /// Reads a file; its first bytes tell whether it is compressed by gzip.
  static Result<Csv> read(const std::string& path);
  /// Parses text; errors cite `name`.
  static Result<Csv> parse(std::string text, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] size_t rows() const { return lines_.size(); }
  [[nodiscard]] const std::vector<std::string_view>& columns() const { return columns_; }
  /// The numbers of columns by name. Error: names the first that is missing.
  [[nodiscard]] Result<std::map<std::string_view, size_t>> require(
      std::initializer_list<std::string_view> names) const;
  /// The column of that name; nullopt if there is none.
  [[nodiscard]] std::optional<size_t> column(std::string_view name) const;
  [[nodiscard]] std::string_view cell(size_t row, size_t column) const {
    return cells_[row * columns_.size() + column];
  }
  /// The line of the file on which the row begins, from 1.
  [[nodiscard]] size_t line(size_t row) const { return lines_[row]; }
  /// "file.csv:17", for errors.
  [[nodiscard]] std::string where(size_t row) const;

  Csv(Csv&&) = default;
  Csv& operator=(Csv&&) = default;

 private:
  Csv() = default;
  std::string name_;
  std::vector<char> text_;  ///< what the cells point into; a vector, so that moving keeps its place
  std::vector<std::string_view> columns_, cells_;
  std::vector<size_t> lines_;
};

/// A cell as a number; nullopt if it is not one.
template <class T>
std::optional<T> number(std::string_view cell) {
  T value{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || cell.empty()) return std::nullopt;
  return value;
}

/// A cell as a number, or an error with file, line and column.
template <class T>
Result<T> number(const Csv& csv, size_t row, size_t column) {
  if (const std::optional<T> value = number<T>(csv.cell(row, column))) return *value;
  return fail(ErrorKind::BadInput,
              "'" + std::string(csv.cell(row, column)) + "' is not a number of column '" +
                  std::string(csv.columns()[column]) + "'",
              csv.where(row));
}

}  // namespace wavesmith::validate
