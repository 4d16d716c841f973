// Elements that are not 0, and searches, on a GPU of each target.
#include <algorithm>
#include <limits>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {
namespace {

using Nonzero = wavesmith_nonzero_description;
using Search = wavesmith_search_description;

class NonzeroElements : public OnStrides {
 protected:
  void expect_places(Strided& x, bool is_flat, int64_t left_out) {
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < x.count(); ++i)
      if (x.get(i) != 0) expected.push_back(i);
    const auto dimensions = is_flat ? 1 : static_cast<int64_t>(x.sizes.size());
    const auto found = static_cast<int64_t>(expected.size()), most = std::max<int64_t>(found - left_out, 0);
    // A coordinate behind the other, after a row that nobody writes.
    Strided places(WAVESMITH_POINTWISE_I64, {most + 1, dimensions}, {8, 8 * (most + 1)});
    Strided count(WAVESMITH_POINTWISE_I64, {1}, {8});
    const StridedOnGpu on_x(x), on_places(places), on_count(count);
    Nonzero one{};
    one.dimensions = static_cast<int>(x.sizes.size());
    std::ranges::copy(x.sizes, one.sizes);
    one.x = on_x.operand(), one.places = on_places.operand(),
    one.count = static_cast<int64_t*>(on_count.memory.data());
    one.most = most, one.is_flat = is_flat;
    const size_t bytes = wavesmith_kernels_nonzero_workspace(&one);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, bytes));
    one.workspace = workspace.data(), one.workspace_bytes = bytes;
    const auto call = [&] {
      ASSERT_EQ(wavesmith_kernels_nonzero(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      ASSERT_EQ(hipDeviceSynchronize(), 0);
    };
    if (between(0, 1) == 0) {  // in two steps
      void* const data = std::exchange(one.places.data, nullptr);
      call();
      one.places.data = data, one.has_counted = 1;
    }
    call();
    on_places.read(), on_count.read();
    const ErrorNote note;
    ASSERT_EQ(count.get(0), static_cast<double>(found));
    for (int64_t i = 0; i < most; ++i) {
      int64_t rest = expected[static_cast<size_t>(i)];
      for (int64_t d = 0; d < dimensions; ++d) {
        const int64_t size = is_flat ? x.count() : x.sizes[static_cast<size_t>(d)];
        ASSERT_EQ(places.get(i + d * (most + 1)), static_cast<double>(rest % size)) << i << ", " << d;
        rest /= size;
      }
    }
  }
};

TEST_P(NonzeroElements, AreFoundInOrder) {
  for (int round = 0; round < 40; ++round) {
    const auto sizes = round == 0 ? std::vector<int64_t>{5000} : any_sizes(3000);
    Strided x = any_strided(any_real(), sizes, true);
    for (int64_t i = 0; i < x.count(); ++i)
      x.set(i, one_of({0.0, 0.0, x.type < WAVESMITH_POINTWISE_F16 ? 1.0 : -0.0, 1.0, 3.0}));
    expect_places(x, between(0, 1) != 0 || sizes.empty(), one_of({0, 0, 1, 30}));
  }
}

