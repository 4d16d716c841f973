#include "rocm/preload/redirect.h"

#include <gtest/gtest.h>

#include <string>

namespace wavesmith::rocm {
namespace {

constexpr ShownFolder kShown{"/root", "/sys/class/kfd\n/dev/kfd\n"};

std::string seen(const char* path, const ShownFolder& shown = kShown) {
  char buffer[PATH_MAX];
  return redirected(path, shown, buffer);
}

TEST(Redirect, TakesPathsUnderAPrefixAndThePrefixItself) {
  EXPECT_EQ(seen("/sys/class/kfd"), "/root/sys/class/kfd");
  EXPECT_EQ(seen("/sys/class/kfd/"), "/root/sys/class/kfd/");
  EXPECT_EQ(seen("/sys/class/kfd/kfd/topology"), "/root/sys/class/kfd/kfd/topology");
  EXPECT_EQ(seen("/dev/kfd"), "/root/dev/kfd");
}

TEST(Redirect, TakesPathsWithSlashesAndDotsInThem) {
  EXPECT_EQ(seen("//sys///class/./kfd/kfd"), "/root/sys/class/kfd/kfd");
  EXPECT_EQ(seen("/./sys/class/kfd/."), "/root/sys/class/kfd");
  EXPECT_EQ(seen("/sys/class/kfd/../kfd"), "/root/sys/class/kfd/../kfd");
  EXPECT_EQ(seen("/sys/class/kfd/.hidden"), "/root/sys/class/kfd/.hidden");
}

TEST(Redirect, LeavesEveryOtherPath) {
  for (const char* path :
       {"", "/", "sys/class/kfd", "/sys", "/sys/class", "/sys/class/kfdx", "/sys/class/kf", "/dev/kfd0",
        "/dev/null", "/home/sys/class/kfd", "/s", "//", "/../sys/class/kfd", "/tmp/a"})
    EXPECT_EQ(seen(path), path);
  char buffer[PATH_MAX];
  EXPECT_EQ(redirected(nullptr, kShown, buffer), nullptr);
  EXPECT_EQ(seen("/sys/class/kfd", ShownFolder{}), "/sys/class/kfd");
}

TEST(Redirect, LeavesPathsThatDoNotFit) {
  const std::string longest = "/sys/class/kfd/" + std::string(PATH_MAX - 15 - 6, 'a');
  EXPECT_EQ(seen(longest.c_str()), "/root" + longest);
  const std::string too_long = longest + "b";
  EXPECT_EQ(seen(too_long.c_str()), too_long);
}

TEST(Redirect, RestoresWhatAProgramKnows) {
  auto restored = [](std::string path) {
    restore(path.data(), kShown);
    return std::string(path.c_str());
  };
  EXPECT_EQ(restored("/root/sys/class/kfd"), "/sys/class/kfd");
  EXPECT_EQ(restored("/rootx/sys"), "/rootx/sys");
  EXPECT_EQ(restored("/root"), "/root");
}

}  // namespace
}  // namespace wavesmith::rocm
