#include "validate/programs/mi300a_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wavesmith::validate {
namespace {

/// What a constant is taken for where no program tells it: known from elsewhere than the programs' times, or
/// else the end of its range at which it costs least.
struct Known {
  std::string_view path;
  bool rate;                     ///< less of it costs more
  std::optional<double> before;  ///< from elsewhere
  bool whole = false;            ///< the data file wants a whole number
};
const Known* find_known(std::string_view path) {
  static const std::vector<Known> all{
      {"pace.store_cycles", false, 213, true},           // a load's from the L2 (RRZE-HPC gpu-benches)
      {"pace.memory_gigabytes_per_second", true, 2950},  // gpu-stream (RRZE-HPC gpu-benches)
      {"pace.walks_per_microsecond", true, {}},
      {"launch.call_us", false, {}},
      {"launch.first_wave_us", false, {}},
      {"launch.gap_us", false, {}},
      {"launch.event_us", false, {}},
      {"launch.workgroup_clocks", false, {}},
      {"copy.call_us", false, {}},
      {"copy.to_device_gigabytes_per_second", true, 64},  // PCIe 5.0 x16 (data sheet)
      {"copy.to_host_gigabytes_per_second", true, 64},
  };
  const auto found = std::ranges::find(all, path, &Known::path);
  return found == all.end() ? nullptr : &*found;
}

/// Beyond that a row's error counts by itself, not by its square: single rows are outliers of the
/// measurement.
constexpr double kOutlier = 0.15;
/// How much a constant is held to what it was taken for: nothing, where rows tell it.
constexpr double kHeld = 1e-5;
/// Steps of a constant's range.
constexpr int kSteps = 40;

double penalty(double error) {
  const double size = std::abs(error);
  return size < kOutlier ? size * size : kOutlier * (2 * size - kOutlier);
}

}  // namespace

std::string_view mi300a_program_of(std::string_view kernel) {
  return kernel.starts_with("memcopy") ? std::string_view("memcopy") : kernel;
}

Result<Mi300aFit> Mi300aFit::create(const Csv& responses, const std::vector<Mi300aRow>& measured) {
  const auto named = responses.require({"kernel_name", "problem_size", "ms"});
  if (!named) return tl::unexpected(named.error());
  struct Setting {
    size_t column;
    double value;
  };
  std::vector<std::string> paths;
  std::vector<std::vector<Setting>> settings;
  for (size_t column = 0; column < responses.columns().size(); ++column) {
    const std::string_view name = responses.columns()[column];
    const size_t equals = name.find('=');
    if (equals == std::string_view::npos) continue;
    const auto value = number<double>(name.substr(equals + 1));
    if (!value || !find_known(name.substr(0, equals)))
      return fail(ErrorKind::BadInput, fmt::format("'{}' sets no constant of these programs", name),
                  responses.name());
    const auto at = std::ranges::find(paths, name.substr(0, equals));
    if (at == paths.end()) {
      paths.emplace_back(name.substr(0, equals));
      settings.push_back({{column, *value}});
    } else {
      settings[static_cast<size_t>(at - paths.begin())].push_back({column, *value});
    }
  }
  Mi300aFit fit;
  for (size_t i = 0; i < paths.size(); ++i) {
    std::ranges::sort(settings[i], {}, &Setting::value);
    if (settings[i].size() != 2 || settings[i][0].value <= 0 ||
        std::abs(settings[i][1].value / settings[i][0].value - 4) > 1e-6)
      return fail(ErrorKind::BadInput, fmt::format("'{}' is not set to a half and a double", paths[i]),
                  responses.name());
    const double middle = 2 * settings[i][0].value;
    const Known& known = *find_known(paths[i]);
    const double before = known.before ? std::log2(*known.before / middle) : known.rate ? 1 : -1;
    fit.constants_.push_back({paths[i], middle, std::clamp(before, -1.0, 1.0)});
  }
  for (size_t row = 0; row < responses.rows(); ++row) {
    const std::string_view kernel = responses.cell(row, named->at("kernel_name")),
                           size = responses.cell(row, named->at("problem_size"));
    const auto found = std::ranges::find_if(
        measured, [&](const Mi300aRow& each) { return each.kernel == kernel && each.size == size; });
    const auto base = number<double>(responses, row, named->at("ms"));
    if (!base) return tl::unexpected(base.error());
    if (found == measured.end() || found->milliseconds <= 0 || *base <= 0)
      return fail(ErrorKind::BadInput, "no time was measured", responses.where(row));
    fit.rows_.push_back({std::string(kernel), std::string(size), *base});
    const std::string_view program = mi300a_program_of(kernel);
    auto at = std::ranges::find(fit.programs_, program);
    if (at == fit.programs_.end()) at = fit.programs_.insert(at, std::string(program));
    Answer answer;
    answer.program = static_cast<size_t>(at - fit.programs_.begin());
    answer.at = std::log(*base / found->milliseconds);
    for (const std::vector<Setting>& both : settings) {
      const auto less = number<double>(responses, row, both[0].column),
                 more = number<double>(responses, row, both[1].column);
      if (!less) return tl::unexpected(less.error());
      if (!more) return tl::unexpected(more.error());
      const double low = std::log(*less / *base), high = std::log(*more / *base);
      answer.to.push_back({(high - low) / 2, (high + low) / 2});
    }
    fit.answers_.push_back(std::move(answer));
  }
  return fit;
}

