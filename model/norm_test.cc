// Normalisation and softmax: what is counted for whose kernels.
#include "model/norm.h"

#include <gtest/gtest.h>

#include "model/elementwise.h"

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }

TEST(Norm, PyTorchsSoftmaxBackwardIsTwoKernels) {
  RowProblem problem{.operation = RowOperation::Softmax, .rows = 32768, .columns = 8192, .backward = true};
  const double tuned = predict_rows(gpu("mi355x"), problem)->seconds;
  problem.tuned = false;
  const Result<Prediction> two = predict_rows(gpu("mi355x"), problem);
  ASSERT_TRUE(two) << two.error().text();
  const double product = predict_elementwise(gpu("mi355x"), elementwise(32768.0 * 8192, 2, NumberType::BF16,
                                                                        ElementwiseFunction::Add))
                             ->seconds;
  EXPECT_GE(two->seconds, product + tuned);
  EXPECT_EQ(two->bytes, 2 * 3 * 2.0 * 32768 * 8192);  // each kernel reads two arrays and writes one
  problem.backward = false;
  EXPECT_EQ(predict_rows(gpu("mi355x"), problem)->bytes, 2 * 2.0 * 32768 * 8192);
}

TEST(Norm, LaunchesOneBehindTheOtherStartSooner) {
  const RowProblem problem{.rows = 64, .columns = 1024};
  for (const char* id : {"mi300x", "rx7900xtx"})
    EXPECT_LT(predict_rows(gpu(id), problem, {.timing = Conditions::Timing::BackToBack})->seconds,
              predict_rows(gpu(id), problem)->seconds)
        << id;
}

}  // namespace
}  // namespace wavesmith::model
