// Kernels, launches, streams. Values and layouts are those of HIP 7.1; where another version differs, a
// comment says so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/abi/handles.h"

struct hipFuncAttributes {
  int binaryVersion;
  int cacheModeCA;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxDynamicSharedSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int preferredShmemCarveout;
  int ptxVersion;
  size_t sharedSizeBytes;
};

enum hipFunction_attribute : int {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_NUM_REGS,
  HIP_FUNC_ATTRIBUTE_PTX_VERSION,
  HIP_FUNC_ATTRIBUTE_BINARY_VERSION,
  HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
  HIP_FUNC_ATTRIBUTE_MAX
};

enum hipFuncAttribute : int {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout,
  hipFuncAttributeMax
};

struct hipLaunchParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  void** args;
  size_t sharedMem;
  hipStream_t stream;
};

struct hipFunctionLaunchParams {
  hipFunction_t function;
  unsigned gridDimX;
  unsigned gridDimY;
  unsigned gridDimZ;
  unsigned blockDimX;
  unsigned blockDimY;
  unsigned blockDimZ;
  unsigned sharedMemBytes;
  hipStream_t hStream;
  void** kernelParams;
};

enum hipAccessProperty : int {
  hipAccessPropertyNormal = 0,
  hipAccessPropertyStreaming,
  hipAccessPropertyPersisting
};

struct hipAccessPolicyWindow {
  void* base_ptr;
  hipAccessProperty hitProp;
  float hitRatio;
  hipAccessProperty missProp;
  size_t num_bytes;
};

struct hipLaunchMemSyncDomainMap {
  unsigned char default_;
  unsigned char remote;
};

enum hipLaunchMemSyncDomain : int { hipLaunchMemSyncDomainDefault = 0, hipLaunchMemSyncDomainRemote };

enum hipSynchronizationPolicy : int {
  hipSyncPolicyAuto = 1,
  hipSyncPolicySpin,
  hipSyncPolicyYield,
  hipSyncPolicyBlockingSync
};

enum hipLaunchAttributeID : int {
  hipLaunchAttributeAccessPolicyWindow = 1,
  hipLaunchAttributeCooperative,
  hipLaunchAttributeSynchronizationPolicy,
  hipLaunchAttributePriority = 8,
  hipLaunchAttributeMemSyncDomainMap,
  hipLaunchAttributeMemSyncDomain,
  hipLaunchAttributeMax
};

union hipLaunchAttributeValue {
  char pad[64];
  hipAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  int priority;
  hipSynchronizationPolicy syncPolicy;
  hipLaunchMemSyncDomainMap memSyncDomainMap;
  hipLaunchMemSyncDomain memSyncDomain;
};

struct hipLaunchAttribute {
  hipLaunchAttributeID id;
  char pad[4];
  union {
    hipLaunchAttributeValue val;
    hipLaunchAttributeValue value;
  };
};

struct hipLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  hipLaunchAttribute* attrs;
  unsigned numAttrs;
};

struct HIP_LAUNCH_CONFIG {
  unsigned gridDimX;
  unsigned gridDimY;
  unsigned gridDimZ;
  unsigned blockDimX;
  unsigned blockDimY;
  unsigned blockDimZ;
  unsigned sharedMemBytes;
  hipStream_t hStream;
  hipLaunchAttribute* attrs;
  unsigned numAttrs;
};

