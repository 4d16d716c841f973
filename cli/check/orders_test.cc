// What counts as a difference between two orders of workgroups and waves.
#include "cli/check/orders.h"

#include <gtest/gtest.h>

namespace wavesmith::cli {
namespace {

Output says(std::string text, int code = 0) { return {.code = code, .text = std::move(text), .buffers = {}}; }

TEST(Orders, NameTheWordThatDiffers) {
  const Twice first = {says("sum 4\ntour 37503\n"), says("sum 4\ntour 37503\n")};
  const Twice second = {says("sum 4\ntour 37294\n"), says("sum 4\ntour 37294\n")};
  EXPECT_EQ(difference(first, second), "line 2 of standard output says '37294' instead of '37503'");
  EXPECT_EQ(words_of_their_own(first), 0u);
}

TEST(Orders, LeaveOutWhatChangesByItself) {
  // A time differs between any two runs; between those of one order alone, too.
  const Twice first = {says("PASS\ntime 0.131 s\n"), says("PASS\ntime 0.128 s\n")};
  const Twice second = {says("PASS\ntime 0.207 s\n"), says("PASS\ntime 0.207 s\n")};
  EXPECT_EQ(difference(first, second), "");
  EXPECT_EQ(difference(second, first), "");
  EXPECT_EQ(words_of_their_own(first), 1u);
  // What stands beside it is compared all the same.
  const Twice third = {says("FAIL\ntime 0.207 s\n"), says("FAIL\ntime 0.211 s\n")};
  EXPECT_EQ(difference(first, third), "line 1 of standard output says 'FAIL' instead of 'PASS'");
}

TEST(Orders, CompareNoTextWhoseLengthChangesByItself) {
  const Twice first = {says("a b c"), says("a b")}, second = {says("x y z"), says("x y z")};
  EXPECT_EQ(difference(first, second), "");
  EXPECT_EQ(words_of_their_own(first), 3u);
}

TEST(Orders, CompareLengthsCodesAndBuffers) {
  const Twice first = {says("a b"), says("a b")};
  EXPECT_EQ(difference(first, {says("a b c"), says("a b c")}), "standard output has 3 words instead of 2");
  EXPECT_EQ(difference(first, {says("a b", 1), says("a b", 1)}), "the exit code is 1 instead of 0");
  EXPECT_EQ(difference(first, {says("a b", 1), says("a b", 0)}), "");
  Output one = says(""), other = says("");
  one.buffers = {"12", "34"};
  other.buffers = {"12", "35"};
  EXPECT_EQ(difference({one, one}, {other, other}), "the contents of buffer 1 differ");
  EXPECT_EQ(difference({one, other}, {other, other}), "");
  EXPECT_EQ(difference({one, one}, {one, one}), "");
}

}  // namespace
}  // namespace wavesmith::cli
