#include "toolchain/standby.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/scratch.h"

namespace wavesmith::toolchain {
namespace {

/// A shell, by a name of its own for each test.
std::string shell(int number) { return "/bin/" + std::string(static_cast<size_t>(number), '/') + "sh"; }

Outcome standing(const std::string& program, const std::string& script) {
  auto outcome = run_standing_by({program, "-c", script});
  EXPECT_TRUE(outcome);
  return outcome ? *outcome : Outcome{};
}

/// The process that started the shell.
pid_t parent(const std::string& program) { return std::stoi(standing(program, "echo $PPID").output); }

/// Whether it ends within five seconds; whose child it is may take its time to ask how.
bool ends_soon(pid_t process) {
  for (int i = 0; i < 500; ++i) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string line(std::istreambuf_iterator<char>(file), {});
    if (line.empty() || line.find(") Z ") != line.npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Standby : public testing::Test {
 protected:
  void SetUp() override {
    if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's programs cannot load this library";
  }
};

TEST_F(Standby, RunsCommandsFromOneProcessAsTheyRunByThemselves) {
  for (const char* const script :
       {"echo out; echo err >&2; exit 3", "echo \"$0 $#\"; pwd", "kill -9 $$", "cat; echo end", "true"}) {
    const auto alone = run({shell(1), "-c", script, "a word", "", "b\nc"}, true),
               again = run_standing_by({shell(1), "-c", script, "a word", "", "b\nc"});
    ASSERT_TRUE(alone && again);
    EXPECT_EQ(again->code, alone->code) << script;
    EXPECT_EQ(again->output, alone->output) << script;
  }
  EXPECT_EQ(parent(shell(1)), parent(shell(1)));
  EXPECT_NE(parent(shell(1)), getpid());
}

TEST_F(Standby, FolderAndEnvironmentAreThoseOfTheCall) {
  const auto before = std::filesystem::current_path();
  setenv("STANDBY_TEST", "one", 1);
  EXPECT_EQ(standing(shell(2), "echo $STANDBY_TEST $WAVESMITH_STANDBY").output, "one\n");
  setenv("STANDBY_TEST", "two", 1);
  EXPECT_EQ(standing(shell(2), "echo $STANDBY_TEST").output, "two\n");
  std::filesystem::current_path("/usr");
  EXPECT_EQ(standing(shell(2), "pwd").output, "/usr\n");
  std::filesystem::current_path(before);
  unsetenv("STANDBY_TEST");
}

TEST_F(Standby, IsNoChildAndHoldsNoPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // without O_CLOEXEC: who is started has it, too
  ASSERT_NE(parent(shell(3)), getpid());
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Standby, ACommandIsRunWhenWhatStoodByIsGone) {
  const std::string program = shell(4);
  const pid_t first = parent(program);
  kill(first, SIGKILL);
  EXPECT_TRUE(ends_soon(first));
  EXPECT_EQ(parent(program), getpid());  // this one by itself
  const pid_t second = parent(program);
  EXPECT_NE(second, getpid());
  // Another end of the socket may yet be open, while it runs a command, when it goes.
  EXPECT_EQ(
      standing(program, "[ $PPID = " + std::to_string(getpid()) + " ] || kill -9 $PPID $$; echo here").output,
      "here\n");
  EXPECT_TRUE(ends_soon(second));
  EXPECT_EQ(parent(program), getpid());  // and so it stays
}

TEST_F(Standby, EndsWithTheProcess) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, 0), 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t process = parent(shell(5));
    _exit(write(ends[1], &process, sizeof process) == sizeof process ? 0 : 1);
  }
  pid_t process = 0;
  ASSERT_EQ(read(ends[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_NE(process, child);
  EXPECT_TRUE(ends_soon(process));
}

TEST_F(Standby, ServesManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([thread] {
      for (int i = 0; i < 10; ++i) {
        const std::string text = std::to_string(thread) + " " + std::to_string(i);
        const Outcome outcome =
            standing(shell(6), "sleep 0.01; echo " + text + "; exit " + std::to_string(thread));
        EXPECT_EQ(outcome.output, text + "\n");
        EXPECT_EQ(outcome.code, thread);
      }
    });
  for (std::thread& each : threads) each.join();
}

TEST_F(Standby, ScriptsAreRunByThemselves) {
  const Scratch scratch("test");
  const std::string script = scratch / "script";
  ASSERT_TRUE(write_file(script, "#!/bin/sh\necho $PPID $1\n"));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto outcome = run_standing_by({script, "-c"});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output, std::to_string(getpid()) + " -c\n");
}

TEST_F(Standby, CanBeSwitchedOff) {
  setenv("WAVESMITH_STANDBY", "0", 1);
  EXPECT_EQ(parent(shell(7)), getpid());
  unsetenv("WAVESMITH_STANDBY");
}

TEST_F(Standby, NoSuchProgramIsAnError) { EXPECT_FALSE(run_standing_by({"/no/such/program"})); }

}  // namespace
}  // namespace wavesmith::toolchain
