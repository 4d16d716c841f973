// Memory: pointers, copies, arrays, pools, virtual memory. Values and layouts are those of HIP 7.1; where
// another version differs, a comment says so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/abi/handles.h"

enum hipMemoryType : int {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost,
  hipMemoryTypeDevice,
  hipMemoryTypeManaged,
  hipMemoryTypeArray = 10,
  hipMemoryTypeUnified
};

struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};

enum hipPointer_attribute : int {
  HIP_POINTER_ATTRIBUTE_CONTEXT = 1,
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,
  HIP_POINTER_ATTRIBUTE_HOST_POINTER,
  HIP_POINTER_ATTRIBUTE_P2P_TOKENS,
  HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
  HIP_POINTER_ATTRIBUTE_BUFFER_ID,
  HIP_POINTER_ATTRIBUTE_IS_MANAGED,
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
  HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE,
  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
  HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
  HIP_POINTER_ATTRIBUTE_MAPPED,
  HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
  HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
  HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS,
  HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
};

enum hipMemcpyKind : int {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault,
  hipMemcpyDeviceToDeviceNoCU = 1024
};

struct hipPitchedPtr {
  void* ptr;
  size_t pitch;
  size_t xsize;
  size_t ysize;
};

struct hipExtent {
  size_t width;
  size_t height;
  size_t depth;
};

struct hipPos {
  size_t x;
  size_t y;
  size_t z;
};

enum hipChannelFormatKind : int {
  hipChannelFormatKindSigned = 0,
  hipChannelFormatKindUnsigned,
  hipChannelFormatKindFloat,
  hipChannelFormatKindNone
};

struct hipChannelFormatDesc {
  int x;
  int y;
  int z;
  int w;
  hipChannelFormatKind f;
};

enum hipArray_Format : int {
  HIP_AD_FORMAT_UNSIGNED_INT8 = 1,
  HIP_AD_FORMAT_UNSIGNED_INT16,
  HIP_AD_FORMAT_UNSIGNED_INT32,
  HIP_AD_FORMAT_SIGNED_INT8 = 8,
  HIP_AD_FORMAT_SIGNED_INT16,
  HIP_AD_FORMAT_SIGNED_INT32,
  HIP_AD_FORMAT_HALF = 16,
  HIP_AD_FORMAT_FLOAT = 32
};

struct HIP_ARRAY_DESCRIPTOR {
  size_t Width;
  size_t Height;
  hipArray_Format Format;
  unsigned NumChannels;
};

struct HIP_ARRAY3D_DESCRIPTOR {
  size_t Width;
  size_t Height;
  size_t Depth;
  hipArray_Format Format;
  unsigned NumChannels;
  unsigned Flags;
};

struct hipMemcpy3DParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
};

struct hipMemcpy3DPeerParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  int srcDevice;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  int dstDevice;
  hipExtent extent;
};

struct hip_Memcpy2D {
  size_t srcXInBytes;
  size_t srcY;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch;
  size_t dstXInBytes;
  size_t dstY;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch;
  size_t WidthInBytes;
  size_t Height;
};

struct HIP_MEMCPY3D {
  size_t srcXInBytes;
  size_t srcY;
  size_t srcZ;
  size_t srcLOD;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch;
  size_t srcHeight;
  size_t dstXInBytes;
  size_t dstY;
  size_t dstZ;
  size_t dstLOD;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch;
  size_t dstHeight;
  size_t WidthInBytes;
  size_t Height;
  size_t Depth;
};

enum hipMemLocationType : int {
  hipMemLocationTypeInvalid = 0,
  hipMemLocationTypeNone = 0,
  hipMemLocationTypeDevice,
  hipMemLocationTypeHost,
  hipMemLocationTypeHostNuma,
  hipMemLocationTypeHostNumaCurrent
};

struct hipMemLocation {
  hipMemLocationType type;
  int id;
};

enum hipMemcpyFlags : int { hipMemcpyFlagDefault = 0, hipMemcpyFlagPreferOverlapWithCompute };

enum hipMemcpySrcAccessOrder : int {
  hipMemcpySrcAccessOrderInvalid = 0,
  hipMemcpySrcAccessOrderStream,
  hipMemcpySrcAccessOrderDuringApiCall,
  hipMemcpySrcAccessOrderAny,
  hipMemcpySrcAccessOrderMax = 2147483647
};

struct hipMemcpyAttributes {
  hipMemcpySrcAccessOrder srcAccessOrder;
  hipMemLocation srcLocHint;
  hipMemLocation dstLocHint;
  unsigned flags;
};

enum hipMemcpy3DOperandType : int {
  hipMemcpyOperandTypePointer = 1,
  hipMemcpyOperandTypeArray,
  hipMemcpyOperandTypeMax = 2147483647
};

struct hipOffset3D {
  size_t x;
  size_t y;
  size_t z;
};

struct hipMemcpy3DOperand {
  hipMemcpy3DOperandType type;
  union {
    struct {
      void* ptr;
      size_t rowLength;
      size_t layerHeight;
      hipMemLocation locHint;
    } ptr;
    struct {
      hipArray_t array;
      hipOffset3D offset;
    } array;
  } op;
};

