// Fitting the constants of the MI300A programs on a table of answers.
#include "validate/programs/mi300a_fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace wavesmith::validate {
namespace {

struct Made {
  Csv table;
  std::vector<Mi300aRow> measured;
};

/// Programs `a` and `c`, whose times a call tells, and `b` and `d`, whose times memory tells. Measured with a
/// call of 3 us and `rate` GB/s. `skewed`: also a program that takes twice what is modelled for a reason of
/// its own, and answers a little to memory. `alone`: without `c` and `d`.
Made made(double rate, bool skewed = false, bool alone = false) {
  std::string text =
      "kernel_name,problem_size,ms,launch.event_us=1,launch.event_us=4,pace.memory_gigabytes_per_second=1500,"
      "pace.memory_gigabytes_per_second=6000\n";
  std::vector<Mi300aRow> measured;
  for (int size = 1; size <= 4; ++size) {
    for (const char* const calls : {"a", "c"}) {
      if (alone && *calls == 'c') continue;
      text += fmt::format("{0},{1},{2},{3},{4},{2},{2}\n", calls, size, size * 2.0, size * 1.0, size * 4.0);
      measured.push_back({calls, fmt::to_string(size), "", size * 3.0});
    }
    for (const char* const streams : {"b", "d"}) {
      if (alone && *streams == 'd') continue;
      text += fmt::format("{0},{1},{2},{2},{2},{3},{4}\n", streams, size, size * 1.0, size * 2.0, size * 0.5);
      measured.push_back({streams, fmt::to_string(size), "", size * 3000 / rate});
    }
    if (!skewed) continue;
    text += fmt::format("skewed,{0},{1},{1},{1},{2},{3}\n", size, size * 1.0, size * 1.1, size * 0.9);
    measured.push_back({"skewed", fmt::to_string(size), "", size * 2.0});
  }
  Result<Csv> table = Csv::parse(text, "answers");
  EXPECT_TRUE(table.has_value());
  return {*std::move(table), std::move(measured)};
}

Mi300aFit::Value value(const std::vector<Mi300aFit::Value>& values, std::string_view path) {
  const auto found = std::ranges::find(values, path, &Mi300aFit::Value::path);
  EXPECT_NE(found, values.end());
  return found == values.end() ? Mi300aFit::Value{} : *found;
}

TEST(Mi300aFit, FindsTheConstantsThatTheProgramsWereMeasuredWith) {
  const Made given = made(4000);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit) << fit.error().what;
  const auto values = fit->without("");
  EXPECT_NEAR(value(values, "launch.event_us").value, 3, 0.1);
  EXPECT_NEAR(value(values, "pace.memory_gigabytes_per_second").value, 4000, 100);
}

TEST(Mi300aFit, LooksNotAtTheProgramThatIsLeftOut) {
  const Made slow = made(2000), fast = made(5000);
  const auto a = Mi300aFit::create(slow.table, slow.measured),
             b = Mi300aFit::create(fast.table, fast.measured);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->words_without("a"), b->words_without("a"));
}

TEST(Mi300aFit, LooksNotAtTheProgramThatIsLeftOutForItsWidthEither) {
  Made one = made(4000), other = made(4000);
  for (Mi300aRow& row : other.measured)
    if (row.kernel == "d") row.milliseconds *= 7;
  const auto a = Mi300aFit::create(one.table, one.measured),
             b = Mi300aFit::create(other.table, other.measured);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->words_without("d"), b->words_without("d"));
  EXPECT_EQ(a->width_without("d"), b->width_without("d"));
  EXPECT_NE(a->words_without("a"), b->words_without("a"));
}

TEST(Mi300aFit, TrustsProgramsThatAgreeMoreThanWhatIsKnown) {
  const Made given = made(4000);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->width_without(""), 0.25);
}

TEST(Mi300aFit, AProgramThatIsOffForAnotherReasonDoesNotMoveWhatItAloneAnswersTo) {
  const Made given = made(2950, true);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  const auto memory = value(fit->without("b"), "pace.memory_gigabytes_per_second");
  EXPECT_TRUE(memory.told);
  EXPECT_NEAR(memory.value, 2950, 200);
}

TEST(Mi300aFit, ARowFarOffDoesNotMoveItsProgram) {
  Made given = made(4000);
  for (Mi300aRow& row : given.measured)
    if (row.size == "2") row.milliseconds *= 20;
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(value(fit->without(""), "launch.event_us").value, 3, 0.1);
}

TEST(Mi300aFit, TakesWhatNoOtherProgramTellsFromElsewhere) {
  const Made given = made(4000, false, true);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  const auto memory = value(fit->without("b"), "pace.memory_gigabytes_per_second");
  EXPECT_FALSE(memory.told);
  EXPECT_NEAR(memory.value, 2950, 1);
  const auto call = value(fit->without("a"), "launch.event_us");  // known from nowhere: as little as can be
  EXPECT_FALSE(call.told);
  EXPECT_NEAR(call.value, 1, 1e-9);
}

TEST(Mi300aFit, SaysWhereARangeStoppedIt) {
  const Made given = made(9000);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(value(fit->without(""), "pace.memory_gigabytes_per_second").stopped);
  EXPECT_FALSE(value(fit->without(""), "launch.event_us").stopped);
}

TEST(Mi300aFit, RefusesSettingsOfUnknownConstants) {
  const auto table = Csv::parse("kernel_name,problem_size,ms,no.such=1\na,1,1,1\n", "answers");
  ASSERT_TRUE(table);
  EXPECT_FALSE(Mi300aFit::create(*table, {{"a", "1", "", 1}}));
}

TEST(Mi300aFit, CopiesAreOneProgram) {
  EXPECT_EQ(mi300a_program_of("memcopy_d2h"), "memcopy");
  EXPECT_EQ(mi300a_program_of("memcopy_d2d"), "memcopy");
  EXPECT_EQ(mi300a_program_of("nbody"), "nbody");
}

}  // namespace
}  // namespace wavesmith::validate
