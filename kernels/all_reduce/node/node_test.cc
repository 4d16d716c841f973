// All-reduces among the GPUs of a node, in one process.
#include "kernels/all_reduce/node/node_testing.h"

extern "C" {
int hipStreamBeginCapture(void* stream, int mode);
int hipStreamEndCapture(void* stream, void** graph);
int hipGraphInstantiate(void** executable, void* graph, void* node, char* log, size_t bytes);
int hipGraphLaunch(void* executable, void* stream);
int hipGraphExecDestroy(void* executable);
int hipGraphDestroy(void* graph);
}

namespace wavesmith::kernels {
namespace {

class NodeTest : public testing::TestWithParam<Node> {
 protected:
  void SetUp() override { std::printf("seed %u\n", seed_); }
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  double normal() { return std::normal_distribution<double>()(random_); }
  [[nodiscard]] static size_t bytes_for(int ranks, const AllReduceCase& one) {
    const AllReduce d{.ranks = ranks, .rows = one.rows, .columns = one.columns, .type = one.type};
    size_t bytes = 0;
    EXPECT_EQ(wavesmith_kernels_all_reduce_buffer(&d, &bytes), WAVESMITH_KERNELS_SUCCESS);
    return bytes;
  }

  const unsigned seed_ = test_seed();
  std::mt19937 random_{seed_};
};

TEST_P(NodeTest, RanksOfAllGpusGetTheSameSums) {
  for (const int64_t rows : {int64_t{1}, between(2, 40)}) {
    AllReduceCase one{.rows = rows, .columns = 8 * between(1, 256)};
    const std::vector<int> gpus = gpus_of(GetParam(), GetParam().gpus);
    for (const auto form :
         {WAVESMITH_ALL_REDUCE_ANY, WAVESMITH_ALL_REDUCE_ONCE, WAVESMITH_ALL_REDUCE_SLICES}) {
      one.form = form;
      const Ranks ranks(gpus, size_t{4} << 20);
      AllReduceRun run(ranks, one, [&] { return normal(); });
      ASSERT_NO_FATAL_FAILURE(run.launch());
      ASSERT_NO_FATAL_FAILURE(ranks.wait());
      ASSERT_NO_FATAL_FAILURE(run.compare());
    }
  }
}

TEST_P(NodeTest, ABufferAsSmallAsIsSaidServes) {
  const AllReduceCase one{.rows = between(1, 30), .columns = 8 * between(1, 200)};
  const Ranks ranks(gpus_of(GetParam(), 2), bytes_for(2, one));
  AllReduceRun run(ranks, one, [&] { return normal(); });
  ASSERT_NO_FATAL_FAILURE(run.launch());
  ASSERT_NO_FATAL_FAILURE(ranks.wait());
  run.compare();
}

TEST_P(NodeTest, AGraphIsLaunchedAgain) {
  const AllReduceCase one{.rows = 3, .columns = 520, .residual = false};
  const Ranks ranks(gpus_of(GetParam(), 2), bytes_for(2, one));
  AllReduceRun run(ranks, one, [&] { return normal(); });
  constexpr int kRelaxed = 2;
  std::vector<void*> graphs(2), executables(2);
  for (int rank = 0; rank < 2; ++rank) {
    ranks[rank].use();
    ASSERT_EQ(hipStreamBeginCapture(ranks[rank].stream(), kRelaxed), 0);
    const AllReduce d = run.description(rank);
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(wavesmith_kernels_all_reduce(&d, ranks[rank].stream()), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
    const auto at = static_cast<size_t>(rank);
    ASSERT_EQ(hipStreamEndCapture(ranks[rank].stream(), &graphs[at]), 0);
    ASSERT_EQ(hipGraphInstantiate(&executables[at], graphs[at], nullptr, nullptr, 0), 0);
  }
  for (int launch = 0; launch < 3; ++launch)
    for (int rank = 0; rank < 2; ++rank) {
      ranks[rank].use();
      ASSERT_EQ(hipGraphLaunch(executables[static_cast<size_t>(rank)], ranks[rank].stream()), 0);
    }
  ASSERT_NO_FATAL_FAILURE(ranks.wait());
  run.compare();
  for (size_t rank = 0; rank < 2; ++rank)
    hipGraphExecDestroy(executables[rank]), hipGraphDestroy(graphs[rank]);
}

INSTANTIATE_TEST_SUITE_P(Of, NodeTest, testing::ValuesIn(kNodesOfGpus),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::kernels
