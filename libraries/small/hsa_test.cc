// HSA's functions, looked up as programs look them up.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "libraries/shim/testing.h"

namespace {

using Handle = uint64_t;
using Callback = int (*)(Handle, void*);

constexpr int kInvalidArgument = 0x1001, kInvalidAgent = 0x1004, kNotInitialized = 0x100b,
              kNotSupported = 0x1000;

class Hsa : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(call<int()>("hsa_init")(), 0); }
  void TearDown() override { EXPECT_EQ(call<int()>("hsa_shut_down")(), 0); }

  template <class F>
  static F* call(const char* name) {
    static void* const library = wavesmith::libraries::open_library("libhsa-runtime64.so.1");
    void* const function = library ? dlvsym(library, name, "ROCR_1") : nullptr;
    EXPECT_NE(function, nullptr) << name;
    return reinterpret_cast<F*>(function);
  }
  static int note(Handle handle, void* list) {
    static_cast<std::vector<Handle>*>(list)->push_back(handle);
    return 0;
  }
  static std::vector<Handle> agents() {
    std::vector<Handle> list;
    EXPECT_EQ(call<int(Callback, void*)>("hsa_iterate_agents")(note, &list), 0);
    return list;
  }
  static std::vector<Handle> of(const char* iterate, Handle agent) {
    std::vector<Handle> list;
    EXPECT_EQ(call<int(Handle, Callback, void*)>(iterate)(agent, note, &list), 0);
    return list;
  }
  template <class T>
  static T info(const char* function, Handle handle, uint32_t attribute) {
    T value{};
    EXPECT_EQ(call<int(Handle, uint32_t, void*)>(function)(handle, attribute, &value), 0) << attribute;
    return value;
  }
  template <class T>
  static T agent(Handle handle, uint32_t attribute) {
    return info<T>("hsa_agent_get_info", handle, attribute);
  }
  struct Text {
    char text[96];
  };
};

TEST_F(Hsa, AgentsAreTheCoresAndThenHipsDevices) {
  const std::vector<Handle> all = agents();
  auto* const count = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "hipGetDeviceCount"));
  ASSERT_GE(all.size(), 2u);
  if (int devices = 0; count && count(&devices) == 0) EXPECT_EQ(all.size(), static_cast<size_t>(devices) + 1);
  EXPECT_EQ(agent<uint32_t>(all[0], 17), 0u);  // a CPU
  EXPECT_EQ(agent<uint32_t>(all[0], 16), 0u);  // of node 0
  EXPECT_GT(agent<uint32_t>(all[0], 0xa002), 0u);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(agent<uint32_t>(all[i], 17), 1u);
    EXPECT_EQ(agent<uint32_t>(all[i], 16), i);
    EXPECT_EQ(agent<Handle>(all[i], 0xa113), all[0]);
  }
}

// The default GPU of tests is an MI300X in the first slot.
TEST_F(Hsa, AGpuSaysWhatItsDataFileSays) {
  const Handle gpu = agents()[1];
  EXPECT_STREQ(agent<Text>(gpu, 0).text, "gfx942");
  EXPECT_STREQ(agent<Text>(gpu, 0xa009).text, "AMD Instinct MI300X");
  EXPECT_STREQ(agent<Text>(gpu, 1).text, "AMD");
  EXPECT_EQ(std::string(agent<Text>(gpu, 0xa011).text).substr(0, 4), "GPU-");
  EXPECT_EQ(agent<uint32_t>(gpu, 6), 64u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa002), 304u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa000), 0x74a1u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa006), 5u << 8);  // bus 5, device 0, function 0
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa00f), 0u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa00a), 32u);
  EXPECT_EQ(agent<uint64_t>(gpu, 0xa016), 100000000u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa107), 141u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa108), 177u);
  EXPECT_EQ(agent<uint32_t>(gpu, 0xa111), 8u);
  EXPECT_GT(agent<uint64_t>(gpu, 0xa015), uint64_t{1} << 30);
}

