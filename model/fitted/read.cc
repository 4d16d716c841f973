#include "model/fitted/read.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cstdlib>
#include <set>
#include <string>

#include "model/fitted/texts.h"

namespace wavesmith::model {
namespace {

/// The files are part of the program: what is wrong in them is a mistake of ours.
[[noreturn]] void broken(std::string_view file, std::string_view what) {
  fmt::print(stderr, "wavesmith: model/fitted/{}.toml: {}\n", file, what);
  std::abort();
}

/// Texts that live as long as the process.
std::string_view kept(const std::string& text) {
  static auto& all = *new std::set<std::string>;
  return *all.insert(text).first;
}

class Table {
 public:
  Table(std::string_view file, const toml::table& table) : file_(file), table_(table) {}

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] std::string_view text(std::string_view key) const {
    const auto value = table_[key].value<std::string>();
    if (!value) broken(file_, fmt::format("'{}' is missing, or no text", key));
    return kept(*value);
  }
  [[nodiscard]] double number(std::string_view key) const {
    const auto value = table_[key].value<double>();
    if (!value) broken(file_, fmt::format("'{}' is missing, or no number", key));
    return *value;
  }
  [[nodiscard]] bool yes(std::string_view key) const {
    const auto value = table_[key].value<bool>();
    if (!value) broken(file_, fmt::format("'{}' is missing, or neither true nor false", key));
    return *value;
  }
  [[nodiscard]] NumberType type(std::string_view key) const {
    const std::optional<NumberType> found = number_type(text(key));
    if (!found) broken(file_, fmt::format("'{}' is no type", text(key)));
    return *found;
  }
  /// Each of the tables that have that name, in order; none where there is no such name.
  template <class Do>
  void each(std::string_view key, Do use) const {
    const toml::array* const array = table_[key].as_array();
    if (array == nullptr) return;
    for (const toml::node& one : *array) {
      if (!one.is_table()) broken(file_, fmt::format("'{}' is no table", key));
      use(Table(file_, *one.as_table()));
    }
  }
  [[nodiscard]] const toml::array& array(std::string_view key) const {
    const toml::array* const found = table_[key].as_array();
    if (found == nullptr) broken(file_, fmt::format("'{}' is missing, or no list", key));
    return *found;
  }

 private:
  std::string_view file_;
  const toml::table& table_;
};

/// Reads a file's tables into what `use` fills.
template <class T, class Use>
const T& read(std::string_view id, Use use) {
  T* const made = new T;  // never destroyed: runtimes ask for it at exit
  for (const FittedText& file : fitted_texts()) {
    if (file.id != id) continue;
    try {
      const toml::table table = toml::parse(file.text);
      use(Table(id, table), *made);
    } catch (const toml::parse_error& error) {
      broken(id, error.description());
    }
    return *made;
  }
  broken(id, "is not there");
}

gpus::Kind kind_of(std::string_view name) {
  for (const gpus::Kind kind : {gpus::Kind::Read, gpus::Kind::Derived, gpus::Kind::Measured})
    if (gpus::name_of(kind) == name) return kind;
  return gpus::Kind::Modelled;
}

double GemmConstants::* member_of(std::string_view name) {
  using Q = GemmConstants;
  constexpr std::pair<std::string_view, double Q::*> kMembers[] = {
      {"matrix_share", &Q::matrix_share},
      {"step_cycles", &Q::step_cycles},
      {"lds_cost", &Q::lds_cost},
      {"lds_transposed", &Q::lds_transposed},
      {"l1_cost", &Q::l1_cost},
      {"load_cycles", &Q::load_cycles},
      {"prologue_cycles", &Q::prologue_cycles},
      {"store_cost", &Q::store_cost},
      {"memory_share", &Q::memory_share},
      {"cache_ratio", &Q::cache_ratio},
      {"l2_share", &Q::l2_share},
      {"fixed_us", &Q::fixed_us},
      {"load_latency", &Q::load_latency},
      {"split_writes", &Q::split_writes},
      {"overlap", &Q::overlap},
      {"resident", &Q::resident},
      {"tail_cycles", &Q::tail_cycles},
      {"split_us", &Q::split_us},
      {"reduce_cycles", &Q::reduce_cycles},
      {"stride_cost", &Q::stride_cost},
      {"hiding", &Q::hiding},
      {"number_cycles", &Q::number_cycles},
  };
  for (const auto& [known, member] : kMembers)
    if (known == name) return member;
  broken("gemm", fmt::format("'{}' is no constant", name));
}

GemmPart part_of(const Table& bounds) {
  GemmPart part{bounds.text("constant"), member_of(bounds.text("constant")), bounds.number("least"),
                bounds.number("most")};
  if (bounds.has("nothing"))
    part.nothing = bounds.text("nothing") == "least" ? GemmPart::Nothing::Least : GemmPart::Nothing::Most;
  return part;
}

GemmSet set_of(const Table& table, std::span<const GemmPart> parts) {
  GemmSet set{.architecture = table.text("architecture"),
              .type = table.type("type"),
              .vector = table.yes("vector"),
              .origin = table.text("origin"),
              .constants = {},
              .rows = static_cast<uint32_t>(table.number("rows")),
              .source = table.text("source")};
  for (const GemmPart& part : parts) set.constants.*part.member = table.number(part.name);
  return set;
}

void read_factors(const Table& table, const GemmSet& set, std::span<const GemmPart> parts,
                  std::vector<GemmFactor>& factors) {
  const auto add = [&](std::string_view name, double GemmConstants::* member) {
    if (table.has(name))
      factors.push_back({set.architecture, set.type, set.vector, set.origin, table.text("tag"), member,
                         table.number(name)});
  };
  for (const GemmPart& part : parts) add(part.name, part.member);
  add("clock_ratio", &GemmConstants::clock_ratio);
}

GemmTile tile_of(const Table& tiles, const toml::node& row) {
  constexpr size_t kNumbers = 18;
  const toml::array* const numbers = row.as_array();
  if (numbers == nullptr || numbers->size() != kNumbers)
    broken("gemm_tiles", "a kernel is no list of 18 numbers");
  size_t next = 0;
  const auto number = [&] {
    const auto value = (*numbers)[next++].value<int64_t>();
    if (!value) broken("gemm_tiles", "a kernel's number is none");
    return *value;
  };
  const auto size = [&] { return static_cast<uint32_t>(number()); };
  GemmTile tile{};
  tile.architecture = tiles.text("architecture");
  tile.type = tiles.type("type");
  tile.vector = tiles.yes("vector");
  tile.origin = tiles.text("origin");
  if (tiles.has("schedule")) tile.schedule = tiles.text("schedule");
  for (uint32_t GemmTile::* const member :
       {&GemmTile::tile_m, &GemmTile::tile_n, &GemmTile::tile_k, &GemmTile::threads, &GemmTile::matrix_m,
        &GemmTile::matrix_n, &GemmTile::matrix_k, &GemmTile::matrix_blocks, &GemmTile::wave_m,
        &GemmTile::wave_n, &GemmTile::waves_along_k})
    tile.*member = size();
  tile.group_m = static_cast<int32_t>(number());
  tile.prefetch = size();
  tile.vector_bytes = size();
  for (bool GemmTile::* const member :
       {&GemmTile::double_buffered_lds, &GemmTile::through_lds, &GemmTile::direct_to_lds})
    tile.*member = number() != 0;
  tile.rows = size();
  return tile;
}

}  // namespace

