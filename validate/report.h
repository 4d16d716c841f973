// The result of validation: cases, strata with their error statistics, and the summary that is tracked over
// time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::validate {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// One measurement and its prediction. All cases of a family are in one unit: seconds, cycles, TFLOP/s.
struct Case {
  std::string gpu;    ///< as the table writes it
  std::string label;  ///< "gemm bf16 M=16 N=4096 K=4096 MT16x64x256"
  std::string where;  ///< file and line, or the row's source
  double measured = 0, predicted = kNone;
  double baseline = kNone;          ///< the calibrated roofline's
  double origami = kNone;           ///< rocm-origami's
  std::vector<std::string> strata;  ///< that it belongs to: "MI300X bf16 M <= 16"
  std::string note;                 ///< bound, what was assumed
  std::string model,
      architecture;  ///< whose predictions carry this error: "decode" on "CDNA4"; empty: none's

  /// |predicted - measured| / measured.
  [[nodiscard]] double error() const { return relative(predicted); }
  [[nodiscard]] double relative(double value) const {
    return measured == 0 ? kNone : (value < measured ? measured - value : value - measured) / measured;
  }
};

/// Error statistics of the cases of one stratum; NaN where there are none.
struct Stratum {
  std::string name;
  size_t n = 0;
  double median = kNone, mean = kNone, p90 = kNone;
  double baseline = kNone;  ///< median error of the calibrated roofline on the same cases
  double origami = kNone;   ///< median error of rocm-origami, on the cases it has a prediction for
  size_t origami_n = 0;
};

/// A figure that is tracked over time; errors and shares are fractions.
struct Summary {
  std::string name;
  double value = kNone;
  size_t n = 0;
};

/// Median error of a model on the GPUs of a generation, which its predictions carry.
struct JudgedMedian {
  std::string model, architecture;
  double median = kNone;
  size_t n = 0;
};

struct FamilyReport {
  std::string family;  ///< "gemm"
  std::string method;  ///< a paragraph: what is compared with what
  std::vector<Stratum> strata;
  std::vector<Case> worst;  ///< the twenty cases with the largest error, worst first
  std::vector<Summary> summary;
  std::vector<JudgedMedian> judged;    ///< of models and generations with enough cases
  std::vector<std::string> constants;  ///< what was fitted: name, value, on what
  std::vector<std::string> notes;      ///< what we think is wrong; rows left out and why
};

/// The p-quantile (0 to 1) by linear interpolation between the sorted values; NaN if there are none.
double quantile(std::vector<double> values, double p);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }
double mean(std::span<const double> values);
/// Sum of |predicted - measured| over the sum of measured: WMAPE.
double weighted_error(std::span<const Case> cases);

/// Statistics of each stratum that the cases name, sorted by first appearance of the name.
std::vector<Stratum> strata_of(std::span<const Case> cases);
/// Medians of the models and generations that the cases name, ten cases or more each, in alphabetical order.
std::vector<JudgedMedian> judged_of(std::span<const Case> cases);
/// The text of model/judged_table.cc.
std::string judged_source(std::span<const FamilyReport> reports);
/// The `count` cases with the largest error, worst first.
std::vector<Case> worst_of(std::span<const Case> cases, size_t count = 20);

}  // namespace wavesmith::validate
