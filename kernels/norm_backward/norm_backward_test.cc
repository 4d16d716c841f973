// Gradients of norms on a GPU of each target, against double precision.
#include <limits>

#include "kernels/norm_backward/configurations.h"
#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_norm_backward_description;

constexpr double kUnit = 0x1p-24;

struct Case {
  int64_t rows, columns, padding = 0;
  size_t offset = 0;  ///< elements into the allocations
  Type type_x = WAVESMITH_KERNELS_BF16, type_dy = WAVESMITH_KERNELS_BF16, type_added = WAVESMITH_KERNELS_BF16,
       type_dx = WAVESMITH_KERNELS_BF16, type_weight = WAVESMITH_KERNELS_F32,
       type_dweight = WAVESMITH_KERNELS_F32, type_dbias = WAVESMITH_KERNELS_F32;
  bool weight = true, added = false, centred = false, given = true, in_place = false;
  bool dx = true, dweight = true, dbias = true;
  float weight_offset = 0, epsilon = 1e-5F;

  void take_type(Type type) { type_x = type_dy = type_added = type_dx = type_weight = type; }
};

std::string describe(const Case& one) {
  return std::to_string(one.rows) + " x " + std::to_string(one.columns) + " centred " +
         std::to_string(one.centred) + " given " + std::to_string(one.given) + " in place " +
         std::to_string(one.in_place);
}

/// The matrices of a case in host memory.
struct Inputs {
  HostRows x, dy, added, weight;
};

/// The gradients in double precision, and the errors that the C API states.
class Gradients {
 public:
  Gradients(const Case& one, const Inputs& from) : one_(one), from_(from), rows_(at(one.rows)) {
    means = Elements(WAVESMITH_KERNELS_F32, at(one.rows)), factors = means;
    for (int64_t i = 0; i < one.rows; ++i) set_row(i);
  }
  [[nodiscard]] double dx(int64_t i, int64_t j) const {
    const Row& row = rows_[at(i)];
    return row.factor * (scaled(i, j) - normal(i, j) * row.along - row.middle) +
           (one_.added ? from_.added.get(i, j) : 0);
  }
  [[nodiscard]] double dx_error(int64_t i, int64_t j) const {
    const Row& row = rows_[at(i)];
    const double size = std::abs(normal(i, j));
    return row.factor *
               (2 * roundings() * kUnit * (std::abs(scaled(i, j)) + size * row.products + row.sizes) +
                normal_error(i, j) * row.products + size * row.product_errors) +
           kUnit * std::abs(dx(i, j));
  }
  struct Sum {
    double value = 0, error = 0;
  };
  [[nodiscard]] Sum dweight(int64_t j) const {
    Sum sum;
    for (int64_t i = 0; i < one_.rows; ++i) {
      const double dy = from_.dy.get(i, j);
      sum.value += dy * normal(i, j);
      sum.error += std::abs(dy) * (normal_error(i, j) + row_roundings() * kUnit * std::abs(normal(i, j)));
    }
    return sum;
  }
  [[nodiscard]] Sum dbias(int64_t j) const {
    Sum sum;
    for (int64_t i = 0; i < one_.rows; ++i) {
      sum.value += from_.dy.get(i, j);
      sum.error += row_roundings() * kUnit * std::abs(from_.dy.get(i, j));
    }
    return sum;
  }

  Elements means, factors;

 private:
  struct Row {
    double mean = 0, factor = 0, size = 0;  ///< the mean of |x|
    double along = 0, middle = 0;           ///< the means of scaled * normal, and of scaled
    double products = 0, sizes = 0, product_errors = 0;
  };

  static size_t at(int64_t index) { return static_cast<size_t>(index); }
  [[nodiscard]] double roundings() const { return static_cast<double>(one_.columns) / 2048 + 24; }
  [[nodiscard]] double row_roundings() const { return static_cast<double>(one_.rows) / 32 + 64; }
  [[nodiscard]] double normal(int64_t i, int64_t j) const {
    return (from_.x.get(i, j) - rows_[at(i)].mean) * rows_[at(i)].factor;
  }
  [[nodiscard]] double scaled(int64_t i, int64_t j) const {
    const double weight = one_.weight ? from_.weight.get(0, j) + one_.weight_offset : 1;
    return from_.dy.get(i, j) * weight;
  }
  [[nodiscard]] double normal_error(int64_t i, int64_t j) const {
    const double size = std::abs(normal(i, j)), unit = roundings() * kUnit;
    if (one_.given) return unit * size;
    const double of_mean = one_.centred ? (1 + 2 * size) * rows_[at(i)].factor * rows_[at(i)].size : 0;
    return unit * (2 * size + of_mean);
  }

