// Sparse products on a GPU of each target, against sums in double precision.
#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_sparse.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_sparse_description;

/// A matrix in CSR, with some rows empty and some entries that do not count.
struct Matrix {
  Strided begins, columns_of, weights;
  bool weighs;
};

class Sparse : public OnStrides {
 protected:
  Number any_index() { return one_of({WAVESMITH_POINTWISE_I32, WAVESMITH_POINTWISE_I64}); }
  Strided list(Number type, int64_t count) { return {type, {count}, {size_of(type)}}; }

  Matrix any_matrix(int64_t rows, int64_t columns) {
    std::vector<int64_t> begins = {0};
    for (int64_t row = 0; row < rows; ++row)
      begins.push_back(begins.back() + (columns == 0 ? 0 : one_of<int64_t>({0, 1, 3, between(0, 20)})));
    const int64_t entries = std::max<int64_t>(begins.back(), 1);
    Matrix made{list(any_index(), rows + 1), list(any_index(), entries), list(any_float(), entries),
                between(0, 2) != 0};
    for (int64_t row = 0; row <= rows; ++row)
      made.begins.set(row, static_cast<double>(begins[static_cast<size_t>(row)]));
    for (int64_t entry = 0; entry < entries; ++entry) {
      made.columns_of.set(entry, static_cast<double>(between(0, 6) == 0 ? -1 : between(0, columns - 1)));
      made.weights.set(entry, normal());
    }
    return made;
  }
  Number any_float() {
    return one_of({WAVESMITH_POINTWISE_F16, WAVESMITH_POINTWISE_BF16, WAVESMITH_POINTWISE_F32,
                   WAVESMITH_POINTWISE_F64});
  }
};

/// One result in double precision.
struct Reference {
  double sum = 0, sizes = 0, largest = 0;
  int64_t place = -1, terms = 0;

  Reference(const Matrix& matrix, const Strided& x, int64_t first, int64_t row, int64_t apart) {
    const auto end = static_cast<int64_t>(matrix.begins.get(row + 1));
    for (auto entry = static_cast<int64_t>(matrix.begins.get(row)); entry < end; ++entry) {
      const auto column = static_cast<int64_t>(matrix.columns_of.get(entry));
      if (column < 0) continue;
      const double value = x.get(first + column * apart);
      const double term = value * (matrix.weighs ? matrix.weights.get(entry) : 1);
      sum += term, sizes += std::abs(term), ++terms;
      if (place < 0 || value > largest || (std::isnan(value) && !std::isnan(largest)))
        largest = value, place = column;
    }
  }
};

double rounding_of(Number type) {
  switch (type) {
    case WAVESMITH_POINTWISE_F16:
      return 0x1p-11;
    case WAVESMITH_POINTWISE_BF16:
      return 0x1p-8;
    case WAVESMITH_POINTWISE_F32:
      return 0x1p-24;
    default:
      return 0x1p-53;
  }
}

