#include "runtime/device/properties.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "gpus/slot.h"

namespace wavesmith::runtime {
namespace {

// ROCm's limits for images: a 16384 x 16384 image, 2048 deep, 2^32 - 1 texels of a buffer.
constexpr int kImageSide = 16384, kImageDepth = 2048;

int clamped(uint64_t value) { return static_cast<int>(std::min<uint64_t>(value, INT_MAX)); }

/// "gfx90a" is 9, 0, 10: the last two digits are the minor version and the stepping, hexadecimal.
struct Isa {
  int major = 0, minor = 0, stepping = 0;
};
Isa isa_of(std::string_view target) {
  Isa isa;
  if (target.size() < 6 || !target.starts_with("gfx")) return isa;
  const std::string_view digits = target.substr(3);
  std::from_chars(digits.data(), digits.data() + digits.size() - 2, isa.major);
  std::from_chars(&digits[digits.size() - 2], &digits[digits.size() - 1], isa.minor, 16);
  std::from_chars(&digits[digits.size() - 1], &digits[digits.size() - 1] + 1, isa.stepping, 16);
  return isa;
}

template <size_t N>
void set_text(char (&field)[N], std::string_view text) {
  const size_t size = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), size);
  field[size] = '\0';
}

// ROCm's UUID is 16 characters of text.
void set_uuid(hipUUID& uuid, const Device& device) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(gpus::unique_id(device.gpu, device.number)));
  std::memcpy(uuid.bytes, text, sizeof uuid.bytes);
}

}  // namespace

