#include "study/prediction.h"

#include <fmt/format.h>

namespace wavesmith::study {
namespace {

using gpus::Gpu;
using model::Operation;
using model::Parameter;
using nlohmann::ordered_json;

Result<model::Conditions> conditions_of(const PredictionQuery& query) {
  using Timing = model::Conditions::Timing;
  model::Conditions conditions;
  conditions.cold = !query.warm;
  if (query.clock > 0) conditions.clock_mhz = query.clock;
  if (query.timing == "profiler")
    conditions.timing = Timing::Profiler;
  else if (query.timing == "events")
    conditions.timing = Timing::Events;
  else if (query.timing == "back-to-back")
    conditions.timing = Timing::BackToBack;
  else
    return fail(ErrorKind::BadInput, fmt::format("unknown method of timing '{}'", query.timing), {},
                "there are profiler, events and back-to-back");
  return conditions;
}

}  // namespace

Result<Predictions> predictions(const Operation& operation, const PredictionQuery& query) {
  const Result<std::vector<const Gpu*>> gpus = find_gpus(query.gpu);
  if (!gpus) return tl::unexpected(gpus.error());
  // Each parameter's values; those with several are swept over.
  Predictions found;
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  for (const Parameter& parameter : operation.parameters) {
    const std::string name(parameter.name);
    if (parameter.kind == Parameter::Kind::Switch) {
      if (const auto given = query.switches.find(name); given != query.switches.end() && given->second)
        lists.emplace_back(name, std::vector<std::string>{"true"});
      continue;
    }
    const auto given = query.values.find(name);
    if (given == query.values.end() || given->second.empty()) continue;
    Result<std::vector<std::string>> values = parameter.kind == Parameter::Kind::Text
                                                  ? std::vector<std::string>{given->second}
                                                  : values_of(given->second);
    if (!values) return tl::unexpected(values.error());
    found.names.push_back(name);
    if (values->size() > 1) found.swept.push_back(name);
    lists.emplace_back(name, std::move(*values));
  }
  const Result<std::vector<Point>> points = points_of(lists);
  if (!points) return tl::unexpected(points.error());
  const Result<model::Conditions> conditions = conditions_of(query);
  if (!conditions) return tl::unexpected(conditions.error());
  for (const Point& point : *points)
    for (const Gpu* gpu : *gpus)
      found.rows.push_back({gpu, point, operation.predict(*gpu, point, *conditions)});
  return found;
}

ordered_json json_of(const PredictedPoint& row, const Operation& operation) {
  ordered_json arguments = ordered_json::object();
  for (const auto& [name, value] : row.point) arguments[name] = value;
  ordered_json json{
      {"operation", operation.name}, {"gpu", row.gpu->id}, {"name", row.gpu->name}, {"arguments", arguments}};
  if (!row.predicted) {
    json["error"] = row.predicted.error().text();
    return json;
  }
  const model::Prediction& p = row.predicted->prediction;
  json["seconds"] = {{"value", p.seconds}, {"kind", "modelled"}};
  json["bound"] = p.bound;
  json["flops"] = {{"value", p.flops}, {"kind", "derived"}};
  json["bytes"] = {{"value", p.bytes}, {"kind", "derived"}};
  json["flops_per_second"] = {{"value", p.flops_per_second()}, {"kind", "modelled"}};
  json["bytes_per_second"] = {{"value", p.bytes_per_second()}, {"kind", "modelled"}};
  json["clock_mhz"] = {{"value", p.clock_mhz}, {"kind", name_of(p.clock_kind)}};
  ordered_json parts = ordered_json::array(), levels = ordered_json::array(), facts = ordered_json::object();
  for (const model::Part& part : p.parts)
    parts.push_back({{"name", part.name}, {"seconds", part.seconds}, {"exposed", part.exposed}});
  for (const model::Level& level : p.levels)
    levels.push_back({{"name", level.name},
                      {"bytes", level.bytes},
                      {"seconds", level.seconds},
                      {"bytes_per_second", level.bytes_per_second},
                      {"flops_per_byte", level.bytes > 0 ? p.flops / level.bytes : 0},
                      {"utilisation", level.utilisation}});
  for (const model::Fact& fact : row.predicted->facts) facts[fact.name] = fact.value;
  json["parts"] = parts;
  json["levels"] = levels;
  json["facts"] = facts;
  json["confidence"] = model::name_of(p.confidence);
  json["expected_error"] = p.judged ? ordered_json(p.judged->median) : ordered_json(nullptr);
  json["judged"] = p.judged ? ordered_json{{"model", p.judged->model},
                                           {"architecture", p.judged->architecture},
                                           {"rows", p.judged->rows}}
                            : ordered_json(nullptr);
  json["notes"] = p.notes;
  return json;
}

}  // namespace wavesmith::study