TEST_F(Hsa, AGpuHasOneInstructionSet) {
  const std::vector<Handle> all = agents();
  EXPECT_TRUE(of("hsa_agent_iterate_isas", all[0]).empty());
  const std::vector<Handle> isas = of("hsa_agent_iterate_isas", all[1]);
  ASSERT_EQ(isas.size(), 1u);
  const std::string name = info<Text>("hsa_isa_get_info_alt", isas[0], 1).text;
  EXPECT_EQ(name, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-");
  EXPECT_EQ(info<uint32_t>("hsa_isa_get_info_alt", isas[0], 0), name.size() + 1);
  Handle same = 0;
  EXPECT_EQ((call<int(const char*, Handle*)>("hsa_isa_from_name")(name.c_str(), &same)), 0);
  EXPECT_EQ(same, isas[0]);
}

TEST_F(Hsa, PoolsHaveTheMemoryOfTheirAgent) {
  const std::vector<Handle> all = agents();
  EXPECT_EQ(of("hsa_amd_agent_iterate_memory_pools", all[0]).size(), 4u);
  uint64_t global = 0, group = 0;
  for (const Handle pool : of("hsa_amd_agent_iterate_memory_pools", all[1])) {
    const auto segment = info<uint32_t>("hsa_amd_memory_pool_get_info", pool, 0);
    (segment == 3 ? group : global) = info<uint64_t>("hsa_amd_memory_pool_get_info", pool, 2);
  }
  EXPECT_EQ(global, 206158430208u);
  EXPECT_EQ(group, 65536u);
}

TEST_F(Hsa, TheSystemHasAVersion) {
  auto* const get = call<int(uint32_t, void*)>("hsa_system_get_info");
  uint16_t major = 0;
  uint64_t before = 0, after = 0;
  EXPECT_EQ(get(0, &major), 0);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(get(2, &before), 0);
  EXPECT_EQ(get(2, &after), 0);
  EXPECT_GE(after, before);
  bool dmabuf = true;
  EXPECT_EQ(get(0x204, &dmabuf), 0);
  EXPECT_FALSE(dmabuf);
}

TEST_F(Hsa, WhatIsNotThereIsAnError) {
  auto* const get = call<int(Handle, uint32_t, void*)>("hsa_agent_get_info");
  uint32_t value = 0;
  EXPECT_EQ(get(0, 17, &value), kInvalidAgent);
  EXPECT_EQ(get(999, 17, &value), kInvalidAgent);
  EXPECT_EQ(get(agents()[1], 17, nullptr), kInvalidArgument);
  EXPECT_EQ(get(agents()[1], 0xbeef, &value), kInvalidArgument);
  EXPECT_EQ(call<int()>("hsa_queue_create")(), kNotSupported);
  const char* text = nullptr;
  EXPECT_EQ((call<int(int, const char**)>("hsa_status_string")(kInvalidAgent, &text)), 0);
  EXPECT_EQ(std::string(text).substr(0, 31), "HSA_STATUS_ERROR_INVALID_AGENT:");
  EXPECT_EQ((call<int(int, const char**)>("hsa_status_string")(0x7777, &text)), kInvalidArgument);
}

/// What a process that does not use HIP sees: the number of the first thing that is not as it should be.
int init_and_shut_down() {
  void* const library = wavesmith::libraries::open_library("libhsa-runtime64.so.1");
  if (!library) return 1;
  auto* const init = reinterpret_cast<int (*)()>(dlsym(library, "hsa_init"));
  auto* const shut_down = reinterpret_cast<int (*)()>(dlsym(library, "hsa_shut_down"));
  auto* const get = reinterpret_cast<int (*)(uint32_t, void*)>(dlsym(library, "hsa_system_get_info"));
  uint16_t major = 0;
  if (get(0, &major) != kNotInitialized || shut_down() != kNotInitialized) return 2;
  if (init() != 0 || init() != 0 || shut_down() != 0 || get(0, &major) != 0) return 3;
  if (shut_down() != 0 || get(0, &major) != kNotInitialized) return 4;
  // ROCm's HIP starts HSA.
  auto* const count = reinterpret_cast<int (*)(int*)>(dlsym(library, "hipGetDeviceCount"));
  int devices = 0;
  if (!count || count(&devices) != 0 || get(0, &major) != 0) return 5;
  return 0;
}

TEST(HsaDeathTest, IsThereBetweenInitAndShutDownAndWithHip) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(init_and_shut_down()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
