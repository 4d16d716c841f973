// All-reduces whose ranks are processes: each has its own GPU, and opens the others' buffers.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/all_reduce/node/node_testing.h"

extern "C" {
struct IpcHandle {
  char bytes[64];
};
int hipIpcGetMemHandle(IpcHandle* handle, void* pointer);
int hipIpcOpenMemHandle(void** pointer, IpcHandle handle, unsigned flags);
int hipIpcCloseMemHandle(void* pointer);
}

namespace wavesmith::kernels {
namespace {

constexpr int kRanks = 3;
constexpr int64_t kRows = 5, kColumns = 320;
constexpr size_t kBytes = 1 << 18;

/// A number of rank and element that f16 has, also the sum over ranks.
double value_of(int rank, int64_t element) { return static_cast<double>((element * 7 + rank * 5) % 31 - 15); }

/// This process's rank: its handle goes to all others through files in a folder.
class ProcessRank {
 public:
  ProcessRank(std::string folder, int rank)
      : folder_(std::move(folder)), number_(rank), rank_(rank, kBytes) {}
  ~ProcessRank() {
    for (int other = 0; other < kRanks; ++other)
      if (other != number_ && buffers_[other]) hipIpcCloseMemHandle(buffers_[other]);
  }
  ProcessRank(const ProcessRank&) = delete;
  ProcessRank& operator=(const ProcessRank&) = delete;

  void meet() {
    rank_.use();
    IpcHandle own{};
    ASSERT_EQ(hipIpcGetMemHandle(&own, rank_.buffer()), 0);
    const std::string file = file_of(number_);
    const int made = open((file + ".new").c_str(), O_CREAT | O_WRONLY, 0600);
    ASSERT_EQ(write(made, &own, sizeof own), static_cast<ssize_t>(sizeof own));
    close(made);
    ASSERT_EQ(rename((file + ".new").c_str(), file.c_str()), 0);
    for (int other = 0; other < kRanks; ++other) {
      buffers_[other] = rank_.buffer();
      if (other == number_) continue;
      IpcHandle handle{};
      int found = -1;
      while ((found = open(file_of(other).c_str(), O_RDONLY)) < 0) usleep(1000);
      ASSERT_EQ(read(found, &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
      close(found);
      constexpr unsigned kLazyPeerAccess = 1;
      ASSERT_EQ(hipIpcOpenMemHandle(&buffers_[other], handle, kLazyPeerAccess), 0);
    }
  }
  void reduce(wavesmith_all_reduce_form form) {
    Elements x(WAVESMITH_KERNELS_F16, kRows * kColumns), sum = x;
    for (size_t i = 0; i < x.count(); ++i) x.set(i, value_of(number_, static_cast<int64_t>(i)));
    const OnGpu on_x(x), on_sum(sum);
    AllReduce d{.ranks = kRanks,
                .rank = number_,
                .rows = kRows,
                .columns = kColumns,
                .type = WAVESMITH_KERNELS_F16,
                .x = on_x.data(),
                .sum = on_sum.data(),
                .form = form,
                .buffer_bytes = kBytes};
    std::copy_n(buffers_, kRanks, d.buffers);
    // A process that ended would take its buffer along: the last launch says that all have got here.
    for (int launch = 0; launch < 3; ++launch)
      ASSERT_EQ(wavesmith_kernels_all_reduce(&d, rank_.stream()), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
    ASSERT_NO_FATAL_FAILURE(rank_.wait());
    on_sum.copy_to(sum);
    for (size_t i = 0; i < sum.count(); ++i) {
      double want = 0;
      for (int rank = 0; rank < kRanks; ++rank) want += value_of(rank, static_cast<int64_t>(i));
      ASSERT_EQ(sum.get(i), want) << "element " << i << " on rank " << number_;
    }
  }

 private:
  [[nodiscard]] std::string file_of(int rank) const { return folder_ + "/" + std::to_string(rank); }

  std::string folder_;
  int number_;
  Rank rank_;
  void* buffers_[WAVESMITH_ALL_REDUCE_RANKS] = {};
};

void run_rank(const std::string& folder, int number) {
  ProcessRank rank(folder, number);
  ASSERT_NO_FATAL_FAILURE(rank.meet());
  ASSERT_NO_FATAL_FAILURE(rank.reduce(WAVESMITH_ALL_REDUCE_ONCE));
  ASSERT_NO_FATAL_FAILURE(rank.reduce(WAVESMITH_ALL_REDUCE_SLICES));
}

/// Starts this program again, which comes to the same test.
pid_t start_again() {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter = std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
  const char* const arguments[] = {"rank", filter.c_str(), nullptr};
  pid_t child = 0;
  EXPECT_EQ(
      posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(arguments), environ),
      0);
  return child;
}
void expect_success(pid_t child) {
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Processes, ARankThatDoesNotComeIsToldOfWithATimeout) {
  if (!std::getenv("WAVESMITH_TEST_RANK")) {
    setenv("WAVESMITH_TEST_RANK", "0", 1);
    setenv("WAVESMITH_TIMEOUT", "1", 1);
    const pid_t child = start_again();
    unsetenv("WAVESMITH_TEST_RANK");
    unsetenv("WAVESMITH_TIMEOUT");
    return expect_success(child);
  }
  const Ranks ranks({0, 0}, kBytes);
  const Elements x(WAVESMITH_KERNELS_F16, kRows * kColumns);
  const OnGpu on_x(x), on_sum(x);
  AllReduce d{.rank = 0,
              .rows = kRows,
              .columns = kColumns,
              .type = WAVESMITH_KERNELS_F16,
              .x = on_x.data(),
              .sum = on_sum.data()};
  ranks.add_to(d);
  testing::internal::CaptureStderr();
  EXPECT_EQ(wavesmith_kernels_all_reduce(&d, ranks[0].stream()), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_NE(hipStreamSynchronize(ranks[0].stream()), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("allreduce_f16_once"), std::string::npos);
  std::fprintf(stderr, "%s", said.c_str());
  std::fflush(nullptr);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(Processes, AddUpWhatTheyHave) {
  if (const char* const number = std::getenv("WAVESMITH_TEST_RANK"))
    return run_rank(std::getenv("WAVESMITH_TEST_FOLDER"), std::atoi(number));
  char folder[] = "/tmp/wavesmith_all_reduce_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  setenv("WAVESMITH_TEST_FOLDER", folder, 1);
  std::vector<pid_t> children;
  for (int rank = 1; rank < kRanks; ++rank) {
    setenv("WAVESMITH_TEST_RANK", std::to_string(rank).c_str(), 1);
    children.push_back(start_again());
  }
  unsetenv("WAVESMITH_TEST_RANK");
  run_rank(folder, 0);
  for (const pid_t child : children) expect_success(child);
  for (int rank = 0; rank < kRanks; ++rank)
    unlink((std::string(folder) + "/" + std::to_string(rank)).c_str());
  rmdir(folder);
}

}  // namespace
}  // namespace wavesmith::kernels
