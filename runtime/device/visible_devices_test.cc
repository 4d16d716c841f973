#include "runtime/device/visible_devices.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/abi/device.h"
#include "runtime/abi/handles.h"
#include "runtime/api/error.h"

extern "C" {
hipError_t hipGetDeviceCount(int*);
hipError_t hipSetDevice(int);
hipError_t hipMemGetInfo(size_t*, size_t*);
hipError_t hipMalloc(void**, size_t);
hipError_t hipDeviceGetName(char*, int, hipDevice_t);
hipError_t hipDeviceGetPCIBusId(char*, int, int);
}

namespace wavesmith::runtime {
namespace {

using Numbers = std::vector<int>;

TEST(VisibleDevices, AreThoseOfTheListUpToOneThatIsNone) {
  const std::vector<std::string> gpus = {"GPU-00000000000000a0", "GPU-00000000000000a1",
                                         "GPU-00000000000000b2"};
  EXPECT_EQ(visible_devices("1", gpus), Numbers{1});
  EXPECT_EQ(visible_devices("2,0", gpus), (Numbers{2, 0}));
  EXPECT_EQ(visible_devices("0,0,1,0", gpus), (Numbers{0, 1}));
  EXPECT_EQ(visible_devices("1,3,0", gpus), Numbers{1});
  EXPECT_EQ(visible_devices("-1", gpus), Numbers{});
  EXPECT_EQ(visible_devices("1,-1,0", gpus), Numbers{1});
  EXPECT_EQ(visible_devices("01", gpus), Numbers{});
  EXPECT_EQ(visible_devices(" 1", gpus), Numbers{});
  EXPECT_EQ(visible_devices("1,", gpus), Numbers{1});
  EXPECT_EQ(visible_devices(",1", gpus), Numbers{});
  EXPECT_EQ(visible_devices("none", gpus), Numbers{});
  EXPECT_EQ(visible_devices("GPU-00000000000000b2,0", gpus), (Numbers{2, 0}));
  EXPECT_EQ(visible_devices("GPU-00000000000000c3,0", gpus), Numbers{});
}

/// What a process answers that is started with these variables.
void expect_in_a_process(const std::vector<std::pair<const char*, const char*>>& variables, void (*check)()) {
  EXPECT_EXIT(
      {
        setenv("WAVESMITH_GPU", "mi300x:2,rx7900xtx", 1);
        for (const auto& [name, value] : variables) setenv(name, value, 1);
        check();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

std::string name_of(int device) {
  char name[256] = {};
  EXPECT_EQ(hipDeviceGetName(name, sizeof name, device), hipSuccess);
  return name;
}

TEST(VisibleDevicesDeathTest, AreNumberedAnewAndStayWhereTheyArePlugged) {
  expect_in_a_process({{"HIP_VISIBLE_DEVICES", "2,1"}}, [] {
    int count = 0;
    EXPECT_EQ(hipGetDeviceCount(&count), hipSuccess);
    EXPECT_EQ(count, 2);
    EXPECT_NE(name_of(0).find("7900"), std::string::npos);
    EXPECT_NE(name_of(1).find("MI300X"), std::string::npos);
    char slot[64] = {};
    EXPECT_EQ(hipDeviceGetPCIBusId(slot, sizeof slot, 0), hipSuccess);
    EXPECT_STREQ(slot, "0000:25:00.0");
    EXPECT_EQ(hipSetDevice(2), hipErrorInvalidDevice);
  });
  // ROCR_VISIBLE_DEVICES hides GPUs below HIP, which numbers what is left; CUDA_VISIBLE_DEVICES is HIP's
  // where HIP_VISIBLE_DEVICES is not set.
  expect_in_a_process({{"ROCR_VISIBLE_DEVICES", "1,2"}, {"CUDA_VISIBLE_DEVICES", "1"}}, [] {
    int count = 0;
    EXPECT_EQ(hipGetDeviceCount(&count), hipSuccess);
    EXPECT_EQ(count, 1);
    EXPECT_NE(name_of(0).find("7900"), std::string::npos);
  });
}

TEST(VisibleDevicesDeathTest, MayHaveMemoryHidden) {
  expect_in_a_process({{"HIP_HIDDEN_FREE_MEM", "4096"}}, [] {
    size_t free = 0, total = 0;
    EXPECT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
    EXPECT_EQ(total - free, size_t{4} << 30);
  });
}

TEST(VisibleDevicesDeathTest, NoneIsAnErrorOfEveryCall) {
  expect_in_a_process({{"HIP_VISIBLE_DEVICES", "-1"}, {"CUDA_VISIBLE_DEVICES", "0"}}, [] {
    int count = 7;
    EXPECT_EQ(hipGetDeviceCount(&count), hipErrorNoDevice);
    EXPECT_EQ(count, 0);
    void* pointer = nullptr;
    EXPECT_EQ(hipMalloc(&pointer, 16), hipErrorNoDevice);
    EXPECT_EQ(hipSetDevice(0), hipErrorNoDevice);
  });
}

}  // namespace
}  // namespace wavesmith::runtime
