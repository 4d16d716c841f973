// MIOpen's layers against their formulas, written out here over every element. Random sizes, types and
// layouts; the seed is printed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "libraries/convolution/layers_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::testing_miopen;

TEST_F(Layers, ActivationsAreTheirFormulas) {
  void* const how = made("miopenCreateActivationDescriptor");
  for (int mode = 0; mode <= 9; ++mode)
    for (int round = 0; round < 4; ++round) {
      const int kind = type();
      Tensor x = tensor(kind, sizes(2)), y = tensor(kind, x.sizes);
      const Tensor before = y;
      const double alpha = 1.5, beta = 0.5, gamma = 2, keep = round % 2;
      ASSERT_EQ(call(library_, "miopenSetActivationDescriptor", how, mode, alpha, beta, gamma), 0);
      const Factor one = factor(2, kind), old = factor(keep, kind);
      ASSERT_EQ(call(library_, "miopenActivationForward", handle_, how, one.place(), x.descriptor, in(x),
                     old.place(), y.descriptor, out(y)),
                0);
      synchronize();
      SCOPED_TRACE(testing::Message() << "mode " << mode << ", type " << kind);
      expect(y, [&](const At& at) {
        return 2 * activation(mode, x[at], alpha, beta, gamma) + keep * before[at];
      });
      forget(x), forget(y);
    }
  EXPECT_EQ(call(library_, "miopenSetActivationDescriptor", how, 99, 0.0, 0.0, 0.0), 6);
  EXPECT_EQ(call(library_, "miopenDestroyActivationDescriptor", how), 0);
}

TEST_F(Layers, PoolingAndItsGradientAreSumsOverWindows) {
  void* const how = made("miopenCreatePoolingDescriptor");
  for (int round = 0; round < 30; ++round) {
    const int mode = round % 3, dimensions = 1 + below(3), kind = round % 2 ? kFloat : kDouble;
    At window, padding, steps, x_sizes = sizes(dimensions), y_sizes{x_sizes[0], x_sizes[1]};
    for (int i = 0; i < dimensions; ++i) {
      window.push_back(1 + below(3));
      padding.push_back(below(window[i]));
      steps.push_back(1 + below(2));
      y_sizes.push_back((x_sizes[i + 2] + 2 * padding[i] - window[i]) / steps[i] + 1);
    }
    Tensor x = tensor(kind, x_sizes), y = tensor(kind, y_sizes), dy = tensor(kind, y_sizes),
           dx = tensor(kind, x_sizes);
    ASSERT_EQ(call(library_, "miopenSetNdPoolingDescriptor", how, mode, dimensions, window.data(),
                   padding.data(), steps.data()),
              0);
    const Factor one = factor(1, kind), none = factor(0, kind);
    ASSERT_EQ(call(library_, "miopenPoolingForward", handle_, how, one.place(), x.descriptor, in(x),
                   none.place(), y.descriptor, out(y), true, static_cast<void*>(nullptr), size_t{0}),
              0);
    ASSERT_EQ(
        call(library_, "miopenPoolingBackward", handle_, how, one.place(), y.descriptor, in(y), dy.descriptor,
             in(dy), x.descriptor, in(x), none.place(), dx.descriptor, out(dx), static_cast<void*>(nullptr)),
        0);
    synchronize();
    // Every pair of a place in y and one in the window that is inside the image.
    std::vector<double> gradient(dx.bytes.size() / size_of(kind), 0.0);
    const auto pairs = [&](const At& to, auto use) {
      each(window, [&](const At& tap) {
        At from{to[0], to[1]};
        for (int i = 0; i < dimensions; ++i) {
          from.push_back(to[i + 2] * steps[i] - padding[i] + tap[i]);
          if (from.back() < 0 || from.back() >= x_sizes[i + 2]) return;
        }
        use(from);
      });
    };
    int taps = 1;
    for (const int each : window) taps *= each;
    expect(
        y,
        [&](const At& to) {
          double sum = 0, largest = -1e30;
          int count = 0;
          At place;
          pairs(to, [&](const At& from) {
            sum += x[from];
            ++count;
            if (x[from] > largest) {
              largest = x[from];
              place = from;
            }
          });
          const int divisor = mode == 2 ? taps : count;
          if (mode == 0)
            gradient[dx.place(place) / size_of(kind)] += dy[to];
          else
            pairs(to, [&](const At& from) { gradient[dx.place(from) / size_of(kind)] += dy[to] / divisor; });
          return mode == 0 ? largest : sum / divisor;
        },
        kind == kFloat ? 1e-6 : 1e-14);
    expect(
        dx, [&](const At& at) { return gradient[dx.place(at) / size_of(kind)]; },
        kind == kFloat ? 1e-5 : 1e-13);
    size_t workspace = 99;
    ASSERT_EQ(call(library_, "miopenPoolingGetWorkSpaceSizeV2", how, y.descriptor, &workspace), 0);
    EXPECT_EQ(workspace > 0, mode == 0);
    for (Tensor* each : {&x, &y, &dy, &dx}) forget(*each);
    if (HasFailure()) return;
  }
  EXPECT_EQ(call(library_, "miopenDestroyPoolingDescriptor", how), 0);
}

