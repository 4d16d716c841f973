// RCCL's communicators: how they are made, split and ended, the order of their work, and what is said when
// ranks do not agree or do not come.
#include <chrono>
#include <cstdlib>
#include <string>

#include "libraries/rccl/rccl_test.h"

namespace {

using namespace wavesmith::libraries;

constexpr int kUndefined = -2147483647 - 1;
struct Config {
  size_t size = 64;
  unsigned magic = 0xcafebeef, version = 22606;
  int blocking = kUndefined, rest[3] = {kUndefined, kUndefined, kUndefined};
  const char* net = nullptr;
  int share = kUndefined;
};

class Communicators : public RcclTest {
 protected:
  int value(const char* name, void* comm) {
    int got = -1;
    EXPECT_EQ(rccl(name, comm, &got), kOk);
    return got;
  }
  void expect_sums() {
    std::vector<int> data(ranks_.size());
    int want = 0;
    for (size_t r = 0; r < data.size(); ++r) want += data[r] = 1 << r;
    all([&](const Rank& r) { return sum(r, &data[static_cast<size_t>(r.rank)]); });
    wait();
    EXPECT_EQ(data, std::vector<int>(data.size(), want));
  }
};

TEST_F(Communicators, KnowTheirRankAndDevice) {
  const int devices[] = {5, 0, 3};
  hip("hipSetDevice", 4);
  void* comms[3];
  ASSERT_EQ(rccl("ncclCommInitAll", static_cast<void**>(comms), 3, static_cast<const int*>(devices)), kOk);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(value("ncclCommCount", comms[r]), 3);
    EXPECT_EQ(value("ncclCommUserRank", comms[r]), r);
    EXPECT_EQ(value("ncclCommCuDevice", comms[r]), devices[r]);
    EXPECT_EQ(value("ncclCommGetAsyncError", comms[r]), kOk);
    EXPECT_EQ(rccl("ncclCommFinalize", comms[r]), kOk);
    EXPECT_EQ(rccl("ncclCommDestroy", comms[r]), kOk);
    EXPECT_EQ(rccl("ncclCommCount", static_cast<void*>(nullptr), comms), kBadArgument);
  }
  int device = -1;
  hip("hipGetDevice", &device);
  EXPECT_EQ(device, 4);
}

TEST_F(Communicators, AreMadeByAThreadARank) {
  for (const int count : {1, 2, 8}) {
    const UniqueId shared = id();
    std::vector<void*> comms(static_cast<size_t>(count));
    std::vector<std::thread> threads;
    for (int r = 0; r < count; ++r)
      threads.emplace_back([&, r] {
        hip("hipSetDevice", r);
        EXPECT_EQ(rccl("ncclCommInitRank", &comms[static_cast<size_t>(r)], count, shared, r), kOk);
      });
    for (std::thread& thread : threads) thread.join();
    take(comms);
    expect_sums();
    end();
  }
}

TEST_F(Communicators, AreMadeByOneThreadInAGroup) {
  const UniqueId shared = id();
  std::vector<void*> comms(3);
  ASSERT_EQ(rccl("ncclGroupStart"), kOk);
  for (int r = 0; r < 3; ++r) {
    hip("hipSetDevice", r);
    ASSERT_EQ(rccl("ncclCommInitRankConfig", &comms[static_cast<size_t>(r)], 3, shared, r,
                   static_cast<void*>(nullptr)),
              kOk);
  }
  ASSERT_EQ(rccl("ncclGroupEnd"), kOk);
  take(comms);
  expect_sums();
}

TEST_F(Communicators, AreMadeBySeveralIds) {
  const UniqueId shared[] = {id(), id()};
  std::vector<void*> comms(2);
  ASSERT_EQ(rccl("ncclGroupStart"), kOk);
  for (int r = 0; r < 2; ++r) {
    hip("hipSetDevice", r);
    ASSERT_EQ(rccl("ncclCommInitRankScalable", &comms[static_cast<size_t>(r)], 2, r, 2,
                   static_cast<const UniqueId*>(shared), static_cast<void*>(nullptr)),
              kOk);
  }
  ASSERT_EQ(rccl("ncclGroupEnd"), kOk);
  take(comms);
  expect_sums();
}

