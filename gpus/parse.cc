// Reading a GPU's TOML file. A table has one `source` for its numbers (and `kind`, when they were not read in
// a document); a number with its own is written { value = 1300, kind = "derived", source = "..." }; "unknown"
// marks what nobody published. `like = "mi300x"` starts from another GPU, so that a file states only what
// differs.
#include "gpus/parse.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <filesystem>
#include <limits>
#include <set>

#include "gpus/builtin.h"
#include "gpus/lds_phases.h"
#include "gpus/links.h"

namespace wavesmith::gpus {
namespace {

tl::unexpected<Error> bad(std::string what, std::string_view where, std::string hint = {}) {
  return fail(ErrorKind::BadInput, std::move(what), std::string(where), std::move(hint));
}

template <class T>
bool store(T& member, const toml::node& node) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (!node.is_string()) return false;
    member = node.as_string()->get();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!node.is_boolean()) return false;
    member = node.as_boolean()->get();
  } else if constexpr (std::is_same_v<T, double>) {
    if (!node.is_number()) return false;
    member = *node.value<double>();
  } else {
    const auto value = node.value_exact<int64_t>();
    if (!value || *value < 0 || static_cast<uint64_t>(*value) > std::numeric_limits<T>::max()) return false;
    member = static_cast<T>(*value);
  }
  return true;
}
template <class T>
bool store(std::optional<T>& member, const toml::node& node) {
  if (const auto* text = node.as_string(); text && text->get() == "unknown") {
    member.reset();
    return true;
  }
  T value;
  if (!store(value, node)) return false;
  member = value;
  return true;
}
template <class T>
bool store(std::vector<T>& member, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (!array) return false;
  member.clear();
  for (const toml::node& item : *array)
    if (!store(member.emplace_back(), item)) return false;
  return true;
}

Result<Kind> kind_of(std::string_view text, std::string_view file) {
  for (Kind kind : {Kind::Read, Kind::Derived, Kind::Modelled, Kind::Measured})
    if (text == name_of(kind)) return kind;
  return bad(fmt::format("'{}' is no kind of number", text), file,
             "kinds are read, derived, modelled, measured");
}

/// `source` and `kind` of a table.
Result<Source> source_of(const toml::table& table, std::string_view path, std::string_view file) {
  const auto text = table["source"].value<std::string>();
  if (!text || text->empty())
    return bad(fmt::format("{} has no source", path.empty() ? "the file's head" : path), file,
               "every number has its source beside it: source = \"...\"");
  Result<Kind> kind = kind_of(table["kind"].value_or(std::string("read")), file);
  if (!kind) return tl::unexpected(kind.error());
  return Source{*text, *kind};
}

class Reader {
 public:
  Reader(Gpu& gpu, std::string_view file) : gpu_(gpu), file_(file) {}

  Result<void> read(const toml::table& table, const std::string& prefix) {
    Result<Source> source = source_of(table, prefix, file_);
    if (!source) return tl::unexpected(source.error());
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "source" || name == "kind" || (prefix.empty() && name == "like")) continue;
      const std::string path = prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
      const toml::table* inner = node.as_table();
      if (inner && prefix.empty()) {
        if (Result<void> done = read(*inner, path); !done) return done;
      } else if (Result<void> done = read_field(node, path, *source); !done) {
        return done;
      }
    }
    return {};
  }

 private:
  Result<void> read_field(const toml::node& node, const std::string& path, Source source) {
    const toml::node* value = &node;
    if (const toml::table* own = node.as_table()) {
      Result<Source> given = source_of(*own, path, file_);
      if (!given) return tl::unexpected(given.error());
      source = *given;
      value = own->get("value");
      if (!value) return bad(fmt::format("{} has no value", path), file_);
    }
    for (const Field& field : fields()) {
      if (field.path != path) continue;
      if (!std::visit([&](auto member) { return store(gpu_.*member, *value); }, field.member))
        return bad(fmt::format("{} has a value that does not fit", path),
                   fmt::format("{}:{}", file_, value->source().begin.line));
      gpu_.sources[path] = std::move(source);
      return {};
    }
    return bad(fmt::format("'{}' is not a field of a GPU", path),
               fmt::format("{}:{}", file_, node.source().begin.line),
               "'wavesmith gpus mi300x' lists them all");
  }

  Gpu& gpu_;
  std::string_view file_;
};

Result<toml::table> parse_toml(std::string_view text, std::string_view file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return bad(std::string(error.description()), fmt::format("{}:{}", file, error.source().begin.line));
  }
}

