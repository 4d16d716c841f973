#include "model/operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/split.h"

namespace wavesmith::model {
namespace {

std::optional<double> size_of(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Result<void> fits(const Parameter& parameter, std::string_view value) {
  const auto bad = [&](std::string what, std::string hint) {
    return fail(ErrorKind::BadInput, std::move(what), {}, std::move(hint));
  };
  switch (parameter.kind) {
    case Parameter::Kind::Size: {
      const std::optional<double> size = size_of(value);
      if (!size || *size != std::floor(*size) || *size < 0)
        return bad(fmt::format("--{} {} is no size", parameter.name, value), "sizes are whole numbers");
      if (*size < 1 && parameter.standard != "0")
        return bad(fmt::format("--{} {}: there is nothing to do", parameter.name, value),
                   "sizes are at least 1");
      if (*size > 1e15)
        return bad(fmt::format("--{} {} is more than any GPU holds", parameter.name, value), "at most 10^15");
      return {};
    }
    case Parameter::Kind::Type:
      if (!number_type(value))
        return bad(fmt::format("--{} {} is no number type", parameter.name, value),
                   "known are " + known_types());
      return {};
    case Parameter::Kind::Choice: {
      const std::vector<std::string_view> choices = words(parameter.choices);
      for (const std::string_view choice : choices)
        if (choice == value) return {};
      return bad(fmt::format("--{} {} is not known", parameter.name, value),
                 fmt::format("known are {}", fmt::join(choices, ", ")));
    }
    case Parameter::Kind::Switch:
    case Parameter::Kind::Text:
      return {};
  }
  return {};
}

}  // namespace

std::string known_types() {
  std::string text;
  for (const NumberType type :
       {NumberType::F64, NumberType::F32, NumberType::XF32, NumberType::F16, NumberType::BF16, NumberType::F8,
        NumberType::I8, NumberType::F6, NumberType::F4, NumberType::I32})
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(type));
  return text;
}

std::string Arguments::text(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  if (const auto found = standards_.find(name); found != standards_.end()) return found->second;
  return {};
}
double Arguments::size(std::string_view name) const { return size_of(text(name)).value_or(0); }
NumberType Arguments::type(std::string_view name) const {
  return number_type(text(name)).value_or(NumberType::BF16);
}

const Parameter* Operation::find(std::string_view wanted) const {
  for (const Parameter& parameter : parameters)
    if (parameter.name == wanted || (!parameter.also.empty() && parameter.also == wanted)) return &parameter;
  return nullptr;
}

Result<Arguments> Operation::check(const std::map<std::string, std::string, std::less<>>& values) const {
  Arguments arguments;
  for (const auto& [key, value] : values) {
    const Parameter* parameter = find(key);
    if (!parameter) {
      std::vector<std::string_view> known;
      for (const Parameter& each : parameters) known.push_back(each.name);
      return fail(ErrorKind::BadInput, fmt::format("{} has no '{}'", name, key), {},
                  fmt::format("it has {}", fmt::join(known, ", ")));
    }
    if (Result<void> good = fits(*parameter, value); !good) return tl::unexpected(good.error());
    arguments.set(parameter->name, value);
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.kind == Parameter::Kind::Switch) continue;
    if (parameter.standard.empty() && parameter.kind != Parameter::Kind::Text &&
        !arguments.given(parameter.name))
      return fail(ErrorKind::BadInput, fmt::format("--{} is missing: {}", parameter.name, parameter.about),
                  {}, fmt::format("'wavesmith predict {} --help' has examples", name));
    arguments.standards_.emplace(parameter.name, parameter.standard);
  }
  return arguments;
}

Result<OperationPrediction> Operation::predict(const gpus::Gpu& gpu,
                                               const std::map<std::string, std::string, std::less<>>& values,
                                               const Conditions& conditions) const {
  Result<Arguments> arguments = check(values);
  if (!arguments) return tl::unexpected(arguments.error());
  return function(gpu, *arguments, conditions);
}

Result<const Operation*> find_operation(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Operation& operation : operations()) {
    if (operation.name == name) return &operation;
    known.push_back(operation.name);
  }
  return fail(ErrorKind::NotFound, fmt::format("no operation '{}' is modelled", name), {},
              fmt::format("modelled are {}", fmt::join(known, ", ")));
}

}  // namespace wavesmith::model
