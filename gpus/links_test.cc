#include "gpus/links.h"

#include <gtest/gtest.h>

namespace wavesmith::gpus {
namespace {

Route route(const char* machine, int from, int to) {
  const auto gpus = find_machine(machine).value();
  const Route there = route_between(gpus, from, to), back = route_between(gpus, to, from);
  EXPECT_EQ(there.hops, back.hops);
  EXPECT_EQ(there.gigabytes_per_second, back.gigabytes_per_second);
  return there;
}

TEST(Links, EightMi300xAreFullyConnected) {
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b) {
      const Route between = route("mi300x:8", a, b);
      EXPECT_EQ(between.kind, Route::Kind::Xgmi);
      EXPECT_EQ(between.hops, 1u);
      EXPECT_EQ(between.gigabytes_per_second, 64);
    }
}

TEST(Links, ModulesOfMi250xAreJoinedByFourTwoOrOne) {
  EXPECT_EQ(route("mi250x:8", 0, 1).links, 4u);
  EXPECT_EQ(route("mi250x:8", 0, 1).gigabytes_per_second, 200);
  EXPECT_EQ(route("mi250x:8", 0, 6).links, 2u);
  EXPECT_EQ(route("mi250x:8", 0, 2).links, 1u);
  const Route far = route("mi250x:8", 0, 3);
  EXPECT_EQ(far.kind, Route::Kind::Xgmi);
  EXPECT_EQ(far.hops, 2u);
  EXPECT_EQ(far.links, 0u);
  EXPECT_EQ(far.gigabytes_per_second, 50);
  // No two dies of a node are more than three links apart.
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b) EXPECT_LE(route("mi250x:8", a, b).hops, 3u);
}

TEST(Links, RadeonsAndOtherKindsMeetOverPcie) {
  const Route cards = route("rx9070xt:2", 0, 1);
  EXPECT_EQ(cards.kind, Route::Kind::Pcie);
  EXPECT_EQ(cards.gigabytes_per_second, 64);
  EXPECT_EQ(route("mi300x:2,rx7900xtx", 1, 2).gigabytes_per_second, 32);
  EXPECT_EQ(route("mi300x:2,rx7900xtx", 0, 1).kind, Route::Kind::Xgmi);
}

TEST(Links, WhatNoLinkReachesIsAnotherHive) {
  const auto nine = find_machine("mi300x:9").value();
  EXPECT_EQ(hive_of(nine, 7), 0);
  EXPECT_EQ(hive_of(nine, 8), 1);
  EXPECT_EQ(route("mi300x:9", 0, 8).kind, Route::Kind::Pcie);
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
