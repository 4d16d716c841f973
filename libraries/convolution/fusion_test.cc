// MIOpen's fusion plans against their steps, written out here over every element. Random numbers.
#include <vector>

#include "libraries/convolution/layers_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::testing_miopen;

using Fusion = Layers;

TEST_F(Fusion, AFusionPlanIsItsStepsInTurn) {
  for (const bool with_bias : {true, false})
    for (const bool with_activation : {true, false}) {
      Tensor x = tensor(kFloat, {2, 3, 8}), w = tensor(kFloat, {4, 3, 1}), y = tensor(kFloat, {2, 4, 8}),
             bias = tensor(kFloat, {1, 4, 1});
      const int none = 0, one = 1;
      void* const convolution = made("miopenCreateConvolutionDescriptor");
      ASSERT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", convolution, 1, &none, &one, &one, 0), 0);
      void *plan = nullptr, *step = nullptr, *const arguments = made("miopenCreateOperatorArgs");
      ASSERT_EQ(call(library_, "miopenCreateFusionPlan", &plan, 0, x.descriptor), 0);
      const Factor by = factor(1, kFloat), old = factor(0, kFloat);
      ASSERT_EQ(call(library_, "miopenCreateOpConvForward", plan, &step, convolution, w.descriptor), 0);
      ASSERT_EQ(call(library_, "miopenSetOpArgsConvForward", arguments, step, by.place(), old.place(), in(w)),
                0);
      if (with_bias) {
        ASSERT_EQ(call(library_, "miopenCreateOpBiasForward", plan, &step, bias.descriptor), 0);
        ASSERT_EQ(
            call(library_, "miopenSetOpArgsBiasForward", arguments, step, by.place(), old.place(), in(bias)),
            0);
      }
      if (with_activation) {
        ASSERT_EQ(call(library_, "miopenCreateOpActivationForward", plan, &step, 8), 0);
        ASSERT_EQ(call(library_, "miopenSetOpArgsActivForward", arguments, step, by.place(), old.place(),
                       0.25, 0.0, 0.0),
                  0);
      }
      ASSERT_EQ(call(library_, "miopenCompileFusionPlan", handle_, plan), 0);
      void* first = nullptr;
      size_t workspace = 99;
      EXPECT_EQ(call(library_, "miopenFusionPlanGetOp", plan, 0, &first), 0);
      EXPECT_NE(first, nullptr);
      EXPECT_EQ(call(library_, "miopenFusionPlanGetOp", plan, 3, &first), 3);
      EXPECT_EQ(call(library_, "miopenFusionPlanGetWorkSpaceSize", handle_, plan, &workspace, 0), 0);
      EXPECT_EQ(workspace, 0U);
      ASSERT_EQ(call(library_, "miopenExecuteFusionPlan_v2", handle_, plan, x.descriptor, in(x), y.descriptor,
                     out(y), arguments, static_cast<void*>(nullptr), size_t{0}),
                0);
      synchronize();
      expect(
          y,
          [&](const At& at) {
            double sum = with_bias ? bias[{0, at[1], 0}] : 0;
            for (int c = 0; c < 3; ++c) sum += x[{at[0], c, at[2]}] * w[{at[1], c, 0}];
            return with_activation ? activation(8, sum, 0.25, 0, 0) : sum;
          },
          1e-6);
      EXPECT_EQ(call(library_, "miopenDestroyOperatorArgs", arguments), 0);
      EXPECT_EQ(call(library_, "miopenDestroyFusionPlan", plan), 0);
      EXPECT_EQ(call(library_, "miopenDestroyConvolutionDescriptor", convolution), 0);
      for (Tensor* each : {&x, &w, &y, &bias}) forget(*each);
    }
}

TEST_F(Fusion, APlanThatBeginsWithoutAConvolutionIsNotCompiled) {
  Tensor x = tensor(kFloat, {2, 3, 8});
  void *plan = nullptr, *step = nullptr;
  ASSERT_EQ(call(library_, "miopenCreateFusionPlan", &plan, 0, x.descriptor), 0);
  EXPECT_EQ(call(library_, "miopenCompileFusionPlan", handle_, plan), 8);
  ASSERT_EQ(call(library_, "miopenCreateOpActivationForward", plan, &step, 3), 0);
  EXPECT_EQ(call(library_, "miopenCompileFusionPlan", handle_, plan), 8);
  EXPECT_EQ(call(library_, "miopenDestroyFusionPlan", plan), 0);
  forget(x);
}

}  // namespace
