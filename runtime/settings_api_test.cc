#include <gtest/gtest.h>

#include "runtime/abi/device.h"

extern "C" {
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value);
hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit);
}

namespace {

TEST(Limits, AreRememberedWithinWhatTheyMayBe) {
  size_t value = 0;
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, 4096), hipSuccess);
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, size_t{1} << 30), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 4096u);
}

TEST(Limits, ThatDoNotExistAreUnsupported) {
  size_t value = 0;
  EXPECT_EQ(hipDeviceSetLimit(static_cast<hipLimit_t>(-1), 1), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceGetLimit(&value, static_cast<hipLimit_t>(-1)), hipErrorUnsupportedLimit);
}

}  // namespace
