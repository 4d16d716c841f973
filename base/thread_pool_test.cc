#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>

namespace wavesmith {
namespace {

TEST(ThreadPool, CallsEveryIndexOnce) {
  ThreadPool pool(3);
  for (int round = 0; round < 200; ++round) {
    std::atomic<unsigned> calls[7] = {};
    pool.run(7, [&](unsigned i) { ++calls[i]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1u);
  }
}

TEST(ThreadPool, WorksWithoutThreads) {
  ThreadPool pool(0);
  unsigned sum = 0;
  pool.run(5, [&](unsigned i) { sum += i; });
  EXPECT_EQ(sum, 10u);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(2);
  std::atomic<unsigned> sum = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) pool.run(3, [&](unsigned i) { sum += i; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 4u * 100 * 3);
}

}  // namespace
}  // namespace wavesmith