  void set_row(int64_t i) {
    Row& row = rows_[at(i)];
    const auto n = static_cast<double>(one_.columns);
    double total = 0, squares = 0;
    for (int64_t j = 0; j < one_.columns; ++j)
      total += from_.x.get(i, j), row.size += std::abs(from_.x.get(i, j)) / n;
    if (one_.centred) row.mean = total / n;
    for (int64_t j = 0; j < one_.columns; ++j) squares += std::pow(from_.x.get(i, j) - row.mean, 2);
    row.factor = 1 / std::sqrt(squares / n + one_.epsilon);
    means.set(at(i), row.mean), factors.set(at(i), row.factor);
    if (one_.given) row.mean = one_.centred ? means.get(at(i)) : 0, row.factor = factors.get(at(i));
    for (int64_t j = 0; j < one_.columns; ++j) {
      const double product = scaled(i, j) * normal(i, j);
      row.along += product / n, row.products += std::abs(product) / n;
      row.product_errors += std::abs(scaled(i, j)) * normal_error(i, j) / n;
      if (one_.centred) row.middle += scaled(i, j) / n, row.sizes += std::abs(scaled(i, j)) / n;
    }
  }

  const Case& one_;
  const Inputs& from_;
  std::vector<Row> rows_;
};

class NormBackward : public RowsOnEachGpu {
 protected:
  Case random_case(RowLength length) {
    Case one{.rows = length.columns < 600 ? between(1, 150) : between(1, 6),
             .columns = length.columns,
             .padding = some_padding(length.aligned),
             .offset = some_offset(length.aligned),
             .type_x = any_type(),
             .type_dy = any_type(),
             .type_added = any_type(),
             .type_dx = any_type(),
             .type_weight = any_type(),
             .type_dweight = any_type(),
             .type_dbias = any_type(),
             .weight = between(0, 3) > 0,
             .added = between(0, 2) == 0,
             .centred = between(0, 1) == 1,
             .given = between(0, 2) > 0,
             .in_place = between(0, 3) == 0,
             .dx = between(0, 7) > 0,
             .dweight = between(0, 4) > 0,
             .dbias = between(0, 2) > 0,
             .weight_offset = one_of({0.0F, 0.0F, 1.0F}),
             .epsilon = one_of({1e-5F, 0.25F})};
    one.added = one.added && one.dx;
    return one;
  }
  Inputs random_inputs(const Case& one) {
    return {random_rows(one.rows, one.columns, one.padding, one.type_x, 2),
            random_rows(one.rows, one.columns, one.padding, one.type_dy),
            random_rows(one.rows, one.columns, one.padding, one.type_added),
            random_rows(1, one.columns, 0, one.type_weight)};
  }
  void check(const Case& one) { check(one, random_inputs(one)); }

  static void check(Case one, const Inputs& inputs) {
    SCOPED_TRACE(describe(one));
    if (one.in_place) one.type_dx = one.type_dy;
    const Gradients want(one, inputs);
    HostRows dx(one.rows, one.columns, one.padding, one.type_dx),
        dweight(1, one.columns, 0, one.type_dweight), dbias(1, one.columns, 0, one.type_dbias);
    const OnGpu on_x(inputs.x.elements, one.offset), on_dy(inputs.dy.elements, one.offset),
        on_added(inputs.added.elements, one.offset), on_weight(inputs.weight.elements, one.offset),
        on_means(want.means), on_factors(want.factors), on_dx(dx.elements, one.offset),
        on_dweight(dweight.elements, one.offset), on_dbias(dbias.elements, one.offset);
    const OnGpu& dx_place = one.in_place ? on_dy : on_dx;
    const auto floats = [](const OnGpu& gpu) { return static_cast<const float*>(gpu.data()); };
    Description backward{.rows = one.rows,
                         .columns = one.columns,
                         .x = inputs.x.on(on_x),
                         .dy = inputs.dy.on(on_dy),
                         .dx = one.dx ? dx.on(dx_place) : wavesmith_kernels_rows{},
                         .added = one.added ? inputs.added.on(on_added) : wavesmith_kernels_rows{},
                         .weight = one.weight ? on_weight.data() : nullptr,
                         .dweight = one.dweight ? on_dweight.data() : nullptr,
                         .dbias = one.dbias ? on_dbias.data() : nullptr,
                         .weight_type = one.type_weight,
                         .dweight_type = one.type_dweight,
                         .dbias_type = one.type_dbias,
                         .means = one.given && one.centred ? floats(on_means) : nullptr,
                         .factors = one.given ? floats(on_factors) : nullptr,
                         .weight_offset = one.weight_offset,
                         .epsilon = one.epsilon,
                         .centred = one.centred};
    ASSERT_EQ(wavesmith_kernels_norm_backward_workspace(&backward, &backward.workspace_bytes),
              WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_F32, backward.workspace_bytes / 4));
    backward.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_norm_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    if (one.in_place) dx.elements = inputs.dy.elements;
    if (one.dx)
      expect_rows(
          dx, dx_place, [&](int64_t i, int64_t j) { return want.dx(i, j); },
          [&](int64_t i, int64_t j) { return want.dx_error(i, j); });
    if (HasFatalFailure()) return;
    if (one.dweight)
      expect_rows(
          dweight, on_dweight, [&](int64_t, int64_t j) { return want.dweight(j).value; },
          [&](int64_t, int64_t j) { return want.dweight(j).error; });
    if (HasFatalFailure() || !one.dbias) return;
    expect_rows(
        dbias, on_dbias, [&](int64_t, int64_t j) { return want.dbias(j).value; },
        [&](int64_t, int64_t j) { return want.dbias(j).error; });
  }

  /// The longest row of each kernel that serves all types, of those that end nowhere one.
  static std::vector<RowLength> each_length() {
    std::vector<RowLength> lengths;
    for (const RowConfiguration& one : kNormBackwardConfigurations) {
      const int64_t columns = one.parts > 0 ? one.columns() : one.aligned ? 9000 : 2049;
      EXPECT_EQ(norm_backward_configuration(columns, one.aligned)->name, one.name);
      lengths.push_back({columns, one.aligned});
    }
    return lengths;
  }
};

