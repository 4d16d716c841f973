// Element-wise kernels, rows, convolutions, collectives, and asking for any of them by name.
#include <gtest/gtest.h>

#include <cmath>

#include "model/constants.h"
#include "model/convolution.h"
#include "model/elementwise.h"
#include "model/library/collectives.h"
#include "model/norm.h"
#include "model/operation.h"

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }

TEST(Elementwise, ABigAdditionMovesThreeArrays) {
  const auto got =
      predict_elementwise(gpu("mi300x"), elementwise(1 << 28, 2, NumberType::F32, ElementwiseFunction::Add));
  ASSERT_TRUE(got);
  EXPECT_DOUBLE_EQ(got->bytes, 3.0 * (1 << 28) * 4);
  EXPECT_EQ(got->bound, "HBM");
  EXPECT_NEAR(got->bytes_per_second() / 1e9, *gpu("mi300x").sustained_memory, 500);
}

TEST(Elementwise, ASmallOneIsItsLaunch) {
  const auto got =
      predict_elementwise(gpu("mi300x"), elementwise(1024, 1, NumberType::BF16, ElementwiseFunction::Add));
  EXPECT_EQ(got->bound, "launch");
  EXPECT_LT(got->seconds, 6e-6);
  EXPECT_GE(got->seconds, constant::kKernelSeconds);
}

// pow() on an MI210: 185 lanes at 104 x 64 lanes a clock of 1,700 MHz is 61 G numbers/s (PyTorch reaches 60).
TEST(Elementwise, PowersAreBoundByVectorInstructions) {
  const auto got =
      predict_elementwise(gpu("mi210"), elementwise(1e8, 1, NumberType::F32, ElementwiseFunction::Power));
  EXPECT_EQ(got->bound, "vector");
  EXPECT_NEAR(1e8 / got->seconds / 1e9, 104 * 64 * 1.7 / constant::kPowerLanes, 2);
}

TEST(Elementwise, FindingEachElementsPlaceCostsVectorInstructions) {
  ElementwiseProblem problem = elementwise(1 << 28, 1, NumberType::BF16, ElementwiseFunction::Add);
  const double plain = predict_elementwise(gpu("mi300x"), problem)->seconds;
  problem.indexed = true;
  const double indexed = predict_elementwise(gpu("mi300x"), problem)->seconds;
  EXPECT_GT(indexed, plain * 1.1);
  // At most both, one after the other: 45 lanes more at 304 x 64 lanes a clock of 2,100 MHz.
  EXPECT_LT(indexed, plain + (1 << 28) * (constant::kIndexedLanes + 6) / (304 * 64 * 2100e6));
}

TEST(Rows, LongRowsAreBoundByTheMemory) {
  const auto got = predict_rows(gpu("mi300x"), {.rows = 65536, .columns = 8192});
  ASSERT_TRUE(got);
  EXPECT_DOUBLE_EQ(got->bytes, 2.0 * 65536 * 8192 * 2);
  EXPECT_EQ(got->bound, "HBM");
}

TEST(Rows, AResidualMovesTwiceAsMuch) {
  const double one = predict_rows(gpu("mi355x"), {.rows = 65536, .columns = 4096})->seconds;
  const double two = predict_rows(gpu("mi355x"), {.rows = 65536, .columns = 4096, .residual = true})->seconds;
  EXPECT_NEAR(two / one, 2, 0.35);
}

TEST(Rows, TheKernelIsWhatPyTorchTakes) {
  RowProblem problem{.operation = RowOperation::Softmax,
                     .rows = 100,
                     .columns = 1024,
                     .type = NumberType::F32,
                     .tuned = false};
  EXPECT_EQ(row_kernel(problem), RowKernel::Wave);
  problem.columns = 1025;
  EXPECT_EQ(row_kernel(problem), RowKernel::ThreePasses);
  problem.columns = 1028;
  EXPECT_EQ(row_kernel(problem), RowKernel::BlockInLds);
}

TEST(Rows, MoreRowsNeverTakeLess) {
  for (const char* id : {"mi100", "mi300x", "rx9070xt"})
    for (const bool tuned : {true, false})
      for (const RowOperation operation : {RowOperation::LayerNorm, RowOperation::Softmax}) {
        double before = 0;
        for (int power = 0; power < 24; ++power) {
          const double rows = std::ldexp(1, power);
          const double now =
              predict_rows(gpu(id), {.operation = operation, .rows = rows, .columns = 3000, .tuned = tuned})
                  ->seconds;
          EXPECT_GE(now, before) << id << rows;
          before = now;
        }
      }
}

TEST(Convolution, IsAMatrixMultiplication) {
  EXPECT_EQ(convolved(224, 7, 2, 3), 112);
  EXPECT_EQ(convolved(3, 5, 1, 0), 0);
  const auto got = predict_convolution(gpu("mi300x"), {.batch = 10,
                                                       .channels = 64,
                                                       .filters = 128,
                                                       .height = 56,
                                                       .width = 56,
                                                       .filter_height = 3,
                                                       .filter_width = 3,
                                                       .padding = 1});
  ASSERT_TRUE(got);
  EXPECT_DOUBLE_EQ(got->flops, 2.0 * 10 * 56 * 56 * 128 * 64 * 9);
  EXPECT_FALSE(predict_convolution(
      gpu("mi300x"),
      {.channels = 4, .filters = 4, .height = 2, .width = 2, .filter_height = 5, .filter_width = 5}));
}

