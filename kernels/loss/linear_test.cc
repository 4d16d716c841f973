// Cross entropy of a linear layer and its gradients on a GPU of each target, against double precision.
#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_linear_loss.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_linear_cross_entropy_description;
using Gradient = wavesmith_linear_cross_entropy_gradient_description;

constexpr int64_t kIgnored = -100;

/// What workspaces have beside logits, which follow each other in rows of so many classes at a time.
size_t workspace_bytes(int64_t rows, int64_t features, int64_t classes) {
  const auto rounded = [](int64_t bytes) { return (bytes + 15) / 16 * 16; };
  return static_cast<size_t>(rounded(rows * 8) + rounded(rows * features * 4) +
                             rows * ((classes + 7) / 8 * 8) * 2);
}

class LinearCrossEntropy : public RowsOnEachGpu {
 protected:
  struct Case {
    HostRows x, weights;
    std::vector<int64_t> targets;
    double smoothing = 0, factor = 0.5;
    int64_t at_once = 0;  ///< the workspace has room for so many classes at a time
    Type type_dx = WAVESMITH_KERNELS_F32, type_dweights = WAVESMITH_KERNELS_F32;
    bool makes_dx = true, makes_dweights = true;

    [[nodiscard]] Type type() const { return x.elements.type; }
    [[nodiscard]] int64_t parts() const { return (weights.rows + at_once - 1) / at_once; }
  };

  /// Logits in double precision, and by how much the GPU's may be off.
  struct Logits {
    int64_t classes;
    std::vector<double> values, errors;

    explicit Logits(const Case& one) : classes(one.weights.rows) {
      const bool loses_subnormals = GetParam() == 0 && one.type() == WAVESMITH_KERNELS_F16;
      const auto features = static_cast<double>(one.x.columns);
      for (int64_t i = 0; i < one.x.rows; ++i)
        for (int64_t j = 0; j < classes; ++j) {
          double sum = 0, sizes = 0, lost = 0;
          for (int64_t k = 0; k < one.x.columns; ++k) {
            const double x = one.x.get(i, k), weight = one.weights.get(j, k);
            sum += x * weight, sizes += std::abs(x * weight);
            if (loses_subnormals && std::min(std::abs(x), std::abs(weight)) < 0x1p-14)
              lost += std::abs(x * weight);
          }
          values.push_back(sum);
          errors.push_back(rounded_error(one.type(), sum, (features + 1) * 0x1p-24 * sizes + lost));
        }
    }
    [[nodiscard]] size_t at(int64_t row, int64_t j) const { return static_cast<size_t>(row * classes + j); }
    [[nodiscard]] double log(int64_t row) const {
      double largest = values[at(row, 0)], sum = 0;
      for (int64_t j = 1; j < classes; ++j) largest = std::max(largest, values[at(row, j)]);
      for (int64_t j = 0; j < classes; ++j) sum += std::exp(values[at(row, j)] - largest);
      return largest + std::log(sum);
    }
  };

  Case any_case(int64_t rows, int64_t features, int64_t classes) {
    const Type type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    const double size = one_of({0.3, 1.0, 4.0}) / std::sqrt(static_cast<double>(features));
    Case one{random_rows(rows, features, between(0, 3), type),
             random_rows(classes, features, between(0, 3), type, size),
             {}};
    for (int64_t i = 0; i < rows; ++i)
      one.targets.push_back(between(0, 5) == 0 ? kIgnored : between(0, classes - 1));
    one.at_once = classes;
    one.type_dx = any_type(), one.type_dweights = any_type();
    return one;
  }