TEST_P(NormBackward, RowsOfAllKindsEqualDoublePrecision) {
  for (const RowLength length : each_length()) {
    Case one = random_case(length);
    one.type_dx = any_type_but(one.type_x), one.in_place = false, one.dx = true;
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(NormBackward, RowsOfAnyTypesAndInPlaceEqualDoublePrecision) {
  for (int round = 0; round < 25; ++round) {
    check(random_case({some_columns(), between(0, 2) > 0}));
    if (HasFatalFailure()) return;
  }
}

TEST_P(NormBackward, RowsOfOneTypeEqualDoublePrecision) {
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const RowConfiguration& configuration : kNormBackwardKnownConfigurations) {
      ASSERT_EQ(norm_backward_known_configuration(configuration.columns())->name, configuration.name);
      for (const int64_t less : {0, 8}) {
        Case one = random_case({configuration.columns() - less, true});
        one.take_type(type), one.dx = true;
        check(one);
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(NormBackward, ManyRowsOfEachWorkgroup) {
  // More rows than workgroups take one of each, the last workgroups fewer than the others.
  for (const bool aligned : {true, false})
    for (const int64_t rows : {257, 1031}) {
      Case one = random_case({aligned ? 24 : 23, aligned});
      one.rows = rows, one.dweight = one.dbias = true;
      check(one);
      if (HasFatalFailure()) return;
      one = random_case({aligned ? 520 : 519, aligned});
      one.rows = rows, one.dweight = one.dbias = true;
      check(one);
      if (HasFatalFailure()) return;
    }
}

TEST_P(NormBackward, AnOddElementSpoilsItsRowAndTheVectors) {
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const bool given : {false, true}) {
      const Case one{.rows = 20, .columns = 104, .centred = true, .given = given, .dbias = false};
      Inputs inputs = random_inputs(one);
      inputs.x.set(7, 99, odd);
      check(one, inputs);
      if (HasFatalFailure()) return;
    }
}

TEST_P(NormBackward, WithoutRowsTheVectorsAreZero) {
  for (const bool dbias : {false, true}) {
    HostRows vector(1, 77, 0, WAVESMITH_KERNELS_BF16);
    const OnGpu on_first(vector.elements), on_second(vector.elements);
    const Description backward{.rows = 0,
                               .columns = 77,
                               .dweight = on_first.data(),
                               .dbias = dbias ? on_second.data() : nullptr,
                               .dweight_type = WAVESMITH_KERNELS_BF16,
                               .dbias_type = WAVESMITH_KERNELS_BF16};
    ASSERT_EQ(wavesmith_kernels_norm_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    for (const OnGpu* gpu : {&on_first, &on_second}) {
      if (gpu == &on_second && !dbias) continue;
      HostRows got = vector;
      expect_rows(got, *gpu, [](int64_t, int64_t) { return 0.0; }, [](int64_t, int64_t) { return 0.0; });
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(NormBackward, TwoRunsGiveTheSameBits) {
  const Case one{.rows = 300, .columns = 520, .type_x = WAVESMITH_KERNELS_F32};
  const Inputs inputs = random_inputs(one);
  std::vector<unsigned char> first;
  const OnGpu on_x(inputs.x.elements), on_dy(inputs.dy.elements);
  for (int run = 0; run < 2; ++run) {
    Elements dweight(WAVESMITH_KERNELS_F32, 520);
    const OnGpu on_dweight(dweight);
    Description backward{.rows = 300,
                         .columns = 520,
                         .x = inputs.x.on(on_x),
                         .dy = inputs.dy.on(on_dy),
                         .dweight = on_dweight.data(),
                         .centred = 1};
    ASSERT_EQ(wavesmith_kernels_norm_backward_workspace(&backward, &backward.workspace_bytes),
              WAVESMITH_KERNELS_SUCCESS);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_F32, backward.workspace_bytes / 4));
    backward.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_norm_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS);
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_dweight.copy_to(dweight);
    if (run == 0) first = dweight.bytes;
    EXPECT_EQ(first, dweight.bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(On, NormBackward, testing::Range(0, kGpuCount), gpu_name);

TEST(NormBackwardRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1024));
  char* const at = static_cast<char*>(memory.data());
  const auto rows = [&](int64_t first) {
    return wavesmith_kernels_rows{at + 4 * first, WAVESMITH_KERNELS_F32, 16};
  };
  const auto floats = [&](int64_t first) { return reinterpret_cast<float*>(at + 4 * first); };
  using N = Description;
  N right{.rows = 4,
          .columns = 16,
          .x = rows(0),
          .dy = rows(64),
          .dx = rows(128),
          .added = rows(192),
          .weight = floats(256),
          .dweight = floats(272),
          .dbias = floats(288),
          .means = floats(304),
          .factors = floats(308),
          .centred = 1,
          .workspace = floats(512)};
  ASSERT_EQ(wavesmith_kernels_norm_backward_workspace(&right, &right.workspace_bytes),
            WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(right.workspace_bytes, sizeof(float) * 2 * 16);  // of one workgroup, which takes all rows
  ASSERT_EQ(wavesmith_kernels_norm_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  const Refusal<N> all[] = {
      {[](N& n) { n.rows = -1; }, kWrong, "norm_backward: rows is negative"},
      {[](N& n) { n.columns = int64_t{1} << 25; }, kNot, "columns is too large"},
      {[](N& n) { n.x.data = nullptr; }, kWrong, "x.data is null"},
      {[](N& n) { n.dy.data = nullptr; }, kWrong, "dy.data is null"},
      {[](N& n) { n.dx.data = nullptr; }, kWrong, "added.data is given without dx"},
      {[](N& n) { n.x.type = WAVESMITH_KERNELS_I8; }, kNot, "x is of i8"},
      {[](N& n) { n.dy.row_stride = 15; }, kWrong, "dy.row_stride is 15"},
      {[](N& n) { n.weight_type = static_cast<Type>(-1); }, kWrong, "weight_type"},
      {[](N& n) { n.dweight_type = WAVESMITH_KERNELS_I32; }, kNot, "dweight is of i32"},
      {[](N& n) { n.dbias = static_cast<char*>(n.dbias) + 1; }, kWrong, "dbias is not aligned"},
      {[](N& n) { n.centred = 0; }, kWrong, "means is given, but the norm is not centred"},
      {[](N& n) { n.factors = nullptr; }, kWrong, "factors is null, but means is given"},
      {[](N& n) { n.means = nullptr; }, kWrong, "means is null, but factors of a centred norm is given"},
      {[](N& n) { n.means = n.factors = nullptr, n.epsilon = -1; }, kWrong, "epsilon is negative"},
      {[](N& n) { n.dx.data = static_cast<char*>(n.dx.data) + 32; }, kWrong, "dx overlaps added"},
      {[](N& n) { n.dx.data = const_cast<void*>(n.weight); }, kWrong, "dx overlaps weight"},
      {[](N& n) { n.dweight = n.x.data; }, kWrong, "dweight overlaps x"},
      {[](N& n) { n.dbias = n.dweight; }, kWrong, "dweight overlaps dbias"},
      {[](N& n) { n.dbias = const_cast<float*>(n.means); }, kWrong, "dbias overlaps means"},
      {[](N& n) { --n.workspace_bytes; }, kWrong, "workspace"},
      {[](N& n) { n.workspace = nullptr; }, kWrong, "workspace"},
      {[](N& n) { n.workspace = n.dy.data; }, kWrong, "workspace overlaps dy"},
  };
  expect_refusals(wavesmith_kernels_norm_backward, right, all);
  right.columns = 0;
  EXPECT_EQ(wavesmith_kernels_norm_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
}

}  // namespace
}  // namespace wavesmith::kernels
