// Reductions on a GPU of each target, against double precision.
#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_reduction.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_reduction_description;
using Reduction = wavesmith_reduction_operation;

class Reductions : public OnStrides {
 protected:
  /// Launches it with a workspace of the size that it asks for.
  static void call(Description one) {
    one.workspace_bytes = wavesmith_kernels_reduce_strided_workspace(&one);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, one.workspace_bytes + 16));
    one.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_reduce_strided(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }

  static double reference(Reduction operation, const std::vector<double>& terms) {
    double result = operation == WAVESMITH_REDUCTION_PRODUCT || operation == WAVESMITH_REDUCTION_ALL ? 1 : 0;
    if (operation == WAVESMITH_REDUCTION_MAXIMUM) return *std::max_element(terms.begin(), terms.end());
    if (operation == WAVESMITH_REDUCTION_MINIMUM) return *std::min_element(terms.begin(), terms.end());
    if (operation == WAVESMITH_REDUCTION_MAXIMUM_PLACE)
      return static_cast<double>(std::max_element(terms.begin(), terms.end()) - terms.begin());
    for (const double x : terms) switch (operation) {
        case WAVESMITH_REDUCTION_PRODUCT:
          result *= x;
          break;
        case WAVESMITH_REDUCTION_ALL:
          result = x == 0 ? 0 : result;
          break;
        case WAVESMITH_REDUCTION_ANY:
          result = x != 0 ? 1 : result;
          break;
        case WAVESMITH_REDUCTION_COUNT:
          result += x != 0;
          break;
        case WAVESMITH_REDUCTION_SUM_OF_SIZES:
          result += std::abs(x);
          break;
        case WAVESMITH_REDUCTION_ROOT_OF_SQUARES:
          result += x * x;
          break;
        default:
          result += x;
      }
    return operation == WAVESMITH_REDUCTION_ROOT_OF_SQUARES ? std::sqrt(result) : result;
  }

  /// Of integers whose sum is exact: 0 where all terms are equal.
  static double variance(const std::vector<double>& terms, double correction) {
    double mean = 0, squares = 0;
    for (const double x : terms) mean += x;
    mean /= static_cast<double>(terms.size());
    for (const double x : terms) squares += (x - mean) * (x - mean);
    return squares / (static_cast<double>(terms.size()) - correction);
  }
};

