#include "python/native/predict.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "base/split.h"
#include "model/operation.h"
#include "python/native/failure.h"
#include "study/prediction.h"

namespace nb = nanobind;

namespace wavesmith::python {
namespace {

using model::Parameter;

nb::str text_of(std::string_view text) { return nb::str(text.data(), text.size()); }

const char* name_of(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::Size:
      return "size";
    case Parameter::Kind::Type:
      return "type";
    case Parameter::Kind::Choice:
      return "choice";
    case Parameter::Kind::Switch:
      return "switch";
    case Parameter::Kind::Text:
      return "text";
  }
  return "";
}

}  // namespace

std::string predict(const std::string& operation_name, const std::string& gpu,
                    const std::vector<std::string>& set, const std::map<std::string, std::string>& parameters,
                    double clock, const std::string& timing, bool warm) {
  const model::Operation& operation = *value_or_throw(model::find_operation(operation_name));
  study::PredictionQuery query;
  query.gpu = {gpu, set};
  query.clock = clock;
  query.timing = timing;
  query.warm = warm;
  for (const auto& [name, value] : parameters) {
    const Parameter* const parameter = operation.find(name);
    if (!parameter) throw Failure(operation.check({{name, value}}).error());
    const std::string own(parameter->name);
    if (parameter->kind != Parameter::Kind::Switch)
      query.values[own] = value;
    else if (value == "true" || value == "false")
      query.switches[own] = value == "true";
    else
      throw Failure({ErrorKind::BadInput, "'" + own + "' is True or False, not '" + value + "'", {}, {}});
  }
  const study::Predictions found = value_or_throw(study::predictions(operation, query));
  if (found.rows.size() != 1)
    throw Failure({ErrorKind::BadInput,
                   "several predictions are asked for at once",
                   {},
                   "call predict for each GPU and each size"});
  const study::PredictedPoint& row = found.rows.front();
  if (!row.predicted) throw Failure(row.predicted.error());
  return study::json_of(row, operation).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nb::list operations() {
  nb::list all;
  for (const model::Operation& operation : model::operations()) {
    nb::list parameters;
    for (const Parameter& parameter : operation.parameters) {
      nb::list choices;
      for (const std::string_view choice : words(parameter.choices)) choices.append(text_of(choice));
      parameters.append(nb::make_tuple(text_of(parameter.name), text_of(parameter.about),
                                       name_of(parameter.kind), text_of(parameter.standard), choices));
    }
    all.append(nb::make_tuple(text_of(operation.name), text_of(operation.about), parameters));
  }
  return all;
}

}  // namespace wavesmith::python
