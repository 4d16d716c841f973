#include "model/constants.h"

#include <fmt/format.h>

#include <cstdlib>
#include <unordered_map>

#include "model/fitted/read.h"

namespace wavesmith::model {

std::span<const Constant> constants() { return fitted_constants().constants; }
std::span<const ConstantSet> constant_sets() { return fitted_constants().sets; }

double ConstantName::value() const {
  static const auto& values = *new std::unordered_map<std::string_view, double>([] {
    std::unordered_map<std::string_view, double> all;
    for (const Constant& constant : constants()) all.emplace(constant.name, constant.value);
    return all;
  }());
  const auto found = values.find(name);
  if (found == values.end()) {
    fmt::print(stderr, "wavesmith: model/fitted/constants.toml has no {}\n", name);
    std::abort();
  }
  return found->second;
}

std::string doubt_of(const ConstantSet& set) {
  size_t fitted = 0;
  for (const Constant& constant : constants()) fitted += constant.set == set.name ? 1 : 0;
  return few_rows(fitted, set.rows);
}

void mark_doubt(Prediction& prediction, std::string_view name) {
  for (const ConstantSet& set : constant_sets()) {
    if (set.name != name) continue;
    const std::string doubt = doubt_of(set);
    if (doubt.empty()) return;
    prediction.confidence = Confidence::Low;
    prediction.notes.insert(prediction.notes.begin(),
                            fmt::format("low confidence: '{}' was fitted with {}", name, doubt));
  }
}

}  // namespace wavesmith::model
