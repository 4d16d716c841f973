// The published kernels: rows of one table from many sources, predicted by the models family by family.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/prediction.h"
#include "validate/report.h"
#include "validate/split.h"
#include "validate/table.h"

namespace wavesmith::validate {

struct PublishedRow {
  std::string_view gpu, library, op, dtype, shape, layout, metric, unit, source;
  double value = 0;
  size_t line = 0;
  Half half = Half::A;
};

/// Every row of the table. Error: a column is missing, or a value is no number.
Result<std::vector<PublishedRow>> published_rows(const Csv& csv);

/// Our GPU for the name in a table; nullptr: not described. Families of chips ("MI350X/MI355X") are their
/// larger member; a "gfx942" of AITER's is an MI308X, the chip that its other tables of that generation name.
const gpus::Gpu* published_gpu(std::string_view name);

/// A row's prediction. `flops`, `bytes` and `elements`, as the source counts them, turn its rates into times.
struct PredictedRow {
  Result<model::Prediction> prediction;
  double flops = 0, bytes = 0, elements = 0;
  double method_seconds = 0;  ///< added by the source's method of timing (see method_of)
  double least_seconds = 0;   ///< that its loop takes at least (see least_of)
  std::string model;          ///< whose predictions carry the error; empty: the family's
};
/// Predicts a row; nullopt: it cannot be predicted, and `why` says the reason.
using RowPredictor = std::function<std::optional<PredictedRow>(const PublishedRow& row, const gpus::Gpu& gpu,
                                                               std::string& why)>;

struct PublishedFamily {
  std::string name;     ///< "attention"
  std::string summary;  ///< "attention_median"
  std::string method;
  std::function<bool(const PublishedRow&)> takes;
  RowPredictor ask;
  std::vector<std::string_view> doubts;     ///< what we think is wrong, a line each
  std::vector<std::string_view> constants;  ///< prefixes of the model's constants it leans on
};
Result<FamilyReport> judge_published(Data& data, const PublishedFamily& family);

/// The number after a name in "B=16;H=64;causal"; nullopt if there is none.
std::optional<double> number_in(std::string_view shape, std::string_view name);
/// The tuples of numbers within "dims=((8,3137,768),(),(768,))", empty ones left out.
std::vector<std::vector<double>> tuples_in(std::string_view shape);
/// The tuple after a name, "'stride':(1,1)"; empty if there is none.
std::vector<double> tuple_behind(std::string_view shape, std::string_view name);
double product(const std::vector<double>& sizes);
/// Bytes of the numbers that a column of types names: "c10::BFloat16,float" has 2 and 4.
std::vector<double> type_bytes(std::string_view dtype);

/// The time that a source's method of timing adds to a kernel's, and how that is known.
struct Method {
  std::string_view source;  ///< what the row's source contains
  std::string_view gpu;     ///< how the row's GPU begins
  std::string_view op;      ///< how the row's operation begins
  double seconds;
  std::string_view known;
  std::string_view library = {};  ///< what the row's library contains
  /// A lower bound: the host needs so long per launch of a loop, for which the GPU waits; nothing is added to
  /// longer kernels.
  bool least = false;
};
/// Seconds that the method of timing adds to the row's time.
double method_of(const PublishedRow& row);
/// The least seconds per kernel of the row's loop.
double least_of(const PublishedRow& row);

}  // namespace wavesmith::validate
