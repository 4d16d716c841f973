// Devices as programs ask for them: two MI300X and an RX 7900 XTX. The numbers expected are those of AMD's
// data sheets and of hipInfo on such GPUs, not of gpus/data.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/abi/device.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/memory.h"

extern "C" {
hipError_t hipGetDeviceCount(int*);
hipError_t hipSetDevice(int);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600*, int);
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000*, int);
hipError_t hipDeviceGetAttribute(int*, hipDeviceAttribute_t, int);
hipError_t hipChooseDeviceR0600(int*, const hipDeviceProp_tR0600*);
hipError_t hipDeviceGetPCIBusId(char*, int, int);
hipError_t hipDeviceGetByPCIBusId(int*, const char*);
hipError_t hipDeviceGetUuid(hipUUID*, hipDevice_t);
hipError_t hipDeviceGetName(char*, int, hipDevice_t);
hipError_t hipDeviceCanAccessPeer(int*, int, int);
hipError_t hipDeviceEnablePeerAccess(int, unsigned);
hipError_t hipDeviceDisablePeerAccess(int);
hipError_t hipDeviceGetP2PAttribute(int*, hipDeviceP2PAttr, int, int);
hipError_t hipExtGetLinkTypeAndHopCount(int, int, uint32_t*, uint32_t*);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t*, hipDevice_t);
hipError_t hipCtxPushCurrent(hipCtx_t);
hipError_t hipCtxPopCurrent(hipCtx_t*);
hipError_t hipCtxGetDevice(hipDevice_t*);
hipError_t hipDeviceGetLimit(size_t*, hipLimit_t);
hipError_t hipDeviceSetLimit(hipLimit_t, size_t);
hipError_t hipGetProcAddress(const char*, void**, int, uint64_t, hipDriverProcAddressQueryResult*);
hipError_t hipDriverGetVersion(int*);
hipError_t hipMalloc(void**, size_t);
}

namespace {

const bool machine = setenv("WAVESMITH_GPU", "mi300x:2,rx7900xtx", 1) == 0;

TEST(Properties, DescribeTheGpu) {
  ASSERT_TRUE(machine);
  int count = 0;
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  ASSERT_EQ(count, 3);
  hipDeviceProp_tR0600 p;
  ASSERT_EQ(hipGetDevicePropertiesR0600(&p, 1), hipSuccess);
  EXPECT_STREQ(p.name, "AMD Instinct MI300X");
  EXPECT_STREQ(p.gcnArchName, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(p.multiProcessorCount, 304);
  EXPECT_EQ(p.warpSize, 64);
  EXPECT_EQ(p.totalGlobalMem, size_t{192} << 30);
  EXPECT_EQ(p.sharedMemPerBlock, 65536u);
  EXPECT_EQ(p.regsPerBlock, 65536);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.maxThreadsPerMultiProcessor, 2048);
  EXPECT_EQ(p.clockRate, 2100000);
  EXPECT_EQ(p.memoryBusWidth, 8192);
  EXPECT_EQ(p.l2CacheSize, 4 << 20);
  EXPECT_EQ(p.major, 9);
  EXPECT_EQ(p.minor, 4);
  EXPECT_EQ(p.cooperativeLaunch, 1);
  EXPECT_EQ(p.managedMemory, 1);
  EXPECT_EQ(p.pageableMemoryAccess, 0);
  ASSERT_EQ(hipGetDevicePropertiesR0600(&p, 2), hipSuccess);
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.multiProcessorCount, 48);
  EXPECT_EQ(p.major, 11);
  EXPECT_EQ(p.minor, 0);
  EXPECT_EQ(hipGetDevicePropertiesR0600(&p, 3), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDevicePropertiesR0600(&p, -1), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDevicePropertiesR0600(nullptr, 0), hipErrorInvalidValue);
}

TEST(Properties, OldLayoutAgreesWithTheNewOne) {
  hipDeviceProp_tR0600 newer;
  hipDeviceProp_tR0000 older;
  for (int device = 0; device < 3; ++device) {
    ASSERT_EQ(hipGetDevicePropertiesR0600(&newer, device), hipSuccess);
    ASSERT_EQ(hipGetDeviceProperties(&older, device), hipSuccess);
    EXPECT_STREQ(older.name, newer.name);
    EXPECT_STREQ(older.gcnArchName, newer.gcnArchName);
    EXPECT_EQ(older.multiProcessorCount, newer.multiProcessorCount);
    EXPECT_EQ(older.totalGlobalMem, newer.totalGlobalMem);
    EXPECT_EQ(older.pciBusID, newer.pciBusID);
    EXPECT_EQ(older.gcnArch, device < 2 ? 942 : 1100);
  }
}

