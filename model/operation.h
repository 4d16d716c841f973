// Every operation that can be predicted, by name and with named parameters, for command lines and scripts. A
// new operation is a row in operations/ and a function that turns arguments into its model's problem.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

struct Parameter {
  enum class Kind : uint8_t {
    Size,    ///< a count, at least 1; sweeps go over these
    Type,    ///< a number type
    Choice,  ///< one of `choices`
    Switch,  ///< given or not
    Text,    ///< as the operation reads it
  };
  std::string_view name, about;
  Kind kind = Kind::Size;
  std::string_view standard;      ///< value when not given; empty: it must be given
  std::string_view choices = {};  ///< separated by spaces
  std::string_view also = {};     ///< shorter name
};

/// Values by parameter name.
class Arguments {
 public:
  void set(std::string_view name, std::string value) {
    values_.insert_or_assign(std::string(name), std::move(value));
  }
  /// The value, or the parameter's default; after `check` all are well-formed.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] double size(std::string_view name) const;
  [[nodiscard]] NumberType type(std::string_view name) const;
  [[nodiscard]] bool on(std::string_view name) const { return text(name) == "true"; }
  [[nodiscard]] bool given(std::string_view name) const { return values_.contains(name); }

 private:
  friend struct Operation;
  std::map<std::string, std::string, std::less<>> values_, standards_;
};

/// A fact to show beside the prediction: "tile": "256x256x64".
struct Fact {
  std::string name, value;
};

/// What an operation predicts, with facts about how it would be computed.
struct OperationPrediction {
  Prediction prediction;
  std::vector<Fact> facts;
};

struct Operation {
  std::string_view name, about;
  std::vector<Parameter> parameters;
  std::string_view examples;  ///< arguments of `wavesmith predict`, a line each
  Result<OperationPrediction> (*function)(const gpus::Gpu& gpu, const Arguments& arguments,
                                          const Conditions& conditions);

  [[nodiscard]] const Parameter* find(std::string_view name) const;
  /// Checks the values. Error: a parameter that does not exist or is missing, or an invalid value; the
  /// message lists valid ones.
  [[nodiscard]] Result<Arguments> check(const std::map<std::string, std::string, std::less<>>& values) const;
  /// Checks, and predicts.
  [[nodiscard]] Result<OperationPrediction> predict(
      const gpus::Gpu& gpu, const std::map<std::string, std::string, std::less<>>& values,
      const Conditions& conditions = {}) const;
};

std::span<const Operation> operations();
/// Error: an unknown name; the message lists the operations.
Result<const Operation*> find_operation(std::string_view name);

/// "every type there is", for messages.
std::string known_types();

}  // namespace wavesmith::model
