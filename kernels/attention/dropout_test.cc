// Which weights attention's dropout keeps: the function on the host.
#include <array>
#include <cmath>

#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;

std::vector<uint8_t> kept(const Description& attention, int64_t batch, int64_t head, int64_t query,
                          int64_t first, int64_t keys) {
  std::vector<uint8_t> all(static_cast<size_t>(keys), 7);
  EXPECT_EQ(
      wavesmith_kernels_attention_dropout(&attention, batch, head, query, first, keys, all.data(), nullptr),
      WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  return all;
}
float factor_of(float dropout) {
  const Description attention{.heads_q = 1, .dropout = dropout};
  float factor = 0;
  EXPECT_EQ(wavesmith_kernels_attention_dropout(&attention, 0, 0, 0, 0, 0, nullptr, &factor),
            WAVESMITH_KERNELS_SUCCESS);
  return factor;
}

/// Within five standard deviations of so many draws of a probability.
void expect_share(int64_t found, int64_t draws, double probability, const char* what) {
  const double mean = probability * static_cast<double>(draws);
  EXPECT_LE(std::abs(static_cast<double>(found) - mean), 5 * std::sqrt(mean * (1 - probability))) << what;
}

TEST(AttentionDropout, FactorsMakeUpForWhatIsDropped) {
  EXPECT_EQ(factor_of(0), 1);
  EXPECT_EQ(factor_of(0.5F), 2);
  EXPECT_EQ(factor_of(0.1F), 256.0F / 230);  // 25.6 rounded to 26
  EXPECT_EQ(factor_of(1e-9F), 256.0F / 255);
  EXPECT_EQ(factor_of(0.9999F), 256);
  for (const uint8_t one : kept({.heads_q = 1}, 0, 0, 0, 0, 1000)) EXPECT_EQ(one, 1);
}

TEST(AttentionDropout, KeepsTheShareThatIsAskedAndNeighboursAreIndependent) {
  constexpr int64_t kQueries = 200, kKeys = 1000;
  for (const int dropped : {1, 26, 127, 128, 129, 200, 255}) {
    const Description attention{.heads_q = 3,
                                .dropout = static_cast<float>(dropped) / 256,
                                .dropout_seed = 0x123456789abcdef0,
                                .dropout_offset = 400};
    const double share = 1 - dropped / 256.0;
    int64_t all = 0;
    // Along keys, along queries, between heads, batches, halves of a span, and draws that follow each other.
    std::array<int64_t, 6> both{};
    Description next = attention;
    next.dropout_offset += 4 * 2 * 3;  // of 2 batches
    for (int64_t query = 0; query < kQueries; ++query) {
      const auto here = kept(attention, 1, 1, query, 0, kKeys);
      const std::array<std::vector<uint8_t>, 6> others = {
          kept(attention, 1, 1, query, 1, kKeys),  kept(attention, 1, 1, query + 1, 0, kKeys),
          kept(attention, 1, 2, query, 0, kKeys),  kept(attention, 0, 1, query, 0, kKeys),
          kept(attention, 1, 1, query, 16, kKeys), kept(next, 1, 1, query, 0, kKeys)};
      for (size_t i = 0; i < kKeys; ++i) {
        all += here[i];
        for (size_t k = 0; k < both.size(); ++k) both[k] += here[i] & others[k][i];
      }
    }
    expect_share(all, kQueries * kKeys, share, "kept");
    for (const int64_t pairs : both) expect_share(pairs, kQueries * kKeys, share * share, "pairs");
  }
}

TEST(AttentionDropout, BytesAreThoseOfRandom123) {
  // Its kat_vectors: philox4x32 of 7 rounds, counter and key 0.
  constexpr std::array<uint32_t, 4> kWords = {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48};
  for (int64_t number = 0; number < 16; ++number) {
    // The first eight keys from the lower halves of the words, byte by byte, the third eight from the upper
    // ones.
    const int64_t key = number % 8 + number / 8 * 16;
    const auto byte = static_cast<int>(kWords[static_cast<size_t>(number % 4)] >> (number / 4 * 8) & 0xff);
    for (int dropped = 1; dropped < 256; ++dropped) {
      const Description attention{.heads_q = 1, .dropout = static_cast<float>(dropped) / 256};
      ASSERT_EQ(kept(attention, 0, 0, 0, key, 1)[0], byte >= dropped ? 1 : 0) << key << " " << dropped;
    }
  }
}

TEST(AttentionDropout, RefusesWhatThereIsNot) {
  const Description right{.heads_q = 2, .dropout = 0.5F};
  uint8_t one = 0;
  const auto refused = [&](const Description& a, int64_t batch, int64_t head, int64_t query, int64_t key,
                           int64_t keys, uint8_t* to, const char* says) {
    expect_refused(wavesmith_kernels_attention_dropout(&a, batch, head, query, key, keys, to, nullptr),
                   WAVESMITH_KERNELS_INVALID_ARGUMENT, says);
  };
  refused(right, -1, 0, 0, 0, 1, &one, "batch is -1");
  refused(right, 0, 2, 0, 0, 1, &one, "head is 2, not in [0, 2)");
  refused(right, 0, 0, int64_t{1} << 40, 0, 1, &one, "query is 1099511627776");
  refused(right, 0, 0, 0, -1, 1, &one, "first_key is -1");
  refused(right, 0, 0, 0, 0, -1, &one, "keys is -1");
  refused(right, 0, 0, 0, 0, 1, nullptr, "kept is null");
  refused({.heads_q = 2, .dropout = 1}, 0, 0, 0, 0, 1, &one, "dropout is 1");
  EXPECT_EQ(wavesmith_kernels_attention_dropout(nullptr, 0, 0, 0, 0, 1, &one, nullptr),
            WAVESMITH_KERNELS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace wavesmith::kernels