struct hipMemcpy3DBatchOp {
  hipMemcpy3DOperand src;
  hipMemcpy3DOperand dst;
  hipExtent extent;
  hipMemcpySrcAccessOrder srcAccessOrder;
  unsigned flags;
};

enum hipMemoryAdvise : int {
  hipMemAdviseSetReadMostly = 1,
  hipMemAdviseUnsetReadMostly,
  hipMemAdviseSetPreferredLocation,
  hipMemAdviseUnsetPreferredLocation,
  hipMemAdviseSetAccessedBy,
  hipMemAdviseUnsetAccessedBy,
  hipMemAdviseSetCoarseGrain = 100,
  hipMemAdviseUnsetCoarseGrain
};

enum hipMemRangeCoherencyMode : int {
  hipMemRangeCoherencyModeFineGrain = 0,
  hipMemRangeCoherencyModeCoarseGrain,
  hipMemRangeCoherencyModeIndeterminate
};

enum hipMemRangeAttribute : int {
  hipMemRangeAttributeReadMostly = 1,
  hipMemRangeAttributePreferredLocation,
  hipMemRangeAttributeAccessedBy,
  hipMemRangeAttributeLastPrefetchLocation,
  hipMemRangeAttributeCoherencyMode = 100
};

enum hipMemPoolAttr : int {
  hipMemPoolReuseFollowEventDependencies = 1,
  hipMemPoolReuseAllowOpportunistic,
  hipMemPoolReuseAllowInternalDependencies,
  hipMemPoolAttrReleaseThreshold,
  hipMemPoolAttrReservedMemCurrent,
  hipMemPoolAttrReservedMemHigh,
  hipMemPoolAttrUsedMemCurrent,
  hipMemPoolAttrUsedMemHigh
};

enum hipMemAccessFlags : int {
  hipMemAccessFlagsProtNone = 0,
  hipMemAccessFlagsProtRead,
  hipMemAccessFlagsProtReadWrite = 3
};

struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
};

enum hipMemAllocationType : int {
  hipMemAllocationTypeInvalid = 0,
  hipMemAllocationTypePinned,
  hipMemAllocationTypeUncached = 1073741824,
  hipMemAllocationTypeMax = 2147483647
};

enum hipMemAllocationHandleType : int {
  hipMemHandleTypeNone = 0,
  hipMemHandleTypePosixFileDescriptor,
  hipMemHandleTypeWin32,
  hipMemHandleTypeWin32Kmt = 4
};

struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
};

struct hipMemPoolPtrExportData {
  unsigned char reserved[64];
};

struct hipMemAllocationProp {
  hipMemAllocationType type;
  union {
    hipMemAllocationHandleType requestedHandleType;
    hipMemAllocationHandleType requestedHandleTypes;
  };
  hipMemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
  } allocFlags;
};

enum hipMemAllocationGranularity_flags : int {
  hipMemAllocationGranularityMinimum = 0,
  hipMemAllocationGranularityRecommended
};

enum hipMemHandleType : int { hipMemHandleTypeGeneric = 0 };

enum hipMemOperationType : int { hipMemOperationTypeMap = 1, hipMemOperationTypeUnmap };

enum hipMemRangeHandleType : int { hipMemRangeHandleTypeDmaBufFd = 1, hipMemRangeHandleTypeMax = 2147483647 };

enum hipMemRangeFlags : int { hipMemRangeFlagDmaBufMappingTypePcie = 1, hipMemRangeFlagsMax = 2147483647 };

struct hipIpcMemHandle_t {
  char reserved[64];
};

struct hipIpcEventHandle_t {
  char reserved[64];
};

// hipHostMalloc; hipHostAlloc has the same values
inline constexpr unsigned hipHostMallocDefault = 0, hipHostMallocPortable = 1, hipHostMallocMapped = 2,
                          hipHostMallocWriteCombined = 4, hipHostMallocUncached = 0x10000000,
                          hipHostMallocNumaUser = 0x20000000, hipHostMallocCoherent = 0x40000000,
                          hipHostMallocNonCoherent = 0x80000000;
// hipHostRegister
inline constexpr unsigned hipHostRegisterDefault = 0, hipHostRegisterPortable = 1, hipHostRegisterMapped = 2,
                          hipHostRegisterIoMemory = 4, hipHostRegisterReadOnly = 8,
                          hipExtHostRegisterUncached = 0x80000000;
// hipExtMallocWithFlags
inline constexpr unsigned hipDeviceMallocDefault = 0, hipDeviceMallocFinegrained = 1,
                          hipMallocSignalMemory = 2, hipDeviceMallocUncached = 3,
                          hipDeviceMallocContiguous = 4;
// hipMallocManaged, hipStreamAttachMemAsync
inline constexpr unsigned hipMemAttachGlobal = 1, hipMemAttachHost = 2, hipMemAttachSingle = 4;
// arrays
inline constexpr unsigned hipArrayDefault = 0, hipArrayLayered = 1, hipArraySurfaceLoadStore = 2,
                          hipArrayCubemap = 4, hipArrayTextureGather = 8;
// hipIpcOpenMemHandle
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = 1;
// hipMemLocation, hipMemAdvise: the device number of the host
inline constexpr int hipCpuDeviceId = -1, hipInvalidDeviceId = -2;