TEST_F(Layers, ResponseNormalisationLooksAtNeighbouringChannels) {
  void* const how = made("miopenCreateLRNDescriptor");
  for (const unsigned width : {1U, 3U, 4U, 5U}) {
    Tensor x = tensor(kFloat, {2, 9, 4, 3}), y = tensor(kFloat, x.sizes);
    ASSERT_EQ(call(library_, "miopenSetLRNDescriptor", how, 1, width, 0.7, 0.75, 1.5), 0);
    const Factor one = factor(1, kFloat), none = factor(0, kFloat);
    ASSERT_EQ(call(library_, "miopenLRNForward", handle_, how, one.place(), x.descriptor, in(x), none.place(),
                   y.descriptor, out(y), false, static_cast<void*>(nullptr)),
              0);
    synchronize();
    const int before = (static_cast<int>(width) - 1) / 2;
    expect(y, [&](const At& at) {
      double squares = 0;
      for (int i = 0; i < static_cast<int>(width); ++i) {
        At near = at;
        near[1] = at[1] - before + i;
        if (near[1] >= 0 && near[1] < 9) squares += x[near] * x[near];
      }
      return x[at] / std::pow(1.5 + 0.7 / width * squares, 0.75);
    });
    forget(x), forget(y);
  }
  EXPECT_EQ(call(library_, "miopenDestroyLRNDescriptor", how), 0);
}

TEST_F(Layers, SoftmaxAddsUpToOne) {
  for (int round = 0; round < 12; ++round) {
    const int mode = round % 2, algorithm = below(3), kind = type();
    Tensor x = tensor(kind, sizes(2)), y = tensor(kind, x.sizes);
    const Factor one = factor(1, kind), none = factor(0, kind);
    ASSERT_EQ(call(library_, "miopenSoftmaxForward_V2", handle_, one.place(), x.descriptor, in(x),
                   none.place(), y.descriptor, out(y), algorithm, mode),
              0);
    synchronize();
    expect(y, [&](const At& at) {
      double sum = 0;
      each(x.sizes, [&](const At& other) {
        if (other[0] == at[0] && (mode == 0 || std::equal(other.begin() + 2, other.end(), at.begin() + 2)))
          sum += std::exp(x[other]);
      });
      return algorithm == 2 ? std::log(std::exp(x[at]) / sum) : std::exp(x[at]) / sum;
    });
    forget(x), forget(y);
  }
}

