// Rotary position embeddings on a GPU of each target, against double precision.
#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

class Rope : public RowsOnEachGpu {};

TEST_P(Rope, HeadsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    const int64_t tokens = between(1, 9), heads = between(1, 9),
                  elements = one_of<int64_t>({1, 2, 30, 64, 80, 128, 256}),
                  rotated = one_of<int64_t>({elements / 2 * 2, elements / 4 * 2, 0}), half = rotated / 2;
    const int64_t head_stride = elements + one_of<int64_t>({0, 8, 5}),
                  token_stride = heads * head_stride + one_of<int64_t>({0, 16, 3});
    const int64_t table_stride = half + one_of<int64_t>({0, 8, 1});
    const auto offset = one_of<size_t>({0, 0, 1});
    const bool interleaved = between(0, 1) == 1, in_place = between(0, 2) == 0, wide = between(0, 1) == 1;
    const int64_t first_position = between(0, 5);
    // A matrix whose rows are tokens.
    const HostRows x = random_rows(tokens, (heads - 1) * head_stride + elements,
                                   token_stride - ((heads - 1) * head_stride + elements), any_type());
    HostRows y(x.rows, x.columns, x.stride - x.columns, in_place ? x.elements.type : any_type());
    constexpr int64_t kPositions = 40;
    const Type table_type = any_type();
    HostRows cosines(kPositions, std::max<int64_t>(1, table_stride), 0, table_type), sines = cosines;
    for (int64_t p = 0; p < kPositions; ++p)
      for (int64_t i = 0; i < half; ++i) {
        const double angle =
            static_cast<double>(p) * std::pow(1e4, -static_cast<double>(i) / static_cast<double>(half));
        cosines.set(p, i, std::cos(angle)), sines.set(p, i, std::sin(angle));
      }
    std::vector<int64_t> position(static_cast<size_t>(tokens));
    for (int64_t t = 0; t < tokens; ++t) position[static_cast<size_t>(t)] = t;
    const bool has_positions = between(0, 1) == 1;
    if (has_positions)
      for (int64_t& one : position) one = between(0, kPositions - 6);
    Elements numbers;  // of which OnGpu copies the bytes
    for (const int64_t one : position) {
      const auto narrow = static_cast<int32_t>(one);
      const auto* const from = wide ? reinterpret_cast<const unsigned char*>(&one)
                                    : reinterpret_cast<const unsigned char*>(&narrow);
      numbers.bytes.insert(numbers.bytes.end(), from, from + (wide ? 8 : 4));
    }
    const OnGpu on_x(x.elements, offset), on_y(y.elements, offset), on_cosines(cosines.elements, offset),
        on_sines(sines.elements, offset), on_positions(numbers);
    const OnGpu& place = in_place ? on_x : on_y;
    if (in_place) y.elements = x.elements;
    const wavesmith_kernels_rope_description rope{
        .tokens = tokens,
        .heads = heads,
        .elements = elements,
        .rotated = rotated,
        .x = {on_x.data(), x.elements.type, token_stride, head_stride},
        .y = {place.data(), y.elements.type, token_stride, head_stride},
        .cosines = on_cosines.data(),
        .sines = on_sines.data(),
        .table_type = table_type,
        .table_stride = cosines.stride,
        .positions = has_positions ? on_positions.data() : nullptr,
        .positions_are_64_bits = wide,
        .first_position = first_position,
        .interleaved = interleaved};
    ASSERT_EQ(wavesmith_kernels_rope(&rope, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);

    const auto partner = [&](int64_t i) { return interleaved ? i ^ 1 : i < half ? i + half : i - half; };
    const auto is_first = [&](int64_t i) { return interleaved ? i % 2 == 0 : i < half; };
    const auto value = [&](int64_t t, int64_t column, bool sizes) {
      const int64_t i = column % head_stride;
      const double own = x.get(t, column);
      if (i >= rotated) return sizes ? 0 : own;
      const int64_t pair = interleaved ? i / 2 : i % half;
      const int64_t p = position[static_cast<size_t>(t)] + first_position;
      const double other = x.get(t, column - i + partner(i)), c = cosines.get(p, pair),
                   s = sines.get(p, pair);
      if (sizes) return std::abs(own * c) + std::abs(other * s);
      return own * c + (is_first(i) ? -other : other) * s;
    };
    // What lies between heads stays as it was: NaN, or in place random numbers.
    const HostRows before = in_place ? x : HostRows(x.rows, x.columns, x.stride - x.columns, y.elements.type);
    expect_rows(
        y, place,
        [&](int64_t t, int64_t column) {
          return column % head_stride < elements ? value(t, column, false) : before.get(t, column);
        },
        [&](int64_t t, int64_t column) {
          return column % head_stride < elements ? 0x1p-22 * value(t, column, true) : 0;
        });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Rope, testing::Range(0, kGpuCount), gpu_name);

TEST(RopeRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 4096));
  float* const at = static_cast<float*>(memory.data());
  using R = wavesmith_kernels_rope_description;
  const R right{.tokens = 4,
                .heads = 2,
                .elements = 16,
                .rotated = 16,
                .x = {at, WAVESMITH_KERNELS_F32, 32, 16},
                .y = {at + 128, WAVESMITH_KERNELS_F32, 32, 16},
                .cosines = at + 1024,
                .sines = at + 2048,
                .table_type = WAVESMITH_KERNELS_F32,
                .table_stride = 8};
  ASSERT_EQ(wavesmith_kernels_rope(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  const Refusal<R> all[] = {
      {[](R& r) { r.tokens = -1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "tokens is negative"},
      {[](R& r) { r.rotated = 18; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "rotated is 18, more than the 16"},
      {[](R& r) { r.rotated = 3; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "an odd number"},
      {[](R& r) { r.x.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "x.data is null"},
      {[](R& r) { r.y.head_stride = 8; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "y.head_stride is 8"},
      {[](R& r) { r.y.token_stride = 0; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "y.token_stride is 0"},
      {[](R& r) { r.sines = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "sines is null"},
      {[](R& r) { r.table_stride = 7; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "table_stride is 7"},
      {[](R& r) { r.y.data = static_cast<float*>(r.x.data) + 1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "y overlaps x"},
      {[](R& r) { r.x.data = static_cast<char*>(r.x.data) + 2; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "x is not aligned"},
      {[](R& r) { r.x.type = WAVESMITH_KERNELS_I8; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "x is of i8"},
      {[](R& r) { r.table_type = static_cast<Type>(77); }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "cosines_type is no element type"},
      {[](R& r) { r.positions = reinterpret_cast<const char*>(r.cosines) + 2; },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "positions is not aligned to 4 bytes"},
      {[](R& r) { r.first_position = -1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "first_position is negative"},
      {[](R& r) { r.positions = r.y.data; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "y overlaps positions"},
      {[](R& r) { r.cosines = r.y.data; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "y overlaps cosines"},
      {[](R& r) { r.sines = static_cast<const float*>(r.y.data) - 31; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "y overlaps sines"},
  };
  expect_refusals(wavesmith_kernels_rope, right, all);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
