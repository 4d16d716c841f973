// Cross entropy and its gradient on a GPU of each target, against double precision.
#include <limits>

#include "kernels/loss/arguments.h"
#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_cross_entropy_description;
using Gradient = wavesmith_cross_entropy_gradient_description;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kIgnored = -100;

/// Numbers of the host, for rows of logits.
struct Targets {
  std::vector<int64_t> classes;
  Elements bytes;

  explicit Targets(std::vector<int64_t> classes_)
      : classes(std::move(classes_)), bytes(WAVESMITH_KERNELS_I8, classes.size() * 8) {
    std::memcpy(bytes.bytes.data(), classes.data(), classes.size() * 8);
  }
};

/// What a row's loss is made of.
struct Row {
  double largest = -kInfinity, sum = 0, total = 0, sizes = 0, log = 0;

  Row(const HostRows& x, int64_t i) {
    for (int64_t j = 0; j < x.columns; ++j) {
      largest = std::max(largest, x.get(i, j));
      if (std::isfinite(x.get(i, j))) sizes = std::max(sizes, std::abs(x.get(i, j)));
    }
    size = sizes, sizes = 0;
    for (int64_t j = 0; j < x.columns; ++j) {
      sum += std::exp(x.get(i, j) - largest);
      total += x.get(i, j), sizes += std::abs(x.get(i, j));
    }
    log = largest + std::log(sum);
  }
  double size = 0;  ///< the largest finite one
};

class CrossEntropy : public RowsOnEachGpu {
 protected:
  struct Case {
    HostRows x;
    Targets targets;
    double smoothing = 0;
    size_t offset = 0;
    Type gradient_type = WAVESMITH_KERNELS_F32;
    bool in_place = false, one_upstream = false;
    std::vector<int64_t> parts;  ///< classes of each; none: all at once
  };

  Targets any_targets(int64_t rows, int64_t classes) {
    std::vector<int64_t> made;
    for (int64_t i = 0; i < rows; ++i)
      made.push_back(between(0, 5) == 0 ? kIgnored : between(0, classes - 1));
    return Targets(made);
  }

  /// A call for each part of a case's classes.
  static std::vector<Description> parts_of(const Description& all, const Case& one) {
    if (one.parts.empty()) return {all};
    std::vector<Description> made;
    int64_t first = 0;
    for (const int64_t classes : one.parts) {
      Description part = all;
      part.classes = classes, part.first_class = first, part.all_classes = all.classes;
      part.logits = from_column(all.logits, first);
      first += classes;
      if (first < all.classes) part.losses = nullptr;
      made.push_back(part);
    }
    return made;
  }
  static wavesmith_kernels_rows from_column(wavesmith_kernels_rows rows, int64_t first) {
    rows.data = static_cast<char*>(rows.data) + first * size_of(rows.type);
    return rows;
  }