hipDeviceProp_tR0600 properties(const Platform& platform, const Device& device) {
  const gpus::Gpu& gpu = device.gpu;
  hipDeviceProp_tR0600 p{};
  const Isa isa = isa_of(gpu.target);
  const int waves =
      clamped(uint64_t{gpu.waves_per_simd} * gpu.simds_per_unit * gpu.units_per_workgroup_processor);
  set_text(p.name, gpu.name);
  set_uuid(p.uuid, device);
  p.totalGlobalMem = gpu.memory_bytes;
  p.sharedMemPerBlock = gpu.lds_per_workgroup;
  p.sharedMemPerBlockOptin = gpu.lds_per_workgroup;
  p.sharedMemPerMultiprocessor = uint64_t{gpu.lds_bytes} * gpu.units_per_workgroup_processor;
  p.maxSharedMemoryPerMultiProcessor = gpu.lds_bytes;
  // Registers of one compute unit's SIMDs, lanes times VGPRs; ROCm does not count accumulation registers.
  const uint64_t vgprs = gpu.unified_accumulation ? gpu.vgprs_per_simd / 2 : gpu.vgprs_per_simd;
  p.regsPerBlock = p.regsPerMultiprocessor = clamped(vgprs * gpu.simds_per_unit * gpu.warp_size());
  p.warpSize = clamped(gpu.warp_size());
  p.maxThreadsPerBlock = clamped(gpu.max_workgroup);
  for (int& side : p.maxThreadsDim) side = p.maxThreadsPerBlock;
  std::copy_n(kMaxGrid, 3, p.maxGridSize);
  p.clockRate = clamped(uint64_t{gpu.engine_mhz} * 1000);
  p.memoryClockRate = clamped(uint64_t{gpu.memory_mhz} * 1000);
  p.clockInstructionRate = clamped(uint64_t{gpu.realtime_mhz} * 1000);
  p.memoryBusWidth = clamped(gpu.memory_bus_bits);
  p.l2CacheSize = p.persistingL2CacheMaxSize = clamped(gpu.l2_bytes);
  p.totalConstMem = INT_MAX;
  p.major = isa.major;
  p.minor = isa.minor;
  p.multiProcessorCount = clamped(gpu.multiprocessors());
  p.maxThreadsPerMultiProcessor = waves * p.warpSize;
  p.maxBlocksPerMultiProcessor = p.maxThreadsPerMultiProcessor / std::max(p.maxThreadsPerBlock, 1);
  p.memPitch = INT_MAX;
  p.textureAlignment = p.surfaceAlignment = p.texturePitchAlignment = 256;
  p.maxTexture1DLinear = p.maxTexture1DMipmap = INT_MAX;
  p.maxTexture1D = p.maxSurface1D = kImageSide;
  for (int* const sides : {p.maxTexture2D, p.maxSurface2D}) sides[0] = sides[1] = kImageSide;
  for (int* const sides : {p.maxTexture3D, p.maxSurface3D})
    sides[0] = sides[1] = kImageSide, sides[2] = kImageDepth;
  for (int* const sides : {p.maxTexture1DLayered, p.maxSurface1DLayered})
    sides[0] = kImageSide, sides[1] = kImageDepth;
  for (int* const sides : {p.maxTexture2DLayered, p.maxSurface2DLayered})
    sides[0] = sides[1] = kImageSide, sides[2] = kImageDepth;
  const gpus::Slot slot = gpus::slot_of(device.number);
  p.pciDomainID = clamped(slot.domain);
  p.pciBusID = clamped(slot.bus);
  p.pciDeviceID = 0;
  p.asicRevision = clamped(gpu.pci_revision);
  set_text(p.gcnArchName, device.target.text());

  p.arch.hasGlobalInt32Atomics = p.arch.hasGlobalFloatAtomicExch = p.arch.hasSharedInt32Atomics = 1;
  p.arch.hasSharedFloatAtomicExch = p.arch.hasFloatAtomicAdd = p.arch.hasGlobalInt64Atomics = 1;
  p.arch.hasSharedInt64Atomics = p.arch.hasDoubles = p.arch.hasWarpVote = p.arch.hasWarpBallot = 1;
  p.arch.hasWarpShuffle = p.arch.hasThreadFenceSystem = p.arch.has3dGrid = 1;
  p.concurrentKernels = p.canMapHostMemory = p.unifiedAddressing = p.isLargeBar = 1;
  p.integrated = p.canUseHostPointerForRegisteredMem = p.directManagedMemAccessFromHost = gpu.is_apu;
  p.asyncEngineCount = 2;
  p.deviceOverlap = p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = p.concurrentManagedAccess = 1;
  p.pageableMemoryAccess = gpu.is_apu || platform.xnack;
  p.hostNativeAtomicSupported = 1;
  p.cooperativeLaunch = p.cooperativeMultiDeviceLaunch = 1;
  p.cooperativeMultiDeviceUnmatchedFunc = p.cooperativeMultiDeviceUnmatchedGridDim = 1;
  p.cooperativeMultiDeviceUnmatchedBlockDim = p.cooperativeMultiDeviceUnmatchedSharedMem = 1;
  p.hostRegisterSupported = p.ipcEventSupported = 1;
  p.memoryPoolsSupported = 1;
  p.memoryPoolSupportedHandleTypes = hipMemHandleTypePosixFileDescriptor;
  p.multiGpuBoardGroupID = device.ordinal;
  return p;
}

