// When progress is printed, by a clock that the test sets.
#include "base/progress.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace wavesmith {
namespace {

struct Recorded {
  std::vector<std::string> lines;
  double now = 1000;
  Progress::Sink sink(bool terminal) {
    return {terminal, [this](std::string_view text) { lines.emplace_back(text); }, [this] { return now; }};
  }
};

TEST(Progress, ShortWorkSaysNothingWhereThereIsNoTerminal) {
  Recorded recorded;
  Progress progress("wavesmith sweep", recorded.sink(false));
  for (; recorded.now < 1009.9; recorded.now += 0.1) progress.step("done");
  EXPECT_TRUE(recorded.lines.empty());
}

TEST(Progress, LongWorkSaysALineNowAndThen) {
  Recorded recorded;
  Progress progress("wavesmith sweep", recorded.sink(false));
  std::vector<double> at;
  int step = 0;
  for (; recorded.now < 1000 + 3600; recorded.now += 0.5) {
    const size_t before = recorded.lines.size();
    const bool due = progress.due();
    progress.step(std::to_string(step++) + " of 7200");
    EXPECT_EQ(due, recorded.lines.size() > before);
    if (recorded.lines.size() > before) at.push_back(recorded.now - 1000);
  }
  ASSERT_GE(at.size(), 60u);  // no more than a minute without a word
  EXPECT_LE(at.size(), 75u);
  EXPECT_EQ(at[0], 10);
  EXPECT_EQ(at[1], 20);
  for (size_t i = 1; i < at.size(); ++i) {
    EXPECT_GE(at[i] - at[i - 1], 10);
    EXPECT_LE(at[i] - at[i - 1], 60.5);
  }
  EXPECT_EQ(recorded.lines[0], "wavesmith sweep: 10 s, 20 of 7200\n");
}

TEST(Progress, AStepThatTakesLongIsSaidAgainUntilTheWorkIsOver) {
  Recorded recorded;
  Progress progress("wavesmith sweep", recorded.sink(false));
  progress.repeat();
  progress.step("0 of 2 runs");
  for (int second = 0; second < 25; ++second) recorded.now += 1, progress.repeat();
  EXPECT_EQ(recorded.lines, (std::vector<std::string>{"wavesmith sweep: 10 s, 0 of 2 runs\n",
                                                      "wavesmith sweep: 20 s, 0 of 2 runs\n"}));
  progress.clear();
  for (int second = 0; second < 100; ++second) recorded.now += 1, progress.repeat();
  EXPECT_EQ(recorded.lines.size(), 2u);
}

TEST(Progress, ATerminalHasOneLineThatIsTakenAwayAtTheEnd) {
  Recorded recorded;
  {
    Progress progress("wavesmith sweep", recorded.sink(true));
    progress.step("1 of 2");
    progress.step("2 of 2");
    progress.clear();
    progress.step("and more");
  }
  EXPECT_EQ(recorded.lines, (std::vector<std::string>{"\r\033[K1 of 2", "\r\033[K2 of 2", "\r\033[K",
                                                      "\r\033[Kand more", "\r\033[K"}));
}

TEST(Progress, ThreadsThatComeAtTheSameTimeSayItOnce) {
  Recorded recorded;
  Progress progress("wavesmith run", recorded.sink(false));
  recorded.now += 11;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) progress.step("launch");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recorded.lines.size(), 1u);
}

}  // namespace
}  // namespace wavesmith
