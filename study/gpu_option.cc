#include "study/gpu_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace wavesmith::study {
namespace {

using gpus::Field;
using gpus::Gpu;

constexpr std::pair<std::string_view, std::string_view> kShortNames[] = {
    {"l2.size", "cache.l2_bytes"},
    {"l1.size", "cache.l1_vector_bytes"},
    {"lds.size", "lds.bytes"},
    {"infinity_cache.size", "cache.infinity_cache_bytes"},
    {"infinity_cache.bandwidth", "cache.infinity_cache_gigabytes_per_second"},
    {"memory.size", "memory.bytes"},
    {"memory.bandwidth", "memory.gigabytes_per_second"},
    {"hbm.bandwidth", "memory.gigabytes_per_second"},
    {"clock", "clocks.engine_mhz"},
    {"cus", "compute.units"},
    {"power", "power.watts"},
};

struct Unit {
  std::string_view name, of;  ///< of: the field's unit that it fits
  double factor;
};
constexpr double kKi = 1024;
constexpr Unit kUnits[] = {
    {"KiB", "B", kKi}, {"MiB", "B", kKi * kKi}, {"GiB", "B", kKi * kKi * kKi},
    {"KB", "B", 1e3},  {"kB", "B", 1e3},        {"MB", "B", 1e6},
    {"GB", "B", 1e9},  {"B", "B", 1},           {"GHz", "MHz", 1e3},
    {"MHz", "MHz", 1}, {"TB/s", "GB/s", 1e3},   {"GB/s", "GB/s", 1},
    {"kW", "W", 1e3},  {"W", "W", 1},
};

double number_of(const Gpu& gpu, std::string_view path) {
  for (const Field& field : gpus::fields())
    if (field.path == path) {
      const std::string text = gpus::value_text(gpu, field);
      double value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    }
  return 0;
}

/// Sustained numbers that belong to a peak.
constexpr std::pair<std::string_view, std::string_view> kFollows[] = {
    {"memory.gigabytes_per_second", "sustained.memory_gigabytes_per_second"},
    {"memory.gigabytes_per_second", "sustained.read_gigabytes_per_second"},
    {"memory.gigabytes_per_second", "sustained.after_idle_gigabytes_per_second"},
    {"cache.infinity_cache_gigabytes_per_second", "sustained.infinity_cache_gigabytes_per_second"},
    {"cache.l2_channels", "sustained.l2_gigabytes_per_second"},
    {"cache.l2_bytes_per_clock_per_channel", "sustained.l2_gigabytes_per_second"},
};

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Result<const Field*> field_named(std::string_view name) {
  for (const auto& [known, path] : kShortNames)
    if (known == name) name = path;
  const Field* found = nullptr;
  size_t endings = 0;
  for (const Field& field : gpus::fields()) {
    if (field.path == name) return &field;
    const size_t dot = field.path.find('.');
    if (dot != field.path.npos && field.path.substr(dot + 1) == name) found = &field, ++endings;
  }
  if (endings == 1) return found;
  std::vector<std::string_view> near;
  const std::string_view last = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
  for (const Field& field : gpus::fields())
    if (!last.empty() && field.path.find(last.substr(0, 4)) != field.path.npos) near.push_back(field.path);
  return fail(ErrorKind::BadInput, fmt::format("'{}' is not a field of a GPU", name), {},
              near.empty()
                  ? "'wavesmith gpus mi300x' lists them all"
                  : fmt::format("perhaps {}; 'wavesmith gpus mi300x' lists them all", fmt::join(near, ", ")));
}

Result<std::string> without_unit(std::string_view value, const Field& field) {
  double number = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit = value.substr(static_cast<size_t>(end - value.data()));
  if (code != std::errc() || unit.empty() || unit.starts_with("x")) return std::string(value);
  for (const Unit& known : kUnits)
    if (known.name == unit && known.of == field.unit) {
      const double product = number * known.factor;
      if (product == std::floor(product) && std::abs(product) < 1e15)
        return fmt::format("{}", static_cast<int64_t>(product));
      return fmt::format("{}", product);
    }
  std::vector<std::string_view> fitting;
  for (const Unit& known : kUnits)
    if (known.of == field.unit) fitting.push_back(known.name);
  return fail(ErrorKind::BadInput, fmt::format("{} cannot be '{}'", field.path, value), {},
              fitting.empty() ? fmt::format("{} has no unit", field.path)
                              : fmt::format("units of {} are {}", field.path, fmt::join(fitting, ", ")));
}

Result<std::string> with_changes(std::string_view which, const std::vector<std::string>& set) {
  Result<const Gpu*> gpu = gpus::find_gpu(which);
  if (!gpu) return tl::unexpected(gpu.error());
  std::string changed(which);
  std::vector<std::string_view> paths;
  for (const std::string& assignment : set) {
    const size_t equals = assignment.find('=');
    if (equals == assignment.npos || equals == 0 || equals + 1 == assignment.size())
      return fail(ErrorKind::BadInput, fmt::format("--set {} sets nothing", assignment), {},
                  "write l2.size=8MiB");
    Result<const Field*> field = field_named(std::string_view(assignment).substr(0, equals));
    if (!field) return tl::unexpected(field.error());
    Result<std::string> value = without_unit(std::string_view(assignment).substr(equals + 1), **field);
    if (!value) return tl::unexpected(value.error());
    changed += fmt::format("+{}={}", (*field)->path, *value);
    paths.push_back((*field)->path);
  }
  if (set.empty()) return changed;
  Result<const Gpu*> with = gpus::find_gpu(changed);
  if (!with) return tl::unexpected(with.error());
  // What was measured of a peak goes with it, unless it was set as well.
  for (const auto& [peak, sustained] : kFollows) {
    const double before = number_of(**gpu, peak), now = number_of(**with, peak),
                 kept = number_of(**with, sustained);
    const bool set_itself = std::find(paths.begin(), paths.end(), sustained) != paths.end();
    if (set_itself || before <= 0 || kept <= 0 || now == before) continue;
    changed += fmt::format("+{}={}", sustained, kept * now / before);
  }
  if ((*with)->sustained_matrix_mhz && *(*with)->sustained_matrix_mhz > (*with)->engine_mhz)
    changed += fmt::format("+sustained.matrix_mhz={}", (*with)->engine_mhz);
  return changed;
}

Result<std::vector<const Gpu*>> find_gpus(const GpuOption& option) {
  std::vector<const Gpu*> found;
  for (const std::string& which : split_list(option.gpus)) {
    const Result<std::string> changed = with_changes(which, option.set);
    if (!changed) return tl::unexpected(changed.error());
    Result<const Gpu*> gpu = gpus::find_gpu(*changed);
    if (!gpu) return tl::unexpected(gpu.error());
    found.push_back(*gpu);
  }
  return found;
}

}  // namespace wavesmith::study