TEST_F(Communicators, ThatDoNotBlockAreUnderWayUntilAllHaveCome) {
  const UniqueId shared = id();
  Config config;
  config.blocking = 0;
  std::vector<void*> comms(2);
  hip("hipSetDevice", 0);
  EXPECT_EQ(rccl("ncclCommInitRankConfig", &comms[0], 2, shared, 0, &config), kUnderWay);
  EXPECT_EQ(value("ncclCommGetAsyncError", comms[0]), kUnderWay);
  hip("hipSetDevice", 1);
  EXPECT_EQ(rccl("ncclCommInitRankConfig", &comms[1], 2, shared, 1, &config), kOk);
  EXPECT_EQ(value("ncclCommGetAsyncError", comms[0]), kOk);
  take(comms);
  expect_sums();
  config.magic = 0;
  EXPECT_EQ(rccl("ncclCommInitRankConfig", &comms[0], 2, id(), 0, &config), kBadArgument);
  EXPECT_EQ(comms[0], nullptr);
}

TEST_F(Communicators, SplitByColorInTheOrderOfKeys) {
  ASSERT_NO_FATAL_FAILURE(start(8));
  // 0, 2, 4, 6 backwards; 1, 5, 7 as they are; 3 nowhere. Twice, since the second must not read the first's.
  for (int round = 0; round < 2; ++round) {
    std::vector<void*> split(8, this);
    const auto color = [](int r) { return r == 3 ? -1 : r % 2; };
    const auto one = [&](const Rank& r) {
      return rccl("ncclCommSplit", r.comm, color(r.rank), r.rank % 2 ? 0 : -r.rank,
                  &split[static_cast<size_t>(r.rank)], static_cast<void*>(nullptr));
    };
    if (round == 0)
      each(one);
    else
      all(one);
    const int want[] = {3, 0, 2, -1, 1, 1, 0, 2};
    std::vector<int> data = {1, 2, 4, 8, 16, 32, 64, 128};
    ASSERT_EQ(rccl("ncclGroupStart"), kOk);
    for (const Rank& r : ranks_) {
      void* const comm = split[static_cast<size_t>(r.rank)];
      if (r.rank == 3) {
        EXPECT_EQ(comm, nullptr);
        continue;
      }
      EXPECT_EQ(value("ncclCommUserRank", comm), want[r.rank]);
      EXPECT_EQ(value("ncclCommCount", comm), r.rank % 2 ? 3 : 4);
      EXPECT_EQ(sum({0, 0, comm, r.stream}, &data[static_cast<size_t>(r.rank)]), kOk);
    }
    ASSERT_EQ(rccl("ncclGroupEnd"), kOk);
    wait();
    EXPECT_EQ(data, (std::vector<int>{85, 162, 85, 8, 85, 162, 85, 162}));
    for (void* const comm : split) EXPECT_EQ(rccl("ncclCommDestroy", comm), kOk);
  }
}

