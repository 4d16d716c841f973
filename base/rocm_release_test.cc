#include "base/rocm_release.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace wavesmith {
namespace {

TEST(RocmRelease, IsReadFromAVersion) {
  EXPECT_EQ(rocm_release_named("6.3"), (RocmRelease{6, 3, 0, 0}));
  EXPECT_EQ(rocm_release_named("5"), (RocmRelease{5, 0, 0, 0}));
  EXPECT_EQ(rocm_release_named("7.1"), kRocmRelease);
  for (const char* wrong : {"", "3.9", "8.0", "6.x", "6.3.1", "six", "6.100", "-6"})
    EXPECT_FALSE(rocm_release_named(wrong)) << wrong;
}

TEST(RocmRelease, IsOursUnlessAnotherIsAskedFor) {
  unsetenv("WAVESMITH_HIP_VERSION");
  EXPECT_EQ(rocm_release(), kRocmRelease);
  setenv("WAVESMITH_HIP_VERSION", "6.2", 1);
  EXPECT_EQ(rocm_release(), (RocmRelease{6, 2, 0, 0}));
  setenv("WAVESMITH_HIP_VERSION", "latest", 1);
  EXPECT_EQ(rocm_release(), kRocmRelease);
  unsetenv("WAVESMITH_HIP_VERSION");
}

}  // namespace
}  // namespace wavesmith
