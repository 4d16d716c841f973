#include "check/stream/order.h"

#include <gtest/gtest.h>

namespace wavesmith::check {
namespace {

StreamPoint point(uint64_t stream, uint64_t number) { return {.stream = stream, .number = number}; }

/// Asks for work and gives what is before it.
OrderedWork ask(StreamOrder& order, uint64_t stream, uint64_t number, std::vector<StreamPoint> after = {}) {
  order.asked({.at = point(stream, number), .after = std::move(after)});
  return order.work(point(stream, number)).value();
}

TEST(StreamOrder, AStreamsWorkIsInItsOrder) {
  StreamOrder order;
  const OrderedWork a = ask(order, 1, 1), b = ask(order, 1, 2), other = ask(order, 2, 1);
  EXPECT_TRUE(order.is_before(a, b));
  EXPECT_FALSE(order.is_before(b, a));
  EXPECT_FALSE(order.is_before(a, other));
  EXPECT_FALSE(order.is_before(other, a));
}

TEST(StreamOrder, WhatIsWaitedForBringsWhatIsBeforeIt) {
  StreamOrder order;
  const OrderedWork a = ask(order, 1, 1), later = ask(order, 1, 2), b = ask(order, 2, 1, {point(1, 1)}),
                    c = ask(order, 3, 1, {point(2, 1)}), d = ask(order, 3, 2);
  EXPECT_TRUE(order.is_before(a, b));
  EXPECT_TRUE(order.is_before(a, c));
  EXPECT_TRUE(order.is_before(a, d));
  EXPECT_FALSE(order.is_before(later, b));
  EXPECT_EQ(order.first_beside(d, 1), 2u);
}

TEST(StreamOrder, TheHostsKnowledgeIsOfTheTimeOfTheCall) {
  StreamOrder order;
  const OrderedWork a = ask(order, 1, 1), early = ask(order, 2, 1);
  order.ran(point(1, 1));
  order.known(point(1, 1));
  const OrderedWork late = ask(order, 2, 2);
  EXPECT_FALSE(order.is_before(a, early));
  EXPECT_TRUE(order.is_before(a, late));
  EXPECT_FALSE(order.is_past(a)) << "the early one has not run";
  order.ran(point(2, 1));
  EXPECT_TRUE(order.is_past(a));
  EXPECT_FALSE(order.is_idle());
  order.ran(point(2, 2));
  EXPECT_TRUE(order.is_idle());
}

TEST(StreamOrder, WhatTheHostKnowsBringsWhatIsBeforeIt) {
  StreamOrder order;
  const OrderedWork a = ask(order, 1, 1);
  (void)ask(order, 2, 1, {point(1, 1)});
  order.known(point(2, 1));
  EXPECT_TRUE(order.is_before(a, ask(order, 3, 1)));
}

TEST(StreamOrder, AStreamThatIsGoneIsBeforeAllThatComes) {
  StreamOrder order;
  const OrderedWork a = ask(order, 1, 1), beside = ask(order, 2, 1);
  order.ran(point(1, 1));
  order.ended(1);
  EXPECT_FALSE(order.is_before(a, beside));
  EXPECT_TRUE(order.is_before(a, ask(order, 2, 2)));
  EXPECT_FALSE(order.is_past(a));
  order.ran(point(2, 2));
  EXPECT_TRUE(order.is_past(a));
}

TEST(StreamOrder, BranchesOfAGraphAreNotOrdered) {
  StreamOrder order;
  order.asked({.at = point(1, 1)});
  const auto graph = std::make_shared<const GraphOrder>(GraphOrder{{}, {true}, {true}, {true, true, true}});
  const auto step = [&](uint32_t number) {
    return order.work({.stream = 1, .number = 1, .step = number, .graph = graph}).value();
  };
  EXPECT_TRUE(order.is_before(step(0), step(1)));
  EXPECT_FALSE(order.is_before(step(1), step(2)));
  EXPECT_TRUE(order.is_before(step(2), step(3)));
}

}  // namespace
}  // namespace wavesmith::check
