#include "study/tune/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/split.h"

namespace wavesmith::study {
namespace {

constexpr std::string_view kColumns[] = {"m", "n", "k", "dtype", "layout"};

/// The cells of a line without the blanks around them.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = split(line, ',');
  for (std::string_view& cell : cells) {
    const auto found = words(cell);
    if (found.size() == 1) cell = found.front();
    if (found.empty()) cell = {};
  }
  return cells;
}

/// What is wrong with the names of the columns; empty: nothing.
std::string wrong_columns(const std::vector<std::string_view>& columns) {
  for (const std::string_view column : columns) {
    if (std::ranges::find(kColumns, column) == std::end(kColumns))
      return fmt::format("there is no column '{}'", column);
    if (std::ranges::count(columns, column) > 1) return fmt::format("the column {} stands twice", column);
  }
  for (const std::string_view size : {"m", "n", "k"})
    if (std::ranges::find(columns, size) == columns.end())
      return fmt::format("the column {} is missing", size);
  return {};
}

/// Sets what a column says of a product; returns what is wrong with the cell, or nothing.
std::string set(Product& product, std::string_view column, std::string_view cell) {
  if (column == "dtype") {
    if (!ProductTypes::read(cell)) return fmt::format("there is no type '{}'", cell);
    product.dtype = cell;
  } else if (column == "layout") {
    if (cell != "tn" && cell != "nn" && cell != "nt" && cell != "tt")
      return fmt::format("the layout '{}' is none of tn, nn, nt and tt", cell);
    product.layout = cell;
  } else {
    int64_t& size = column == "m" ? product.m : column == "n" ? product.n : product.k;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), size);
    if (error != std::errc() || end != cell.data() + cell.size() || size < 1 || size > INT32_MAX)
      return fmt::format("{} is '{}', no size", column, cell);
  }
  return {};
}

}  // namespace

Result<std::vector<Product>> read_shapes(std::string_view text, const std::string& file,
                                         const Product& usual) {
  std::vector<Product> products;
  std::optional<std::vector<std::string_view>> columns;
  int number = 0;
  const auto wrong = [&](std::string what) {
    return fail(ErrorKind::BadInput, std::move(what), fmt::format("{}:{}", file, number),
                "the first line names the columns: m,n,k and if wanted dtype,layout");
  };
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (words(line).empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (!columns) {
      if (std::string what = wrong_columns(cells); !what.empty()) return wrong(std::move(what));
      columns = cells;
      continue;
    }
    if (cells.size() != columns->size())
      return wrong(fmt::format("it has {} cells, not {}", cells.size(), columns->size()));
    Product product = usual;
    for (size_t i = 0; i < cells.size(); ++i)
      if (std::string what = set(product, (*columns)[i], cells[i]); !what.empty())
        return wrong(std::move(what));
    products.push_back(std::move(product));
  }
  if (products.empty()) return wrong("there is no product");
  return products;
}

}  // namespace wavesmith::study
