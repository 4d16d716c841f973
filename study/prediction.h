// Predictions as people ask for them, in words: of the command line and of Python.
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

/// One point on one GPU.
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

/// Every point that the values span, on every GPU. Errors: of the GPUs, of a value; what a point alone lacks
/// is its own error.
Result<Predictions> predictions(const model::Operation& operation, const PredictionQuery& query);

/// Everything that is said of a point: what `predict --json` prints and Python reads.
nlohmann::ordered_json json_of(const PredictedPoint& row, const model::Operation& operation);

}  // namespace wavesmith::study
