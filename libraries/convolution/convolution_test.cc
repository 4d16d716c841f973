// MIOpen's convolutions, against sums of doubles over every output, channel and tap written out here. Random
// sizes, layouts, paddings, steps, dilations and groups; the seed is printed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "libraries/convolution/MIOpen_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::testing_miopen;

class Convolutions : public MiopenTest {
 protected:
  /// In the three ways that programs compute convolutions: `first`, `second` and `result` as immediate mode
  /// orders them.
  int run(const std::string& name, void* how, const Tensor& first, const Tensor& second, Tensor& result) {
    size_t count = 0, workspace = 99;
    EXPECT_EQ(call(library_, ("miopenConvolution" + name + "GetSolutionCount").c_str(), handle_,
                   first.descriptor, second.descriptor, how, result.descriptor, &count),
              0);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(call(library_, ("miopenConvolution" + name + "GetWorkSpaceSize").c_str(), handle_,
                   first.descriptor, second.descriptor, how, result.descriptor, &workspace),
              0);
    EXPECT_EQ(workspace, 0U);
    uint64_t solution[4] = {};  // a float, the workspace, the id, the algorithm
    EXPECT_EQ(
        call(library_, ("miopenConvolution" + name + "GetSolution").c_str(), handle_, first.descriptor,
             second.descriptor, how, result.descriptor, size_t{1}, &count, static_cast<void*>(solution)),
        0);
    EXPECT_EQ(call(library_, ("miopenConvolution" + name + "CompileSolution").c_str(), handle_,
                   first.descriptor, second.descriptor, how, result.descriptor, solution[2]),
              0);
    return call(library_, ("miopenConvolution" + name + "Immediate").c_str(), handle_, first.descriptor,
                static_cast<const void*>(first.bytes.data()), second.descriptor,
                static_cast<const void*>(second.bytes.data()), how, result.descriptor,
                static_cast<void*>(result.bytes.data()), static_cast<void*>(nullptr), size_t{0}, solution[2]);
  }
};

