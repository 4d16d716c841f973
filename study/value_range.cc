#include "study/value_range.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/split.h"

namespace wavesmith::study {
namespace {

constexpr size_t kMostValues = 10'000, kMostPoints = 100'000;

tl::unexpected<Error> bad(std::string what) {
  return fail(ErrorKind::BadInput, std::move(what), {},
              "write 4096, 1024,2048 or 1024:16384:1024; 1:65536:*4 takes each four times the last");
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                            {"k", 1e3},
                                                            {"K", 1e3},
                                                            {"M", 1e6},
                                                            {"G", 1e9},
                                                            {"KiB", 1024},
                                                            {"MiB", 1024.0 * 1024},
                                                            {"GiB", 1073741824},
                                                            {"B", 1}};
  for (const auto& [name, factor] : kUnits)
    if (name == unit) return value * factor;
  return std::nullopt;
}

std::string text_of(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{}", static_cast<int64_t>(value))
                                                              : fmt::format("{}", value);
}

}  // namespace

Result<std::vector<std::string>> values_of(std::string_view text) {
  std::vector<std::string> values;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> range = split(part, ':');
    if (range.size() == 1) {
      if (part.empty()) return bad(fmt::format("'{}' has an empty value", text));
      const std::optional<double> number = number_of(part);
      values.push_back(number ? text_of(*number) : std::string(part));
    } else {
      const std::optional<double> from = number_of(range[0]), to = number_of(range[1]);
      std::string_view step_text = range.size() > 2 ? range[2] : "1";
      const bool times = step_text.starts_with('*') || step_text.starts_with('x');
      if (times) step_text.remove_prefix(1);
      const std::optional<double> step = number_of(step_text);
      if (!from || !to || !step || range.size() > 3) return bad(fmt::format("'{}' is no range", part));
      if (*to < *from) return bad(fmt::format("'{}' ends before it begins", part));
      if (times ? *step <= 1 || *from <= 0 : *step <= 0) return bad(fmt::format("'{}' never ends", part));
      // Steps as 0.1 are no binary fractions, so that sums of them miss what was written.
      const double last = *to + (times ? *to : *step) * 1e-9;
      double value = *from;
      while (value <= last) {
        values.push_back(text_of(std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr)));
        if (values.size() > kMostValues)
          return bad(fmt::format("'{}' has more than {} values", text, kMostValues));
        value = times ? value * *step : value + *step;
      }
    }
    if (values.size() > kMostValues)
      return bad(fmt::format("'{}' has more than {} values", text, kMostValues));
  }
  return values;
}

Result<std::vector<Point>> points_of(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& options) {
  size_t count = 1;
  for (const auto& [name, values] : options) {
    count *= values.size();
    if (count > kMostPoints) return bad(fmt::format("the sweep has more than {} points", kMostPoints));
  }
  std::vector<Point> points(1);
  for (const auto& [name, values] : options) {
    std::vector<Point> next;
    for (const Point& point : points)
      for (const std::string& value : values) {
        next.push_back(point);
        next.back()[name] = value;
      }
    points = std::move(next);
  }
  return points;
}

}  // namespace wavesmith::study