  void check(Case one) {
    const int64_t rows = one.x.rows, classes = one.x.columns;
    Elements losses(WAVESMITH_KERNELS_F32, static_cast<size_t>(rows)), logs = losses, upstream = losses;
    for (size_t i = 0; i < upstream.count(); ++i) upstream.set(i, normal());
    const Elements state(WAVESMITH_KERNELS_F32, 2 * static_cast<size_t>(rows));
    const OnGpu on_x(one.x.elements, one.offset), on_targets(one.targets.bytes), on_losses(losses),
        on_logs(logs), on_upstream(upstream), on_state(state);
    Description entropy{};
    entropy.rows = rows, entropy.classes = classes, entropy.logits = one.x.on(on_x);
    entropy.targets = static_cast<const int64_t*>(on_targets.data()), entropy.ignored = kIgnored;
    entropy.smoothing = one.smoothing;
    entropy.losses = static_cast<float*>(on_losses.data()),
    entropy.logs = static_cast<float*>(on_logs.data()), entropy.state = static_cast<float*>(on_state.data());
    for (const Description& part : parts_of(entropy, one))
      ASSERT_EQ(wavesmith_kernels_cross_entropy(&part, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_losses.copy_to(losses), on_logs.copy_to(logs);
    compare_losses(one, losses, logs);
    if (HasFatalFailure()) return;

    HostRows gradient =
        one.in_place ? one.x : HostRows(rows, classes, one.x.stride - classes, one.gradient_type);
    const OnGpu on_gradient(gradient.elements, one.offset);
    Gradient back{};
    back.factor = -0.25;
    back.upstream = static_cast<const float*>(on_upstream.data()), back.upstream_stride = !one.one_upstream;
    for (const Description& part : parts_of(entropy, one)) {
      back.forward = part, back.forward.losses = back.forward.state = nullptr;
      back.gradient = from_column(gradient.on(one.in_place ? on_x : on_gradient), part.first_class);
      ASSERT_EQ(wavesmith_kernels_cross_entropy_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
    }
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    (one.in_place ? on_x : on_gradient).copy_to(gradient.elements);
    compare_gradient(one, logs, upstream, gradient);
  }

  static void compare_losses(const Case& one, const Elements& losses, const Elements& logs) {
    ErrorNote note;
    const auto classes = static_cast<double>(one.x.columns);
    for (int64_t i = 0; i < one.x.rows; ++i) {
      const Row row(one.x, i);
      const double more = one.parts.empty() ? 0 : static_cast<double>(one.parts.size() - 1);
      const double off = 0x1p-16 + classes * 0x1p-34 + 0x1p-21 * (row.size + more * (1 + std::abs(row.log)));
      const auto number = static_cast<size_t>(i);
      note.add(std::abs(logs.get(number) - row.log), off);
      ASSERT_NEAR(logs.get(number), row.log, off) << "row " << i;
      const int64_t target = one.targets.classes[number];
      if (target == kIgnored) {
        ASSERT_EQ(losses.get(number), 0);
        continue;
      }
      const double at = (1 - one.smoothing) * one.x.get(i, target);
      const double spread = one.smoothing == 0 ? 0 : one.smoothing / classes;
      const double others = spread == 0 ? 0 : spread * row.total, loss = row.log - at - others;
      const double allowed = off + 0x1p-22 * (std::abs(at) + std::abs(others) + std::abs(loss)) +
                             (spread == 0 ? 0 : (40 + classes / 1024) * 0x1p-24 * spread * row.sizes);
      if (std::isinf(loss)) {
        ASSERT_EQ(losses.get(number), loss);
        continue;
      }
      note.add(std::abs(losses.get(number) - loss), allowed);
      ASSERT_NEAR(losses.get(number), loss, allowed) << "row " << i;
    }
  }

  static void compare_gradient(const Case& one, const Elements& logs, const Elements& upstream,
                               const HostRows& gradient) {
    ErrorNote note;
    for (int64_t i = 0; i < one.x.rows; ++i) {
      const auto number = static_cast<size_t>(i);
      const int64_t target = one.targets.classes[number];
      const double scale = -0.25 * upstream.get(one.one_upstream ? 0 : number);
      const double spread = one.smoothing / static_cast<double>(one.x.columns);
      for (int64_t j = 0; j < one.x.columns; ++j) {
        if (target == kIgnored) {
          ASSERT_EQ(gradient.get(i, j), 0);
          continue;
        }
        const double x = one.x.get(i, j), log = logs.get(number), power = std::exp(x - log);
        const double here = j == target ? 1 - one.smoothing : 0, exact = scale * (power - here - spread);
        const double finite = std::isfinite(x) ? std::abs(x) : 0;
        const double off = 0x1p-20 * (1 + finite + std::abs(log)) * std::abs(scale) * (power + here + spread);
        const double allowed = rounded_error(gradient.elements.type, exact, off);
        note.add(std::abs(gradient.get(i, j) - exact), allowed);
        ASSERT_NEAR(gradient.get(i, j), exact, allowed) << "row " << i << ", class " << j;
      }
    }
  }
};

TEST_P(CrossEntropy, AndItsGradientEqualDoublePrecision) {
  for (int round = 0; round < 20; ++round) {
    const int64_t rows = between(1, 9), classes = one_of<int64_t>({1, 2, 3, 4, 255, 1024, between(1, 3000)});
    const int64_t padding = one_of<int64_t>({0, 1, 4, between(0, 7)});
    const double size = one_of({0.1, 1.0, 20.0});
    Case one{random_rows(rows, classes, padding, any_type(), size), any_targets(rows, classes)};
    one.smoothing = one_of({0.0, 0.1, 1.0});
    one.offset = static_cast<size_t>(one_of<int64_t>({0, 0, 1, 3}));
    one.in_place = between(0, 2) == 0, one.one_upstream = between(0, 1) != 0;
    one.gradient_type = one.in_place ? one.x.elements.type : any_type();
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(CrossEntropy, OfRowsWhoseTypeIsKnown) {
  struct Size {
    int64_t rows, classes;
  };
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const auto& [rows, classes] : {Size{3, 40008}, Size{500, 8}, Size{1300, 2056}})
      for (const bool in_place : {false, true}) {
        // Of 40 times a normal number, weights reach below the normal numbers of f32.
        Case one{random_rows(rows, classes, 8, type, in_place ? 40 : 1), any_targets(rows, classes)};
        one.targets.classes[0] = classes - 1;
        one.targets = Targets(one.targets.classes);
        one.smoothing = in_place ? 0.1 : 0;
        one.gradient_type = type, one.in_place = in_place;
        check(one);
        if (HasFatalFailure()) return;
      }
}

TEST_P(CrossEntropy, OfClassesInParts) {
  for (int round = 0; round < 12; ++round) {
    const int64_t rows = between(1, 9), classes = between(2, 3000);
    Case one{random_rows(rows, classes, between(0, 7), any_type(), one_of({0.1, 1.0, 20.0})),
             any_targets(rows, classes)};
    for (int64_t left = classes; left > 0; left -= one.parts.back())
      one.parts.push_back(one_of<int64_t>({left, between(1, left), between(1, left)}));
    one.smoothing = one_of({0.0, 0.1, 1.0}), one.in_place = between(0, 1) != 0;
    one.gradient_type = one.in_place ? one.x.elements.type : any_type();
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(CrossEntropy, OfKnownTypeInPartsSomeOfWhoseClassesCannotBe) {
  Case one{random_rows(3, 12000, 0, WAVESMITH_KERNELS_BF16), Targets({17, 6001, 11999})};
  for (int64_t j = 0; j < 8000; ++j) {
    if (j < 4000) one.x.set(0, j + 4000, -kInfinity);  // the second part
    one.x.set(1, j, j == 6001 ? 0 : -kInfinity);       // the first one
    one.x.set(2, j, -kInfinity);                       // the first two
  }
  one.parts = {4000, 4000, 4000}, one.gradient_type = WAVESMITH_KERNELS_BF16;
  check(one);
}

/// Three rows: logits that grow; of which a third cannot be; of which the last hundred alone can be.
HostRows growing(HostRows x) {
  for (int64_t j = 0; j < x.columns; ++j) {
    x.set(0, j, static_cast<double>(j) * 0.1 - 300);  // each thread's sum moves to another base often
    if (j % 3 == 0) x.set(1, j, -kInfinity);
    x.set(2, j, j < x.columns - 100 ? -kInfinity : 500 - static_cast<double>(j) * 0.3);
  }
  return x;
}

TEST_P(CrossEntropy, OfKnownTypeAndOfClassesThatCannotBe) {
  Case one{growing(random_rows(3, 12000, 0, WAVESMITH_KERNELS_BF16)), Targets({17, 4, 11999})};
  one.gradient_type = WAVESMITH_KERNELS_BF16;
  check(one);
  if (HasFatalFailure()) return;
  one.targets = Targets({17, 3, 5});  // of what cannot be: an infinite loss, a gradient of the others
  check(one);
}

TEST_P(CrossEntropy, OfLogitsThatGrowAndOfClassesThatCannotBe) {
  const HostRows x = growing(random_rows(3, 6000, 0, WAVESMITH_KERNELS_F32));
  check({x, Targets({17, 4, 5999})});
  check({x, Targets({17, 3, 5})});  // of what cannot be: an infinite loss, a gradient of the others
}

TEST_P(CrossEntropy, KeepsNanInItsRow) {
  for (const auto& [type, classes] : {std::pair(WAVESMITH_KERNELS_F32, 50), {WAVESMITH_KERNELS_BF16, 56}}) {
    HostRows x = random_rows(3, classes, 0, type);
    x.set(0, 7, std::numeric_limits<double>::quiet_NaN()), x.set(1, 8, kInfinity);
    const Targets targets({3, 3, 3});
    Elements losses(WAVESMITH_KERNELS_F32, 3);
    const OnGpu on_x(x.elements), on_targets(targets.bytes), on_losses(losses), on_logs(losses);
    Description one{};
    one.rows = 3, one.classes = classes, one.logits = x.on(on_x);
    one.targets = static_cast<const int64_t*>(on_targets.data()), one.ignored = kIgnored;
    one.losses = static_cast<float*>(on_losses.data()), one.logs = static_cast<float*>(on_logs.data());
    ASSERT_EQ(wavesmith_kernels_cross_entropy(&one, nullptr), WAVESMITH_KERNELS_SUCCESS);
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_losses.copy_to(losses);
    const ErrorNote note;
    EXPECT_TRUE(std::isnan(losses.get(0)) && std::isnan(losses.get(1)));
    EXPECT_NEAR(losses.get(2), Row(x, 2).log - x.get(2, 3), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(On, CrossEntropy, testing::Range(0, kGpuCount), gpu_name);

TEST(CrossEntropyRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  const OnGpu targets(Targets({0, 1, 2, 3, 4, 5, 6, 7}).bytes);
  const auto at = [&](size_t number) { return static_cast<float*>(memory.data()) + number; };
  Description right{};
  right.rows = right.classes = 8, right.logits = {at(0), WAVESMITH_KERNELS_F32, 8};
  right.targets = static_cast<const int64_t*>(targets.data()), right.losses = at(64), right.logs = at(72);
  EXPECT_EQ(wavesmith_kernels_cross_entropy(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_cross_entropy, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "cross_entropy: rows is negative"},
       {[](Description& d) { d.classes = 0; }, kWrong, "classes is 0"},
       {[](Description& d) { d.smoothing = 1.5; }, kWrong, "smoothing is 1.500000, not in [0, 1]"},
       {[](Description& d) { d.logits.data = nullptr; }, kWrong, "logits.data is null"},
       {[](Description& d) { d.logits.type = WAVESMITH_KERNELS_I8; }, kNot, "logits is of i8"},
       {[](Description& d) { d.logits.row_stride = 7; }, kWrong, "logits.row_stride is 7"},
       {[](Description& d) { d.targets = nullptr; }, kWrong, "targets is null"},
       {[](Description& d) { d.losses = nullptr; }, kWrong, "losses is null"},
       {[](Description& d) { d.logs = nullptr; }, kWrong, "logs is null"},
       {[](Description& d) { d.losses = static_cast<float*>(d.logits.data); }, kWrong,
        "losses overlaps logits"},
       {[](Description& d) { d.logs = d.losses; }, kWrong, "losses overlaps logs"},
       {[](Description& d) { d.all_classes = -1; }, kWrong, "all_classes is -1, not from 0 to 2147483647"},
       {[](Description& d) { d.first_class = 1; }, kWrong,
        "first_class is 1: 8 classes from there on are not within the 8"},
       {[](Description& d) { d.all_classes = 16, d.first_class = 9; }, kWrong, "first_class is 9"},
       {[](Description& d) { d.all_classes = 16; }, kWrong, "state is null"},
       {[](Description& d) { d.all_classes = 16, d.state = d.logs; }, kWrong, "state overlaps logs"},
       {[](Description& d) { d.all_classes = 16, d.first_class = 8, d.losses = nullptr; }, kWrong,
        "losses is null"}});
  Gradient back{};
  back.forward = right, back.upstream = at(80), back.upstream_stride = 1, back.gradient = right.logits;
  EXPECT_EQ(wavesmith_kernels_cross_entropy_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Gradient>(
      &wavesmith_kernels_cross_entropy_gradient, back,
      {{[](Gradient& d) { d.upstream_stride = 2; }, kWrong, "upstream_stride is 2, neither 1 nor 0"},
       {[](Gradient& d) { d.upstream = nullptr; }, kWrong, "cross_entropy_gradient: upstream is null"},
       {[](Gradient& d) { d.gradient.data = nullptr; }, kWrong, "gradient.data is null"},
       {[](Gradient& d) { d.gradient.data = d.forward.logs; }, kWrong, "gradient overlaps logs"},
       {[](Gradient& d) { d.gradient.type = WAVESMITH_KERNELS_F16; }, kWrong, "gradient overlaps logits"}});
  Description none = right;
  none.rows = 0, none.logits.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_cross_entropy(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