TEST_P(Reductions, AlongAnyDimensionsEqualDoublePrecision) {
  for (int round = 0; round < 120; ++round) {
    auto sizes = any_sizes(6000);
    // Some are long enough to run in parts, sums of each type.
    const bool is_long = round % 10 == 0;
    if (is_long) sizes = {between(20000, 60000), between(1, 3)};
    const auto operation =
        is_long ? WAVESMITH_REDUCTION_SUM
                : static_cast<Reduction>(one_of<int>(
                      {WAVESMITH_REDUCTION_SUM, WAVESMITH_REDUCTION_PRODUCT, WAVESMITH_REDUCTION_MAXIMUM,
                       WAVESMITH_REDUCTION_MINIMUM, WAVESMITH_REDUCTION_ALL, WAVESMITH_REDUCTION_ANY,
                       WAVESMITH_REDUCTION_COUNT, WAVESMITH_REDUCTION_SUM_OF_SIZES,
                       WAVESMITH_REDUCTION_ROOT_OF_SQUARES, WAVESMITH_REDUCTION_MAXIMUM_PLACE,
                       WAVESMITH_REDUCTION_VARIANCE}));
    const bool is_place = operation == WAVESMITH_REDUCTION_MAXIMUM_PLACE;
    const bool is_variance = operation == WAVESMITH_REDUCTION_VARIANCE;
    const bool is_root = operation == WAVESMITH_REDUCTION_ROOT_OF_SQUARES;
    Description one{};
    one.operation = operation, one.dimensions = static_cast<int>(sizes.size());
    constexpr Number kComputedIn[] = {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64,
                                      WAVESMITH_POINTWISE_I64};
    one.computed_in =
        is_long       ? kComputedIn[round / 10 % 3]
        : is_variance ? WAVESMITH_POINTWISE_F64
        : is_root     ? one_of({WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
                      : one_of({WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_I64});
    one.p = 1;
    std::vector<int64_t> results(sizes);
    for (size_t d = 0; d < sizes.size(); ++d) {
      one.sizes[d] = sizes[d];
      const bool only = is_place && one.reduced != 0;
      if (!only && (between(0, 1) != 0 || d == 0)) one.reduced |= 1 << d, results[d] = 1;
    }
    const auto type = one.computed_in == WAVESMITH_POINTWISE_I64
                          ? static_cast<Number>(between(1, WAVESMITH_POINTWISE_I64))
                          : one_of({WAVESMITH_POINTWISE_F16, WAVESMITH_POINTWISE_BF16,
                                    WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_I32});
    Strided x = any_strided(type, sizes, false);
    // Small integers, of which few are not 1 in a product.
    const bool is_product = operation == WAVESMITH_REDUCTION_PRODUCT;
    for (int64_t i = 0; i < x.count(); ++i)
      x.set(i, is_product ? (between(0, x.count()) < 8 ? 2 : 1) : static_cast<double>(between(0, 5)));
    Strided y = any_strided(is_place ? WAVESMITH_POINTWISE_I64 : WAVESMITH_POINTWISE_F64, results, false);
    const StridedOnGpu on_x(x), on_y(y);
    one.x = on_x.operand();
    (is_place ? one.second : one.y) = on_y.operand();
    call(one);
    if (HasFatalFailure()) return;
    on_y.read();
    std::vector<std::vector<double>> terms(static_cast<size_t>(y.count()));
    for (int64_t i = 0; i < x.count(); ++i) {
      int64_t rest = i, result = 0, factor = 1;
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (results[d] != 1) result += rest % sizes[d] * factor, factor *= results[d];
        rest /= sizes[d];
      }
      terms[static_cast<size_t>(result)].push_back(x.get(i));
    }
    ErrorNote note;
    for (int64_t i = 0; i < y.count(); ++i) {
      const auto& of = terms[static_cast<size_t>(i)];
      if (is_variance && of.size() < 2) continue;
      const double exact = is_variance ? variance(of, 1) : reference(operation, of);
      const double allowed = is_variance || is_root ? 1e-6 * exact : 0;
      note.add(std::abs(y.get(i) - exact), allowed);
      ASSERT_NEAR(y.get(i), exact, allowed)
          << "operation " << operation << " of " << of.size() << " terms in " << word_of(one.computed_in);
    }
  }
}

TEST_P(Reductions, SumsKeepTheirBound) {
  constexpr int64_t kTerms = 50021;
  Strided x(WAVESMITH_POINTWISE_F32, {kTerms}, {4}), y(WAVESMITH_POINTWISE_F32, {1}, {4});
  double exact = 0, sizes = 0;
  for (int64_t i = 0; i < kTerms; ++i) x.set(i, normal()), exact += x.get(i), sizes += std::abs(x.get(i));
  const StridedOnGpu on_x(x), on_y(y);
  Description one{};
  one.computed_in = WAVESMITH_POINTWISE_F32, one.dimensions = 1, one.reduced = 1, one.sizes[0] = kTerms;
  one.x = on_x.operand(), one.y = on_y.operand();
  call(one);
  on_y.read();
  // A thread adds a part's share, then as many as log2 of the threads and parts.
  ErrorNote note;
  note.add(std::abs(y.get(0) - exact), 60 * 0x1p-24 * sizes);
  EXPECT_NEAR(y.get(0), exact, 60 * 0x1p-24 * sizes);
}

TEST_P(Reductions, NanIsTheExtremeAndItsFirstPlace) {
  Strided x(WAVESMITH_POINTWISE_F32, {2000}, {4}), y(WAVESMITH_POINTWISE_F32, {1}, {4}),
      at(WAVESMITH_POINTWISE_I64, {1}, {8});
  for (int64_t i = 0; i < 2000; ++i) x.set(i, normal());
  for (const int64_t place : {1200, 777}) x.set(place, std::nan(""));
  for (const Reduction operation : {WAVESMITH_REDUCTION_MAXIMUM_PLACE, WAVESMITH_REDUCTION_MINIMUM_PLACE}) {
    const StridedOnGpu on_x(x), on_y(y), on_at(at);
    Description one{};
    one.operation = operation, one.computed_in = WAVESMITH_POINTWISE_F32;
    one.dimensions = 1, one.reduced = 1, one.sizes[0] = 2000;
    one.x = on_x.operand(), one.y = on_y.operand(), one.second = on_at.operand();
    call(one);
    on_y.read(), on_at.read();
    EXPECT_TRUE(std::isnan(y.get(0)));
    EXPECT_EQ(at.get(0), 777);
  }
}

INSTANTIATE_TEST_SUITE_P(On, Reductions, testing::Range(0, kGpuCount), gpu_name);

TEST(ReductionRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  Description right{};
  right.computed_in = WAVESMITH_POINTWISE_F32, right.dimensions = 1, right.reduced = 1, right.sizes[0] = 8;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32, right.x.strides[0] = 4;
  right.y = right.x;
  EXPECT_EQ(wavesmith_kernels_reduce_strided(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_reduce_strided, right,
      {{[](Description& d) { d.operation = static_cast<Reduction>(17); }, kWrong,
        "operation is 17, no operation"},
       {[](Description& d) { d.computed_in = WAVESMITH_POINTWISE_BF16; }, kWrong, "computed_in is 7"},
       {[](Description& d) { d.operation = WAVESMITH_REDUCTION_VARIANCE; }, kNot, "is not computed in f32"},
       {[](Description& d) { d.sizes[0] = 0; }, kWrong, "sizes[0] is 0, and the dimension is reduced"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.x.type = WAVESMITH_POINTWISE_C128; }, kNot, "x is of c128"},
       {[](Description& d) {
          d.operation = WAVESMITH_REDUCTION_MAXIMUM_PLACE, d.dimensions = 2, d.reduced = 3, d.sizes[1] = 2;
        },
        kWrong, "several dimensions are reduced"},
       {[](Description& d) { d.sizes[0] = 100000, d.x.strides[0] = 0; }, kWrong, "workspace is null"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