  void check(const Case& one) {
    const int64_t rows = one.x.rows, features = one.x.columns, classes = one.weights.rows;
    Elements losses(WAVESMITH_KERNELS_F32, static_cast<size_t>(rows)),
        logs = losses, upstream = losses, targets(WAVESMITH_KERNELS_I8, static_cast<size_t>(rows) * 8);
    std::memcpy(targets.bytes.data(), one.targets.data(), one.targets.size() * 8);
    for (size_t i = 0; i < upstream.count(); ++i) upstream.set(i, normal());
    HostRows dx(rows, features, 3, one.type_dx), dweights(classes, features, 1, one.type_dweights);
    const Elements workspace(WAVESMITH_KERNELS_I8, workspace_bytes(rows, features, one.at_once));
    const OnGpu on_x(one.x.elements), on_weights(one.weights.elements), on_targets(targets),
        on_losses(losses), on_logs(logs), on_upstream(upstream), on_dx(dx.elements),
        on_dweights(dweights.elements), on_workspace(workspace);
    Gradient back{};
    Description& entropy = back.forward;
    entropy.rows = rows, entropy.features = features, entropy.classes = classes;
    entropy.x = one.x.on(on_x), entropy.weights = one.weights.on(on_weights);
    entropy.targets = static_cast<const int64_t*>(on_targets.data()), entropy.ignored = kIgnored;
    entropy.smoothing = one.smoothing;
    entropy.losses = static_cast<float*>(on_losses.data());
    entropy.logs = static_cast<float*>(on_logs.data());
    entropy.workspace = on_workspace.data();
    // Forward keeps no sums of dx.
    entropy.workspace_bytes = workspace_bytes(rows, 0, one.at_once);
    ASSERT_EQ(wavesmith_kernels_linear_cross_entropy(&entropy, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    entropy.losses = nullptr;
    entropy.workspace_bytes = workspace_bytes(
        rows, one.makes_dx && one.type_dx != WAVESMITH_KERNELS_F32 ? features : 0, one.at_once);
    back.upstream = static_cast<const float*>(on_upstream.data()), back.upstream_stride = 1;
    back.factor = one.factor;
    if (one.makes_dx) back.dx = dx.on(on_dx);
    if (one.makes_dweights) back.dweights = dweights.on(on_dweights);
    ASSERT_EQ(wavesmith_kernels_linear_cross_entropy_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_losses.copy_to(losses), on_logs.copy_to(logs);
    const Logits logits(one);
    compare_losses(one, logits, losses, logs);
    if (!HasFatalFailure()) compare_gradients(one, logits, logs, upstream, dx, on_dx, dweights, on_dweights);
  }

  static void compare_losses(const Case& one, const Logits& logits, const Elements& losses,
                             const Elements& logs) {
    const ErrorNote note;
    const int64_t classes = logits.classes;
    const double spread = one.smoothing / static_cast<double>(classes);
    for (int64_t i = 0; i < one.x.rows; ++i) {
      const auto number = static_cast<size_t>(i);
      double total = 0, sizes = 0, size = 0, error = 0;
      for (int64_t j = 0; j < classes; ++j) {
        const double value = logits.values[logits.at(i, j)];
        total += value, sizes += std::abs(value), size = std::max(size, std::abs(value));
        error = std::max(error, logits.errors[logits.at(i, j)]);
      }
      const double log = logits.log(i);
      const double off = error + 0x1p-16 + static_cast<double>(classes) * 0x1p-34 +
                         0x1p-21 * (size + static_cast<double>(one.parts() - 1) * (1 + std::abs(log)));
      ASSERT_NEAR(logs.get(number), log, off) << "row " << i;
      if (one.targets[number] == kIgnored) {
        ASSERT_EQ(losses.get(number), 0);
        continue;
      }
      const double at = (1 - one.smoothing) * logits.values[logits.at(i, one.targets[number])];
      const double others = spread * total, loss = log - at - others;
      const double allowed = off + error + 0x1p-22 * (std::abs(at) + std::abs(others) + std::abs(loss)) +
                             (40 + static_cast<double>(classes) / 1024) * 0x1p-24 * spread * sizes;
      ASSERT_NEAR(losses.get(number), loss, allowed) << "row " << i;
    }
  }

  void compare_gradients(const Case& one, const Logits& logits, const Elements& logs,
                         const Elements& upstream, HostRows& dx, const OnGpu& on_dx, HostRows& dweights,
                         const OnGpu& on_dweights) {
    // Subnormal f16 are coarse, and count as 0 on CDNA2.
    const double least = one.type() == WAVESMITH_KERNELS_BF16 ? 0x1p-126
                         : GetParam() == 0                    ? 0x1p-14
                                                              : 0x1p-25;
    const double spread = one.smoothing / static_cast<double>(logits.classes);
    std::vector<double> values, errors;
    for (int64_t i = 0; i < one.x.rows; ++i) {
      const auto number = static_cast<size_t>(i);
      const double scale = one.factor * upstream.get(number), log = logs.get(number);
      for (int64_t j = 0; j < logits.classes; ++j) {
        if (one.targets[number] == kIgnored) {
          values.push_back(0), errors.push_back(0);
          continue;
        }
        const double logit = logits.values[logits.at(i, j)], power = std::exp(logit - log);
        const double here = j == one.targets[number] ? 1 - one.smoothing : 0;
        const double value = scale * (power - here - spread);
        values.push_back(value);
        errors.push_back(rounded_error(
            one.type(), value,
            std::abs(scale) * (power * std::expm1(logits.errors[logits.at(i, j)]) +
                               0x1p-20 * (1 + std::abs(logit) + std::abs(log)) * (power + here + spread)) +
                least));
      }
    }
    // A gradient's element, its error, and with both as a sum over one index.
    struct Sum {
      double value = 0, error = 0, sizes = 0;
      void add(double g, double error_of_g, double other) {
        value += g * other, error += error_of_g * std::abs(other), sizes += std::abs(g * other);
      }
    };
    const auto of_x = [&](int64_t i, int64_t k) {
      Sum sum;
      for (int64_t j = 0; j < logits.classes; ++j)
        sum.add(values[logits.at(i, j)], errors[logits.at(i, j)], one.weights.get(j, k));
      sum.error += static_cast<double>(logits.classes + one.parts() + 1) * 0x1p-24 * sum.sizes;
      return sum;
    };
    const auto of_weights = [&](int64_t j, int64_t k) {
      Sum sum;
      for (int64_t i = 0; i < one.x.rows; ++i)
        sum.add(values[logits.at(i, j)], errors[logits.at(i, j)], one.x.get(i, k));
      sum.error += static_cast<double>(one.x.rows + 1) * 0x1p-24 * sum.sizes;
      return sum;
    };
    const auto compare = [](HostRows& rows, const OnGpu& on_gpu, const auto& of) {
      expect_rows(
          rows, on_gpu, [&](int64_t i, int64_t k) { return of(i, k).value; },
          [&](int64_t i, int64_t k) { return of(i, k).error; });
    };
    if (one.makes_dx) compare(dx, on_dx, of_x);
    if (one.makes_dweights) compare(dweights, on_dweights, of_weights);
  }
};

TEST_P(LinearCrossEntropy, AndItsGradientsEqualDoublePrecision) {
  for (int round = 0; round < 4; ++round) {
    Case one = any_case(between(1, 40), one_of<int64_t>({1, 8, 64, between(1, 100)}), between(1, 300));
    one.smoothing = one_of({0.0, 0.1, 1.0});
    one.makes_dx = round != 1, one.makes_dweights = round != 2;
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(LinearCrossEntropy, OfPartsOfTheClasses) {
  for (const int64_t at_once : {256, 512}) {
    Case one = any_case(between(1, 20), one_of<int64_t>({8, 40, between(1, 50)}), between(513, 900));
    one.smoothing = one_of({0.0, 0.1});
    one.at_once = at_once;
    check(one);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, LinearCrossEntropy, testing::Range(0, kGpuCount), gpu_name);

/// A layer of 8 features and 300 classes for 4 rows, whose arrays lie in one piece of memory.
class LinearCrossEntropyRules : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hipSetDevice(1), 0);
    Description& d = back.forward;
    d.rows = 4, d.features = 8, d.classes = 300, d.ignored = kIgnored;
    d.x = {at(0), WAVESMITH_KERNELS_BF16, 8}, d.weights = {at(64), WAVESMITH_KERNELS_BF16, 8};
    d.targets = reinterpret_cast<const int64_t*>(at(2000)), d.losses = at(2016), d.logs = at(2020);
    d.workspace = at(4096), d.workspace_bytes = 4096;
    back.upstream = at(2024), back.upstream_stride = 1, back.factor = 1;
    back.dx = {at(8192), WAVESMITH_KERNELS_BF16, 8}, back.dweights = {at(10000), WAVESMITH_KERNELS_F32, 8};
  }
  float* at(size_t number) { return static_cast<float*>(memory_.data()) + number; }

  const OnGpu memory_{zeros()};
  Gradient back{};

 private:
  static Elements zeros() {
    Elements made(WAVESMITH_KERNELS_F32, 16384);
    std::fill(made.bytes.begin(), made.bytes.end(), 0);
    return made;
  }
};

constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;

TEST_F(LinearCrossEntropyRules, RefuseWhatBreaksThemAndSayWhich) {
  EXPECT_EQ(wavesmith_kernels_linear_cross_entropy(&back.forward, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Description>(
      &wavesmith_kernels_linear_cross_entropy, back.forward,
      {{[](Description& d) { d.rows = -1; }, kWrong, "linear_cross_entropy: rows is negative"},
       {[](Description& d) { d.classes = 0; }, kWrong, "classes is 0"},
       {[](Description& d) { d.features = 0; }, kWrong, "features is 0"},
       {[](Description& d) { d.smoothing = -1; }, kWrong, "smoothing is -1.000000, not in [0, 1]"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.weights.data = nullptr; }, kWrong, "weights.data is null"},
       {[](Description& d) { d.x.type = WAVESMITH_KERNELS_F32; }, kNot, "x is of f32, neither of f16 nor"},
       {[](Description& d) { d.weights.type = WAVESMITH_KERNELS_F16; }, kNot,
        "x is of bf16 and weights of f16"},
       {[](Description& d) { d.targets = nullptr; }, kWrong, "targets is null"},
       {[](Description& d) { d.losses = nullptr; }, kWrong, "losses is null"},
       {[](Description& d) { d.logs = nullptr; }, kWrong, "logs is null"},
       {[](Description& d) { d.logs = d.losses; }, kWrong, "logs overlaps losses"},
       {[](Description& d) { d.workspace_bytes = 2079; }, kWrong, "workspace"},
       {[](Description& d) { d.workspace = d.x.data; }, kWrong, "workspace overlaps x"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

TEST_F(LinearCrossEntropyRules, RefuseGradientsThatBreakThem) {
  EXPECT_EQ(wavesmith_kernels_linear_cross_entropy_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Gradient>(
      &wavesmith_kernels_linear_cross_entropy_gradient, back,
      {{[](Gradient& d) { d.upstream_stride = 2; }, kWrong, "upstream_stride is 2, neither 1 nor 0"},
       {[](Gradient& d) { d.upstream = nullptr; }, kWrong, "linear_cross_entropy_gradient: upstream is null"},
       {[](Gradient& d) { d.dx.type = WAVESMITH_KERNELS_I8; }, kNot, "dx is of i8"},
       {[](Gradient& d) { d.dx.data = d.forward.x.data; }, kWrong, "dx overlaps x"},
       {[](Gradient& d) { d.dweights.data = d.forward.logs; }, kWrong, "dweights overlaps"},
       {[](Gradient& d) { d.forward.workspace_bytes = 2207; }, kWrong, "workspace"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

TEST_F(LinearCrossEntropyRules, AdviseWorkspacesThatSuffice) {
  size_t bytes = 0;
  ASSERT_EQ(wavesmith_kernels_linear_cross_entropy_workspace(&back.forward, &bytes),
            WAVESMITH_KERNELS_SUCCESS);
  EXPECT_EQ(bytes, workspace_bytes(4, 0, 300));
  ASSERT_EQ(wavesmith_kernels_linear_cross_entropy_gradient_workspace(&back, &bytes),
            WAVESMITH_KERNELS_SUCCESS);
  EXPECT_EQ(bytes, workspace_bytes(4, 8, 300));
  back.forward.rows = 4096, back.forward.classes = 128256;  // a gigabyte of logits
  ASSERT_EQ(wavesmith_kernels_linear_cross_entropy_gradient_workspace(&back, &bytes),
            WAVESMITH_KERNELS_SUCCESS);
  EXPECT_LT(bytes, size_t{200} << 20);
}

TEST_F(LinearCrossEntropyRules, ClearTheWeightsGradientsWithoutRows) {
  back.forward.rows = 0, back.forward.x.data = nullptr;
  HostRows dweights(300, 8, 0, WAVESMITH_KERNELS_F32);
  const OnGpu on_dweights(dweights.elements);
  back.dweights = dweights.on(on_dweights);
  ASSERT_EQ(wavesmith_kernels_linear_cross_entropy_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_dweights.copy_to(dweights.elements);
  for (int64_t j = 0; j < 300; ++j)
    for (int64_t k = 0; k < 8; ++k) ASSERT_EQ(dweights.get(j, k), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
