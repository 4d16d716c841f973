// Operations of libraries: what has to hold of their predictions whatever the constants are.
#include <gtest/gtest.h>

#include "gpus/gpu.h"
#include "model/library/factorisation.h"
#include "model/library/fourier.h"
#include "model/operation.h"

namespace wavesmith::model {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }
Prediction predicted(const char* operation, const Values& values, const char* id = "mi300x") {
  const auto found = find_operation(operation);
  EXPECT_TRUE(found);
  const auto predicted = (*found)->predict(gpu(id), values);
  EXPECT_TRUE(predicted) << predicted.error().text();
  return predicted ? predicted->prediction : Prediction{};
}

TEST(Stream, TakesItsBytesOverTheBandwidth) {
  const double one = predicted("stream", {{"read", "4294967296"}, {"written", "4294967296"}}).seconds;
  const double copy = predicted("copy", {{"bytes", "4294967296"}}).seconds;
  EXPECT_NEAR(one / copy, 1, 0.02);
  EXPECT_LT(predicted("stream", {{"written", "4294967296"}}).seconds, one);
  EXPECT_FALSE((*find_operation("stream"))->predict(gpu("mi300x"), {}));
}

TEST(Fourier, PassesAreThoseOfRocfftsPlans) {
  EXPECT_EQ(fourier_passes(1, false).count, 0);
  EXPECT_EQ(fourier_passes(4096, false).count, 1);
  EXPECT_EQ(fourier_passes(4096, true).count, 2);
  EXPECT_EQ(fourier_passes(65536, false).count, 2);
  EXPECT_EQ(fourier_passes(131072, false).count, 3);
  EXPECT_EQ(fourier_passes(1 << 20, false).count, 5);
  // 19 has no butterfly: two transforms of 64 and three products.
  EXPECT_EQ(fourier_passes(19, false).count, 5);
  EXPECT_DOUBLE_EQ(fourier_passes(19, false).growth, 64.0 / 19);
}

TEST(Fourier, LevelsHaveTheBytesOfAllPasses) {
  const Prediction got =
      predicted("fft", {{"length", "256"}, {"height", "256"}, {"depth", "256"}, {"batch", "8"}});
  double most = 0;
  for (const Level& level : got.levels) most = std::max(most, level.bytes);
  EXPECT_DOUBLE_EQ(most, 3 * 2 * 8.0 * 256 * 256 * 256 * 8);
}

TEST(Fourier, ALargeBatchIsACopyAndRealNumbersAreHalfOfIt) {
  const Values all = {{"length", "4096"}, {"batch", "100000"}};
  const double complex = predicted("fft", all).seconds;
  const double copy = predicted("copy", {{"bytes", "3276800000"}}).seconds;
  EXPECT_NEAR(complex / copy, 1, 0.02);
  Values real = all;
  real["kind"] = "r2c";
  EXPECT_NEAR(predicted("fft", real).seconds / complex, 0.5, 0.02);
  Values twice = all;
  twice["precision"] = "double";
  EXPECT_GT(predicted("fft", twice).seconds, 2 * complex);
  EXPECT_DOUBLE_EQ(predicted("fft", all).flops, 5.0 * 4096 * 100000 * 12);
}

TEST(Factorisation, IsSlowerThanTheProductOfAsManyFlopsAndNearsIt) {
  for (const char* what : {"potrf", "getrf", "geqrf"}) {
    double before = 0;
    for (const int size : {256, 1024, 4096, 16384}) {
      const std::string n = std::to_string(size);
      const Prediction got = predicted("factor", {{"what", what}, {"m", n}, {"n", n}, {"dtype", "f64"}});
      const Prediction product = predicted("gemm", {{"m", n}, {"n", n}, {"k", n}, {"dtype", "f64"}});
      EXPECT_GT(got.flops / got.seconds, before) << what << n;
      EXPECT_LT(got.flops_per_second(), product.flops_per_second()) << what << n;
      EXPECT_EQ(got.confidence, Confidence::Low);
      before = got.flops_per_second();
    }
  }
}

TEST(Factorisation, CountsFlopsAsLapackDoes) {
  const auto flops = [](const char* what, double m, double n) {
    return predict_factorisation(
               gpu("mi300x"), {.what = *factorisation(what), .m = m, .n = n, .k = n, .type = NumberType::F64})
        ->flops;
  };
  const double n = 8192, cube = n * n * n;
  EXPECT_NEAR(flops("potrf", n, n) / (cube / 3), 1, 0.1);
  EXPECT_NEAR(flops("getrf", n, n) / (2 * cube / 3), 1, 0.1);
  EXPECT_NEAR(flops("geqrf", n, n) / (4 * cube / 3), 1, 0.1);
  EXPECT_NEAR(flops("trsm", n, n) / cube, 1, 0.1);
  EXPECT_NEAR(flops("ormqr", n, n) / (2 * cube), 1, 0.1);
}

TEST(Factorisation, VectorsTakeMoreAndEveryKindGrowsWithItsSize) {
  for (const char* what : {"potrf", "getrf", "geqrf", "orgqr", "ormqr", "trsm", "sytrd", "syev", "gesvd"}) {
    double before = 0;
    for (const char* n : {"1", "50", "700", "3000"}) {
      const double now = predicted("factor", {{"what", what}, {"m", n}, {"n", n}, {"k", n}}).seconds;
      EXPECT_GT(now, before) << what << n;
      before = now;
    }
  }
  for (const char* what : {"gesvd"})
    EXPECT_GT(
        predicted("factor", {{"what", what}, {"m", "2000"}, {"n", "2000"}, {"vectors", "true"}}).seconds,
        predicted("factor", {{"what", what}, {"m", "2000"}, {"n", "2000"}}).seconds);
}

TEST(Convolution, TheGradientOfTheFiltersHasItsPixelsAlongK) {
  Values values = {
      {"batch", "32"}, {"channels", "64"}, {"filters", "64"}, {"height", "56"}, {"padding", "1"}};
  const Prediction forward = predicted("conv", values);
  values["gradient"] = "filters";
  const Prediction filters = predicted("conv", values);
  EXPECT_DOUBLE_EQ(filters.flops, forward.flops);
  values.erase("gradient");
  values["backward"] = "true";
  EXPECT_NEAR(predicted("conv", values).seconds, forward.seconds + filters.seconds, 1e-9);
}

TEST(Collective, AMessageHasOneLink) {
  const auto of = [](const char* what) {
    return predicted("allreduce", {{"bytes", "1073741824"}, {"what", what}, {"ranks", "8"}});
  };
  EXPECT_GT(of("send").seconds, 6 * of("all-to-all").seconds);
}

}  // namespace
}  // namespace wavesmith::model
