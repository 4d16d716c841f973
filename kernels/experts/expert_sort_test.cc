// Choices sorted by expert on a GPU of each target, against lists of each expert's.
#include <limits>
#include <optional>

#include "kernels/experts/expert_chunks.h"
#include "kernels/refusal_testing.h"
#include "kernels/testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_sort_experts_description;
using Integers = std::vector<int32_t>;
constexpr int32_t kPoison = 0x5a5a5a5a;

/// Integers on the GPU, or the bits of floats.
class IntegersOnGpu {
 public:
  explicit IntegersOnGpu(const Integers& numbers)
      : bytes_(WAVESMITH_KERNELS_I8, numbers.size() * sizeof(int32_t)) {
    if (!numbers.empty()) std::memcpy(bytes_.bytes.data(), numbers.data(), bytes_.bytes.size());
    memory_.emplace(bytes_);
  }
  template <class T = int32_t>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(memory_->data());
  }
  [[nodiscard]] Integers read() {
    memory_->copy_to(bytes_);
    Integers numbers(bytes_.bytes.size() / sizeof(int32_t));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes_.bytes.data(), bytes_.bytes.size());
    return numbers;
  }

 private:
  Elements bytes_;
  std::optional<OnGpu> memory_;
};

class SortingExperts : public OnEachGpu {
 protected:
  struct Case {
    int64_t tokens, choices, experts;
    Integers ids, map;
    bool tokens_of = true, places = true, weights = true;
    int64_t chunk = 0;  ///< choices of a workgroup; 0: as the library has it

    [[nodiscard]] int32_t expert(size_t i) const {
      int32_t one = ids[i];
      if (!map.empty()) one = one < 0 || one >= std::ssize(map) ? -1 : map[static_cast<size_t>(one)];
      return one < 0 || one >= experts ? -1 : one;
    }
  };

  /// How ids are spread over experts.
  enum class Spread { kEven, kFew, kOne, kNone, kWild };

  Case any_case(int64_t tokens, int64_t choices, int64_t experts, Spread spread) {
    Case one{tokens, choices, experts, {}, {}};
    const int64_t all = between(0, 1) == 0 ? experts : 4 * experts;  // on all GPUs
    if (all > experts || between(0, 3) == 0) {
      for (int64_t e = 0; e < all; ++e) one.map.push_back(static_cast<int32_t>(between(-1, experts)));
    }
    const int64_t ids = one.map.empty() ? experts : all, only = between(0, ids - 1);
    constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(),
                      kMost = std::numeric_limits<int32_t>::max();
    for (int64_t i = 0; i < tokens * choices; ++i) {
      const auto any = static_cast<int32_t>(between(0, ids - 1));
      const auto beyond = one_of({-1, kLeast, kMost, static_cast<int32_t>(ids)});
      one.ids.push_back(spread == Spread::kEven   ? any
                        : spread == Spread::kFew  ? static_cast<int32_t>(any % 3)
                        : spread == Spread::kOne  ? static_cast<int32_t>(only)
                        : spread == Spread::kNone ? beyond
                        : between(0, 4) == 0      ? beyond
                                                  : any);
    }
    return one;
  }

  void check(const Case& one) {
    SCOPED_TRACE(testing::Message() << one.tokens << " tokens, " << one.choices << " choices, " << one.experts
                                    << " experts, map of " << one.map.size() << ", chunks of " << one.chunk);
    const size_t all = one.ids.size(), experts = static_cast<size_t>(one.experts);
    Integers bits(all);  // of weights: any, NaN among them
    for (int32_t& each : bits) each = static_cast<int32_t>(random_());
    const IntegersOnGpu ids(one.ids), map(one.map), weights(bits);
    const Integers poison(all, kPoison);
    IntegersOnGpu offsets(Integers(experts + 1, kPoison)), tokens_of(poison), places(poison), sorted(poison);
    Description d{};
    d.tokens = one.tokens, d.choices = one.choices, d.experts = one.experts;
    d.ids = ids.data(), d.group_offsets = offsets.data();
    d.mapped_experts = std::ssize(one.map);
    if (!one.map.empty()) d.expert_map = map.data();
    if (one.tokens_of) d.tokens_of = tokens_of.data();
    if (one.places) d.places = places.data();
    if (one.weights) d.weights = weights.data<float>(), d.sorted_weights = sorted.data<float>();
    const int64_t count = one.tokens * one.choices;
    const auto chunks = one.chunk > 0 ? ExpertChunks::in_chunks(count, one.chunk, one.experts)
                                      : ExpertChunks::of(count, one.experts);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, static_cast<size_t>(chunks.bytes())));  // of ones
    if (one.chunk == 0) {
      size_t bytes = 1;
      ASSERT_EQ(wavesmith_kernels_sort_experts_workspace(&d, &bytes), WAVESMITH_KERNELS_SUCCESS);
      ASSERT_EQ(bytes, static_cast<size_t>(chunks.bytes()));
    }
    d.workspace_bytes = static_cast<size_t>(chunks.bytes());
    if (chunks.bytes() > 0) d.workspace = workspace.data();
    ASSERT_EQ(one.chunk > 0 ? sort_experts_in_chunks(d, chunks, nullptr)
                            : wavesmith_kernels_sort_experts(&d, nullptr),
              WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);

    std::vector<std::vector<size_t>> of_expert(experts);
    for (size_t i = 0; i < all; ++i)
      if (one.expert(i) >= 0) of_expert[static_cast<size_t>(one.expert(i))].push_back(i);
    Integers want_offsets{0}, want_tokens, want_places(all, -1), want_sorted;
    for (const std::vector<size_t>& rows : of_expert) {
      for (const size_t i : rows) {
        want_places[i] = static_cast<int32_t>(want_tokens.size());
        want_tokens.push_back(static_cast<int32_t>(i / static_cast<size_t>(one.choices)));
        want_sorted.push_back(bits[i]);
      }
      want_offsets.push_back(static_cast<int32_t>(want_tokens.size()));
    }
    want_tokens.resize(all, -1), want_sorted.resize(all, 0);
    const ErrorNote note;
    ASSERT_EQ(offsets.read(), want_offsets);
    ASSERT_EQ(tokens_of.read(), one.tokens_of ? want_tokens : poison);
    ASSERT_EQ(places.read(), one.places ? want_places : poison);
    ASSERT_EQ(sorted.read(), one.weights ? want_sorted : poison);
  }

  Spread any_spread() {
    return one_of({Spread::kEven, Spread::kEven, Spread::kFew, Spread::kOne, Spread::kNone, Spread::kWild});
  }
  int64_t any_experts() {
    return one_of<int64_t>({1, 2, 3, 8, 60, 128, 256, 384, 1023, 1024, between(1, 1024)});
  }
};