hipDeviceProp_tR0000 properties_of_hip5(const hipDeviceProp_tR0600& n, const object::TargetId& target) {
  hipDeviceProp_tR0000 p{};
  std::memcpy(p.name, n.name, sizeof p.name);
  p.totalGlobalMem = n.totalGlobalMem;
  p.sharedMemPerBlock = n.sharedMemPerBlock;
  p.regsPerBlock = n.regsPerBlock;
  p.warpSize = n.warpSize;
  p.maxThreadsPerBlock = n.maxThreadsPerBlock;
  std::copy_n(n.maxThreadsDim, 3, p.maxThreadsDim);
  std::copy_n(n.maxGridSize, 3, p.maxGridSize);
  p.clockRate = n.clockRate;
  p.memoryClockRate = n.memoryClockRate;
  p.memoryBusWidth = n.memoryBusWidth;
  p.totalConstMem = n.totalConstMem;
  p.major = n.major;
  p.minor = n.minor;
  p.multiProcessorCount = n.multiProcessorCount;
  p.l2CacheSize = n.l2CacheSize;
  p.maxThreadsPerMultiProcessor = n.maxThreadsPerMultiProcessor;
  p.computeMode = n.computeMode;
  p.clockInstructionRate = n.clockInstructionRate;
  p.arch = n.arch;
  p.concurrentKernels = n.concurrentKernels;
  p.pciDomainID = n.pciDomainID;
  p.pciBusID = n.pciBusID;
  p.pciDeviceID = n.pciDeviceID;
  p.maxSharedMemoryPerMultiProcessor = n.maxSharedMemoryPerMultiProcessor;
  p.isMultiGpuBoard = n.isMultiGpuBoard;
  p.canMapHostMemory = n.canMapHostMemory;
  const Isa isa = isa_of(target.processor);
  p.gcnArch = isa.major * 100 + isa.minor * 10 + isa.stepping;
  std::memcpy(p.gcnArchName, n.gcnArchName, sizeof p.gcnArchName);
  p.integrated = n.integrated;
  p.cooperativeLaunch = n.cooperativeLaunch;
  p.cooperativeMultiDeviceLaunch = n.cooperativeMultiDeviceLaunch;
  p.maxTexture1DLinear = n.maxTexture1DLinear;
  p.maxTexture1D = n.maxTexture1D;
  std::copy_n(n.maxTexture2D, 2, p.maxTexture2D);
  std::copy_n(n.maxTexture3D, 3, p.maxTexture3D);
  p.memPitch = n.memPitch;
  p.textureAlignment = n.textureAlignment;
  p.texturePitchAlignment = n.texturePitchAlignment;
  p.ECCEnabled = n.ECCEnabled;
  p.isLargeBar = n.isLargeBar;
  p.asicRevision = n.asicRevision;
  p.managedMemory = n.managedMemory;
  p.directManagedMemAccessFromHost = n.directManagedMemAccessFromHost;
  p.concurrentManagedAccess = n.concurrentManagedAccess;
  p.pageableMemoryAccess = n.pageableMemoryAccess;
  p.pageableMemoryAccessUsesHostPageTables = n.pageableMemoryAccessUsesHostPageTables;
  return p;
}