TEST_P(NonzeroElements, ComplexNumbersByBothParts) {
  for (const auto [type, word] : {std::pair(WAVESMITH_POINTWISE_C64, 4), {WAVESMITH_POINTWISE_C128, 8}}) {
    Elements numbers(WAVESMITH_KERNELS_I8, static_cast<size_t>(word) * 8), places(WAVESMITH_KERNELS_I8, 64);
    std::ranges::fill(numbers.bytes, 0);
    numbers.bytes[static_cast<size_t>(2 * word) - 1] = 0x80;  // -0 as an imaginary part
    for (const size_t part : {2U, 5U}) numbers.bytes[part * static_cast<size_t>(word)] = 1;
    const OnGpu on_numbers(numbers), on_places(places), workspace(Elements(WAVESMITH_KERNELS_F32, 4));
    Nonzero one{};
    one.dimensions = 1, one.sizes[0] = 4, one.most = 7;
    one.x = {on_numbers.data(), type, {2 * word}, {}};
    one.places = {static_cast<char*>(on_places.data()) + 8, WAVESMITH_POINTWISE_I64, {8}, {}};
    one.count = static_cast<int64_t*>(on_places.data());
    one.workspace = workspace.data(), one.workspace_bytes = 16;
    ASSERT_EQ(wavesmith_kernels_nonzero(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_places.copy_to(places);
    std::vector<int64_t> got(3);
    std::memcpy(got.data(), places.bytes.data(), 24);
    const ErrorNote note;
    ASSERT_EQ(got, (std::vector<int64_t>{2, 1, 2}));
  }
}

TEST_P(NonzeroElements, NumbersHavePlacesInSequences) {
  for (int round = 0; round < 40; ++round) {
    const Number type = any_real();
    const int64_t rows = between(1, 5), length = one_of<int64_t>({0, 1, 2, 64, between(1, 300)}),
                  count = between(1, 40);
    const bool is_right = between(0, 1) != 0, has_sorter = between(0, 1) != 0;
    Strided sequence(type, {std::max<int64_t>(length, 1), rows},
                     {size_of(type), size_of(type) * (length + 1)});
    Strided sorter(WAVESMITH_POINTWISE_I64, {std::max<int64_t>(length, 1), rows}, {8, 8 * (length + 1)});
    Strided x = any_strided(type, {count, rows}, false);
    Strided y(one_of({WAVESMITH_POINTWISE_I32, WAVESMITH_POINTWISE_I64}), {count, rows}, {8, 8 * count});
    const int64_t least = type <= WAVESMITH_POINTWISE_U8 ? 0 : -20;
    std::vector<double> ordered(static_cast<size_t>(length * rows));
    for (double& one : ordered)
      one = static_cast<double>(between(least, type == WAVESMITH_POINTWISE_BOOL ? 1 : 20));
    for (int64_t row = 0; row < rows; ++row) {
      const auto begin = ordered.begin() + row * length;
      std::sort(begin, begin + length);
      for (int64_t i = 0; i < length; ++i) {
        const int64_t at = has_sorter ? (i * 7 + 3) % length : i;
        const int64_t to = has_sorter && length % 7 != 0 ? at : i;
        sequence.set(to + row * length, begin[i]);
        sorter.set(i + row * length, static_cast<double>(to));
      }
    }
    for (int64_t i = 0; i < x.count(); ++i)
      x.set(i, type == WAVESMITH_POINTWISE_F32 && between(0, 9) == 0
                   ? std::numeric_limits<double>::quiet_NaN()
                   : static_cast<double>(between(0, 1)) * 9);
    const StridedOnGpu on_sequence(sequence), on_sorter(sorter), on_x(x), on_y(y);
    Search one{};
    one.dimensions = 2, one.sizes[0] = count, one.sizes[1] = rows, one.length = length;
    one.x = on_x.operand(), one.y = on_y.operand(), one.sequence = on_sequence.operand();
    one.step = size_of(type), one.sequence.strides[0] = 0;
    if (has_sorter) one.sorter = on_sorter.operand(), one.sorter_step = 8, one.sorter.strides[0] = 0;
    one.is_right = is_right;
    ASSERT_EQ(wavesmith_kernels_search(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.read();
    const ErrorNote note;
    for (int64_t i = 0; i < x.count(); ++i) {
      const auto begin = ordered.begin() + i / count * length;
      const double number = x.get(i);
      const auto at = std::partition_point(begin, begin + length, [&](double there) {
        return is_right ? !(there > number) : !(there >= number);
      });
      ASSERT_EQ(y.get(i), static_cast<double>(at - begin))
          << word_of(type) << " " << number << " of " << length;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, NonzeroElements, testing::Range(0, kGpuCount), gpu_name);

constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;

TEST(NonzeroRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  Nonzero right{};
  right.dimensions = 1, right.count = static_cast<int64_t*>(memory.data());
  EXPECT_EQ(wavesmith_kernels_nonzero(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  right.sizes[0] = 8, right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32;
  expect_refusals<Nonzero>(&wavesmith_kernels_nonzero, right,
                           {{[](Nonzero& d) { d.count = nullptr; }, kWrong, "count is null"},
                            {[](Nonzero& d) { d.most = -1; }, kWrong, "most is negative"},
                            {[](Nonzero& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
                            {[](Nonzero& d) { d.places = d.x; }, kNot, "places are of type 8, not i64"},
                            {[](Nonzero&) {}, kWrong, "workspace is null"}});
  Search search{};
  search.dimensions = 1, search.sizes[0] = 4, search.x = right.x, search.y = right.x;
  search.y.type = WAVESMITH_POINTWISE_I32;
  EXPECT_EQ(wavesmith_kernels_search(&search, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Search>(
      &wavesmith_kernels_search, search,
      {{[](Search& d) { d.length = -1; }, kWrong, "length is negative"},
       {[](Search& d) { d.y.type = WAVESMITH_POINTWISE_F32; }, kNot, "y is of f32, neither i32 nor i64"},
       {[](Search& d) { d.x.type = WAVESMITH_POINTWISE_C64; }, kNot, "x is of c64"},
       {[](Search& d) { d.length = 3, d.sequence = d.y; }, kWrong, "the sequence's type is not x's"},
       {[](Search& d) { d.length = 3; }, kWrong, "sequence.data is null"},
       {[](Search& d) { d.length = 3, d.sequence = d.sorter = d.x; }, kNot, "the sorter is not of i64"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
