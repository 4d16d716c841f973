// All-reduces on a GPU of each target, whose streams are the ranks: every kernel, against double precision.
// Ranks on GPUs of their own stand in node/.
#include "kernels/all_reduce/configurations.h"
#include "kernels/all_reduce/links.h"
#include "kernels/all_reduce/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr wavesmith_all_reduce_form kForms[] = {WAVESMITH_ALL_REDUCE_ONCE, WAVESMITH_ALL_REDUCE_SLICES};

class AllReduceOnEachGpu : public OnEachGpu {
 protected:
  static constexpr size_t kBytes = size_t{4} << 20;

  [[nodiscard]] Ranks ranks(int count) const {
    return {std::vector<int>(static_cast<size_t>(count), GetParam()), kBytes};
  }
  AllReduceCase random_case(int64_t rows, int64_t columns) {
    return {.rows = rows,
            .columns = columns,
            .type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}),
            .form = one_of({WAVESMITH_ALL_REDUCE_ONCE, WAVESMITH_ALL_REDUCE_SLICES}),
            .residual = between(0, 2) > 0,
            .weight = between(0, 3) > 0,
            .sum = true,
            .normed = true,
            .in_place = between(0, 1) == 1,
            .weight_offset = one_of({0.0F, 1.0F}),
            .epsilon = one_of({1e-5F, 0.25F})};
  }
  void check(const Ranks& all, const AllReduceCase& one) {
    AllReduceRun run(all, one, [&] { return normal(); });
    ASSERT_NO_FATAL_FAILURE(run.launch());
    ASSERT_NO_FATAL_FAILURE(all.wait());
    run.compare();
  }
};

TEST_P(AllReduceOnEachGpu, EachKernelEqualsDoublePrecision) {
  const Ranks all = ranks(static_cast<int>(between(2, 4)));
  for (const RowConfiguration& configuration : kAllReduceConfigurations)
    for (const auto form : kForms)
      for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}) {
        AllReduceCase one = random_case(between(1, 3), configuration.columns() - 8 * between(0, 1));
        one.type = type, one.form = form;
        ASSERT_NO_FATAL_FAILURE(check(all, one));
      }
}

TEST_P(AllReduceOnEachGpu, AnyNumberOfRanksAndRowsEqualsDoublePrecision) {
  for (int ranks_here = 2; ranks_here <= kMostRanks; ++ranks_here) {
    const Ranks all = ranks(ranks_here);
    // More rows than workgroups, and pieces that ranks cannot share evenly.
    for (const auto form : kForms) {
      AllReduceCase one = random_case(between(1, 200), 8 * between(1, 20));
      one.form = form;
      ASSERT_NO_FATAL_FAILURE(check(all, one));
    }
  }
}

TEST_P(AllReduceOnEachGpu, SumsWithoutANormEqualDoublePrecision) {
  const Ranks all = ranks(static_cast<int>(between(2, 5)));
  for (const auto form : kForms)
    for (const int64_t elements : {int64_t{8}, 8 * between(1, 5000), 8 * between(20000, 25000)}) {
      AllReduceCase one = random_case(1, elements);
      one.normed = false, one.form = form;
      ASSERT_NO_FATAL_FAILURE(check(all, one));
    }
}

TEST_P(AllReduceOnEachGpu, NormsWithoutTheSumEqualDoublePrecision) {
  const Ranks all = ranks(3);
  for (const auto form : kForms) {
    AllReduceCase one = random_case(5, 8 * between(1, 300));
    one.sum = false, one.form = form;
    ASSERT_NO_FATAL_FAILURE(check(all, one));
  }
}

TEST_P(AllReduceOnEachGpu, LaunchesOfAllSizesAndFormsFollowEachOther) {
  const Ranks all = ranks(3);
  std::vector<std::unique_ptr<AllReduceRun>> runs;
  for (int i = 0; i < 12; ++i) {
    AllReduceCase one = random_case(between(1, 100), 8 * between(1, 60));
    one.normed = between(0, 3) > 0;
    runs.push_back(std::make_unique<AllReduceRun>(all, one, [&] { return normal(); }));
  }
  // Nobody waits in between.
  for (const auto& run : runs) ASSERT_NO_FATAL_FAILURE(run->launch());
  ASSERT_NO_FATAL_FAILURE(all.wait());
  for (const auto& run : runs) ASSERT_NO_FATAL_FAILURE(run->compare());
}

INSTANTIATE_TEST_SUITE_P(On, AllReduceOnEachGpu, testing::Range(0, kGpuCount), gpu_name);

