// Writing to a cache on a GPU of each target: what is written is exact.
#include <limits>

#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_cache_description;

class Cache : public OnEachGpu {
 protected:
  /// Integers of 8 bits, the target's float of 8 bits, or any other type.
  Type any_cache() {
    const int64_t which = between(0, 3);
    return which == 0 ? WAVESMITH_KERNELS_I8 : which == 1 ? any_of_8_bits() : any_float();
  }
  Type any_of_8_bits() {
    const bool has_floats = GetParam() == 1 || GetParam() == 2 || GetParam() == 5;
    if (!has_floats || between(0, 1) == 0) return WAVESMITH_KERNELS_I8;
    return GetParam() == 1 ? WAVESMITH_KERNELS_E4M3_FNUZ : WAVESMITH_KERNELS_E4M3;
  }
  Type any_float() { return one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}); }
};

/// The largest number of a type of 8 bits; of others 0.
double largest_of(Type type) {
  return type == WAVESMITH_KERNELS_I8          ? 127
         : type == WAVESMITH_KERNELS_E4M3      ? 448
         : type == WAVESMITH_KERNELS_E4M3_FNUZ ? 240
                                               : 0;
}

/// The quotient in the cache's type: of 8 bits at most the largest.
double written(float value, float scale, Type type) {
  const float quotient = value / scale;
  if (type == WAVESMITH_KERNELS_I8)
    return std::isnan(quotient) ? 0
                                : std::clamp(std::nearbyint(static_cast<double>(quotient)), -128.0, 127.0);
  Elements one(type, 1);
  one.set(0, quotient);
  const double largest = largest_of(type);
  if (largest > 0 && std::abs(quotient) > largest) return std::copysign(largest, quotient);
  return one.get(0);
}

TEST_P(Cache, TokensOfAllKindsComeToTheirSlots) {
  for (int round = 0; round < 40; ++round) {
    const int64_t tokens = between(1, 9), heads = between(1, 9),
                  head_size = one_of<int64_t>({1, 30, 64, 80, 128, 256}), blocks = between(1, 6),
                  page = one_of<int64_t>({1, 5, 16, 32});
    const bool outside = between(0, 1) == 1;
    const int64_t gap = one_of<int64_t>({0, 8, 3}), apart = head_size + gap;
    const auto offset = one_of<size_t>({0, 0, 1});
    const int scales = one_of({0, 1, 2});  // none, one, one per head
    // Each slot once, some beyond the cache or none.
    std::vector<int64_t> slots(static_cast<size_t>(blocks * page));
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<int64_t>(i);
    std::ranges::shuffle(slots, random_);
    slots.resize(static_cast<size_t>(tokens), -1);
    for (int64_t& slot : slots)
      if (between(0, 3) == 0)
        slot = one_of<int64_t>(
            {-1, std::numeric_limits<int64_t>::min(), blocks * page, std::numeric_limits<int64_t>::max()});
    Elements numbers;  // of which OnGpu copies the bytes
    numbers.bytes.resize(slots.size() * 8);
    std::memcpy(numbers.bytes.data(), slots.data(), numbers.bytes.size());
    const OnGpu on_slots(numbers);

    struct Side {
      Elements from, to, scales;
    } sides[2];
    for (Side& side : sides) {
      side.from = Elements(any_float(), static_cast<size_t>(tokens * heads * apart));
      for (size_t i = 0; i < side.from.count(); ++i)
        side.from.set(i, normal() * one_of({1.0, 1.0, 1000.0, 0x1p-8}));
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      side.from.set(0, one_of({kInfinity, -kInfinity, 0.0, -0.0, std::nan("")}));
      side.to = Elements(any_cache(), static_cast<size_t>(blocks * page * heads * apart));
      if (scales == 0 && side.to.type == WAVESMITH_KERNELS_I8)
        side.to = Elements(any_float(), side.to.count());
      side.scales = Elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(scales == 2 ? heads : scales));
      for (size_t i = 0; i < side.scales.count(); ++i) side.scales.set(i, std::exp2(normal()));
    }
    const OnGpu from_k(sides[0].from, offset), from_v(sides[1].from, offset), to_k(sides[0].to, offset),
        to_v(sides[1].to, offset), scales_k(sides[0].scales), scales_v(sides[1].scales);
    const int64_t row = outside ? apart : heads * apart, head_stride = outside ? page * apart : apart;
    const auto paged = [&](const Side& side, const OnGpu& gpu, const OnGpu& scale) {
      return wavesmith_kernels_paged{
          gpu.data(), side.to.type, page * heads * apart,
          row,        head_stride,  scales == 0 ? nullptr : static_cast<const float*>(scale.data()),
          scales == 2};
    };
    const Description cache{.tokens = tokens,
                            .heads = heads,
                            .head_size = head_size,
                            .k = {from_k.data(), sides[0].from.type, heads * apart, apart},
                            .v = {from_v.data(), sides[1].from.type, heads * apart, apart},
                            .k_cache = paged(sides[0], to_k, scales_k),
                            .v_cache = paged(sides[1], to_v, scales_v),
                            .blocks = blocks,
                            .page_size = page,
                            .slots = static_cast<const int64_t*>(on_slots.data())};
    ASSERT_EQ(wavesmith_kernels_cache(&cache, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);

    const ErrorNote note;  // of none: all bits are compared
    for (int side = 0; side < 2; ++side) {
      const Side& of = sides[side];
      Elements expected = of.to, got = of.to;
      (side == 0 ? to_k : to_v).copy_to(got);
      for (int64_t token = 0; token < tokens; ++token) {
        const int64_t slot = slots[static_cast<size_t>(token)];
        if (slot < 0 || slot >= blocks * page) continue;
        for (int64_t head = 0; head < heads; ++head)
          for (int64_t i = 0; i < head_size; ++i) {
            const auto value =
                static_cast<float>(of.from.get(static_cast<size_t>((token * heads + head) * apart + i)));
            const double scale = scales == 0 ? 1 : of.scales.get(scales == 2 ? static_cast<size_t>(head) : 0);
            const auto at = static_cast<size_t>(slot / page * page * heads * apart + slot % page * row +
                                                head * head_stride + i);
            expected.set(at, written(value, static_cast<float>(scale), of.to.type));
            if (std::isnan(value) && std::isnan(got.get(at))) got.set(at, value), expected.set(at, value);
          }
      }
      ASSERT_EQ(got.bytes, expected.bytes)
          << "of " << of.from.type << " in " << of.to.type << ", tokens " << tokens << " heads " << heads
          << " head size " << head_size << " blocks " << blocks << " page " << page << " gap " << gap;
    }
  }
}