TEST_F(Communicators, RefuseWhatRanksCannotBe) {
  testing::internal::CaptureStderr();
  void* comms[2] = {};
  const int same[] = {1, 1};
  EXPECT_EQ(rccl("ncclCommInitAll", static_cast<void**>(comms), 2, static_cast<const int*>(same)), kBadUsage);
  EXPECT_EQ(rccl("ncclCommInitAll", static_cast<void**>(comms), 1000, static_cast<const int*>(nullptr)),
            kBadArgument);
  EXPECT_EQ(rccl("ncclCommInitRank", static_cast<void**>(comms), 2, id(), 2), kBadArgument);
  UniqueId none{};
  EXPECT_EQ(rccl("ncclCommInitRank", static_cast<void**>(comms), 1, none, 0), kBadArgument);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("ranks 0 and 1 of a communicator are on one GPU, device 1"), std::string::npos) << said;
  ASSERT_NO_FATAL_FAILURE(start(2));
  int data = 1;
  const auto reduce = [&](int type, int operation, int root) {
    return rccl("ncclReduce", static_cast<const void*>(&data), static_cast<void*>(&data), size_t{1}, type,
                operation, root, ranks_[0].comm, ranks_[0].stream);
  };
  EXPECT_EQ(reduce(12, kSum, 0), kBadArgument);
  EXPECT_EQ(reduce(kI32, 5, 0), kBadArgument);
  EXPECT_EQ(reduce(kI32, kSum, 2), kBadArgument);
  EXPECT_EQ(sum({0, 0, nullptr, nullptr}, &data), kBadArgument);
  // An error in a group is the group's, and nothing of it is done.
  ASSERT_EQ(rccl("ncclGroupStart"), kOk);
  EXPECT_EQ(sum(ranks_[0], &data), kOk);
  EXPECT_EQ(reduce(kI32, 5, 0), kBadArgument);
  EXPECT_EQ(rccl("ncclGroupEnd"), kBadArgument);
  EXPECT_EQ(rccl("ncclGroupEnd"), kBadUsage);
  void* pointer = nullptr;
  ASSERT_EQ(rccl("ncclMemAlloc", &pointer, size_t{4096}), kOk);
  EXPECT_EQ(rccl("ncclAllReduce", static_cast<const void*>(pointer), pointer, size_t{1025}, int{kI32},
                 int{kSum}, ranks_[0].comm, ranks_[0].stream),
            kBadArgument);
  EXPECT_EQ(rccl("ncclMemFree", pointer), kOk);
  expect_sums();
}

TEST_F(Communicators, WorkInTheOrderOfStreams) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  constexpr size_t kCount = 1000;
  int* data[3];
  void* other[3];
  for (const Rank& r : ranks_) {
    hip("hipSetDevice", r.device);
    hip("hipMalloc", reinterpret_cast<void**>(&data[r.rank]), kCount * sizeof(int));
    hip("hipStreamCreateWithFlags", &other[r.rank], 1u);
    hip("hipMemsetD32Async", static_cast<void*>(data[r.rank]), 1, kCount, r.stream);
  }
  // Each step reads what the one before has written, on one of two streams in turn.
  for (int step = 0; step < 20; ++step)
    all([&](const Rank& r) {
      return sum({r.rank, r.device, r.comm, step % 2 ? other[r.rank] : r.stream}, data[r.rank], kCount);
    });
  int want = 1;
  for (int step = 0; step < 20; ++step) want = static_cast<int>(static_cast<unsigned>(want) * 3u);
  for (int r = 0; r < 3; ++r) {
    hip("hipStreamSynchronize", other[r]);
    EXPECT_EQ(std::vector<int>(data[r], data[r] + kCount), std::vector<int>(kCount, want));
    hip("hipStreamDestroy", other[r]);
    hip("hipFree", static_cast<void*>(data[r]));
  }
}

TEST_F(Communicators, TakeTheNullStreamOfTheirOwnDevice) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  hip("hipSetDevice", 0);
  int data[] = {1, 2};
  all([&](const Rank& r) { return sum({r.rank, r.device, r.comm, nullptr}, &data[r.rank]); });
  for (const Rank& r : ranks_) {
    hip("hipSetDevice", r.device);
    hip("hipStreamSynchronize", static_cast<void*>(nullptr));
    EXPECT_EQ(data[r.rank], 3);
  }
}

TEST_F(Communicators, DoNotHoldUpTheProgram) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  int data[] = {1, 2};
  ASSERT_EQ(sum(ranks_[0], &data[0]), kOk);  // alone, without a group
  EXPECT_EQ(call(hip_, "hipStreamQuery", ranks_[0].stream), 600);
  EXPECT_EQ(data[0], 1);
  ASSERT_EQ(sum(ranks_[1], &data[1]), kOk);
  wait();
  EXPECT_EQ(data[0], 3);
  EXPECT_EQ(data[1], 3);
}

