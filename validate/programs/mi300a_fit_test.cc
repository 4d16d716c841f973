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

/// Programs `a`, whose times a call tells, and `b`, whose times memory tells. Measured with a call of 3 us
/// and `rate` GB/s.
Made made(double rate) {
  std::string text =
      "kernel_name,problem_size,ms,launch.call_us=1,launch.call_us=4,pace.memory_gigabytes_per_second=1500,"
      "pace.memory_gigabytes_per_second=6000\n";
  std::vector<Mi300aRow> measured;
  for (int size = 1; size <= 4; ++size) {
    text += fmt::format("a,{0},{1},{2},{3},{1},{1}\n", size, size * 2.0, size * 1.0, size * 4.0);
    measured.push_back({"a", fmt::to_string(size), "", size * 3.0});
    text += fmt::format("b,{0},{1},{1},{1},{2},{3}\n", size, size * 1.0, size * 2.0, size * 0.5);
    measured.push_back({"b", fmt::to_string(size), "", size * 3000 / rate});
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
  EXPECT_NEAR(value(values, "launch.call_us").value, 3, 0.1);
  EXPECT_NEAR(value(values, "pace.memory_gigabytes_per_second").value, 4000, 100);
}

TEST(Mi300aFit, LooksNotAtTheProgramThatIsLeftOut) {
  const Made slow = made(2000), fast = made(5000);
  const auto a = Mi300aFit::create(slow.table, slow.measured),
             b = Mi300aFit::create(fast.table, fast.measured);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->words_without("b"), b->words_without("b"));
  EXPECT_NE(a->words_without("a"), b->words_without("a"));
}

TEST(Mi300aFit, TakesWhatNoOtherProgramTellsFromElsewhere) {
  const Made given = made(4000);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  const auto memory = value(fit->without("b"), "pace.memory_gigabytes_per_second");
  EXPECT_FALSE(memory.told);
  EXPECT_NEAR(memory.value, 2950, 1);
  const auto call = value(fit->without("a"), "launch.call_us");  // known from nowhere: as little as can be
  EXPECT_FALSE(call.told);
  EXPECT_NEAR(call.value, 1, 1e-9);
}

TEST(Mi300aFit, SaysWhereARangeStoppedIt) {
  const Made given = made(9000);
  const auto fit = Mi300aFit::create(given.table, given.measured);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(value(fit->without(""), "pace.memory_gigabytes_per_second").stopped);
  EXPECT_FALSE(value(fit->without(""), "launch.call_us").stopped);
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