TEST(Properties, AttributesAgreeWithThem) {
  hipDeviceProp_tR0600 p;
  ASSERT_EQ(hipGetDevicePropertiesR0600(&p, 0), hipSuccess);
  const auto get = [](hipDeviceAttribute_t which) {
    int value = -1;
    EXPECT_EQ(hipDeviceGetAttribute(&value, which, 0), hipSuccess) << which;
    return value;
  };
  EXPECT_EQ(get(hipDeviceAttributeMultiprocessorCount), p.multiProcessorCount);
  EXPECT_EQ(get(hipDeviceAttributeWarpSize), 64);
  EXPECT_EQ(get(hipDeviceAttributeMaxThreadsPerBlock), 1024);
  EXPECT_EQ(get(hipDeviceAttributeComputeCapabilityMajor), 9);
  EXPECT_EQ(get(hipDeviceAttributeTotalGlobalMem), 0x7fffffff);  // more than an int says
  EXPECT_EQ(get(hipDeviceAttributeNumberOfXccs), 8);
  EXPECT_EQ(get(hipDeviceAttributeWallClockRate), 100000);
  EXPECT_EQ(get(hipDeviceAttributeUnifiedAddressing), 1);
  int value;
  EXPECT_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(12345), 0), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 9), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
}

TEST(Properties, EveryAttributeOfHip7HasAValue) {
  // Reserved numbers and the LUID, which exists on Windows only.
  const auto reserved = [](int which) {
    return which == hipDeviceAttributeLuid || which == hipDeviceAttributeUnused1 ||
           which == hipDeviceAttributeUnused2 || which == hipDeviceAttributeUnused3 ||
           which == hipDeviceAttributeUnused4 || which == hipDeviceAttributeUnused5;
  };
  const auto check = [&](int first, int last) {
    for (int which = first; which <= last; ++which) {
      int value = 0;
      if (!reserved(which)) {
        EXPECT_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(which), 0), hipSuccess)
            << which;
      }
    }
  };
  check(0, hipDeviceAttributeMemoryPoolSupportedHandleTypes);
  check(hipDeviceAttributeClockInstructionRate, hipDeviceAttributePciChipId);
}

TEST(Properties, ChoosesTheDeviceThatMeetsTheWishes) {
  hipDeviceProp_tR0600 wanted{};
  int device = -1;
  wanted.major = 11;
  ASSERT_EQ(hipChooseDeviceR0600(&device, &wanted), hipSuccess);
  EXPECT_EQ(device, 2);
  wanted.major = 9;
  wanted.totalGlobalMem = size_t{100} << 30;
  ASSERT_EQ(hipChooseDeviceR0600(&device, &wanted), hipSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(hipChooseDeviceR0600(nullptr, &wanted), hipErrorInvalidValue);
}

TEST(Properties, PciAddressesNameDevices) {
  std::string first;
  for (int device = 0; device < 3; ++device) {
    char text[32];
    ASSERT_EQ(hipDeviceGetPCIBusId(text, sizeof text, device), hipSuccess);
    EXPECT_NE(text, first);
    first = text;
    int found = -1;
    ASSERT_EQ(hipDeviceGetByPCIBusId(&found, text), hipSuccess);
    EXPECT_EQ(found, device);
    EXPECT_EQ(hipDeviceGetPCIBusId(text, 12, device), hipErrorInvalidValue);
    EXPECT_EQ(text, first.substr(0, 11));
    EXPECT_EQ(hipDeviceGetPCIBusId(text, 13, device), hipSuccess);
    EXPECT_EQ(hipDeviceGetPCIBusId(text, -1, device), hipErrorInvalidValue);
  }
  int found;
  EXPECT_EQ(hipDeviceGetByPCIBusId(&found, "ffff:ff:1f.7"), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetByPCIBusId(&found, "nonsense"), hipErrorInvalidValue);
  hipUUID a, b;
  ASSERT_EQ(hipDeviceGetUuid(&a, 0), hipSuccess);
  ASSERT_EQ(hipDeviceGetUuid(&b, 1), hipSuccess);
  EXPECT_NE(std::memcmp(&a, &b, sizeof a), 0);
  char name[8];
  ASSERT_EQ(hipDeviceGetName(name, sizeof name, 0), hipSuccess);
  EXPECT_STREQ(name, "AMD Ins");
}

TEST(Peers, ReachOneAnotherAndRememberIt) {
  int can = -1;
  ASSERT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
  EXPECT_EQ(can, 1);
  ASSERT_EQ(hipDeviceCanAccessPeer(&can, 1, 1), hipSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 7), hipErrorInvalidDevice);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipSuccess);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  EXPECT_EQ(hipDeviceGetP2PAttribute(&can, hipDevP2PAttrAccessSupported, 0, 1), hipSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(hipDeviceGetP2PAttribute(&can, hipDevP2PAttrHipArrayAccessSupported, 0, 2), hipSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(hipDeviceGetP2PAttribute(&can, hipDevP2PAttrAccessSupported, 0, 0), hipErrorInvalidDevice);
  // Two MI300X by Infinity Fabric, the Radeon over PCIe.
  uint32_t type = 0, hops = 0;
  EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops), hipSuccess);
  EXPECT_EQ(type, 4u);
  EXPECT_EQ(hops, 1u);
  EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 2, &type, &hops), hipSuccess);
  EXPECT_EQ(type, 2u);
  EXPECT_EQ(hops, 2u);
}

