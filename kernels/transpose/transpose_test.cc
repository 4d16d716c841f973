// Transpositions and copies on a GPU of each target: each element's value, or its bits.
#include "kernels/refusal_testing.h"
#include "kernels/testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_transpose_description;

/// A batch of matrices in host memory, by rows or by columns.
struct HostMatrices {
  wavesmith_kernels_matrix matrix{};
  int64_t rows, columns, batches;
  Elements elements;

  HostMatrices(int64_t rows_, int64_t columns_, int64_t batches_, bool by_columns, int64_t padding, Type type)
      : rows(rows_), columns(columns_), batches(batches_) {
    matrix.type = type;
    int64_t& apart = by_columns ? matrix.column_stride : matrix.row_stride;
    (by_columns ? matrix.row_stride : matrix.column_stride) = 1;
    apart = (by_columns ? rows : columns) + padding;
    matrix.batch_stride = (by_columns ? columns : rows) * apart + padding;
    elements = Elements(type, static_cast<size_t>(at(batches - 1, rows - 1, columns - 1) + 1));
  }
  [[nodiscard]] int64_t at(int64_t batch, int64_t row, int64_t column) const {
    return batch * matrix.batch_stride + row * matrix.row_stride + column * matrix.column_stride;
  }
  [[nodiscard]] wavesmith_kernels_matrix on(const OnGpu& gpu) const {
    wavesmith_kernels_matrix there = matrix;
    there.data = gpu.data();
    return there;
  }
};

class Transpose : public OnEachGpu {
 protected:
  /// Random bits, NaN among them, where types are the same; otherwise numbers.
  void fill(Elements& elements, bool bits) {
    for (unsigned char& byte : elements.bytes) byte = static_cast<unsigned char>(between(0, 255));
    if (!bits)
      for (size_t i = 0; i < elements.count(); ++i) elements.set(i, normal());
  }

  void check(HostMatrices x, HostMatrices y, size_t offset) {
    const bool same = x.matrix.type == y.matrix.type;
    SCOPED_TRACE(std::string(word_of(x.matrix.type)) + " to " + std::string(word_of(y.matrix.type)) + ", " +
                 std::to_string(x.rows) + " x " + std::to_string(x.columns) + ", strides " +
                 std::to_string(x.matrix.row_stride) + " " + std::to_string(x.matrix.column_stride) + " to " +
                 std::to_string(y.matrix.row_stride) + " " + std::to_string(y.matrix.column_stride));
    fill(x.elements, same);
    Elements want = y.elements, got = y.elements;
    const size_t size = bytes_of(y.matrix.type);
    for (int64_t b = 0; b < x.batches; ++b)
      for (int64_t i = 0; i < x.rows; ++i)
        for (int64_t j = 0; j < x.columns; ++j) {
          const auto from = static_cast<size_t>(x.at(b, i, j)), to = static_cast<size_t>(y.at(b, i, j));
          if (same)
            std::memcpy(&want.bytes[to * size], &x.elements.bytes[from * size], size);
          else
            want.set(to, x.elements.get(from));
        }
    const OnGpu on_x(x.elements, offset), on_y(y.elements, offset);
    const Description description{
        .rows = x.rows, .columns = x.columns, .batches = x.batches, .x = x.on(on_x), .y = y.on(on_y)};
    ASSERT_EQ(wavesmith_kernels_transpose(&description, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.copy_to(got);
    const ErrorNote note;  // of none: all bits are compared
    ASSERT_EQ(got.bytes, want.bytes);
  }
};

constexpr Type kFloats[] = {WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16};

TEST_P(Transpose, WholePiecesOfEachPairOfFloatsChangePlaces) {
  for (const Type from : kFloats)
    for (const Type to : kFloats)
      for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{8, 8}, {264, 72}, {64, 136}}) {
        const int64_t padding = 8 * between(0, 1);
        check({rows, columns, 2, false, padding, from}, {rows, columns, 2, true, padding, to}, 0);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Transpose, WholePiecesOfOtherTypesChangePlaces) {
  for (const Type type : {WAVESMITH_KERNELS_I8, WAVESMITH_KERNELS_I32, WAVESMITH_KERNELS_E4M3})
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{16, 16}, {272, 144}}) {
      check({rows, columns, 2, true, 16, type}, {rows, columns, 2, false, 0, type}, 0);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Transpose, MatricesOfAllKindsAreMoved) {
  for (int round = 0; round < 40; ++round) {
    const bool same = between(0, 1) == 0;
    const auto any = [&] {
      return same ? one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_BF16, WAVESMITH_KERNELS_I8,
                            WAVESMITH_KERNELS_E5M2, WAVESMITH_KERNELS_I32})
                  : kFloats[between(0, 2)];
    };
    const Type from = any(), to = same ? from : any();
    const auto rows = one_of<int64_t>({1, 2, 31, 63, 64, 65, 127, 200}),
               columns = one_of<int64_t>({1, 3, 8, 63, 64, 65, 129, 2048, 2050});
    const int64_t batches = between(1, 3);
    const bool aligned = between(0, 1) == 0;
    const auto padding = [&] { return aligned ? 16 * between(0, 1) : between(0, 5); };
    check({rows, columns, batches, between(0, 1) == 0, padding(), from},
          {rows, columns, batches, between(0, 1) == 0, padding(), to},
          static_cast<size_t>(aligned ? 0 : between(0, 3)));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Transpose, testing::Range(0, kGpuCount), gpu_name);

TEST(TransposeRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 512));
  const wavesmith_kernels_matrix x{memory.data(), WAVESMITH_KERNELS_F32, 8, 1, 64};
  const wavesmith_kernels_matrix y{static_cast<char*>(memory.data()) + 1024, WAVESMITH_KERNELS_F32, 1, 8, 64};
  const Description right{.rows = 8, .columns = 8, .batches = 4, .x = x, .y = y};
  EXPECT_EQ(wavesmith_kernels_transpose(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_transpose, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "transpose: rows is negative"},
       {[](Description& d) { d.columns = int64_t{1} << 25; }, kNot, "transpose: columns is too large"},
       {[](Description& d) { d.batches = 65536; }, kNot, "transpose: batches is more than 65535"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "transpose: x.data is null"},
       {[](Description& d) { d.y.type = static_cast<Type>(77); }, kWrong, "y.type is 77, no element type"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_E2M1X2; }, kNot, "y is of e2m1x2"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_I32; }, kNot, "x is of f32 and y of i32"},
       {[](Description& d) { d.x.data = static_cast<char*>(d.x.data) + 2; }, kWrong,
        "x.data is not aligned to its elements"},
       {[](Description& d) { d.x.column_stride = 2; }, kWrong,
        "x has strides 8 and 2: one of them must be 1"},
       {[](Description& d) { d.y.column_stride = 7; }, kWrong, "y.column_stride is 7, less than the 8"},
       {[](Description& d) { d.x.row_stride = int64_t{1} << 30; }, kNot, "x has a stride of"},
       {[](Description& d) { d.x.batch_stride = -64; }, kWrong, "x.batch_stride is negative"},
       {[](Description& d) { d.y.batch_stride = 60; }, kWrong, "y.batch_stride is 60, so that matrices"},
       {[](Description& d) { d.y = d.x; }, kWrong, "transpose: y overlaps x"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