TEST_P(Cache, HeadsOfTokensComeWithTheirScales) {
  for (int round = 0; round < 40; ++round) {
    const int64_t tokens = between(1, 9), heads = between(1, 40),
                  size = one_of<int64_t>({1, 30, 64, 80, 128, 130, 256, 576}), blocks = between(1, 4),
                  page = one_of<int64_t>({1, 5, 16});
    const bool inside = between(0, 1) == 1;  // scales end rows, as vLLM packs them
    const int64_t apart = inside ? (size + 3) / 4 * 4 + 4 : size + one_of<int64_t>({0, 4, 3});
    std::vector<int64_t> slots(static_cast<size_t>(blocks * page));
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<int64_t>(i);
    std::ranges::shuffle(slots, random_);
    slots.resize(static_cast<size_t>(tokens), -1);
    if (between(0, 1) == 0) slots[0] = one_of<int64_t>({-1, blocks * page});
    Elements numbers;  // of which OnGpu copies the bytes
    numbers.bytes.resize(slots.size() * 8);
    std::memcpy(numbers.bytes.data(), slots.data(), numbers.bytes.size());
    const OnGpu on_slots(numbers);
    // Keys and values are halves of each row.
    const Type type = any_of_8_bits();
    const int64_t row = heads * 2 * apart;
    Elements cache(type, static_cast<size_t>(blocks * page * row));
    Elements scales[2];
    for (Elements& one : scales)
      one = Elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(blocks * page * heads));
    Elements from[2];
    for (Elements& one : from) {
      one = Elements(any_float(), static_cast<size_t>(tokens * heads * size));
      for (size_t i = 0; i < one.count(); ++i)
        one.set(i, normal() * std::exp2(static_cast<double>(static_cast<int64_t>(i) / size % 7 * 3 - 12)));
      if (between(0, 2) == 0)  // a head of them
        for (size_t i = 0; i < static_cast<size_t>(size); ++i) one.set(i, one_of({0.0, 0x1p-20, -0.0}));
      if (between(0, 3) == 0)
        one.set(one.count() - 1, one_of({std::numeric_limits<double>::infinity(), std::nan("")}));
    }
    const OnGpu on_from[2] = {OnGpu(from[0]), OnGpu(from[1])},
                on_scales[2] = {OnGpu(scales[0]), OnGpu(scales[1])};
    const OnGpu on_cache(cache);
    const auto paged = [&](int side) {
      char* const first = static_cast<char*>(on_cache.data()) + side * apart;
      return wavesmith_kernels_paged{.data = first,
                                     .type = type,
                                     .block_stride = page * row,
                                     .row_stride = row,
                                     .head_stride = 2 * apart,
                                     .token_scales = inside ? reinterpret_cast<float*>(first + apart - 4)
                                                            : static_cast<float*>(on_scales[side].data()),
                                     .token_scales_block_stride = inside ? page * row / 4 : page * heads,
                                     .token_scales_row_stride = inside ? row / 4 : 1,
                                     .token_scales_head_stride = inside ? apart / 2 : page};
    };
    const Description description{.tokens = tokens,
                                  .heads = heads,
                                  .head_size = size,
                                  .k = {on_from[0].data(), from[0].type, heads * size, size},
                                  .v = {on_from[1].data(), from[1].type, heads * size, size},
                                  .k_cache = paged(0),
                                  .v_cache = paged(1),
                                  .blocks = blocks,
                                  .page_size = page,
                                  .slots = static_cast<const int64_t*>(on_slots.data())};
    ASSERT_EQ(wavesmith_kernels_cache(&description, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);

    const ErrorNote note;  // of none: all bits are compared
    Elements expected = cache;
    on_cache.copy_to(cache);
    const std::string what = "of " + std::to_string(type) + " tokens " + std::to_string(tokens) + " heads " +
                             std::to_string(heads) + " size " + std::to_string(size) + " page " +
                             std::to_string(page) + " inside " + std::to_string(inside);
    for (int side = 0; side < 2; ++side) {
      Elements expected_scales = scales[side], got_scales = scales[side];
      on_scales[side].copy_to(got_scales);
      for (int64_t token = 0; token < tokens; ++token) {
        const int64_t slot = slots[static_cast<size_t>(token)];
        if (slot < 0 || slot >= blocks * page) continue;
        for (int64_t head = 0; head < heads; ++head) {
          const auto value = [&](int64_t i) {
            return static_cast<float>(from[side].get(static_cast<size_t>((token * heads + head) * size + i)));
          };
          float largest = 0;
          for (int64_t i = 0; i < size; ++i)
            if (std::isnan(value(i)) || std::abs(value(i)) > largest) largest = std::abs(value(i));
          for (int64_t i = 0; i < size; ++i)
            if (std::isnan(value(i))) largest = value(i);
          const float quotient = largest / static_cast<float>(largest_of(type));
          const float scale = quotient < 1e-6F ? 1e-6F : quotient;
          const auto at = static_cast<size_t>(slot * row + head * 2 * apart + side * apart);
          const size_t scale_at = static_cast<size_t>(slot / page * page * heads + head * page + slot % page);
          float got = 0;
          if (inside)
            std::memcpy(&got, &cache.bytes[at + static_cast<size_t>(apart) - 4], 4);
          else
            got = static_cast<float>(got_scales.get(scale_at));
          if (std::isnan(scale))
            ASSERT_TRUE(std::isnan(got)) << what;
          else
            ASSERT_EQ(got, scale) << what;
          if (inside)
            std::memcpy(&expected.bytes[at + static_cast<size_t>(apart) - 4], &got, 4);
          else
            std::memcpy(&expected_scales.bytes[scale_at * 4], &got, 4);
          for (int64_t i = 0; i < size; ++i) {
            const auto element = at + static_cast<size_t>(i);
            const double number = written(value(i), scale, type);
            if (std::isnan(number) && std::isnan(cache.get(element)))
              expected.bytes[element] = cache.bytes[element];
            else
              expected.set(element, number);
          }
        }
      }
      ASSERT_EQ(got_scales.bytes, expected_scales.bytes) << what;
    }
    ASSERT_EQ(cache.bytes, expected.bytes) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Cache, testing::Range(0, kGpuCount), gpu_name);

TEST(CacheRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 4096));
  float* const at = static_cast<float*>(memory.data());
  const OnGpu slots(Elements(WAVESMITH_KERNELS_F32, 8));  // all of them -1
  const Description right{.tokens = 4,
                          .heads = 2,
                          .head_size = 16,
                          .k = {at, WAVESMITH_KERNELS_F32, 32, 16},
                          .v = {at + 128, WAVESMITH_KERNELS_F32, 32, 16},
                          .k_cache = {at + 1024, WAVESMITH_KERNELS_F32, 128, 32, 16, nullptr, 0},
                          .v_cache = {at + 2048, WAVESMITH_KERNELS_F32, 128, 32, 16, nullptr, 0},
                          .blocks = 2,
                          .page_size = 4,
                          .slots = static_cast<const int64_t*>(slots.data())};
  ASSERT_EQ(wavesmith_kernels_cache(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  constexpr auto kUnsupported = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      wavesmith_kernels_cache, right,
      {
          {[](Description& d) { d.tokens = -1; }, kInvalid, "tokens is negative"},
          {[](Description& d) { d.page_size = 0; }, kInvalid, "page_size is 0"},
          {[](Description& d) { d.k.data = nullptr; }, kInvalid, "k.data is null"},
          {[](Description& d) { d.v_cache.data = nullptr; }, kInvalid, "v_cache.data is null"},
          {[](Description& d) { d.v.head_stride = 8; }, kInvalid, "v.head_stride is 8"},
          {[](Description& d) { d.k_cache.row_stride = 8; }, kInvalid, "k_cache.row_stride is 8"},
          {[](Description& d) { d.slots = nullptr; }, kInvalid, "slots is null"},
          {[](Description& d) { d.k_cache.data = d.v.data; }, kInvalid, "k_cache overlaps v"},
          {[](Description& d) { d.slots = static_cast<const int64_t*>(d.v_cache.data); }, kInvalid,
           "v_cache overlaps slots"},
          {[](Description& d) { d.slots = reinterpret_cast<const int64_t*>(4); }, kInvalid,
           "slots is not aligned to 8"},
          {[](Description& d) { d.v_cache.scale = static_cast<float*>(d.k_cache.data) + 1; }, kInvalid,
           "k_cache overlaps v_cache.scale"},
          {[](Description& d) { d.k_cache.scale = reinterpret_cast<const float*>(2); }, kInvalid,
           "k_cache.scale is not aligned to 4"},
          {[](Description& d) { d.v.data = static_cast<char*>(d.v.data) + 2; }, kInvalid, "v is not aligned"},
          {[](Description& d) { d.k.token_stride = -1; }, kInvalid, "k.token_stride is negative"},
          {[](Description& d) { d.v_cache.data = d.k_cache.data; }, kInvalid, "k_cache overlaps v_cache"},
          {[](Description& d) { d.k_cache.type = static_cast<Type>(77); }, kInvalid, "k_cache.type is 77"},
          {[](Description& d) { d.k.type = WAVESMITH_KERNELS_I8; }, kUnsupported, "k is of i8"},
          {[](Description& d) { d.k_cache.type = WAVESMITH_KERNELS_I8; }, kUnsupported,
           "k_cache is of i8 without a scale"},
          {[](Description& d) { d.k_cache.token_scales = static_cast<float*>(d.k_cache.data); }, kUnsupported,
           "k_cache.token_scales is given, and k_cache is of f32"},
          {[](Description& d) {
             d.v_cache.type = WAVESMITH_KERNELS_I8;
             d.v_cache.scale = d.v_cache.token_scales = static_cast<float*>(d.v_cache.data);
           },
           kInvalid, "v_cache.scale and v_cache.token_scales are both given"},
          {[](Description& d) {
             d.k_cache.type = WAVESMITH_KERNELS_I8;
             d.k_cache.token_scales = static_cast<float*>(d.k_cache.data);
           },
           kInvalid, "k_cache.token_scales_block_stride is 0, less than 1"},
          {[](Description& d) {
             d.k_cache.type = WAVESMITH_KERNELS_I8, d.k_cache.token_scales = static_cast<float*>(d.k.data);
             d.k_cache.token_scales_block_stride = 8, d.k_cache.token_scales_row_stride = 2;
             d.k_cache.token_scales_head_stride = 1;
           },
           kInvalid, "k_cache.token_scales overlaps k"},
          {[](Description& d) { d.k_cache.type = WAVESMITH_KERNELS_E5M2; }, kUnsupported,
           "k_cache is of e5m2"},
          {[](Description& d) { d.v_cache.type = WAVESMITH_KERNELS_E4M3; }, kUnsupported,
           "e4m3, which no kernel for gfx942 writes"},
      });
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
