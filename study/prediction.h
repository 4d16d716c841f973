// Predictions by name and text values, for the command line and Python.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/operation.h"
#include "study/gpu_option.h"
#include "study/value_range.h"

namespace wavesmith::study {

struct PredictionQuery {
  GpuOption gpu;
  std::map<std::string, std::string, std::less<>>
      values;  ///< as typed, by parameter; empty ones are not given
  std::map<std::string, bool, std::less<>> switches;
  double clock = 0;                 ///< MHz, held there; 0: what the power limit leaves
  std::string timing = "profiler";  ///< or "events", "back-to-back"
  bool warm = false;                ///< operands stand in the caches that hold them
};

/// The prediction of one point on one GPU.
struct PredictedPoint {
  const gpus::Gpu* gpu = nullptr;
  Point point;
  Result<model::OperationPrediction> predicted;
};

struct Predictions {
  std::vector<PredictedPoint> rows;  ///< points in order, the GPUs of each
  std::vector<std::string> names;    ///< parameters that were given
  std::vector<std::string> swept;    ///< those with several values
};

/// Predicts every point that the values span, on every GPU. Errors: an invalid GPU or value; a point that
/// cannot be predicted carries its own error.
Result<Predictions> predictions(const model::Operation& operation, const PredictionQuery& query);

/// A point's prediction as `predict --json` prints it and Python reads it.
nlohmann::ordered_json json_of(const PredictedPoint& row, const model::Operation& operation);

}  // namespace wavesmith::study