TEST_F(Convolutions, EachDirectionEqualsSumsInDoublePrecision) {
  for (const auto& [type, result_type] : {std::pair{kFloat, kFloat},
                                          {kHalf, kHalf},
                                          {kBrain, kBrain},
                                          {kHalf, kFloat},
                                          {kDouble, kDouble},
                                          {kInt8, kInt32},
                                          {kInt8, kFloat},
                                          {kInt8, kInt8}})
    for (int round = 0; round < 12; ++round) {
      const int dimensions = 1 + round % 3, groups = below(3) ? 1 : 1 + below(3);
      const bool integers = type == kInt8;
      const int direction = integers ? 0 : below(3);
      std::vector<int> x_sizes{1 + below(3), groups * (1 + below(5))},
          w_sizes{groups * (1 + below(6)), x_sizes[1] / groups}, y_sizes{x_sizes[0], w_sizes[0]}, padding,
          steps, dilations;
      for (int i = 0; i < dimensions; ++i) {
        padding.push_back(below(3));
        steps.push_back(1 + below(3));
        dilations.push_back(1 + below(2));
        w_sizes.push_back(1 + below(4));
        const int reach = dilations[i] * (w_sizes[i + 2] - 1) + 1;
        x_sizes.push_back(std::max(1, reach - 2 * padding[i]) + below(dimensions == 1 ? 2000 : 9));
        y_sizes.push_back((x_sizes[i + 2] + 2 * padding[i] - reach) / steps[i] + 1);
      }
      SCOPED_TRACE(testing::Message()
                   << "types " << type << " to " << result_type << ", direction " << direction << ", "
                   << dimensions << " dimensions, " << groups << " groups");
      const auto type_of = [&, from = type, to = result_type](int is_result_of) {
        return is_result_of == direction ? to : from;
      };
      Tensor y = tensor(type_of(0), y_sizes), x = tensor(type_of(1), x_sizes),
             w = tensor(type_of(2), w_sizes);
      void* how = nullptr;
      ASSERT_EQ(call(library_, "miopenCreateConvolutionDescriptor", &how), 0);
      ASSERT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, dimensions, padding.data(),
                     steps.data(), dilations.data(), 0),
                0);
      ASSERT_EQ(call(library_, "miopenSetConvolutionGroupCount", how, groups), 0);
      Tensor& result = direction == 0 ? y : direction == 1 ? x : w;
      // Every sum: results start at zero and each output, channel and tap adds its product.
      std::vector<double> sums(result.bytes.size() / size_of(result.type)), sizes(sums.size());
      each(y_sizes, [&](const std::vector<int>& to) {
        for (int c = 0; c < w_sizes[1]; ++c)
          each(std::vector<int>(w_sizes.begin() + 2, w_sizes.end()), [&](const std::vector<int>& tap) {
            std::vector<int> from{to[0], to[1] / (w_sizes[0] / groups) * w_sizes[1] + c}, weight{to[1], c};
            for (int i = 0; i < dimensions; ++i) {
              from.push_back(to[i + 2] * steps[i] + tap[i] * dilations[i] - padding[i]);
              weight.push_back(tap[i]);
              if (from.back() < 0 || from.back() >= x_sizes[i + 2]) return;
            }
            const double product = direction == 0   ? x[from] * w[weight]
                                   : direction == 1 ? y[to] * w[weight]
                                                    : y[to] * x[from];
            const size_t place = result.place(direction == 0   ? to
                                              : direction == 1 ? from
                                                               : weight) /
                                 size_of(result.type);
            sums[place] += product;
            sizes[place] += std::abs(product);
          });
      });
      const char* const names[] = {"Forward", "BackwardData", "BackwardWeights"};
      ASSERT_EQ(direction == 0   ? run(names[0], how, w, x, y)
                : direction == 1 ? run(names[1], how, y, w, x)
                                 : run(names[2], how, y, x, w),
                0);
      synchronize();
      const double of_sums = type == kDouble ? 0x1p-52 : integers ? 0 : 0x1p-23;
      each(result.sizes, [&](const std::vector<int>& at) {
        const size_t place = result.place(at) / size_of(result.type);
        if (result.type == kInt8) {  // keeps the last 8 bits
          ASSERT_EQ(result[at], static_cast<int8_t>(static_cast<int64_t>(sums[place]) & 0xff));
          return;
        }
        // A half below the normal ones has a fixed step.
        ASSERT_NEAR(result[at], sums[place],
                    of_sums * 40 * sizes[place] + 2 * epsilon_of(result.type) * std::abs(sums[place]) +
                        (result.type == kHalf ? 0x1p-24 : 0));
      });
      if (HasFatalFailure()) return;
      for (Tensor* each : {&x, &w, &y}) forget(*each);
      EXPECT_EQ(call(library_, "miopenDestroyConvolutionDescriptor", how), 0);
    }
}