TEST_F(Layers, BatchNormalisationAndItsGradient) {
  for (int round = 0; round < 12; ++round) {
    const int mode = round % 2, kind = round % 3 ? kFloat : kHalf;  // 1: a channel
    Tensor x = tensor(kind, {3, 4, 3, 5}), y = tensor(kind, x.sizes), dy = tensor(kind, x.sizes),
           dx = tensor(kind, x.sizes), derived = tensor(kFloat, {1});
    ASSERT_EQ(call(library_, "miopenDeriveBNTensorDescriptor", derived.descriptor, x.descriptor, mode), 0);
    const At sizes = mode == 1 ? At{1, 4, 1, 1} : At{1, 4, 3, 5};
    const size_t count = mode == 1 ? 4 : 60;
    std::vector<float> scale = numbers_of<float>(60), bias = numbers_of<float>(60), mean(60, 7.0F),
                       variance(60, 9.0F), saved_mean(60), saved_inverse(60), dscale(60), dbias(60);
    int got_sizes[4] = {}, got_strides[4] = {}, got_type = -1;
    ASSERT_EQ(call(library_, "miopenGetTensorDescriptor", derived.descriptor, &got_type,
                   static_cast<int*>(got_sizes), static_cast<int*>(got_strides)),
              0);
    EXPECT_EQ(At(got_sizes, got_sizes + 4), sizes);
    EXPECT_EQ(got_type, kFloat);
    const Factor one = factor(1, kind), none = factor(0, kind);
    const double epsilon = 0.01;
    const auto data = [](std::vector<float>& values) { return static_cast<void*>(values.data()); };
    ASSERT_EQ(
        call(library_, "miopenBatchNormalizationForwardTraining", handle_, mode, one.place(), none.place(),
             x.descriptor, in(x), y.descriptor, out(y), derived.descriptor, data(scale), data(bias), 0.25,
             data(mean), data(variance), epsilon, data(saved_mean), data(saved_inverse)),
        0);
    synchronize();
    const auto number = [&](const At& at) {
      return static_cast<size_t>(mode == 1 ? at[1] : (at[1] * 3 + at[2]) * 5 + at[3]);
    };
    std::vector<double> sums(count), squares(count), sum_dy(count), product(count);
    const double each_has = mode == 1 ? 45 : 3;
    each(x.sizes, [&](const At& at) { sums[number(at)] += x[at] / each_has; });
    each(x.sizes,
         [&](const At& at) { squares[number(at)] += std::pow(x[at] - sums[number(at)], 2) / each_has; });
    const auto inverse = [&](size_t i) { return 1 / std::sqrt(squares[i] + epsilon); };
    expect(
        y,
        [&](const At& at) {
          const size_t i = number(at);
          return scale[i] * (x[at] - sums[i]) * inverse(i) + bias[i];
        },
        1e-7);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(mean[i], 0.75 * 7 + 0.25 * sums[i], 1e-5);
      EXPECT_NEAR(variance[i], 0.75 * 9 + 0.25 * squares[i] * each_has / (each_has - 1), 1e-5);
      EXPECT_NEAR(saved_mean[i], sums[i], 1e-6);
      EXPECT_NEAR(saved_inverse[i], inverse(i), 1e-5);
    }
    const bool with_saved = below(2) == 1;
    ASSERT_EQ(call(library_, "miopenBatchNormalizationBackward", handle_, mode, one.place(), none.place(),
                   one.place(), none.place(), x.descriptor, in(x), dy.descriptor, in(dy), dx.descriptor,
                   out(dx), derived.descriptor, data(scale), data(dscale), data(dbias), epsilon,
                   with_saved ? data(saved_mean) : nullptr, with_saved ? data(saved_inverse) : nullptr),
              0);
    synchronize();
    each(x.sizes, [&](const At& at) {
      const size_t i = number(at);
      sum_dy[i] += dy[at];
      product[i] += dy[at] * (x[at] - sums[i]) * inverse(i);
    });
    for (size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(dscale[i], product[i], 1e-4);
      EXPECT_NEAR(dbias[i], sum_dy[i], 1e-4);
    }
    // The loss is the sum of y * dy; its slope along x, by its definition with the statistics of x moving
    // along.
    expect(
        dx,
        [&](const At& at) {
          const size_t i = number(at);
          double slope = 0;
          each(x.sizes, [&](const At& other) {
            if (number(other) != i) return;
            const double own = (other == at ? 1.0 : 0.0) - 1 / each_has;
            const double through_variance =
                (x[other] - sums[i]) * (x[at] - sums[i]) / each_has * std::pow(inverse(i), 2);
            slope += dy[other] * scale[i] * inverse(i) * (own - through_variance);
          });
          return slope;
        },
        2e-5);
    // Inference takes what it is given.
    ASSERT_EQ(call(library_, "miopenBatchNormalizationForwardInference", handle_, mode, one.place(),
                   none.place(), x.descriptor, in(x), y.descriptor, out(y), derived.descriptor, data(scale),
                   data(bias), data(mean), data(variance), epsilon),
              0);
    synchronize();
    expect(
        y,
        [&](const At& at) {
          const size_t i = number(at);
          return scale[i] * (x[at] - mean[i]) / std::sqrt(variance[i] + epsilon) + bias[i];
        },
        1e-7);
    for (Tensor* each : {&x, &y, &dy, &dx, &derived}) forget(*each);
    if (HasFailure()) return;
  }
}

