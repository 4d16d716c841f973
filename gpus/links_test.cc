#include "gpus/links.h"

#include <gtest/gtest.h>

namespace wavesmith::gpus {
namespace {

Way way(const char* machine, int from, int to) {
  const auto gpus = find_machine(machine).value();
  const Way there = way_between(gpus, from, to), back = way_between(gpus, to, from);
  EXPECT_EQ(there.hops, back.hops);
  EXPECT_EQ(there.gigabytes_per_second, back.gigabytes_per_second);
  return there;
}

TEST(Links, EightMi300xAreFullyConnected) {
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b) {
      const Way between = way("mi300x:8", a, b);
      EXPECT_EQ(between.kind, Way::Kind::Xgmi);
      EXPECT_EQ(between.hops, 1u);
      EXPECT_EQ(between.gigabytes_per_second, 64);
    }
}

TEST(Links, ModulesOfMi250xAreJoinedByFourTwoOrOne) {
  EXPECT_EQ(way("mi250x:8", 0, 1).links, 4u);
  EXPECT_EQ(way("mi250x:8", 0, 1).gigabytes_per_second, 200);
  EXPECT_EQ(way("mi250x:8", 0, 6).links, 2u);
  EXPECT_EQ(way("mi250x:8", 0, 2).links, 1u);
  const Way far = way("mi250x:8", 0, 3);
  EXPECT_EQ(far.kind, Way::Kind::Xgmi);
  EXPECT_EQ(far.hops, 2u);
  EXPECT_EQ(far.links, 0u);
  EXPECT_EQ(far.gigabytes_per_second, 50);
  // No two dies of a node are more than three links apart.
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b) EXPECT_LE(way("mi250x:8", a, b).hops, 3u);
}

TEST(Links, RadeonsAndOtherKindsMeetOverPcie) {
  const Way cards = way("rx9070xt:2", 0, 1);
  EXPECT_EQ(cards.kind, Way::Kind::Pcie);
  EXPECT_EQ(cards.gigabytes_per_second, 64);
  EXPECT_EQ(way("mi300x:2,rx7900xtx", 1, 2).gigabytes_per_second, 32);
  EXPECT_EQ(way("mi300x:2,rx7900xtx", 0, 1).kind, Way::Kind::Xgmi);
}

TEST(Links, WhatNoLinkReachesIsAnotherHive) {
  const auto nine = find_machine("mi300x:9").value();
  EXPECT_EQ(hive_of(nine, 7), 0);
  EXPECT_EQ(hive_of(nine, 8), 1);
  EXPECT_EQ(way("mi300x:9", 0, 8).kind, Way::Kind::Pcie);
  const auto mixed = find_machine("mi300x,mi325x,rx7900xtx:2").value();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(hive_of(mixed, i), i);
}

TEST(Links, AMatrixThatDisagreesIsRefused) {
  const std::string text = R"(like = "mi300x"
name = "x"
source = "a test"
[links]
source = "a test"
peers = )";
  EXPECT_FALSE(parse_gpu(text + "[0, 1, 2, 0]", "x.toml"));
  EXPECT_FALSE(parse_gpu(text + "[0, 1, 1]", "x.toml"));
  EXPECT_FALSE(parse_gpu(text + "[1]", "x.toml"));
  EXPECT_FALSE(parse_gpu(text + "[]", "x.toml"));
  EXPECT_TRUE(parse_gpu(text + "[0, 2, 2, 0]", "x.toml"));
}

}  // namespace
}  // namespace wavesmith::gpus