Result<Gpu> parse(std::string_view text, std::string_view file, int depth) {
  Result<toml::table> table = parse_toml(text, file);
  if (!table) return tl::unexpected(table.error());
  Gpu gpu;
  if (const auto like = (*table)["like"].value<std::string>()) {
    const BuiltIn* base = nullptr;
    for (const BuiltIn& data : built_in())
      if (data.id == *like) base = &data;
    if (!base || depth > 8) return bad(fmt::format("like = \"{}\" is no built-in GPU", *like), file);
    Result<Gpu> start = parse(base->text, base->id, depth + 1);
    if (!start) return start;
    gpu = std::move(*start);
    ++gpu.steps_from_reference;
    // A data sheet speaks of one GPU alone.
    for (const Field& field : fields())
      if (field.path.starts_with("data_sheet.")) {
        gpu.*std::get<std::optional<double> Gpu::*>(field.member) = std::nullopt;
        gpu.sources.erase(gpu.sources.find(field.path));
      }
  }
  if (Result<void> done = Reader(gpu, file).read(*table, ""); !done) return tl::unexpected(done.error());
  // What only the cycle model or a test asks for may be left out, and a clock that most GPUs do not have.
  for (const Field& field : fields())
    if (field.path.starts_with("launch.") || field.path.starts_with("copy.") ||
        field.path.starts_with("pace.") || field.path.starts_with("data_sheet.") ||
        field.path == "clocks.matrix_mhz")
      gpu.sources.try_emplace(std::string(field.path), Source{"not stated"});
  gpu.id = std::filesystem::path(file).stem().string();
  return gpu;
}

}  // namespace

Result<Gpu> parse_gpu(std::string_view text, std::string_view file) {
  Result<Gpu> gpu = parse(text, file, 0);
  if (!gpu) return gpu;
  if (Result<void> sane = check(*gpu); !sane) return tl::unexpected(sane.error());
  return gpu;
}

Result<void> set(Gpu& gpu, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == assignment.npos || equals == 0)
    return bad(fmt::format("'{}' sets nothing", assignment), {}, "write compute.units=8");
  const std::string_view path = assignment.substr(0, equals);
  std::string value(assignment.substr(equals + 1));
  for (const Field& field : fields())
    if (field.path == path &&
        (std::holds_alternative<std::string Gpu::*>(field.member) || value == "unknown"))
      value = '"' + value + '"';
  Result<toml::table> table =
      parse_toml(fmt::format("source = \"set on the command line\"\n{} = {}", path, value), assignment);
  if (!table) return tl::unexpected(table.error());
  for (auto& [key, node] : *table)
    if (toml::table* inner = node.as_table()) inner->insert("source", "set on the command line");
  return Reader(gpu, assignment).read(*table, "");
}

Result<void> check(const Gpu& gpu) {
  for (const Field& field : fields()) {
    if (!gpu.sources.contains(field.path))
      return bad(fmt::format("{} is missing", field.path), gpu.id,
                 "give it a value, or \"unknown\" where that is allowed");
    const bool fits = std::visit(
        [&](auto member) {
          using T = std::remove_cvref_t<decltype(gpu.*member)>;
          if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>)
            return gpu.*member >= field.least;
          if constexpr (std::is_same_v<T, double>) return gpu.*member >= static_cast<double>(field.least);
          if constexpr (std::is_same_v<T, std::string>) return !(gpu.*member).empty();
          return true;
        },
        field.member);
    if (!fits) return bad(fmt::format("{} = {} is impossible", field.path, value_text(gpu, field)), gpu.id);
  }
  if (gpu.wave_sizes.empty()) return bad("compute.wave_sizes is empty", gpu.id);
  for (uint32_t size : gpu.wave_sizes)
    if (size != 32 && size != 64) return bad(fmt::format("waves of {} lanes do not exist", size), gpu.id);
  if (gpu.compute_units % gpu.units_per_workgroup_processor != 0)
    return bad("compute.units is no multiple of compute.units_per_workgroup_processor", gpu.id);
  if (const uint32_t gpus = hive_size(gpu); gpus * gpus != gpu.peer_links.size())
    return bad("links.peers is no square", gpu.id);
  else
    for (uint32_t a = 0; a < gpus; ++a)
      for (uint32_t b = 0; b <= a; ++b)
        if (gpu.peer_links[a * gpus + b] != (a == b ? 0 : gpu.peer_links[b * gpus + a]))
          return bad(fmt::format("links.peers of {} and {} do not agree", a, b), gpu.id);
  if (gpu.peer_links.empty() != (gpu.link_gigabytes_per_second == 0))
    return bad("links.peers and links.gigabytes_per_second do not agree", gpu.id);
  if (gpu.peer_links.empty() != (gpu.link_kind == "PCIe"))
    return bad(fmt::format("links.peers and links.over = {} do not agree", gpu.link_kind), gpu.id,
               "GPUs without links of their own meet over \"PCIe\"");
  if (Result<void> phases = check_lds_phases(gpu); !phases) return phases;
  if (!gpu.arch_name.starts_with(gpu.target)) return bad("arch_name does not begin with target", gpu.id);
  return {};
}

}  // namespace wavesmith::gpus