TEST_F(Layers, TensorsAreCombinedAndBiasesAdded) {
  for (int operation = 0; operation < 4; ++operation) {
    Tensor a = tensor(kFloat, {2, 3, 4, 5}), b = tensor(kFloat, {1, 3, 1, 5}), c = tensor(kFloat, a.sizes);
    const Tensor before = c;
    const Factor first = factor(2, kFloat), second = factor(-1, kFloat), old = factor(0.5, kFloat);
    ASSERT_EQ(call(library_, "miopenOpTensor", handle_, operation, first.place(), a.descriptor, in(a),
                   second.place(), b.descriptor, in(b), old.place(), c.descriptor, out(c)),
              0);
    synchronize();
    expect(
        c,
        [&](const At& at) {
          const double x = 2 * a[at], y = -b[{0, at[1], 0, at[3]}];
          const double all[] = {x + y, x * y, std::min(x, y), std::max(x, y)};
          return all[operation] + 0.5 * before[at];
        },
        1e-7);
    for (Tensor* each : {&a, &b, &c}) forget(*each);
  }
  Tensor bias = tensor(kHalf, {1, 3, 1, 1}), y = tensor(kHalf, {2, 3, 4, 5});
  const Tensor before = y;
  const Factor one = factor(1, kHalf), none = factor(0, kHalf);
  const auto add = [&](const Factor& alpha, const Factor& beta) {
    return call(library_, "miopenConvolutionForwardBias", handle_, alpha.place(), bias.descriptor, in(bias),
                beta.place(), y.descriptor, out(y));
  };
  EXPECT_EQ(add(one, one), 3);
  EXPECT_EQ(add(one, none), 0);
  synchronize();
  expect(y, [&](const At& at) { return before[at] + bias[{0, at[1], 0, 0}]; });
  ASSERT_EQ(call(library_, "miopenConvolutionBackwardBias", handle_, one.place(), y.descriptor, in(y),
                 none.place(), bias.descriptor, out(bias)),
            0);
  synchronize();
  expect(bias, [&](const At& to) {
    double sum = 0;
    each(y.sizes, [&](const At& at) { sum += at[1] == to[1] ? y[at] : 0; });
    return sum;
  });
  forget(bias), forget(y);
}

TEST_F(Layers, ReductionsAndThePlacesOfExtrema) {
  void* const how = made("miopenCreateReduceTensorDescriptor");
  for (int round = 0; round < 48; ++round) {
    const int operation = round % 8, kind = type();
    const bool places = operation >= 2 && operation <= 4 && below(2);
    Tensor a = tensor(kind, sizes(2));
    At c_sizes = a.sizes;
    for (int& size : c_sizes)
      if (below(2)) size = 1;
    Tensor c = tensor(kind, c_sizes);
    const Tensor before = c;
    ASSERT_EQ(call(library_, "miopenSetReduceTensorDescriptor", how, operation, kFloat, 0, places ? 1 : 0, 0),
              0);
    size_t indices = 99, workspace = 99;
    ASSERT_EQ(
        call(library_, "miopenGetReductionIndicesSize", handle_, how, a.descriptor, c.descriptor, &indices),
        0);
    ASSERT_EQ(call(library_, "miopenGetReductionWorkspaceSize", handle_, how, a.descriptor, c.descriptor,
                   &workspace),
              0);
    EXPECT_EQ(workspace, 0U);
    std::vector<uint32_t> found(indices / 4 + 1, 77);
    const Factor twice = factor(2, kind), old = factor(0.5, kind);
    ASSERT_EQ(call(library_, "miopenReduceTensor", handle_, how, static_cast<void*>(found.data()), indices,
                   static_cast<void*>(nullptr), size_t{0}, twice.place(), a.descriptor, in(a), old.place(),
                   c.descriptor, out(c)),
              0);
    synchronize();
    SCOPED_TRACE(testing::Message() << "operation " << operation << ", type " << kind);
    size_t number = 0;
    expect(
        c,
        [&](const At& to) {
          std::vector<double> all;
          each(a.sizes, [&](const At& at) {
            for (size_t i = 0; i < at.size(); ++i)
              if (c_sizes[i] != 1 && at[i] != to[i]) return;
            all.push_back(a[at]);
          });
          double sum = 0, product = 1, sizes = 0, squares = 0;
          for (const double x : all) {
            sum += x;
            product *= x;
            sizes += std::fabs(x);
            squares += x * x;
          }
          const auto smaller = [](double x, double y) { return std::fabs(x) < std::fabs(y); };
          const auto least = std::min_element(all.begin(), all.end());
          const auto most = std::max_element(all.begin(), all.end());
          const auto largest = std::max_element(all.begin(), all.end(), smaller);
          const double values[] = {sum,
                                   product,
                                   *least,
                                   *most,
                                   std::fabs(*largest),
                                   sum / static_cast<double>(all.size()),
                                   sizes,
                                   std::sqrt(squares)};
          if (places) {
            const auto& place = operation == 2 ? least : operation == 3 ? most : largest;
            EXPECT_EQ(found[number], static_cast<uint32_t>(place - all.begin()));
          }
          ++number;
          return 2 * values[operation] + 0.5 * before[to];
        },
        1e-12);
    forget(a), forget(c);
    if (HasFailure()) return;
  }
  EXPECT_EQ(call(library_, "miopenSetReduceTensorDescriptor", how, 3, kFloat, 0, 1, 1), 6)
      << "64-bit indices";
  EXPECT_EQ(call(library_, "miopenDestroyReduceTensorDescriptor", how), 0);
}

