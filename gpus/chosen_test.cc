#include "gpus/chosen.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace wavesmith::gpus {
namespace {

TEST(ChosenGpu, IsTheOneNamedElseTheEnvironmentsElseTheDefault) {
  ASSERT_EQ(unsetenv("WAVESMITH_GPU"), 0);
  EXPECT_EQ(chosen_devices(), kDefaultGpu);
  ASSERT_EQ(setenv("WAVESMITH_GPU", "", 1), 0);
  EXPECT_EQ(chosen_devices(), kDefaultGpu) << "an empty variable names nothing";
  ASSERT_EQ(setenv("WAVESMITH_GPU", "mi210:2,rx7900xtx", 1), 0);
  EXPECT_EQ(chosen_devices(), "mi210:2,rx7900xtx");
  EXPECT_EQ(chosen_devices("mi355x"), "mi355x");
  const auto machine = chosen_machine();
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->size(), 3u);
  EXPECT_EQ((*chosen_gpu())->id, "mi210");
  EXPECT_EQ((*chosen_gpu("mi355x:8"))->id, "mi355x");
  ASSERT_EQ(setenv("WAVESMITH_GPU", "mi999", 1), 0);
  EXPECT_FALSE(chosen_gpu()) << "a GPU that does not exist is not replaced by the default";
  EXPECT_TRUE(chosen_gpu("mi355x"));
  ASSERT_EQ(unsetenv("WAVESMITH_GPU"), 0);
}

}  // namespace
}  // namespace wavesmith::gpus
