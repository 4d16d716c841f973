#include "cli/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace wavesmith::cli {
namespace {

TEST(Child, GivesItsExitCode) {
  const auto code = run_child([] { _exit(7); });
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 7);
}

TEST(Child, EndedBySignal) {
  const auto code = run_child([] { raise(SIGKILL); });
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 128 + SIGKILL);
}

TEST(Child, SignalsReachItAndNotItsParent) {
  // The child asks its parent to stop, as a terminal or a CI system would, and is ended in its place.
  const pid_t parent = getpid();
  const auto code = run_child([parent] {
    for (int i = 0; i < 3000; ++i) {  // until the parent listens
      if (i == 100) kill(parent, SIGTERM);
      usleep(1000);
    }
  });
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 128 + SIGTERM);
}

}  // namespace
}  // namespace wavesmith::cli
