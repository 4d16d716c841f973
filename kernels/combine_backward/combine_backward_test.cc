// Gradients of weighted sums of rows on a GPU of each target, against double precision.
#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_combine_backward_description;

struct Case {
  int64_t tokens = 1;
  Type type_dx = WAVESMITH_KERNELS_BF16;
  size_t offset = 0;
  bool weights = true, dx = true, dweights = true, in_place = false;
};

class CombineBackward : public RowsOnEachGpu {
 protected:
  void check(const Case& one, const HostRows& x, const HostRows& dy) {
    const int64_t rows = x.rows, columns = x.columns;
    Elements tokens_of(WAVESMITH_KERNELS_I32, static_cast<size_t>(rows));
    const HostRows weights = random_rows(1, rows, 0, WAVESMITH_KERNELS_F32);
    for (size_t i = 0; i < tokens_of.count(); ++i)
      tokens_of.set(i, static_cast<double>(between(-1, one.tokens - 1)));
    HostRows dx = one.in_place ? x : HostRows(rows, columns, x.stride - columns, one.type_dx),
             dweights(rows, 1, 0, WAVESMITH_KERNELS_F32);
    const OnGpu on_x(x.elements, one.offset), on_dy(dy.elements, one.offset), on_dx(dx.elements, one.offset),
        on_tokens(tokens_of), on_weights(weights.elements), on_dweights(dweights.elements);
    const Description backward{
        .rows = rows,
        .columns = columns,
        .tokens = one.tokens,
        .x = x.on(on_x),
        .dy = dy.on(on_dy),
        .dx = one.in_place ? x.on(on_x)
              : one.dx     ? dx.on(on_dx)
                           : wavesmith_kernels_rows{},
        .tokens_of = static_cast<const int32_t*>(on_tokens.data()),
        .weights = one.weights ? static_cast<const float*>(on_weights.data()) : nullptr,
        .dweights = one.dweights ? static_cast<float*>(on_dweights.data()) : nullptr};
    ASSERT_EQ(wavesmith_kernels_combine_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const auto above = [&](int64_t i, int64_t j) {
      const auto token = static_cast<int64_t>(tokens_of.get(static_cast<size_t>(i)));
      return token < 0 ? 0 : dy.get(token, j);
    };
    const auto gradient = [&](int64_t i, int64_t j) {
      return above(i, j) * (one.weights ? weights.get(0, i) : 1);
    };
    if (one.dx)
      expect_rows(dx, one.in_place ? on_x : on_dx, gradient,
                  [&](int64_t i, int64_t j) { return 0x1p-24 * std::abs(gradient(i, j)); });
    if (HasFatalFailure() || !one.dweights) return;
    const auto sum = [&](int64_t i, bool sizes) {
      double all = 0;
      for (int64_t j = 0; j < columns; ++j) {
        const double product = above(i, j) * x.get(i, j);
        all += sizes ? std::abs(product) : product;
      }
      return all;
    };
    expect_rows(
        dweights, on_dweights, [&](int64_t i, int64_t) { return sum(i, false); },
        [&](int64_t i, int64_t) {
          return (static_cast<double>(columns) / 2048 + 24) * 0x1p-24 * sum(i, true);
        });
  }
};

TEST_P(CombineBackward, RowsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 24; ++round) {
    const int64_t columns = one_of<int64_t>({1, 7, 64, 2040, 2048, 2056, 4096, 5001});
    const auto padding = one_of<int64_t>({0, 8, 3});
    const HostRows x = random_rows(between(1, 9), columns, padding, any_type());
    Case one{.tokens = between(1, 5),
             .type_dx = any_type(),
             .offset = one_of<size_t>({0, 0, 1}),
             .weights = between(0, 3) > 0,
             .dx = between(0, 4) > 0,
             .in_place = between(0, 3) == 0};
    one.dx = one.dx || one.in_place, one.dweights = !one.dx || between(0, 4) > 0;
    check(one, x, random_rows(one.tokens, columns, padding, any_type()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(CombineBackward, RowsMayBeOfNoTokenAtAll) {
  const HostRows x = random_rows(3, 40, 0, WAVESMITH_KERNELS_BF16), dy(1, 40, 0, WAVESMITH_KERNELS_BF16);
  check({.tokens = 0}, x, dy);
}

INSTANTIATE_TEST_SUITE_P(On, CombineBackward, testing::Range(0, kGpuCount), gpu_name);

TEST(CombineBackwardRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 512)), tokens(Elements(WAVESMITH_KERNELS_I32, 8));
  const auto rows = [&](int64_t first) {
    return wavesmith_kernels_rows{static_cast<char*>(memory.data()) + 4 * first, WAVESMITH_KERNELS_F32, 8};
  };
  const Description right{.rows = 8,
                          .columns = 8,
                          .tokens = 4,
                          .x = rows(0),
                          .dy = rows(64),
                          .dx = rows(128),
                          .tokens_of = static_cast<const int32_t*>(tokens.data()),
                          .weights = static_cast<const float*>(rows(256).data),
                          .dweights = static_cast<float*>(rows(320).data)};
  EXPECT_EQ(wavesmith_kernels_combine_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_combine_backward, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "combine_backward: rows is negative"},
       {[](Description& d) { d.tokens = -1; }, kWrong, "tokens is negative"},
       {[](Description& d) { d.tokens_of = nullptr; }, kWrong, "tokens_of is null"},
       {[](Description& d) { d.dy.data = nullptr; }, kWrong, "dy.data is null"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "dweights is given without x"},
       {[](Description& d) { d.dx.type = WAVESMITH_KERNELS_I8; }, kNot, "dx is of i8"},
       {[](Description& d) { d.dy.type = WAVESMITH_KERNELS_I8; }, kNot, "dy is of i8"},
       {[](Description& d) { d.dy.row_stride = 7; }, kWrong, "dy.row_stride is 7"},
       {[](Description& d) { d.dx = d.dy; }, kWrong, "dx overlaps dy"},
       {[](Description& d) { d.dx.data = static_cast<char*>(d.x.data) + 4; }, kWrong, "dx overlaps x"},
       {[](Description& d) { d.dx.data = const_cast<float*>(d.weights); }, kWrong, "dx overlaps weights"},
       {[](Description& d) { d.dweights = static_cast<float*>(d.dx.data) + 9; }, kWrong,
        "dweights overlaps dx"},
       {[](Description& d) { d.weights = reinterpret_cast<const float*>(static_cast<char*>(d.x.data) + 2); },
        kWrong, "weights"}});
  Description none = right;
  none.rows = 0, none.tokens_of = nullptr;
  EXPECT_EQ(wavesmith_kernels_combine_backward(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