TEST_P(Sparse, ProductsAndMaxima) {
  for (int round = 0; round < 40; ++round) {  // each kernel in turn
    const bool sums = round % 3 != 0, doubles = !sums || round / 3 % 3 == 0;
    const int64_t along = between(0, 2), rows = between(1, 30), columns = one_of<int64_t>({1, 7, 33});
    std::vector<int64_t> sizes = {one_of<int64_t>({1, 5, 40}), between(1, 7), between(1, 3)};
    sizes[static_cast<size_t>(along)] = columns;
    const bool bytes = sums && between(0, 3) == 0;
    Strided x = any_strided(bytes && between(0, 1) == 0 ? WAVESMITH_POINTWISE_U8 : any_float(), sizes, true);
    for (int64_t i = 0; i < x.count(); ++i)
      x.set(i, bytes ? static_cast<double>(between(0, 255)) : sums || between(0, 30) != 0 ? normal() : NAN);
    sizes[static_cast<size_t>(along)] = rows;
    Strided y = any_strided(bytes ? WAVESMITH_POINTWISE_U8 : any_float(), sizes, false);
    Strided place = any_strided(WAVESMITH_POINTWISE_I64, sizes, false);
    Matrix matrix = any_matrix(rows, columns);
    const StridedOnGpu on_x(x), on_y(y), on_place(place), on_begins(matrix.begins),
        on_columns(matrix.columns_of), on_weights(matrix.weights);
    Description one{};
    one.operation = sums ? WAVESMITH_SPARSE_SUM : WAVESMITH_SPARSE_MAXIMUM;
    one.computed_in = doubles ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
    one.dimensions = 3, one.along = static_cast<int32_t>(along), one.columns = columns;
    std::ranges::copy(sizes, one.sizes);
    one.x = on_x.operand(), one.y = on_y.operand();
    if (!sums) one.place = on_place.operand();
    one.begins = on_begins.operand(), one.columns_of = on_columns.operand();
    if (matrix.weighs) one.weights = on_weights.operand();
    ASSERT_EQ(wavesmith_kernels_sparse(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.read(), on_place.read();
    ErrorNote note;
    const int64_t apart = along == 0 ? 1 : along == 1 ? sizes[0] : sizes[0] * sizes[1];
    for (int64_t i = 0; i < y.count(); ++i) {
      const int64_t row = i / apart % rows, outer = i / (apart * rows);
      const Reference wanted(matrix, x, outer * apart * columns + i % apart, row, apart);
      SCOPED_TRACE(testing::Message() << "result " << i << " of round " << round << ", sums " << sums);
      if (!sums) {
        if (std::isnan(wanted.largest)) ASSERT_TRUE(std::isnan(y.get(i)));
        ASSERT_EQ(place.get(i), static_cast<double>(wanted.place));
      }
      const double value = bytes ? std::clamp(wanted.sum, 0.0, 255.0) : sums ? wanted.sum : wanted.largest;
      const double e = doubles ? 0x1p-53 : 0x1p-24, n = static_cast<double>(wanted.terms);
      const double computed = sums ? (e + 0x1p-53) * (n + 2) * wanted.sizes : 0;
      const double rounding = bytes ? 0.5 : rounding_of(y.type) * (std::abs(value) + computed) + 0x1p-25;
      const double bound = computed + rounding;
      if (std::isnan(value)) continue;
      if (!bytes) note.add(std::abs(y.get(i) - value), bound);
      ASSERT_NEAR(y.get(i), value, bound);
    }
  }
}

TEST_P(Sparse, SumsOfEightsThatLieTogether) {
  for (int round = 0; round < 8; ++round) {
    const Number type = round % 2 == 0 ? WAVESMITH_POINTWISE_F16 : WAVESMITH_POINTWISE_BF16;
    const int64_t width = 8 * between(1, 40), rows = between(1, 40), columns = one_of<int64_t>({1, 7, 33});
    const int64_t along = one_of<int64_t>({1, 2}), other = between(1, 3);
    const auto strided = [&](int64_t size, bool random) {
      std::vector<int64_t> sizes = {width, size, other};
      if (along == 2) std::swap(sizes[1], sizes[2]);
      const int64_t row = 2 * width + 16 * between(0, 2);
      Strided made(type, sizes, {2, row, row * sizes[1]});
      for (int64_t i = 0; random && i < made.count(); ++i) made.set(i, normal());
      return made;
    };
    Strided x = strided(columns, true), y = strided(rows, false);
    Matrix matrix = any_matrix(rows, columns);
    const StridedOnGpu on_x(x), on_y(y), on_begins(matrix.begins), on_columns(matrix.columns_of),
        on_weights(matrix.weights);
    Description one{};
    one.operation = WAVESMITH_SPARSE_SUM, one.computed_in = WAVESMITH_POINTWISE_F32;
    one.dimensions = 3, one.along = static_cast<int32_t>(along), one.columns = columns;
    std::ranges::copy(y.sizes, one.sizes);
    one.x = on_x.operand(), one.y = on_y.operand();
    one.begins = on_begins.operand(), one.columns_of = on_columns.operand();
    if (matrix.weighs) one.weights = on_weights.operand();
    ASSERT_EQ(wavesmith_kernels_sparse(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const std::vector<unsigned char> untouched(y.memory.bytes);
    on_y.read();
    ErrorNote note;
    const int64_t apart = along == 1 ? width : width * other;
    for (int64_t i = 0; i < y.count(); ++i) {
      const int64_t row = i / apart % rows, outer = i / (apart * rows);
      const Reference wanted(matrix, x, outer * apart * columns + i % apart, row, apart);
      const double computed = (0x1p-24 + 0x1p-53) * static_cast<double>(wanted.terms + 2) * wanted.sizes;
      const double bound = computed + rounding_of(type) * (std::abs(wanted.sum) + computed) + 0x1p-25;
      note.add(std::abs(y.get(i) - wanted.sum), bound);
      ASSERT_NEAR(y.get(i), wanted.sum, bound) << "result " << i << " of round " << round;
    }
    for (int64_t row = 0; row + 1 < y.count() / width; ++row)
      for (size_t gap = y.at(row * width) + 2 * static_cast<size_t>(width); gap < y.at((row + 1) * width);
           ++gap)
        ASSERT_EQ(y.memory.bytes[gap], untouched[gap]) << "wrote between rows";
  }
}

INSTANTIATE_TEST_SUITE_P(On, Sparse, testing::Range(0, kGpuCount), gpu_name);

TEST(SparseRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 256);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Description right{};
  right.computed_in = WAVESMITH_POINTWISE_F32;
  right.dimensions = 1, right.sizes[0] = 8, right.columns = 8;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32, right.x.strides[0] = 4;
  right.y = right.x;
  right.y.data = static_cast<char*>(memory.data()) + 512;
  right.begins = right.columns_of = right.x;
  right.begins.type = right.columns_of.type = WAVESMITH_POINTWISE_I32;
  EXPECT_EQ(wavesmith_kernels_sparse(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_sparse, right,
      {{[](Description& d) { d.operation = static_cast<wavesmith_sparse_operation>(2); }, kWrong,
        "operation is 2"},
       {[](Description& d) { d.along = 1; }, kWrong, "along is 1, no dimension of 1"},
       {[](Description& d) { d.columns = -1; }, kWrong, "columns is negative"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.x.strides[0] = 1L << 30; }, kNot, "x spans 2^31 bytes or more"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_C64; }, kNot, "y is of c64, no real type"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_I32; }, kNot,
        "y is of i32, neither a float nor u8"},
       {[](Description& d) { d.begins.data = nullptr; }, kWrong, "begins.data is null"},
       {[](Description& d) { d.columns_of.type = WAVESMITH_POINTWISE_U8; }, kNot,
        "columns_of is of u8, neither i32 nor i64"},
       {[](Description& d) { d.weights = d.x, d.weights.type = WAVESMITH_POINTWISE_C128; }, kNot,
        "weights is of c128, no real type"},
       {[](Description& d) { d.computed_in = WAVESMITH_POINTWISE_I64; }, kNot,
        "computed_in is i64, neither f32 nor f64"},
       {[](Description& d) { d.operation = WAVESMITH_SPARSE_MAXIMUM; }, kNot, "computed_in is f32, not f64"},
       {[](Description& d) { d.place = d.x; }, kWrong, "place has data, of a sum"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
