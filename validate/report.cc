#include "validate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace wavesmith::validate {

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return kNone;
  std::ranges::sort(values);
  const double at = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

double mean(std::span<const double> values) {
  if (values.empty()) return kNone;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double weighted_error(std::span<const Case> cases) {
  double error = 0, measured = 0;
  for (const Case& each : cases) {
    error += std::abs(each.predicted - each.measured);
    measured += each.measured;
  }
  return measured > 0 ? error / measured : kNone;
}

std::vector<Stratum> strata_of(std::span<const Case> cases) {
  struct Errors {
    std::vector<double> ours, baseline, origami;
  };
  std::vector<std::string> names;
  std::map<std::string, Errors, std::less<>> found;
  for (const Case& each : cases)
    for (const std::string& name : each.strata) {
      const auto [at, is_new] = found.try_emplace(name);
      if (is_new) names.push_back(name);
      Errors& errors = at->second;
      if (!std::isnan(each.error())) errors.ours.push_back(each.error());
      if (!std::isnan(each.baseline)) errors.baseline.push_back(each.relative(each.baseline));
      if (!std::isnan(each.origami)) errors.origami.push_back(each.relative(each.origami));
    }
  std::vector<Stratum> strata;
  for (const std::string& name : names) {
    const Errors& errors = found.find(name)->second;
    strata.push_back({.name = name,
                      .n = errors.ours.size(),
                      .median = median(errors.ours),
                      .mean = mean(errors.ours),
                      .p90 = quantile(errors.ours, 0.9),
                      .baseline = median(errors.baseline),
                      .origami = median(errors.origami),
                      .origami_n = errors.origami.size()});
  }
  return strata;
}

std::vector<JudgedMedian> judged_of(std::span<const Case> cases) {
  constexpr size_t kFewest = 10;
  std::map<std::pair<std::string, std::string>, std::vector<double>> errors;
  for (const Case& each : cases)
    if (!each.model.empty() && !std::isnan(each.error()))
      errors[{each.model, each.architecture}].push_back(each.error());
  std::vector<JudgedMedian> judged;
  for (const auto& [key, values] : errors)
    if (values.size() >= kFewest) judged.push_back({key.first, key.second, median(values), values.size()});
  return judged;
}

std::string judged_source(std::span<const FamilyReport> reports) {
  std::string out =
      "// Written by `wavesmith validate --judged model/judged_table.cc`: what docs/ACCURACY.md says by GPU, "
      "by\n"
      "// generation. A test compares the two.\n"
      "#include \"model/judged.h\"\n\nnamespace wavesmith::model {\nnamespace {\n\n// clang-format off\n"
      "constexpr Judged kTable[] = {\n";
  for (const FamilyReport& report : reports)
    for (const JudgedMedian& each : report.judged)
      out += fmt::format("    {{\"{}\", \"{}\", {:.4f}, {}}},\n", each.model, each.architecture, each.median,
                         each.n);
  return out +
         "};\n// clang-format on\n\n}  // namespace\n\nstd::span<const Judged> judged_table() { return "
         "kTable; }\n"
         "\n}  // namespace wavesmith::model\n";
}

std::vector<Case> worst_of(std::span<const Case> cases, size_t count) {
  std::vector<const Case*> order;
  for (const Case& each : cases)
    if (!std::isnan(each.error())) order.push_back(&each);
  // Cases of equal error stay in the order of the table, which is that of their places in memory.
  std::ranges::sort(order, [](const Case* a, const Case* b) {
    return a->error() != b->error() ? a->error() > b->error() : a < b;
  });
  std::vector<Case> worst;
  for (size_t i = 0; i < std::min(count, order.size()); ++i) worst.push_back(*order[i]);
  return worst;
}

}  // namespace wavesmith::validate