double Mi300aFit::cost(const std::vector<double>& x, size_t left_out) const {
  std::vector<double> sums(programs_.size()), counts(programs_.size());
  for (const Answer& each : answers_) {
    if (each.program == left_out) continue;
    double error = each.at;
    for (size_t i = 0; i < x.size(); ++i) error += x[i] * (each.to[i].slope + x[i] * each.to[i].bend);
    sums[each.program] += penalty(error);
    counts[each.program] += 1;
  }
  double all = 0;  // Each program counts as much as another, whatever it has of sizes.
  for (size_t i = 0; i < sums.size(); ++i)
    if (counts[i] > 0) all += sums[i] / counts[i];
  for (size_t i = 0; i < x.size(); ++i)
    all += kHeld * (x[i] - constants_[i].before) * (x[i] - constants_[i].before);
  return all;
}

std::vector<Mi300aFit::Value> Mi300aFit::without(std::string_view program) const {
  const auto left_out = static_cast<size_t>(std::ranges::find(programs_, program) - programs_.begin());
  // From what was known beforehand, a constant at a time, until none moves.
  std::vector<double> x;
  for (const Constant& each : constants_) x.push_back(each.before);
  double best = cost(x, left_out);
  for (double before = 2 * best + 1; best < before - 1e-9;) {
    before = best;
    for (double& each : x) {
      const double at = each;
      double chosen = at;
      for (int step = 0; step <= kSteps; ++step) {
        each = -1 + 2.0 * step / kSteps;
        if (const double now = cost(x, left_out); now < best) best = now, chosen = each;
      }
      each = chosen;
    }
  }
  std::vector<Value> values;
  for (size_t i = 0; i < x.size(); ++i) {
    Value value{constants_[i].path, constants_[i].middle * std::exp2(x[i])};
    if (find_known(value.path)->whole) value.value = std::round(value.value);
    for (const Answer& each : answers_)
      value.told |=
          each.program != left_out && std::max(std::abs(each.to[i].slope), std::abs(each.to[i].bend)) > 0.005;
    value.stopped = value.told && std::abs(x[i]) > 1 - 1e-6;
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<std::string> Mi300aFit::words_without(std::string_view program) const {
  std::vector<std::string> words;
  for (const Value& each : without(program)) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}={:.6g}", each.path, each.value));
  }
  return words;
}

}  // namespace wavesmith::validate
