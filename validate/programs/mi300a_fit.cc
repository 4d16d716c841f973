#include "validate/programs/mi300a_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

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
      // An MI210, 10,000 launches of 64 to 320 kB, in a stream as by a graph (RRZE-HPC gpu-benches,
      // gpu-small-kernels, 1038c5d): 2.05 to 2.07 us each.
      {"launch.call_us", false, 2.06},
      {"launch.first_wave_us", false, {}},
      // The same MI210's launches of 1.3 to 3.3 MB, which wait for one another: 2.37 to 3.06 us each, 0.8
      // to 1.2 more than their kernels take by this model.
      {"launch.gap_us", false, 1.0},
      {"launch.event_us", false, {}},
      // An MI210, 5,000 copies of 16 KiB of pageable memory (ROCm/hip issue 3470, HeCBench's
      // streamCreateCopyDestroy): 9.93 us each, 0.65 of them at PCIe 4.0's rate.
      {"copy.call_us", false, 9.3},
      {"copy.to_device_gigabytes_per_second", true, 64},  // PCIe 5.0 x16 (data sheet)
      {"copy.to_host_gigabytes_per_second", true, 64},
  };
  const auto found = std::ranges::find(all, path, &Known::path);
  return found == all.end() ? nullptr : &*found;
}

/// The error of a row from which it counts ever less: what is far off is so for a reason that no constant
/// mends, or was disturbed when it was measured.
constexpr double kOutlier = 0.15;
/// How far programs are off for other reasons than constants: what is known of a constant weighs as much as
/// a program that is off by that where the constant is a width away.
constexpr double kProgram = 0.15;
/// How much a constant is held where nothing is known of it: nothing, where rows tell it.
constexpr double kHeld = 1e-5;
/// log2 of a factor either way. The ranges of the constants are 1.
constexpr std::array kWidths{2.0, 1.0, 0.5, 0.25};
/// Steps of a constant's range.
constexpr int kSteps = 40;

/// Cauchy's.
double penalty(double error) {
  const double size = error / kOutlier;
  return kOutlier * kOutlier * std::log1p(size * size);
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
    fit.constants_.push_back({paths[i], middle, std::clamp(before, -1.0, 1.0), known.before.has_value()});
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
  fit.judge_widths();
  return fit;
}

size_t Mi300aFit::number_of(std::string_view program) const {
  return static_cast<size_t>(std::ranges::find(programs_, program) - programs_.begin());
}

std::vector<double> Mi300aFit::fit(LeftOut left_out, double width) const {
  // Each program counts as much as another, whatever it has of sizes.
  std::vector<double> weights(programs_.size());
  for (const Answer& each : answers_) weights[each.program] += 1;
  struct Seen {
    const Answer* answer;
    double weight, error;
  };
  std::vector<Seen> seen;
  for (const Answer& each : answers_)
    if (each.program != left_out.first && each.program != left_out.second)
      seen.push_back({&each, 1 / weights[each.program], each.at});
  std::vector<double> held, x(constants_.size());
  for (const Constant& each : constants_)
    held.push_back(each.known ? kProgram * kProgram / (width * width) : kHeld);
  const auto move = [&](size_t i, double to) {
    for (Seen& each : seen) each.error += each.answer->to[i].at(to) - each.answer->to[i].at(x[i]);
    x[i] = to;
  };
  // From what was known beforehand, a constant at a time, until none moves.
  for (size_t i = 0; i < x.size(); ++i) move(i, constants_[i].before);
  for (double gained = 1; gained > 1e-9;) {
    gained = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const auto cost = [&](double at) {
        const double off = at - constants_[i].before;
        double all = held[i] * off * off;
        for (const Seen& each : seen)
          all += each.weight * penalty(each.error + each.answer->to[i].at(at) - each.answer->to[i].at(x[i]));
        return all;
      };
      const double now = cost(x[i]);
      double best = now, chosen = x[i];
      for (int step = 0; step <= kSteps; ++step) {
        const double at = -1 + 2.0 * step / kSteps;
        if (const double one = cost(at); one < best) best = one, chosen = at;
      }
      gained += now - best;
      move(i, chosen);
    }
  }
  return x;
}

double Mi300aFit::error(size_t program, const std::vector<double>& x) const {
  double sum = 0, count = 0;
  for (const Answer& each : answers_) {
    if (each.program != program) continue;
    double error = each.at;
    for (size_t i = 0; i < x.size(); ++i) error += each.to[i].at(x[i]);
    sum += std::abs(std::expm1(error));
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

void Mi300aFit::judge_widths() {
  for (const double width : kWidths) {
    std::map<LeftOut, double>& errors = pairs_.emplace_back();
    for (size_t one = 0; one < programs_.size(); ++one)
      for (size_t other = 0; other < one; ++other) {
        const std::vector<double> x = fit({one, other}, width);
        errors[{one, other}] = error(other, x);
        errors[{other, one}] = error(one, x);
      }
  }
}

double Mi300aFit::chosen_width(size_t left_out) const {
  std::vector<double> means;
  double least = 1e30, allowed = 1e30;
  for (const std::map<LeftOut, double>& errors : pairs_) {
    double count = 0, sum = 0, squares = 0;
    for (const auto& [programs, error] : errors) {
      if (left_out < programs_.size() && programs.first != left_out) continue;
      count += 1, sum += error, squares += error * error;
    }
    const double mean = count > 0 ? sum / count : 0;
    const double variance = count > 1 ? (squares - count * mean * mean) / (count - 1) : 0;
    if (mean < least)
      least = mean, allowed = mean + std::sqrt(std::max(0.0, variance) / std::max(1.0, count));
    means.push_back(mean);
  }
  size_t narrowest = 0;
  for (size_t i = 0; i < means.size(); ++i)
    if (means[i] <= allowed) narrowest = i;
  return kWidths[narrowest];
}

double Mi300aFit::width_without(std::string_view program) const { return chosen_width(number_of(program)); }

std::vector<Mi300aFit::Value> Mi300aFit::without(std::string_view program) const {
  const size_t left_out = number_of(program);
  const std::vector<double> x = fit({left_out, left_out}, chosen_width(left_out));
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