TEST_F(Communicators, AreCapturedIntoGraphs) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  int data[] = {1, 2};
  void *graphs[2], *executables[2];
  for (const Rank& r : ranks_) {
    hip("hipSetDevice", r.device);
    hip("hipStreamBeginCapture", r.stream, 2);
    ASSERT_EQ(sum(r, &data[r.rank]), kOk);
    ASSERT_EQ(sum(r, &data[r.rank]), kOk);
    hip("hipStreamEndCapture", r.stream, &graphs[r.rank]);
    hip("hipGraphInstantiate", &executables[r.rank], graphs[r.rank], static_cast<void*>(nullptr),
        static_cast<void*>(nullptr), size_t{0});
  }
  EXPECT_EQ(data[0], 1);
  for (int run = 0; run < 3; ++run) {
    for (const Rank& r : ranks_) hip("hipGraphLaunch", executables[r.rank], r.stream);
    all([&](const Rank& r) { return sum(r, &data[r.rank]); });
  }
  wait();
  EXPECT_EQ(data[0], 3 * (1 << 8));
  EXPECT_EQ(data[1], 3 * (1 << 8));
}

TEST_F(Communicators, AreNotCapturedIntoOneGraph) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  int data[] = {1, 2};
  void *event = nullptr, *graph = nullptr;
  hip("hipSetDevice", 0);
  hip("hipEventCreateWithFlags", &event, 2u);
  hip("hipStreamBeginCapture", ranks_[0].stream, 2);
  hip("hipEventRecord", event, ranks_[0].stream);
  hip("hipStreamWaitEvent", ranks_[1].stream, event, 0u);
  testing::internal::CaptureStderr();
  EXPECT_EQ(sum(ranks_[0], &data[0]), kOk);
  EXPECT_EQ(sum(ranks_[1], &data[1]), kBadUsage);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("are captured into one graph"), std::string::npos);
  hip("hipEventRecord", event, ranks_[1].stream);
  hip("hipStreamWaitEvent", ranks_[0].stream, event, 0u);
  hip("hipStreamEndCapture", ranks_[0].stream, &graph);
  hip("hipEventDestroy", event);
}

TEST_F(Communicators, SayWhatDoesNotAgree) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  int data[3][2] = {};
  testing::internal::CaptureStderr();
  all([&](const Rank& r) { return sum(r, data[r.rank], r.rank == 2 ? 2 : 1); });
  wait();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      said.find(
          "rank 0 asks for ncclAllReduce of 1 x int32, sum, rank 2 for ncclAllReduce of 2 x int32, sum"),
      std::string::npos)
      << said;
  for (const Rank& r : ranks_) EXPECT_EQ(state(r), kBadUsage);
  const std::string last =
      reinterpret_cast<const char* (*)(void*)>(dlsym(rccl_, "ncclGetLastError"))(nullptr);
  EXPECT_NE(last.find("do not agree"), std::string::npos);
}

TEST_F(Communicators, SayWhoIsWaitedForAndEndWhenAborted) {
  setenv("WAVESMITH_RCCL_PATIENCE", "1", 1);
  ASSERT_NO_FATAL_FAILURE(start(3));
  int data[3] = {};
  testing::internal::CaptureStderr();
  ASSERT_EQ(sum(ranks_[0], &data[0]), kOk);
  ASSERT_EQ(sum(ranks_[2], &data[2]), kOk);
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  EXPECT_EQ(rccl("ncclCommAbort", ranks_[1].comm), kOk);
  ranks_[1].comm = nullptr;
  wait();
  unsetenv("WAVESMITH_RCCL_PATIENCE");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("rank 0 of 3 still waits in ncclAllReduce of 1 x int32, sum for the ranks 1\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(state(ranks_[0]), kRemote);
  EXPECT_EQ(state(ranks_[2]), kRemote);
}

}  // namespace