std::optional<int> attribute(const Platform& platform, const Device& device, hipDeviceAttribute_t which) {
  const hipDeviceProp_tR0600 p = properties(platform, device);
  switch (which) {
    case hipDeviceAttributeEccEnabled:
      return p.ECCEnabled;
    case hipDeviceAttributeAccessPolicyMaxWindowSize:
      return p.accessPolicyMaxWindowSize;
    case hipDeviceAttributeAsyncEngineCount:
      return p.asyncEngineCount;
    case hipDeviceAttributeCanMapHostMemory:
      return p.canMapHostMemory;
    case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
      return p.canUseHostPointerForRegisteredMem;
    case hipDeviceAttributeClockRate:
      return p.clockRate;
    case hipDeviceAttributeComputeMode:
      return p.computeMode;
    case hipDeviceAttributeComputePreemptionSupported:
      return p.computePreemptionSupported;
    case hipDeviceAttributeConcurrentKernels:
      return p.concurrentKernels;
    case hipDeviceAttributeConcurrentManagedAccess:
      return p.concurrentManagedAccess;
    case hipDeviceAttributeCooperativeLaunch:
      return p.cooperativeLaunch;
    case hipDeviceAttributeCooperativeMultiDeviceLaunch:
      return p.cooperativeMultiDeviceLaunch;
    case hipDeviceAttributeDeviceOverlap:
      return p.deviceOverlap;
    case hipDeviceAttributeDirectManagedMemAccessFromHost:
      return p.directManagedMemAccessFromHost;
    case hipDeviceAttributeGlobalL1CacheSupported:
      return p.globalL1CacheSupported;
    case hipDeviceAttributeHostNativeAtomicSupported:
      return p.hostNativeAtomicSupported;
    case hipDeviceAttributeIntegrated:
      return p.integrated;
    case hipDeviceAttributeIsMultiGpuBoard:
      return p.isMultiGpuBoard;
    case hipDeviceAttributeKernelExecTimeout:
      return p.kernelExecTimeoutEnabled;
    case hipDeviceAttributeL2CacheSize:
      return p.l2CacheSize;
    case hipDeviceAttributeLocalL1CacheSupported:
      return p.localL1CacheSupported;
    case hipDeviceAttributeLuidDeviceNodeMask:
      return clamped(p.luidDeviceNodeMask);
    case hipDeviceAttributeComputeCapabilityMajor:
      return p.major;
    case hipDeviceAttributeComputeCapabilityMinor:
      return p.minor;
    case hipDeviceAttributeManagedMemory:
      return p.managedMemory;
    case hipDeviceAttributeMaxBlocksPerMultiProcessor:
      return p.maxBlocksPerMultiProcessor;
    case hipDeviceAttributeMaxBlockDimX:
      return p.maxThreadsDim[0];
    case hipDeviceAttributeMaxBlockDimY:
      return p.maxThreadsDim[1];
    case hipDeviceAttributeMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case hipDeviceAttributeMaxGridDimX:
      return p.maxGridSize[0];
    case hipDeviceAttributeMaxGridDimY:
      return p.maxGridSize[1];
    case hipDeviceAttributeMaxGridDimZ:
      return p.maxGridSize[2];
    case hipDeviceAttributeMaxSurface1D:
      return p.maxSurface1D;
    case hipDeviceAttributeMaxSurface1DLayered:
      return p.maxSurface1DLayered[0];
    case hipDeviceAttributeMaxSurface2D:
      return p.maxSurface2D[0];
    case hipDeviceAttributeMaxSurface2DLayered:
      return p.maxSurface2DLayered[0];
    case hipDeviceAttributeMaxSurface3D:
      return p.maxSurface3D[0];
    case hipDeviceAttributeMaxSurfaceCubemap:
      return p.maxSurfaceCubemap;
    case hipDeviceAttributeMaxSurfaceCubemapLayered:
      return p.maxSurfaceCubemapLayered[0];
    case hipDeviceAttributeMaxTexture1DWidth:
      return p.maxTexture1D;
    case hipDeviceAttributeMaxTexture1DLayered:
      return p.maxTexture1DLayered[0];
    case hipDeviceAttributeMaxTexture1DLinear:
      return p.maxTexture1DLinear;
    case hipDeviceAttributeMaxTexture1DMipmap:
      return p.maxTexture1DMipmap;
    case hipDeviceAttributeMaxTexture2DWidth:
      return p.maxTexture2D[0];
    case hipDeviceAttributeMaxTexture2DHeight:
      return p.maxTexture2D[1];
    case hipDeviceAttributeMaxTexture2DGather:
      return p.maxTexture2DGather[0];
    case hipDeviceAttributeMaxTexture2DLayered:
      return p.maxTexture2DLayered[0];
    case hipDeviceAttributeMaxTexture2DLinear:
      return p.maxTexture2DLinear[0];
    case hipDeviceAttributeMaxTexture2DMipmap:
      return p.maxTexture2DMipmap[0];
    case hipDeviceAttributeMaxTexture3DWidth:
      return p.maxTexture3D[0];
    case hipDeviceAttributeMaxTexture3DHeight:
      return p.maxTexture3D[1];
    case hipDeviceAttributeMaxTexture3DDepth:
      return p.maxTexture3D[2];
    case hipDeviceAttributeMaxTexture3DAlt:
      return p.maxTexture3DAlt[0];
    case hipDeviceAttributeMaxTextureCubemap:
      return p.maxTextureCubemap;
    case hipDeviceAttributeMaxTextureCubemapLayered:
      return p.maxTextureCubemapLayered[0];
    case hipDeviceAttributeMaxThreadsDim:
      return p.maxThreadsDim[0];
    case hipDeviceAttributeMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case hipDeviceAttributeMaxPitch:
      return clamped(p.memPitch);
    case hipDeviceAttributeMemoryBusWidth:
      return p.memoryBusWidth;
    case hipDeviceAttributeMemoryClockRate:
      return p.memoryClockRate;
    case hipDeviceAttributeMultiGpuBoardGroupID:
      return p.multiGpuBoardGroupID;
    case hipDeviceAttributeMultiprocessorCount:
      return p.multiProcessorCount;
    case hipDeviceAttributePageableMemoryAccess:
      return p.pageableMemoryAccess;
    case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
      return p.pageableMemoryAccessUsesHostPageTables;
    case hipDeviceAttributePciBusId:
      return p.pciBusID;
    case hipDeviceAttributePciDeviceId:
      return p.pciDeviceID;
    case hipDeviceAttributePciDomainID:
      return p.pciDomainID;
    case hipDeviceAttributePersistingL2CacheMaxSize:
      return p.persistingL2CacheMaxSize;
    case hipDeviceAttributeMaxRegistersPerBlock:
      return p.regsPerBlock;
    case hipDeviceAttributeMaxRegistersPerMultiprocessor:
      return p.regsPerMultiprocessor;
    case hipDeviceAttributeReservedSharedMemPerBlock:
      return clamped(p.reservedSharedMemPerBlock);
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      return clamped(p.sharedMemPerBlock);
    case hipDeviceAttributeSharedMemPerBlockOptin:
      return clamped(p.sharedMemPerBlockOptin);
    case hipDeviceAttributeSharedMemPerMultiprocessor:
      return clamped(p.sharedMemPerMultiprocessor);
    case hipDeviceAttributeSingleToDoublePrecisionPerfRatio:
      return p.singleToDoublePrecisionPerfRatio;
    case hipDeviceAttributeStreamPrioritiesSupported:
      return p.streamPrioritiesSupported;
    case hipDeviceAttributeSurfaceAlignment:
      return clamped(p.surfaceAlignment);
    case hipDeviceAttributeTccDriver:
      return p.tccDriver;
    case hipDeviceAttributeTextureAlignment:
      return clamped(p.textureAlignment);
    case hipDeviceAttributeTexturePitchAlignment:
      return clamped(p.texturePitchAlignment);
    case hipDeviceAttributeTotalConstantMemory:
      return clamped(p.totalConstMem);
    case hipDeviceAttributeTotalGlobalMem:
      return clamped(p.totalGlobalMem);
    case hipDeviceAttributeUnifiedAddressing:
      return p.unifiedAddressing;
    case hipDeviceAttributeWarpSize:
      return p.warpSize;
    case hipDeviceAttributeMemoryPoolsSupported:
      return p.memoryPoolsSupported;
    case hipDeviceAttributeVirtualMemoryManagementSupported:
      return 1;
    case hipDeviceAttributeHostRegisterSupported:
      return p.hostRegisterSupported;
    case hipDeviceAttributeMemoryPoolSupportedHandleTypes:
      return clamped(p.memoryPoolSupportedHandleTypes);
    case hipDeviceAttributeClockInstructionRate:
      return p.clockInstructionRate;
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      return clamped(p.maxSharedMemoryPerMultiProcessor);
    case hipDeviceAttributeHdpMemFlushCntl:
    case hipDeviceAttributeHdpRegFlushCntl:
      return 0;
    // The kernels of a multi-device launch may differ in every respect.
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem:
      return p.cooperativeMultiDeviceLaunch;
    case hipDeviceAttributeIsLargeBar:
      return p.isLargeBar;
    case hipDeviceAttributeAsicRevision:
      return p.asicRevision;
    case hipDeviceAttributeCanUseStreamWaitValue:
      return 1;
    case hipDeviceAttributeImageSupport:
      return 0;
    case hipDeviceAttributePhysicalMultiProcessorCount:
      return p.multiProcessorCount;
    case hipDeviceAttributeFineGrainSupport:
      return 1;
    case hipDeviceAttributeWallClockRate:
      return p.clockInstructionRate;
    case hipDeviceAttributeNumberOfXccs:
      return clamped(device.gpu.xcds);
    case hipDeviceAttributeMaxAvailableVgprsPerThread:
      return clamped(device.gpu.vgprs_per_wave);
    case hipDeviceAttributePciChipId:
      return clamped(device.gpu.pci_device);
    default:
      return {};
  }
}

std::array<char, 16> pci_address(const Device& device) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%s", gpus::slot_of(device.number).text().c_str());
  return text;
}

}  // namespace wavesmith::runtime
