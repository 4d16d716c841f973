#include "kernels/gemm/choice/tuned.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "kernels/gemm/choice/parts.h"
#include "kernels/library/element_type.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

constexpr std::array<std::string_view, 10> kColumns = {
    "target", "compute_units", "types", "layout", "m", "n", "k", "tile", "microseconds", "kind"};
using Cells = std::array<std::string_view, kColumns.size()>;

/// Cuts off what stands before the next separator.
std::string_view next(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Reads the cells of a row; returns what is wrong with them, or nothing.
std::string read_row(const Cells& cells, TunedGemm& row) {
  const auto& [target, units, types, layout, m, n, k, tile, microseconds, kind] = cells;
  row.target = target, row.tile = tile;
  row.problem.types = types, row.problem.layout = layout;
  if (!parse(units, row.compute_units) || row.compute_units < 1)
    return "compute_units is " + quoted(units) + ", no number of them";
  for (const auto& [name, cell, size] :
       {std::tuple{"m", m, &row.problem.m}, {"n", n, &row.problem.n}, {"k", k, &row.problem.k}})
    if (!parse(cell, *size) || *size < 1 || *size > INT32_MAX)
      return std::string(name) + " is " + quoted(cell) + ", no size";
  if (layout != "kk" && layout != "mk" && layout != "kn" && layout != "mn")
    return "layout is " + quoted(layout) + ", not kk, mk, kn or mn";
  if (!parse(microseconds, row.microseconds) || !std::isfinite(row.microseconds) || row.microseconds <= 0)
    return "microseconds is " + quoted(microseconds) + ", no time";
  if (kind != "modelled" && kind != "measured")
    return "kind is " + quoted(kind) + ", neither modelled nor measured";
  row.measured = kind == "measured";
  return {};
}

/// Bytes of an element of A, by the word of A's and B's types.
int64_t bytes_of(std::string_view types) {
  const std::string_view word = next(types, 'x');
  for (const ElementType& type : kElementTypes)
    if (type.word == word) return type.bytes;
  return 1;
}

/// Finds the tile that a row names; returns why it cannot be taken, or nothing.
std::string find_tile(const TunedGemm& row, TunedTile& tuned) {
  const std::string_view name = std::string_view(row.tile).substr(0, row.tile.find('/'));
  if (std::string_view(row.tile).substr(name.size()) == word_of_parts(kStreamed))
    tuned.parts = kStreamed;
  else if (name.size() < row.tile.size() &&
           (!parse(std::string_view(row.tile).substr(name.size() + 1), tuned.parts) || tuned.parts < 2 ||
            row.problem.k % tuned.parts != 0))
    return "the tile is " + quoted(row.tile) + ", with no number of parts of " +
           std::to_string(row.problem.k);
  const GemmConfiguration*& found = tuned.configuration;
  bool has_target = false, has_types = false;
  for (const GemmConfiguration& tile : gemm_configurations()) {
    if (tile.target != row.target) continue;
    has_target = true;
    has_types |= tile.has(row.problem.types);
    if (tile.name == name && tile.has(row.problem.types + std::string(mark_of_parts(tuned.parts))))
      found = &tile;
  }
  if (!has_target) return "there are no kernels for the target " + quoted(row.target);
  if (!has_types) return "there are no kernels of types " + quoted(row.problem.types) + " for " + row.target;
  if (!found)
    return "there is no tile " + quoted(row.tile) + " of " + row.problem.types + " for " + row.target;
  const std::string& layout = row.problem.layout;
  if (!found->has_layout(layout[0] == 'k', layout[1] == 'k'))
    return "the tile " + row.tile + " wants the layout " + std::string(found->layouts) + ", not " + layout;
  if (found->pieces && row.problem.k * bytes_of(row.problem.types) % 16 != 0)
    return "the tile " + row.tile + " wants K in whole pieces of 16 bytes, not of " +
           std::to_string(row.problem.k);
  return {};
}

std::string place_of(const std::string& file, int line) { return file + ":" + std::to_string(line); }

wavesmith_kernels_status invalid_table(const std::string& place, const std::string& why) {
  return fail(WAVESMITH_KERNELS_INVALID_TABLE, "gemm: " + place + ": " + why);
}

/// The table of a process and how reading it ended.
struct Loaded {
  TunedGemms table;
  wavesmith_kernels_status status = WAVESMITH_KERNELS_SUCCESS;
  std::string message;

  explicit Loaded(const std::string& folder) {
    const char* const named = std::getenv("WAVESMITH_KERNELS_TUNED");
    const bool is_named = named && *named;
    const std::string path = is_named ? named : folder + "/tuned.tsv";
    std::ifstream file(path, std::ios::binary);
    if (file) {
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      status = file.bad() ? invalid_table(path, "it cannot be read") : table.read(text, path);
    } else if (is_named) {
      status = invalid_table(path, "there is no such table, but WAVESMITH_KERNELS_TUNED names it");
    }
    if (status != WAVESMITH_KERNELS_SUCCESS) message = kernels::message();
  }
};

}  // namespace

