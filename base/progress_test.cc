// When progress is told, by a clock that the test turns.
#include "base/progress.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace wavesmith {
namespace {

struct Told {
  std::vector<std::string> lines;
  double now = 1000;
  Progress::Way way(bool terminal) {
    return {terminal, [this](std::string_view text) { lines.emplace_back(text); }, [this] { return now; }};
  }
};

TEST(Progress, ShortWorkSaysNothingWhereThereIsNoTerminal) {
  Told told;
  Progress progress("wavesmith sweep", told.way(false));
  for (; told.now < 1009.9; told.now += 0.1) progress.step("done");
  EXPECT_TRUE(told.lines.empty());
}

TEST(Progress, LongWorkSaysALineNowAndThen) {
  Told told;
  Progress progress("wavesmith sweep", told.way(false));
  std::vector<double> at;
  int step = 0;
  for (; told.now < 1000 + 3600; told.now += 0.5) {
    const size_t before = told.lines.size();
    const bool due = progress.due();
    progress.step(std::to_string(step++) + " of 7200");
    EXPECT_EQ(due, told.lines.size() > before);
    if (told.lines.size() > before) at.push_back(told.now - 1000);
  }
  ASSERT_GE(at.size(), 60u);  // no more than a minute without a word
  EXPECT_LE(at.size(), 75u);
  EXPECT_EQ(at[0], 10);
  EXPECT_EQ(at[1], 20);
  for (size_t i = 1; i < at.size(); ++i) {
    EXPECT_GE(at[i] - at[i - 1], 10);
    EXPECT_LE(at[i] - at[i - 1], 60.5);
  }
  EXPECT_EQ(told.lines[0], "wavesmith sweep: 10 s, 20 of 7200\n");
}

TEST(Progress, AStepThatTakesLongIsSaidAgainUntilTheWorkIsOver) {
  Told told;
  Progress progress("wavesmith sweep", told.way(false));
  progress.repeat();
  progress.step("0 of 2 runs");
  for (int second = 0; second < 25; ++second) told.now += 1, progress.repeat();
  EXPECT_EQ(told.lines, (std::vector<std::string>{"wavesmith sweep: 10 s, 0 of 2 runs\n",
                                                  "wavesmith sweep: 20 s, 0 of 2 runs\n"}));
  progress.clear();
  for (int second = 0; second < 100; ++second) told.now += 1, progress.repeat();
  EXPECT_EQ(told.lines.size(), 2u);
}

TEST(Progress, ATerminalHasOneLineThatIsTakenAwayAtTheEnd) {
  Told told;
  {
    Progress progress("wavesmith sweep", told.way(true));
    progress.step("1 of 2");
    progress.step("2 of 2");
    progress.clear();
    progress.step("and more");
  }
  EXPECT_EQ(told.lines, (std::vector<std::string>{"\r\033[K1 of 2", "\r\033[K2 of 2", "\r\033[K",
                                                  "\r\033[Kand more", "\r\033[K"}));
}

TEST(Progress, ThreadsThatComeAtTheSameTimeSayItOnce) {
  Told told;
  Progress progress("wavesmith run", told.way(false));
  told.now += 11;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) progress.step("launch");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told.lines.size(), 1u);
}

}  // namespace
}  // namespace wavesmith
