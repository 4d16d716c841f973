#include "check/race/sync_order.h"

#include <gtest/gtest.h>

namespace wavesmith::check {
namespace {

using enum SyncEntry::What;

/// Logs of workgroups, told in the order of time.
class Told {
 public:
  Told& add(uint32_t workgroup, SyncEntry::What what, uint64_t place = 8, bool visible = true) {
    SyncLog& log = logs_[workgroup];
    log.use();
    log.add({.stamp = ++stamp_, .place = place, .what = what, .visible = visible});
    return *this;
  }
  [[nodiscard]] Order ask(const OrderQuestion& question) {
    SyncOrder order;
    for (const auto& [workgroup, log] : logs_) order.add(workgroup, log);
    std::map<OrderQuestion, Order> questions{{question, {}}};
    order.answer(questions);
    return questions[question];
  }

 private:
  std::map<uint32_t, SyncLog> logs_;
  uint64_t stamp_ = 0;
};

TEST(SyncOrder, WhatCameBeforeAReleaseIsSeenBehindAnAcquire) {
  Told told;
  told.add(0, Release).add(1, Acquire).add(1, Invalidate);
  EXPECT_TRUE(told.ask({0, 0, 1, 1}).ordered);
  EXPECT_FALSE(told.ask({0, 0, 1, 1}).seen) << "not before the invalidation";
  EXPECT_TRUE(told.ask({0, 0, 1, 2}).seen);
  EXPECT_FALSE(told.ask({0, 0, 1, 0}).ordered) << "not before the acquire";
  EXPECT_FALSE(told.ask({0, 1, 1, 2}).ordered) << "what came behind the release";
  EXPECT_FALSE(told.ask({1, 0, 0, 1}).ordered) << "the other way round";
}

TEST(SyncOrder, AReleaseThatWritesNothingBackOrdersAlone) {
  Told told;
  told.add(0, Release, 8, false).add(1, Acquire).add(1, Invalidate);
  const Order order = told.ask({0, 0, 1, 2});
  EXPECT_TRUE(order.ordered);
  EXPECT_FALSE(order.visible);
  EXPECT_FALSE(order.seen);
}

TEST(SyncOrder, WhatWasShownStaysSoWhereLaterStoresAreNot) {
  Told told;
  told.add(0, Shown, 0).add(0, Release, 8, false).add(1, Acquire).add(1, Invalidate);
  EXPECT_TRUE(told.ask({0, 0, 1, 2}).seen);
  EXPECT_TRUE(told.ask({0, 1, 1, 2}).ordered);
  EXPECT_FALSE(told.ask({0, 1, 1, 2}).visible) << "what came behind it";
}

TEST(SyncOrder, AStoreIsSeenByWhoReadsItAlone) {
  Told told;
  told.add(0, Release, 0).add(0, Store, 8).add(1, Acquire, 8).add(1, Invalidate);
  EXPECT_TRUE(told.ask({0, 1, 1, 2}).seen);
  told.add(0, Release, 16, false).add(2, Acquire, 16).add(2, Invalidate);
  EXPECT_TRUE(told.ask({0, 1, 2, 2}).ordered);
  EXPECT_FALSE(told.ask({0, 1, 2, 2}).visible);
  EXPECT_TRUE(told.ask({0, 0, 2, 2}).seen) << "what came before the store";
}

TEST(SyncOrder, GoesOnThroughOthers) {
  Told told;
  told.add(0, Release).add(1, Acquire).add(1, Release, 16).add(2, Acquire, 16).add(2, Invalidate);
  EXPECT_TRUE(told.ask({0, 0, 2, 2}).seen);
}

TEST(SyncOrder, OtherPlacesAndEarlierAcquiresOrderNothing) {
  Told told;
  told.add(1, Acquire).add(0, Release).add(2, Acquire, 16);
  EXPECT_FALSE(told.ask({0, 0, 1, 1}).ordered);
  EXPECT_FALSE(told.ask({0, 0, 2, 1}).ordered);
}

TEST(SyncLog, WaitingDoesNotMakeItLonger) {
  SyncLog log;
  for (int i = 0; i < 100; ++i) log.add({.place = 8, .what = Acquire});
  EXPECT_EQ(log.segment(), 1u);
  for (int i = 0; i < 100; ++i) {
    log.add({.place = 16, .what = Release});
    log.add({.place = 16, .what = Acquire});
  }
  EXPECT_LE(log.segment(), 4u);
  log.use();
  log.add({.place = 16, .what = Release});
  EXPECT_LE(log.segment(), 5u);
  EXPECT_TRUE(log.entries().back().what == Release);
}

}  // namespace
}  // namespace wavesmith::check