TEST(AllReduceForm, SlicesAreForLargeMessagesOfSeveralRanks) {
  EXPECT_FALSE(is_sliced("gfx942", 8, 256 << 10));
  EXPECT_TRUE(is_sliced("gfx942", 8, 1 << 20));
  // What crosses each link is the same between two.
  EXPECT_FALSE(is_sliced("gfx942", 2, 1 << 30));
  EXPECT_FALSE(is_sliced("gfx1100", 2, 1 << 30));
}

TEST(AllReduceRefuses, WhatBreaksARuleAndSaysWhich) {
  constexpr size_t kBytes = 1 << 16;
  const Ranks all({1, 1}, kBytes);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 4096));
  char* const at = static_cast<char*>(memory.data());
  AllReduce right{.rank = 0,
                  .rows = 4,
                  .columns = 16,
                  .type = WAVESMITH_KERNELS_BF16,
                  .x = at,
                  .residual = at + 256,
                  .sum = at + 512,
                  .y = at + 1024,
                  .weight = at + 2048,
                  .epsilon = 1e-5F};
  all.add_to(right);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  constexpr auto kNone = WAVESMITH_KERNELS_NOT_SUPPORTED;
  const Refusal<AllReduce> refusals[] = {
      {[](AllReduce& d) { d.ranks = 1; }, kWrong, "ranks is 1, less than 2"},
      {[](AllReduce& d) { d.ranks = 9; }, kNone, "ranks is 9, more than 8"},
      {[](AllReduce& d) { d.rank = 2; }, kWrong, "rank is 2, and there are 2"},
      {[](AllReduce& d) { d.rank = -1; }, kWrong, "rank is -1"},
      {[](AllReduce& d) { d.form = static_cast<wavesmith_all_reduce_form>(3); }, kWrong, "form is 3"},
      {[](AllReduce& d) { d.rows = -1; }, kWrong, "rows is negative"},
      {[](AllReduce& d) { d.columns = -8; }, kWrong, "columns is negative"},
      {[](AllReduce& d) { d.columns = 12; }, kNone, "columns is 12, no multiple of 8"},
      {[](AllReduce& d) { d.columns = 16392; }, kNone, "columns is 16392, more than 16384 for a norm"},
      {[](AllReduce& d) { d.rows = 1 << 22, d.columns = 1 << 23, d.y = nullptr; }, kNone,
       "rows * columns is too large"},
      {[](AllReduce& d) { d.type = static_cast<Type>(77); }, kWrong, "type is 77"},
      {[](AllReduce& d) { d.type = WAVESMITH_KERNELS_F32; }, kNone, "type is f32"},
      {[](AllReduce& d) { d.x = nullptr; }, kWrong, "x is null"},
      {[](AllReduce& d) { d.y = d.sum = nullptr; }, kWrong, "y and sum are null"},
      {[](AllReduce& d) { d.y = nullptr; }, kWrong, "weight is given without y"},
      {[](AllReduce& d) { d.epsilon = -1; }, kWrong, "epsilon"},
      {[](AllReduce& d) { d.x = static_cast<const char*>(d.x) + 8; }, kWrong, "x is not aligned"},
      {[](AllReduce& d) { d.sum = d.y; }, kWrong, "sum overlaps y"},
      {[](AllReduce& d) { d.y = const_cast<char*>(static_cast<const char*>(d.x) + 16); }, kWrong,
       "y overlaps x"},
      {[](AllReduce& d) { d.sum = const_cast<char*>(static_cast<const char*>(d.residual) + 16); }, kWrong,
       "sum overlaps residual"},
      {[](AllReduce& d) { d.weight = d.y; }, kWrong, "y overlaps weight"},
      {[](AllReduce& d) { d.buffer_bytes = 0; }, kWrong, "buffer_bytes is 0, less than the"},
      {[](AllReduce& d) { d.buffers[1] = nullptr; }, kWrong, "buffers[1] is null"},
      {[](AllReduce& d) { d.buffers[1] = d.buffers[0]; }, kWrong, "buffers[1] is that of rank 0"},
      {[](AllReduce& d) { d.buffers[0] = static_cast<char*>(d.buffers[0]) + 4; }, kWrong,
       "buffers[0] is not aligned"},
  };
  expect_refusals(wavesmith_kernels_all_reduce, right, refusals);
  size_t bytes = 0;
  EXPECT_EQ(wavesmith_kernels_all_reduce_buffer(&right, &bytes), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_GT(bytes, 2 * 4 * 16 * 2U);
  EXPECT_LE(bytes, kBytes);
  EXPECT_EQ(wavesmith_kernels_all_reduce_buffer(&right, nullptr), kWrong);
  right.rows = 0;
  EXPECT_EQ(wavesmith_kernels_all_reduce(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
}

}  // namespace
}  // namespace wavesmith::kernels