// 2 x 7/8 of 4 GiB over 7 links of 48 GB/s, 94 % of them: 23.8 ms; RCCL takes 23.7.
TEST(Collective, ALargeAllReduceFillsTheLinks) {
  const auto got = predict_collective(gpu("mi300x"), {.bytes = 4294967296});
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->seconds, 23.7e-3, 0.5e-3);
  EXPECT_EQ(got->bound, "links");
}

TEST(Collective, ASmallOneIsLatencyAndOneShotIsBestForIt) {
  const double one =
      predict_collective(gpu("mi300x"), {.bytes = 1024, .kernel = CollectiveKernel::OneShot})->seconds;
  const double ring =
      predict_collective(gpu("mi300x"), {.bytes = 1024, .kernel = CollectiveKernel::Ring})->seconds;
  EXPECT_LT(one, ring / 2);
  EXPECT_NEAR(predict_collective(gpu("mi300x"), {.bytes = 1024})->seconds, one, 1e-9);
  EXPECT_FALSE(predict_collective(gpu("mi300x"), {.ranks = 1, .bytes = 1024}));
}

TEST(Collective, FlagsWithinTheDataTakeAThirdOfTheLinks) {
  const auto moving = [](bool flagged) {
    const auto got = predict_collective(
        gpu("mi300x"), {.bytes = 1 << 20, .kernel = CollectiveKernel::TwoShot, .flagged = flagged});
    return got->parts.at(0).seconds;
  };
  EXPECT_NEAR(moving(true) / moving(false), constant::kCollectiveShare / constant::kFlaggedShare, 1e-9);
  const auto large = [](bool flagged) {
    return predict_collective(gpu("mi300x"), {.bytes = 1 << 28, .flagged = flagged})->seconds;
  };
  EXPECT_DOUBLE_EQ(large(true), large(false)) << "RCCL's large buffers have none";
}

TEST(Operations, EachHasExamplesThatWork) {
  for (const Operation& operation : operations()) {
    ASSERT_FALSE(operation.examples.empty()) << operation.name;
    std::map<std::string, std::string, std::less<>> values;
    for (const Parameter& parameter : operation.parameters)
      if (parameter.kind == Parameter::Kind::Size && parameter.standard.empty())
        values[std::string(parameter.name)] = "64";
    if (operation.name == "moe") values["topk"] = "4";
    if (operation.name == "gemm" || operation.name == "factor") values["m"] = "64";
    if (operation.name == "stream") values["read"] = "64";
    for (const gpus::Gpu* one : gpus::gpus()) {
      const Result<OperationPrediction> predicted = operation.predict(*one, values);
      if (operation.name == "allreduce" && one->peer_links.empty() && one->pcie_gigabytes_per_second == 0) {
        ASSERT_FALSE(predicted) << "nothing joins several " << one->id;
        EXPECT_EQ(predicted.error().kind, ErrorKind::Unsupported);
        continue;
      }
      ASSERT_TRUE(predicted) << operation.name << " on " << one->id << ": " << predicted.error().text();
      EXPECT_GT(predicted->prediction.seconds, 1e-7) << operation.name;
      EXPECT_LT(predicted->prediction.seconds, 1) << operation.name;
      EXPECT_FALSE(predicted->prediction.bound.empty()) << operation.name;
      EXPECT_TRUE(std::isfinite(predicted->prediction.seconds));
    }
  }
}

TEST(Operations, GroupsTakeThePlaceOfM) {
  const Operation& gemm = **find_operation("gemm");
  const auto groups = gemm.predict(gpu("mi300x"), {{"groups", "512+0+512"}, {"n", "4096"}, {"k", "4096"}});
  ASSERT_TRUE(groups) << groups.error().text();
  EXPECT_DOUBLE_EQ(groups->prediction.flops, 2.0 * 1024 * 4096 * 4096);
  for (const char* bad : {"512,512", "+", "a", "1++2", "-1"})
    EXPECT_FALSE(gemm.predict(gpu("mi300x"), {{"groups", bad}, {"n", "64"}, {"k", "64"}})) << bad;
  EXPECT_FALSE(gemm.predict(gpu("mi300x"), {{"groups", "4"}, {"m", "4"}, {"n", "64"}, {"k", "64"}}));
  EXPECT_FALSE(gemm.predict(gpu("mi300x"), {{"n", "64"}, {"k", "64"}}));
}

TEST(Operations, WrongArgumentsSayWhatIsRight) {
  const Operation& norm = **find_operation("norm");
  EXPECT_NE(norm.predict(gpu("mi300x"), {{"rows", "4"}}).error().text().find("--columns is missing"),
            std::string::npos);
  EXPECT_NE(norm.predict(gpu("mi300x"), {{"lines", "4"}}).error().text().find("it has rows"),
            std::string::npos);
  EXPECT_NE(norm.predict(gpu("mi300x"), {{"rows", "4"}, {"columns", "4"}, {"dtype", "f128"}})
                .error()
                .text()
                .find("known are f64"),
            std::string::npos);
  EXPECT_FALSE(find_operation("teleport"));
}

}  // namespace
}  // namespace wavesmith::model