enum hipJitOption : int {
  hipJitOptionMaxRegisters = 0,
  hipJitOptionThreadsPerBlock,
  hipJitOptionWallTime,
  hipJitOptionInfoLogBuffer,
  hipJitOptionInfoLogBufferSizeBytes,
  hipJitOptionErrorLogBuffer,
  hipJitOptionErrorLogBufferSizeBytes,
  hipJitOptionOptimizationLevel,
  hipJitOptionTargetFromContext,
  hipJitOptionTarget,
  hipJitOptionFallbackStrategy,
  hipJitOptionGenerateDebugInfo,
  hipJitOptionLogVerbose,
  hipJitOptionGenerateLineInfo,
  hipJitOptionCacheMode,
  hipJitOptionSm3xOpt,
  hipJitOptionFastCompile,
  hipJitOptionGlobalSymbolNames,
  hipJitOptionGlobalSymbolAddresses,
  hipJitOptionGlobalSymbolCount,
  hipJitOptionLto,
  hipJitOptionFtz,
  hipJitOptionPrecDiv,
  hipJitOptionPrecSqrt,
  hipJitOptionFma,
  hipJitOptionPositionIndependentCode,
  hipJitOptionMinCTAPerSM,
  hipJitOptionMaxThreadsPerBlock,
  hipJitOptionOverrideDirectiveValues,
  hipJitOptionNumOptions,
  hipJitOptionIRtoISAOptExt = 10000,
  hipJitOptionIRtoISAOptCountExt
};

enum hipJitInputType : int {
  hipJitInputCubin = 0,
  hipJitInputPtx,
  hipJitInputFatBinary,
  hipJitInputObject,
  hipJitInputLibrary,
  hipJitInputNvvm,
  hipJitNumLegacyInputTypes,
  hipJitInputLLVMBitcode = 100,
  hipJitInputLLVMBundledBitcode,
  hipJitInputLLVMArchivesOfBundledBitcode,
  hipJitInputSpirv,
  hipJitNumInputTypes = 10
};

enum hipLibraryOption : int { hipLibraryHostUniversalFunctionAndDataTable = 0, hipLibraryBinaryIsPreserved };

enum hipStreamBatchMemOpType : int {
  hipStreamMemOpWaitValue32 = 1,
  hipStreamMemOpWriteValue32,
  hipStreamMemOpWaitValue64 = 4,
  hipStreamMemOpWriteValue64,
  hipStreamMemOpBarrier,
  hipStreamMemOpFlushRemoteWrites = 3
};

union hipStreamBatchMemOpParams {
  hipStreamBatchMemOpType operation;
  struct {
    hipStreamBatchMemOpType operation;
    hipDeviceptr_t address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned flags;
    hipDeviceptr_t alias;
  } waitValue, writeValue;
  struct {
    hipStreamBatchMemOpType operation;
    unsigned flags;
  } flushRemoteWrites, memoryBarrier;
  uint64_t pad[6];
};

// streams and events
inline constexpr unsigned hipStreamDefault = 0, hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDefault = 0, hipEventBlockingSync = 1, hipEventDisableTiming = 2,
                          hipEventInterprocess = 4, hipEventDisableSystemFence = 0x20000000,
                          hipEventReleaseToDevice = 0x40000000, hipEventReleaseToSystem = 0x80000000;
inline constexpr unsigned hipEventRecordDefault = 0, hipEventRecordExternal = 1, hipEventWaitDefault = 0,
                          hipEventWaitExternal = 1;
inline constexpr unsigned hipStreamWaitValueGte = 0, hipStreamWaitValueEq = 1, hipStreamWaitValueAnd = 2,
                          hipStreamWaitValueNor = 3;
// launches
inline constexpr unsigned hipOccupancyDefault = 0, hipOccupancyDisableCachingOverride = 1,
                          hipCooperativeLaunchMultiDeviceNoPreSync = 1,
                          hipCooperativeLaunchMultiDeviceNoPostSync = 2, hipExtAnyOrderLaunch = 1;
// the `extra` argument of hipModuleLaunchKernel
inline void* const HIP_LAUNCH_PARAM_BUFFER_POINTER = reinterpret_cast<void*>(1);
inline void* const HIP_LAUNCH_PARAM_BUFFER_SIZE = reinterpret_cast<void*>(2);
inline void* const HIP_LAUNCH_PARAM_END = reinterpret_cast<void*>(3);
