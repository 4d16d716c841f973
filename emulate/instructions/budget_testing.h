// For tests: what a launch says that had used up what it was given.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "emulate/run/dispatch.h"

namespace wavesmith::emulate {

/// The launch was ended because it had its time or its instructions, at the instruction `at`.
inline void expect_out_of_budget(const Result<Statistics>& launched, std::string_view at = {}) {
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().kind, ErrorKind::Budget);
  EXPECT_NE(launched.error().where.find(at), std::string::npos) << launched.error().text();
}

}  // namespace wavesmith::emulate