TEST(Contexts, ArePushedAndPopped) {
  hipCtx_t first = nullptr, second = nullptr, popped = nullptr;
  ASSERT_EQ(hipDevicePrimaryCtxRetain(&first, 0), hipSuccess);
  ASSERT_EQ(hipDevicePrimaryCtxRetain(&second, 1), hipSuccess);
  EXPECT_EQ(hipDevicePrimaryCtxRetain(&second, 5), hipErrorInvalidDevice);
  int device = -1;
  ASSERT_EQ(hipCtxPushCurrent(first), hipSuccess);
  ASSERT_EQ(hipCtxPushCurrent(second), hipSuccess);
  ASSERT_EQ(hipCtxGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 1);
  ASSERT_EQ(hipCtxPopCurrent(&popped), hipSuccess);
  EXPECT_EQ(popped, second);
  ASSERT_EQ(hipCtxGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0);
  ASSERT_EQ(hipCtxPopCurrent(nullptr), hipSuccess);
  EXPECT_EQ(hipCtxPopCurrent(nullptr), hipErrorInvalidContext);
  EXPECT_EQ(hipCtxPushCurrent(nullptr), hipErrorInvalidContext);
}

TEST(Settings, LimitsAreRemembered) {
  size_t value = 0;
  ASSERT_EQ(hipDeviceSetLimit(hipLimitStackSize, 4096), hipSuccess);
  ASSERT_EQ(hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, size_t{1} << 40), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, size_t{1} << 30), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(hipDeviceGetLimit(nullptr, hipLimitStackSize), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetLimit(&value, static_cast<hipLimit_t>(77)), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceGetLimit(&value, static_cast<hipLimit_t>(-1)), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceSetLimit(static_cast<hipLimit_t>(-1), 1), hipErrorUnsupportedLimit);
}

TEST(ProcAddress, FindsFunctionsByNameAndVersion) {
  void* function = nullptr;
  hipDriverProcAddressQueryResult status;
  ASSERT_EQ(hipGetProcAddress("hipMalloc", &function, 701, 0, &status), hipSuccess);
  EXPECT_EQ(function, reinterpret_cast<void*>(&hipMalloc));
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SUCCESS);
  ASSERT_EQ(hipGetProcAddress("hipGetDeviceProperties", &function, 600, 0, nullptr), hipSuccess);
  EXPECT_EQ(function, reinterpret_cast<void*>(&hipGetDevicePropertiesR0600));
  ASSERT_EQ(hipGetProcAddress("hipGetDeviceProperties", &function, 502, 0, nullptr), hipSuccess);
  EXPECT_EQ(function, reinterpret_cast<void*>(&hipGetDeviceProperties));
  EXPECT_EQ(hipGetProcAddress("hipHccModuleLaunchKernel", &function, 603, 0, &status), hipSuccess);
  EXPECT_EQ(hipGetProcAddress("hipNothing", &function, 701, 0, &status), hipErrorInvalidValue);
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(hipGetProcAddress(nullptr, &function, 701, 0, &status), hipErrorInvalidValue);
  int version = 0;
  ASSERT_EQ(hipDriverGetVersion(&version), hipSuccess);
  EXPECT_EQ(version / 100000, 701);
}

}  // namespace
