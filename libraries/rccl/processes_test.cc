// Communicators of RCCL whose ranks are processes.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "libraries/rccl/rccl_test.h"

namespace {

using namespace wavesmith::libraries;

/// A test starts this program again, which comes to the same test as another rank.
class Processes : public RcclTest {
 protected:
  static pid_t start_rank(const UniqueId& shared, int rank) {
    std::string text;
    for (const char byte : shared.bytes) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
      text += digits;
    }
    setenv("WAVESMITH_TEST_CLIQUE", text.c_str(), 1);
    setenv("WAVESMITH_TEST_RANK", std::to_string(rank).c_str(), 1);
    const std::string filter = std::string("--gtest_filter=Processes.") +
                               testing::UnitTest::GetInstance()->current_test_info()->name();
    const char* const arguments[] = {"rank", filter.c_str(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(
        posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(arguments), environ),
        0);
    unsetenv("WAVESMITH_TEST_RANK");
    return child;
  }
  /// Whether this is a process that a test has started.
  static bool started() { return std::getenv("WAVESMITH_TEST_RANK") != nullptr; }
  void join(int count) {
    const std::string text = std::getenv("WAVESMITH_TEST_CLIQUE");
    UniqueId shared;
    for (size_t i = 0; i < sizeof shared.bytes; ++i)
      shared.bytes[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    join(shared, count, std::atoi(std::getenv("WAVESMITH_TEST_RANK")));
  }
  void join(const UniqueId& shared, int count, int rank) {
    void* comm = nullptr;
    ASSERT_EQ(rccl("ncclCommInitRank", &comm, count, shared, rank), kOk);
    take({comm});
    ranks_[0].rank = rank;
  }
  static int end_of(pid_t child) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
  /// Each kind of exchange, with what it must give: element i of rank r is 100 * r + i.
  void exchange(int count) {
    constexpr int kPart = 1000;
    const Rank& me = ranks_[0];
    const auto ranks = static_cast<size_t>(count);
    std::vector<int> from(kPart * ranks), sums(from.size()), own(kPart), whole(from.size()), passed(kPart),
        other(from.size());
    for (size_t i = 0; i < from.size(); ++i) from[i] = 100 * me.rank + static_cast<int>(i);
    const void* const send = from.data();
    const auto into = [](std::vector<int>& to) { return static_cast<void*>(to.data()); };
    const int next = (me.rank + 1) % count, before = (me.rank + count - 1) % count;
    EXPECT_EQ(rccl("ncclAllReduce", send, into(sums), from.size(), int{kI32}, int{kSum}, me.comm, me.stream),
              kOk);
    EXPECT_EQ(
        rccl("ncclReduceScatter", send, into(own), size_t{kPart}, int{kI32}, int{kMax}, me.comm, me.stream),
        kOk);
    EXPECT_EQ(rccl("ncclAllGather", send, into(whole), size_t{kPart}, int{kI32}, me.comm, me.stream), kOk);
    EXPECT_EQ(rccl("ncclGroupStart"), kOk);
    EXPECT_EQ(rccl("ncclSend", send, size_t{kPart}, int{kI32}, next, me.comm, me.stream), kOk);
    EXPECT_EQ(rccl("ncclRecv", into(passed), size_t{kPart}, int{kI32}, before, me.comm, me.stream), kOk);
    EXPECT_EQ(rccl("ncclGroupEnd"), kOk);
    EXPECT_EQ(rccl("ncclAllToAll", send, into(other), size_t{kPart}, int{kI32}, me.comm, me.stream), kOk);
    std::vector<int> root = from;
    EXPECT_EQ(rccl("ncclReduce", static_cast<const void*>(root.data()), into(root), root.size(), int{kI32},
                   int{kMin}, 1, me.comm, me.stream),
              kOk);
    std::vector<int> spread = from;
    EXPECT_EQ(rccl("ncclBcast", into(spread), spread.size(), int{kI32}, 1, me.comm, me.stream), kOk);
    wait();
    const int pairs = 100 * count * (count - 1) / 2;
    for (int i = 0; i < kPart * count; ++i) {
      const auto at = static_cast<size_t>(i);
      const int part = i / kPart, within = i % kPart;
      ASSERT_EQ(sums[at], count * i + pairs);
      ASSERT_EQ(whole[at], 100 * part + within);
      ASSERT_EQ(other[at], 100 * part + me.rank * kPart + within);
      ASSERT_EQ(root[at], me.rank == 1 ? i : from[at]);
      ASSERT_EQ(spread[at], 100 + i);
      if (part > 0) continue;
      ASSERT_EQ(own[at], 100 * (count - 1) + me.rank * kPart + i);
      ASSERT_EQ(passed[at], 100 * before + i);
    }
    EXPECT_EQ(state(me), kOk);
  }
};

TEST_F(Processes, ExchangeWhatTheyHave) {
  if (started()) {
    ASSERT_NO_FATAL_FAILURE(join(3));
    return exchange(3);
  }
  const UniqueId shared = id();
  const pid_t others[] = {start_rank(shared, 1), start_rank(shared, 2)};
  ASSERT_NO_FATAL_FAILURE(join(shared, 3, 0));
  exchange(3);
  for (const pid_t other : others) EXPECT_EQ(end_of(other), 0);
}

TEST_F(Processes, EndAfterTheirPartIsDone) {
  int data = 20;
  if (started()) {
    ASSERT_NO_FATAL_FAILURE(join(2));
    EXPECT_EQ(sum(ranks_[0], &data), kOk);
    EXPECT_EQ(rccl("ncclCommDestroy", ranks_[0].comm), kOk);
    _exit(data == 21 ? 0 : 1);
  }
  const UniqueId shared = id();
  const pid_t other = start_rank(shared, 1);
  ASSERT_NO_FATAL_FAILURE(join(shared, 2, 0));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  data = 1;
  ASSERT_EQ(sum(ranks_[0], &data), kOk);
  wait();
  EXPECT_EQ(data, 21);
  EXPECT_EQ(end_of(other), 0);
}

TEST_F(Processes, ThatHaveEndedAreNotWaitedFor) {
  if (started()) {
    join(2);
    _exit(7);
  }
  const UniqueId shared = id();
  const pid_t other = start_rank(shared, 1);
  // It may end before this one has seen that both have joined, or later: it is said then.
  testing::internal::CaptureStderr();
  ASSERT_NO_FATAL_FAILURE(join(shared, 2, 0));
  int data = 1;
  ASSERT_EQ(sum(ranks_[0], &data), kOk);
  wait();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("rank 1"), std::string::npos) << said;
  EXPECT_NE(said.find("has ended"), std::string::npos) << said;
  EXPECT_EQ(state(ranks_[0]), kRemote);
  const int status = end_of(other);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

}  // namespace
