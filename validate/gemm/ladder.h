// Ladders: one product by a kernel that is changed step by step, with each step measured. Whether the model
// orders the steps as measured says more about its mechanisms than single errors do.
#pragma once

#include <string>
#include <vector>

#include "model/gemm/gemm.h"
#include "validate/report.h"
#include "validate/table.h"

namespace wavesmith::validate {

struct Rung {
  std::string name;
  double measured = 0, predicted = kNone;  ///< seconds
  double again = 0;                        ///< a second measurement, in seconds; 0: there is none
  model::GemmKernel kernel;
};

struct Ladder {
  std::string name, gpu, where;
  model::GemmProblem problem;
  model::Conditions conditions;
  std::vector<Rung> rungs;  ///< in the order in which they were built
};

/// The median difference between AITER's two measurements of the same kernel: steps that differ by less have
/// no order on the hardware either.
inline constexpr double kLadderNoise = 0.02;

/// AMD's steps of an fp8 product on an MI355X.
Ladder fp8_ladder();
/// Products of the table that were measured with several orders of their tiles (HipKittens, "grid swizzle").
Result<std::vector<Ladder>> grid_ladders(const Csv& published);

/// Fills in the model's predictions. Error: the model refuses a step.
Result<void> predict(Ladder& ladder);

/// Pairs of neighbouring steps, and those of them whose predicted change has the measured sign; of a pair
/// whose times differ by less than the noise, those that are predicted to differ by less than it too; of a
/// pair that two measurements put into different orders, those predicted between the two, the noise added.
struct LadderOrder {
  size_t pairs = 0, in_order = 0;
  size_t same_sign = 0;            ///< as that of a measurement, the noise not considered
  std::vector<std::string> wrong;  ///< "direct to LDS - swizzle: measured +2.0 %, predicted -4.0 %"
};
LadderOrder order_of(const Ladder& ladder);

/// Adds a case for each step and a note with their order, which it returns.
LadderOrder report_ladder(const Ladder& ladder, std::vector<Case>& cases, FamilyReport& report);

/// Adds cases, the summary `gemm_ladder_pairs_in_order` and a note for each ladder that the tables have.
Result<void> judge_ladders(Data& data, std::vector<Case>& cases, FamilyReport& report);

}  // namespace wavesmith::validate