TEST_P(SortingExperts, OfFewTokensByOneWorkgroup) {
  for (int round = 0; round < 40; ++round) {
    Case one = any_case(one_of<int64_t>({1, 2, 7, 16, 64, between(1, 600)}), between(1, 10), any_experts(),
                        any_spread());
    one.tokens_of = between(0, 5) > 0, one.places = between(0, 5) > 0, one.weights = between(0, 2) > 0;
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(SortingExperts, InChunksOfAnySize) {
  for (int round = 0; round < 24; ++round) {
    Case one = any_case(between(1, 900), between(1, 10), any_experts(), any_spread());
    one.tokens_of = between(0, 5) > 0, one.places = between(0, 5) > 0, one.weights = between(0, 2) > 0;
    one.chunk = one_of<int64_t>({64, 100, 512, 4096, between(50, 3000)});
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(SortingExperts, OfManyTokensByManyWorkgroups) {
  check(any_case(5000, 8, 384, Spread::kEven));
  check(any_case(1025, 8, 8, Spread::kWild));
  check(any_case(40000, 1, 1, Spread::kOne));
  check(any_case(66000, 8, 1024, Spread::kEven));  // two steps each
}

TEST_P(SortingExperts, WithoutTokensOrChoicesAllExpertsAreEmpty) {
  check(any_case(0, 8, 60, Spread::kEven));
  check(any_case(9, 0, 1024, Spread::kEven));
}

INSTANTIATE_TEST_SUITE_P(On, SortingExperts, testing::Range(0, kGpuCount), gpu_name);

TEST(SortingExpertsRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_I32, 512));
  const auto at = [&](int64_t first) { return static_cast<int32_t*>(memory.data()) + first; };
  Description right{};
  right.tokens = 4, right.choices = 2, right.experts = 8, right.mapped_experts = 16;
  right.ids = at(0), right.expert_map = at(16), right.weights = reinterpret_cast<float*>(at(32));
  right.group_offsets = at(48), right.tokens_of = at(64), right.places = at(80);
  right.sorted_weights = reinterpret_cast<float*>(at(96));
  EXPECT_EQ(wavesmith_kernels_sort_experts(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_sort_experts, right,
      {{[](Description& d) { d.tokens = -1; }, kWrong, "sort_experts: tokens is negative"},
       {[](Description& d) { d.choices = -1; }, kWrong, "choices is negative"},
       {[](Description& d) { d.experts = 0; }, kWrong, "experts is 0, not in [1, 1024]"},
       {[](Description& d) { d.experts = 1025; }, kWrong, "experts is 1025"},
       {[](Description& d) { d.mapped_experts = 0; }, kWrong, "mapped_experts is 0"},
       {[](Description& d) { d.tokens = 1 << 23, d.choices = 3; }, kNot, "more than 2^24"},
       {[](Description& d) { d.ids = nullptr; }, kWrong, "ids is null"},
       {[](Description& d) { d.weights = nullptr; }, kWrong, "weights is null"},
       {[](Description& d) { d.group_offsets = nullptr; }, kWrong, "group_offsets is null"},
       {[](Description& d) {
          d.ids = reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(d.ids) + 2);
        },
        kWrong, "ids is not aligned to 4 bytes"},
       {[](Description& d) { d.group_offsets = const_cast<int32_t*>(d.ids); }, kWrong,
        "group_offsets overlaps ids"},
       {[](Description& d) { d.tokens_of = d.group_offsets + 8; }, kWrong,
        "tokens_of overlaps group_offsets"},
       {[](Description& d) { d.places = const_cast<int32_t*>(d.expert_map); }, kWrong,
        "places overlaps expert_map"},
       {[](Description& d) { d.sorted_weights = const_cast<float*>(d.weights); }, kWrong,
        "sorted_weights overlaps weights"},
       {[](Description& d) { d.workspace = d.places, d.workspace_bytes = 16; }, kWrong,
        "workspace overlaps places"},
       {[](Description& d) {
          d.tokens = 1 << 20, d.tokens_of = d.places = nullptr, d.sorted_weights = nullptr;
          d.ids = d.group_offsets + 32;
        },
        kWrong, "workspace is null"}});
  Description none = right;
  none.tokens = 0, none.ids = nullptr;
  EXPECT_EQ(wavesmith_kernels_sort_experts(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  size_t bytes = 1;
  EXPECT_EQ(wavesmith_kernels_sort_experts_workspace(&none, &bytes), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_EQ(bytes, 0U);
  expect_refused(wavesmith_kernels_sort_experts_workspace(nullptr, &bytes), kWrong, "description is null");
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
