// What the library offers beside HIP, as a client finds it.
#include "runtime/wavesmith.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/abi/device.h"
#include "runtime/abi/memory.h"

extern "C" {
hipError_t hipDeviceGetAttribute(int*, hipDeviceAttribute_t, int);
hipError_t hipFree(void*);
hipError_t hipMalloc(void**, size_t);
hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemPrefetchAsync(const void*, size_t, int, hipStream_t);
hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t);
hipError_t hipModuleLoadData(hipModule_t*, const void*);
hipError_t hipStreamSynchronize(hipStream_t);
}

namespace {

int sees_pageable_memory() {
  int value = -1;
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributePageableMemoryAccess, 0), hipSuccess);
  return value;
}

TEST(WavesmithApi, ShowsAllHostMemoryToAGpuThatIsNoApuAndTakesItBack) {
  int pageable[64] = {};
  ASSERT_EQ(sees_pageable_memory(), 0);
  EXPECT_EQ(hipMemPrefetchAsync(pageable, sizeof pageable, 0, nullptr), hipErrorInvalidValue);
  wavesmith_show_host_memory(1);
  EXPECT_EQ(sees_pageable_memory(), 1);
  EXPECT_EQ(hipMemPrefetchAsync(pageable, sizeof pageable, 0, nullptr), hipSuccess);
  wavesmith_show_host_memory(0);
  EXPECT_EQ(sees_pageable_memory(), 0);
  EXPECT_EQ(hipMemPrefetchAsync(pageable, sizeof pageable, 0, nullptr), hipErrorInvalidValue);
}

TEST(WavesmithApi, TellsTheLastFailureCutToTheRoomThatThereIs) {
  const char no_code[64] = "not a code object";
  hipModule_t module = nullptr;
  ASSERT_NE(hipModuleLoadData(&module, no_code), hipSuccess);
  std::string text(wavesmith_last_failure(nullptr, 0) + 1, '?');
  ASSERT_GT(text.size(), 10u);
  EXPECT_EQ(wavesmith_last_failure(text.data(), text.size()), text.size() - 1);
  EXPECT_EQ(text.back(), '\0');
  EXPECT_EQ(text.find('?'), std::string::npos) << text;
  char five[5];
  EXPECT_EQ(wavesmith_last_failure(five, sizeof five), text.size() - 1);
  EXPECT_EQ(std::string(five), text.substr(0, 4));
}

TEST(WavesmithApi, RecordsWhatStreamsDoOnTheModelledClockWhileItIsAsked) {
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, 1 << 20), hipSuccess);
  EXPECT_EQ(wavesmith_model_time(1), 0);
  const uint64_t before = wavesmith_asked();
  EXPECT_EQ(hipMemsetAsync(memory, 1, 1 << 20, nullptr), hipSuccess);
  const uint64_t between = wavesmith_asked();
  EXPECT_EQ(
      hipMemcpyAsync(memory, static_cast<char*>(memory) + (1 << 19), 1 << 19, hipMemcpyDefault, nullptr),
      hipSuccess);
  EXPECT_EQ(wavesmith_model_time(0), 1);
  EXPECT_EQ(hipMemsetAsync(memory, 2, 1 << 20, nullptr), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  ASSERT_EQ(wavesmith_timed_count(), 2u);
  wavesmith_timed fill{}, copy{};
  EXPECT_EQ(wavesmith_timed_at(0, &fill) + wavesmith_timed_at(1, &copy) + wavesmith_timed_at(2, &copy), 2);
  EXPECT_STREQ(fill.name, "fill");
  EXPECT_STREQ(copy.name, "copy");
  EXPECT_STREQ(fill.bound, "memory");
  EXPECT_TRUE(before <= fill.number && fill.number < between && between <= copy.number);
  EXPECT_EQ(fill.stream, copy.stream);
  EXPECT_EQ(fill.device, 0);
  EXPECT_LT(fill.begin, fill.end);
  EXPECT_LE(fill.end, copy.begin);
  // 1 MiB takes less than a millisecond on any of these GPUs, and more than the latency of memory.
  EXPECT_GT(fill.end - fill.begin, 2e-7);
  EXPECT_LT(copy.end - copy.begin, 1e-3);
  EXPECT_EQ(wavesmith_model_time(1), 0);
  EXPECT_EQ(wavesmith_timed_count(), 0u);
  EXPECT_EQ(wavesmith_model_time(0), 1);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST(WavesmithApi, ChecksLaunchesWhileItIsAsked) {
  EXPECT_EQ(wavesmith_check_end(), 0u);
  EXPECT_EQ(wavesmith_check_begin("race,rice"), 1);
  EXPECT_EQ(wavesmith_check_begin("sync"), 0);
  EXPECT_EQ(wavesmith_check_begin("sync"), 1);
  const size_t size = wavesmith_check_end();
  ASSERT_GT(size, 0u);
  std::string text(size, 0);
  EXPECT_EQ(wavesmith_check_report(text.data(), text.size() + 1), size);
  EXPECT_NE(text.find("\"sync\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"findings\": []"), std::string::npos) << text;
  EXPECT_EQ(wavesmith_check_end(), 0u);
}

TEST(WavesmithApi, TellsTheFieldsOfAGpu) {
  char text[64];
  EXPECT_EQ(wavesmith_gpu_field(0, "compute.units", text, sizeof text), 3u);
  EXPECT_STREQ(text, "304");
  EXPECT_EQ(wavesmith_gpu_field(0, "node", text, sizeof text), 1u);
  EXPECT_STREQ(text, "1");
  EXPECT_EQ(wavesmith_gpu_field(0, "uuid", text, sizeof text), 20u);
  EXPECT_EQ(wavesmith_gpu_field(0, "no.such.field", text, sizeof text), 0u);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(wavesmith_gpu_field(99, "compute.units", text, sizeof text), 0u);
}

}  // namespace