TEST_F(Layers, NaNsAreKeptOrPassedOver) {
  void* const how = made("miopenCreateReduceTensorDescriptor");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool keep : {false, true})
    for (const size_t at : {0U, 2U, 3U}) {
      Tensor a = tensor(kDouble, {1, 4}), c = tensor(kDouble, {1, 1});
      write(kDouble, nan, a.bytes.data() + a.place({0, static_cast<int>(at)}));
      ASSERT_EQ(call(library_, "miopenSetReduceTensorDescriptor", how, 3, kDouble, keep ? 1 : 0, 0, 0), 0);
      const Factor one = factor(1, kDouble), none = factor(0, kDouble);
      ASSERT_EQ(call(library_, "miopenReduceTensor", handle_, how, static_cast<void*>(nullptr), size_t{0},
                     static_cast<void*>(nullptr), size_t{0}, one.place(), a.descriptor, in(a), none.place(),
                     c.descriptor, out(c)),
                0);
      synchronize();
      double largest = -2;
      for (int i = 0; i < 4; ++i)
        if (static_cast<size_t>(i) != at) largest = std::max(largest, a[{0, i}]);
      if (keep)
        EXPECT_TRUE(std::isnan(c[{0, 0}]));
      else
        EXPECT_EQ((c[{0, 0}]), largest);
      forget(a), forget(c);
    }
  EXPECT_EQ(call(library_, "miopenDestroyReduceTensorDescriptor", how), 0);
}

TEST_F(Layers, WrongCallsAreErrors) {
  void* const how = made("miopenCreateActivationDescriptor");
  ASSERT_EQ(call(library_, "miopenSetActivationDescriptor", how, 3, 0.0, 0.0, 0.0), 0);
  Tensor x = tensor(kFloat, {1, 2, 3}), other = tensor(kFloat, {1, 2, 4});
  const Factor one = factor(1, kFloat), none = factor(0, kFloat);
  const auto status = [&](const Tensor& from, const void* data, Tensor& to) {
    return call(library_, "miopenActivationForward", handle_, how, one.place(), from.descriptor, data,
                none.place(), to.descriptor, out(to));
  };
  EXPECT_EQ(status(x, in(x), other), 3) << "another size";
  EXPECT_EQ(status(x, nullptr, x), 3);
  void* memory = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{16}), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(status(x, memory, x), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("tensor 1 of miopenActivationForward reaches past"),
            std::string::npos);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
  EXPECT_EQ(call(library_, "miopenDestroyActivationDescriptor", how), 0);
  forget(x), forget(other);
}

}  // namespace