const FittedConstants& fitted_constants() {
  static const auto& made = read<FittedConstants>("constants", [](const Table& file, FittedConstants& into) {
    file.each("set", [&](const Table& set) {
      into.sets.push_back({set.text("name"), static_cast<uint32_t>(set.number("rows")), set.text("source")});
    });
    file.each("constant", [&](const Table& one) {
      Constant constant{.name = one.text("name"), .value = one.number("value")};
      if (one.has("unit")) constant.unit = one.text("unit");
      if (one.has("kind")) constant.kind = kind_of(one.text("kind"));
      if (one.has("set")) constant.set = one.text("set");
      for (const ConstantSet& set : into.sets)
        if (set.name == constant.set) constant.source = set.source;
      if (one.has("source")) constant.source = one.text("source");
      into.constants.push_back(constant);
    });
  });
  return made;
}

const FittedGemm& fitted_gemm() {
  static const auto& made = read<FittedGemm>("gemm", [](const Table& file, FittedGemm& into) {
    file.each("bounds", [&](const Table& bounds) { into.parts.push_back(part_of(bounds)); });
    file.each("set", [&](const Table& set) {
      into.sets.push_back(set_of(set, into.parts));
      set.each("factors", [&](const Table& factors) {
        read_factors(factors, into.sets.back(), into.parts, into.factors);
      });
    });
  });
  return made;
}

const FittedGemmTiles& fitted_gemm_tiles() {
  static const auto& made = read<FittedGemmTiles>("gemm_tiles", [](const Table& file, FittedGemmTiles& into) {
    file.each("tiles", [&](const Table& tiles) {
      for (const toml::node& row : tiles.array("kernels")) into.tiles.push_back(tile_of(tiles, row));
    });
    file.each("vector_products", [&](const Table& one) {
      into.vector_products.push_back({.architecture = one.text("architecture"),
                                      .a = one.type("a"),
                                      .c = one.type("c"),
                                      .layout = one.text("layout"),
                                      .most_k = static_cast<uint64_t>(one.number("most_k")),
                                      .rows = static_cast<uint32_t>(one.number("rows")),
                                      .right = static_cast<uint32_t>(one.number("right"))});
    });
  });
  return made;
}

std::string few_rows(size_t constants, size_t rows) {
  constexpr size_t kRowsEach = 5;
  return constants * kRowsEach >= rows
             ? fmt::format("{} constant{} on {} rows", constants, constants == 1 ? "" : "s", rows)
             : std::string();
}

}  // namespace wavesmith::model