TEST_F(Convolutions, ProgramsThatSearchFirstGetOneAlgorithm) {
  Tensor x = tensor(kFloat, {1, 1, 4}), w = tensor(kFloat, {1, 1, 1}), y = tensor(kFloat, {1, 1, 4});
  void* how = nullptr;
  const int none = 0, one = 1;
  ASSERT_EQ(call(library_, "miopenCreateConvolutionDescriptor", &how), 0);
  ASSERT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, 1, &none, &one, &one, 0), 0);
  struct {
    int algorithm;
    float time;
    size_t workspace;
  } found{-1, 0, 99};
  int count = 0;
  ASSERT_EQ(
      call(library_, "miopenFindConvolutionForwardAlgorithm", handle_, x.descriptor,
           static_cast<const void*>(x.bytes.data()), w.descriptor, static_cast<const void*>(w.bytes.data()),
           how, y.descriptor, static_cast<void*>(y.bytes.data()), 1, &count, static_cast<void*>(&found),
           static_cast<void*>(nullptr), size_t{0}, false),
      0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(found.workspace, 0U);
  const auto forward = [&](float alpha, float beta) {
    return call(library_, "miopenConvolutionForward", handle_, static_cast<const void*>(&alpha), x.descriptor,
                static_cast<const void*>(x.bytes.data()), w.descriptor,
                static_cast<const void*>(w.bytes.data()), how, found.algorithm,
                static_cast<const void*>(&beta), y.descriptor, static_cast<void*>(y.bytes.data()),
                static_cast<void*>(nullptr), size_t{0});
  };
  EXPECT_EQ(forward(2, 0), 3) << "MIOpen scales no convolution";
  EXPECT_EQ(forward(1, 1), 3);
  EXPECT_EQ(forward(1, 0), 0);
  synchronize();
  for (int i = 0; i < 4; ++i) {
    const double want = x[{0, 0, i}] * w[{0, 0, 0}], got = y[{0, 0, i}];
    EXPECT_NEAR(got, want, 1e-6);
  }
  const float one_time = 1, nothing = 0;
  ASSERT_EQ(
      call(library_, "miopenConvolutionBackwardWeights", handle_, static_cast<const void*>(&one_time),
           y.descriptor, static_cast<const void*>(y.bytes.data()), x.descriptor,
           static_cast<const void*>(x.bytes.data()), how, found.algorithm, static_cast<const void*>(&nothing),
           w.descriptor, static_cast<void*>(w.bytes.data()), static_cast<void*>(nullptr), size_t{0}),
      0);
  synchronize();
  double product = 0;
  for (int i = 0; i < 4; ++i) product += x[{0, 0, i}] * y[{0, 0, i}];
  EXPECT_NEAR((w[{0, 0, 0}]), product, 1e-6);
  EXPECT_EQ(call(library_, "miopenDestroyConvolutionDescriptor", how), 0);
  for (Tensor* each : {&x, &w, &y}) forget(*each);
}

TEST_F(Convolutions, WrongCallsAreErrors) {
  void* how = nullptr;
  const int none = 0, one = 1, four[] = {1, 1, 1, 1};
  ASSERT_EQ(call(library_, "miopenCreateConvolutionDescriptor", &how), 0);
  Tensor x = tensor(kFloat, {1, 2, 9}), w = tensor(kFloat, {3, 2, 2}), y = tensor(kFloat, {1, 3, 8}),
         short_y = tensor(kFloat, {1, 3, 7}), doubles = tensor(kDouble, {1, 2, 9}),
         thin = tensor(kFloat, {3, 1, 2});
  const auto status = [&](const Tensor& from, const Tensor& weights, const Tensor& to) {
    size_t count = 0;
    return call(library_, "miopenConvolutionForwardGetSolutionCount", handle_, weights.descriptor,
                from.descriptor, how, to.descriptor, &count);
  };
  ASSERT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, 1, &none, &one, &one, 0), 0);
  EXPECT_EQ(status(x, w, y), 0);
  EXPECT_EQ(status(x, w, short_y), 3) << "an output of another size";
  EXPECT_EQ(status(x, thin, y), 3) << "channels that do not fit";
  EXPECT_EQ(status(doubles, w, y), 6) << "doubles with floats are not served";
  EXPECT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, 1, &none, &one, &one, 1), 0);
  EXPECT_EQ(status(x, w, y), 6) << "transposed convolutions are not served";
  EXPECT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, 1, &none, &one, &one, 9), 3);
  EXPECT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, 4, four, four, four, 0), 6);
  EXPECT_EQ(call(library_, "miopenSetConvolutionGroupCount", how, 0), 3);
  ASSERT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how, 1, &none, &one, &one, 0), 0);
  void* memory = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{20}), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(library_, "miopenConvolutionForwardImmediate", handle_, w.descriptor,
                 static_cast<const void*>(w.bytes.data()), x.descriptor, static_cast<const void*>(memory),
                 how, y.descriptor, static_cast<void*>(y.bytes.data()), static_cast<void*>(nullptr),
                 size_t{0}, uint64_t{1}),
            3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("tensor x of a convolution reaches past"),
            std::string::npos);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
  EXPECT_EQ(call(library_, "miopenDestroyConvolutionDescriptor", how), 0);
  for (Tensor* each : {&x, &w, &y, &short_y, &doubles, &thin}) forget(*each);
}

}  // namespace
