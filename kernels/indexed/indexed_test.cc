// Indexed elements on a GPU of each target.
#include <array>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_indexed.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_indexed_description;

class IndexedElements : public OnStrides {};

TEST_P(IndexedElements, RowsAreTakenPutAndAdded) {
  constexpr std::array kAdded{WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_I64};
  for (size_t round = 0; round < 60; ++round) {  // each operation and type in turn
    const auto operation = static_cast<wavesmith_indexed_operation>(round % 3);
    const bool adds = operation == WAVESMITH_INDEXED_ADD, gets = operation == WAVESMITH_INDEXED_GET;
    const auto type = adds ? kAdded[round / 3 % kAdded.size()] : any_real();
    const int64_t width = one_of<int64_t>({1, 8, 32, between(1, 50)}), rows = between(1, 30);
    const int64_t count = operation == WAVESMITH_INDEXED_PUT ? between(1, rows) : between(1, 40);
    const int64_t bytes = size_of(type);
    Strided table(type, {width, rows}, {bytes, bytes * (width + between(0, 2))}),
        list(type, {width, count}, {bytes, bytes * width});
    Strided index(one_of({WAVESMITH_POINTWISE_I32, WAVESMITH_POINTWISE_I64}), {width, count}, {0, 0});
    index = Strided(index.type, {1, count}, {0, size_of(index.type)});
    std::vector<int64_t> order(static_cast<size_t>(rows));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::shuffle(order.begin(), order.end(), random_);
    const bool wrapped = between(0, 1) == 0;
    std::vector<int64_t> rows_of;
    for (int64_t i = 0; i < count; ++i) {
      rows_of.push_back(operation == WAVESMITH_INDEXED_PUT ? order[static_cast<size_t>(i)]
                                                           : between(0, rows - 1));
      index.set(i, static_cast<double>(rows_of.back() - (wrapped && between(0, 3) == 0 ? rows : 0)));
    }
    for (Strided* one : {&table, &list})
      for (int64_t i = 0; i < one->count(); ++i) one->set(i, static_cast<double>(between(0, 20)));
    Strided expected = gets ? list : table;
    for (int64_t i = 0; i < count * width; ++i) {
      const int64_t in_table = i % width + rows_of[static_cast<size_t>(i / width)] * width;
      if (gets)
        expected.set(i, table.get(in_table));
      else
        expected.set(in_table, list.get(i) + (adds ? expected.get(in_table) : 0));
    }
    const StridedOnGpu on_table(table), on_list(list), on_index(index);
    Description one{};
    one.operation = operation, one.dimensions = 2, one.sizes[0] = width, one.sizes[1] = count;
    one.x = gets ? on_table.operand() : on_list.operand();
    one.y = gets ? on_list.operand() : on_table.operand();
    (gets ? one.x : one.y).strides[1] = 0;
    one.indexed = 1;
    one.index[0] = {on_index.operand(), rows, table.strides[1], wrapped};
    ASSERT_EQ(wavesmith_kernels_indexed(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    (gets ? on_list : on_table).read();
    const ErrorNote note;  // of none: all bits are compared
    ASSERT_EQ((gets ? list : table).memory.bytes, expected.memory.bytes)
        << "operation " << operation << " of " << word_of(type) << ", " << width << " wide";
  }
}

TEST_P(IndexedElements, ManyGoIntoOne) {
  for (const auto operation :
       {WAVESMITH_INDEXED_MAXIMUM, WAVESMITH_INDEXED_MINIMUM, WAVESMITH_INDEXED_MULTIPLY}) {
    for (const auto type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_I64}) {
      const bool integers = type == WAVESMITH_POINTWISE_I64;
      constexpr int64_t kCount = 500, kPlaces = 20;
      Strided y(type, {kPlaces}, {size_of(type)}), x(type, {kCount}, {size_of(type)}),
          index(WAVESMITH_POINTWISE_I32, {kCount}, {4});
      for (int64_t i = 0; i < kPlaces; ++i) y.set(i, static_cast<double>(between(1, 9)));
      for (int64_t i = 0; i < kCount; ++i) {
        // Powers of two, whose products are the same in any order.
        x.set(i, operation == WAVESMITH_INDEXED_MULTIPLY
                     ? (integers ? 1 + (i < kPlaces) : std::exp2(i % 3 - 1))
                     : static_cast<double>(between(-99, 99)));
        index.set(i, static_cast<double>(between(0, kPlaces - 1)));
      }
      if (!integers) x.set(7, std::nan(""));
      Strided expected = y;
      for (int64_t i = 0; i < kCount; ++i) {
        const auto at = static_cast<int64_t>(index.get(i));
        const double old = expected.get(at), other = x.get(i);
        if (std::isnan(old)) continue;
        expected.set(at, operation == WAVESMITH_INDEXED_MULTIPLY  ? old * other
                         : std::isnan(other)                      ? other
                         : operation == WAVESMITH_INDEXED_MAXIMUM ? std::max(old, other)
                                                                  : std::min(old, other));
      }
      const StridedOnGpu on_y(y), on_x(x), on_index(index);
      Description one{};
      one.operation = operation, one.dimensions = 1, one.sizes[0] = kCount, one.indexed = 1;
      one.x = on_x.operand(), one.y = on_y.operand(), one.y.strides[0] = 0;
      one.index[0] = {on_index.operand(), kPlaces, size_of(type), 0};
      ASSERT_EQ(wavesmith_kernels_indexed(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      ASSERT_EQ(hipDeviceSynchronize(), 0);
      on_y.read();
      const ErrorNote note;  // of none
      for (int64_t i = 0; i < kPlaces; ++i) {
        SCOPED_TRACE(testing::Message()
                     << "operation " << operation << " of " << word_of(type) << " at " << i);
        if (std::isnan(expected.get(i)))
          ASSERT_TRUE(std::isnan(y.get(i)));
        else
          ASSERT_EQ(y.get(i), expected.get(i));
      }
    }
  }
}

TEST_P(IndexedElements, SeveralDimensionsAreIndexed) {
  constexpr int64_t kRows = 7, kColumns = 11, kCount = 300;
  Strided table(WAVESMITH_POINTWISE_F32, {kColumns, kRows}, {4, 4 * kColumns}),
      list(WAVESMITH_POINTWISE_F32, {kCount}, {4});
  Strided row(WAVESMITH_POINTWISE_I64, {kCount}, {8}), column = row;
  for (int64_t i = 0; i < table.count(); ++i) table.set(i, normal());
  for (int64_t i = 0; i < kCount; ++i)
    row.set(i, static_cast<double>(between(0, kRows - 1))),
        column.set(i, static_cast<double>(between(0, kColumns - 1)));
  const StridedOnGpu on_table(table), on_list(list), on_row(row), on_column(column);
  Description one{};
  one.dimensions = 1, one.sizes[0] = kCount, one.indexed = 2;
  one.x = on_table.operand(), one.y = on_list.operand();
  one.x.strides[0] = 0;
  one.index[0] = {on_row.operand(), kRows, 4 * kColumns, 0};
  one.index[1] = {on_column.operand(), kColumns, 4, 0};
  ASSERT_EQ(wavesmith_kernels_indexed(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_list.read();
  for (int64_t i = 0; i < kCount; ++i)
    ASSERT_EQ(list.get(i),
              table.get(static_cast<int64_t>(column.get(i)) + static_cast<int64_t>(row.get(i)) * kColumns));
}

INSTANTIATE_TEST_SUITE_P(On, IndexedElements, testing::Range(0, kGpuCount), gpu_name);

TEST(IndexedRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 256);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Description right{};
  right.dimensions = 1, right.sizes[0] = 8, right.indexed = 1;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32, right.x.strides[0] = 4;
  right.y = right.x;
  right.y.data = static_cast<char*>(memory.data()) + 512;
  right.index[0] = {right.x, 8, 4, 0};
  right.index[0].indices.type = WAVESMITH_POINTWISE_I32;
  EXPECT_EQ(wavesmith_kernels_indexed(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_indexed, right,
      {{[](Description& d) { d.operation = static_cast<wavesmith_indexed_operation>(6); }, kWrong,
        "operation is 6"},
       {[](Description& d) { d.indexed = 5; }, kWrong, "indexed is 5, not 1 to 4"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_F16; }, kWrong, "y is of f16, and x of f32"},
       {[](Description& d) { d.index[0].indices.type = WAVESMITH_POINTWISE_U8; }, kNot,
        "is of u8, neither i32 nor i64"},
       {[](Description& d) { d.index[0].indices.data = nullptr; }, kWrong, "index[0].indices.data is null"},
       {[](Description& d) { d.operation = WAVESMITH_INDEXED_ADD, d.y.type = WAVESMITH_POINTWISE_BF16; },
        kNot, "y, into which it goes, of bf16"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