std::string TunedGemms::columns() {
  std::string line;
  for (const std::string_view column : kColumns) line += (line.empty() ? "" : "\t") + std::string(column);
  return line;
}

std::string TunedGemms::line(const TunedGemm& row) {
  const auto& [types, layout, m, n, k] = row.problem;
  std::string line = row.target + "\t" + std::to_string(row.compute_units) + "\t" + types + "\t" + layout;
  for (const int64_t size : {m, n, k}) line += "\t" + std::to_string(size);
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%.3f", row.microseconds);
  return line + "\t" + row.tile + "\t" + time.data() + "\t" + (row.measured ? "measured" : "modelled");
}

wavesmith_kernels_status TunedGemms::read(std::string_view text, const std::string& file) {
  bool has_columns = false;
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = next(text, '\n');
    const std::string place = place_of(file, ++number);
    if (line.empty() || line.front() == '#') continue;
    if (!has_columns) {
      if (line != columns())
        return invalid_table(place, "the columns are not those of a tuned table: " + columns());
      has_columns = true;
      continue;
    }
    Cells cells;
    size_t count = 0;
    for (std::string_view rest = line; !rest.empty(); ++count) {
      const std::string_view cell = next(rest, '\t');
      if (count < cells.size()) cells[count] = cell;
    }
    if (count != cells.size())
      return invalid_table(place,
                           "it has " + std::to_string(count) + " cells, not " + std::to_string(cells.size()));
    TunedGemm row;
    if (const std::string why = read_row(cells, row); !why.empty()) return invalid_table(place, why);
    TunedTile tile;
    if (const std::string why = find_tile(row, tile); !why.empty()) return invalid_table(place, why);
    const auto [at, is_new] =
        rows_.try_emplace({row.target, row.compute_units, row.problem}, Entry{tile, place});
    if (!is_new) return invalid_table(place, "its problem is that of " + at->second.place);
  }
  return has_columns ? succeed()
                     : invalid_table(file, "there is no line that names the columns: " + columns());
}

size_t TunedGemms::Hash::operator()(const Key& key) const {
  size_t hash = std::hash<std::string>()(key.target);
  const auto mix = [&](size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15; };
  mix(std::hash<std::string>()(key.problem.types));
  mix(std::hash<std::string>()(key.problem.layout));
  for (const int64_t number : {int64_t{key.compute_units}, key.problem.m, key.problem.n, key.problem.k})
    mix(std::hash<int64_t>()(number));
  return hash ^ hash >> 32;
}

const TunedTile* TunedGemms::find(std::string_view target, int compute_units,
                                  const GemmProblem& problem) const {
  if (rows_.empty()) return nullptr;
  const auto found = rows_.find({std::string(target), compute_units, problem});
  return found == rows_.end() ? nullptr : &found->second.tile;
}

wavesmith_kernels_status tuned_gemms(const std::string& folder, const TunedGemms*& table) {
  // Never destroyed: threads may launch while the process ends.
  static const Loaded& loaded = *new Loaded(folder);
  table = &loaded.table;
  return loaded.status == WAVESMITH_KERNELS_SUCCESS ? succeed() : fail(loaded.status, loaded.message);
}

}  // namespace wavesmith::kernels
