#include "gpus/power.h"

#include <gtest/gtest.h>

namespace wavesmith::gpus {
namespace {

const Gpu& gpu(std::string_view id) { return **find_gpu(id); }

// AMD, ROCm blogs, "Measuring max-achievable FLOPs", part 2: throughput and clock of one large product.
TEST(Power, ClockOfTheMaxAchievablePoints) {
  EXPECT_NEAR(clock_under_power(gpu("mi300x"), {.matrix_f16 = 654e12 / 1115e6}).mhz, 1115, 10);
  EXPECT_NEAR(clock_under_power(gpu("mi300x"), {.matrix_bf16 = 708e12 / 1207e6}).mhz, 1207, 10);
  EXPECT_NEAR(clock_under_power(gpu("mi300x"), {.matrix_f8 = 1273e12 / 1230e6}).mhz, 1230, 10);
  EXPECT_NEAR(clock_under_power(gpu("mi325x"), {.matrix_bf16 = 843e12 / 1447e6}).mhz, 1447, 20);
}

TEST(Power, LittleActivityKeepsThePeakClock) {
  const Clock idle = clock_under_power(gpu("mi300x"), {});
  EXPECT_EQ(idle.mhz, 2100);
  EXPECT_FALSE(idle.limited);
  EXPECT_EQ(idle.kind, Kind::Modelled);
}

TEST(Power, MoreActivityOrFewerWattsLowerTheClock) {
  double before = 1e9;
  for (const double flops : {1e5, 1.3e5, 1.7e5, 2.2e5, 2.9e5, 3.7e5, 4.8e5, 6.3e5, 8.2e5, 1.06e6}) {
    const double mhz = clock_under_power(gpu("mi300x"), {.matrix_f8 = flops}).mhz;
    EXPECT_LE(mhz, before);
    EXPECT_GT(mhz, 500);
    before = mhz;
  }
  EXPECT_LT(clock_under_power(gpu("mi300x+power.watts=500"), {.matrix_bf16 = 6e5}).mhz,
            clock_under_power(gpu("mi300x"), {.matrix_bf16 = 6e5}).mhz);
}

// Who has a law of his own for such GPUs is told by the kind that this one knows nothing.
TEST(Power, UnknownEnergiesOfCdna4GiveThePeakClockAsReadThoughItsFullPipesAreKnown) {
  const Gpu& mi355x = gpu("mi355x");
  const Activity full{.matrix_bf16 = static_cast<double>(mi355x.compute_units) * mi355x.matrix_bf16};
  EXPECT_EQ(clock_under_power(mi355x, full).kind, Kind::Read);
  EXPECT_EQ(clock_under_power(mi355x, full).mhz, mi355x.engine_mhz);
  EXPECT_EQ(clock_of_full_pipes(mi355x, full).kind, Kind::Modelled);
  EXPECT_NEAR(clock_of_full_pipes(mi355x, full).mhz, *mi355x.sustained_matrix_mhz, 1);
}

TEST(Power, UnknownEnergiesGiveThePeakClockAsRead) {
  const Clock clock = clock_under_power(gpu("rx7900xtx"), {.matrix_f16 = 1e9});
  EXPECT_EQ(clock.mhz, 2500);
  EXPECT_EQ(clock.kind, Kind::Read);
}

}  // namespace
}  // namespace wavesmith::gpus
