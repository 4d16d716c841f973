#include "runtime/device/attributes.h"

#include <algorithm>
#include <climits>
#include <concepts>
#include <type_traits>

#include "runtime/device/properties.h"

namespace wavesmith::runtime {
namespace {

using Properties = hipDeviceProp_tR0600;

/// A number as an attribute says it; one that an int cannot hold becomes the largest int.
int as_attribute(std::integral auto value) {
  if constexpr (std::same_as<decltype(value), int>)
    return value;
  else
    return static_cast<int>(std::min<uint64_t>(value, INT_MAX));
}

/// A property, or the element of one that is an array.
template <auto Member, size_t Index = 0>
int property(const Properties& properties, const gpus::Gpu&) {
  const auto& value = properties.*Member;
  if constexpr (std::is_array_v<std::remove_reference_t<decltype(value)>>)
    return as_attribute(value[Index]);
  else
    return as_attribute(value);
}

template <auto Member>
int of_gpu(const Properties&, const gpus::Gpu& gpu) {
  return as_attribute(gpu.*Member);
}

template <int Value>
int always(const Properties&, const gpus::Gpu&) {
  return Value;
}

struct Attribute {
  hipDeviceAttribute_t id;
  int (*value)(const Properties&, const gpus::Gpu&);
};
constexpr Attribute kAttributes[] = {
    {hipDeviceAttributeEccEnabled, property<&Properties::ECCEnabled>},
    {hipDeviceAttributeAccessPolicyMaxWindowSize, property<&Properties::accessPolicyMaxWindowSize>},
    {hipDeviceAttributeAsyncEngineCount, property<&Properties::asyncEngineCount>},
    {hipDeviceAttributeCanMapHostMemory, property<&Properties::canMapHostMemory>},
    {hipDeviceAttributeCanUseHostPointerForRegisteredMem,
     property<&Properties::canUseHostPointerForRegisteredMem>},
    {hipDeviceAttributeClockRate, property<&Properties::clockRate>},
    {hipDeviceAttributeComputeMode, property<&Properties::computeMode>},
    {hipDeviceAttributeComputePreemptionSupported, property<&Properties::computePreemptionSupported>},
    {hipDeviceAttributeConcurrentKernels, property<&Properties::concurrentKernels>},
    {hipDeviceAttributeConcurrentManagedAccess, property<&Properties::concurrentManagedAccess>},
    {hipDeviceAttributeCooperativeLaunch, property<&Properties::cooperativeLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceLaunch, property<&Properties::cooperativeMultiDeviceLaunch>},
    {hipDeviceAttributeDeviceOverlap, property<&Properties::deviceOverlap>},
    {hipDeviceAttributeDirectManagedMemAccessFromHost, property<&Properties::directManagedMemAccessFromHost>},
    {hipDeviceAttributeGlobalL1CacheSupported, property<&Properties::globalL1CacheSupported>},
    {hipDeviceAttributeHostNativeAtomicSupported, property<&Properties::hostNativeAtomicSupported>},
    {hipDeviceAttributeIntegrated, property<&Properties::integrated>},
    {hipDeviceAttributeIsMultiGpuBoard, property<&Properties::isMultiGpuBoard>},
    {hipDeviceAttributeKernelExecTimeout, property<&Properties::kernelExecTimeoutEnabled>},
    {hipDeviceAttributeL2CacheSize, property<&Properties::l2CacheSize>},
    {hipDeviceAttributeLocalL1CacheSupported, property<&Properties::localL1CacheSupported>},
    {hipDeviceAttributeLuidDeviceNodeMask, property<&Properties::luidDeviceNodeMask>},
    {hipDeviceAttributeComputeCapabilityMajor, property<&Properties::major>},
    {hipDeviceAttributeComputeCapabilityMinor, property<&Properties::minor>},
    {hipDeviceAttributeManagedMemory, property<&Properties::managedMemory>},
    {hipDeviceAttributeMaxBlocksPerMultiProcessor, property<&Properties::maxBlocksPerMultiProcessor>},
    {hipDeviceAttributeMaxBlockDimX, property<&Properties::maxThreadsDim, 0>},
    {hipDeviceAttributeMaxBlockDimY, property<&Properties::maxThreadsDim, 1>},
    {hipDeviceAttributeMaxBlockDimZ, property<&Properties::maxThreadsDim, 2>},
    {hipDeviceAttributeMaxGridDimX, property<&Properties::maxGridSize, 0>},
    {hipDeviceAttributeMaxGridDimY, property<&Properties::maxGridSize, 1>},
    {hipDeviceAttributeMaxGridDimZ, property<&Properties::maxGridSize, 2>},
    {hipDeviceAttributeMaxSurface1D, property<&Properties::maxSurface1D>},
    {hipDeviceAttributeMaxSurface1DLayered, property<&Properties::maxSurface1DLayered, 0>},
    {hipDeviceAttributeMaxSurface2D, property<&Properties::maxSurface2D, 0>},
    {hipDeviceAttributeMaxSurface2DLayered, property<&Properties::maxSurface2DLayered, 0>},
    {hipDeviceAttributeMaxSurface3D, property<&Properties::maxSurface3D, 0>},
    {hipDeviceAttributeMaxSurfaceCubemap, property<&Properties::maxSurfaceCubemap>},
    {hipDeviceAttributeMaxSurfaceCubemapLayered, property<&Properties::maxSurfaceCubemapLayered, 0>},
    {hipDeviceAttributeMaxTexture1DWidth, property<&Properties::maxTexture1D>},
    {hipDeviceAttributeMaxTexture1DLayered, property<&Properties::maxTexture1DLayered, 0>},
    {hipDeviceAttributeMaxTexture1DLinear, property<&Properties::maxTexture1DLinear>},
    {hipDeviceAttributeMaxTexture1DMipmap, property<&Properties::maxTexture1DMipmap>},
    {hipDeviceAttributeMaxTexture2DWidth, property<&Properties::maxTexture2D, 0>},
    {hipDeviceAttributeMaxTexture2DHeight, property<&Properties::maxTexture2D, 1>},
    {hipDeviceAttributeMaxTexture2DGather, property<&Properties::maxTexture2DGather, 0>},
    {hipDeviceAttributeMaxTexture2DLayered, property<&Properties::maxTexture2DLayered, 0>},
    {hipDeviceAttributeMaxTexture2DLinear, property<&Properties::maxTexture2DLinear, 0>},
    {hipDeviceAttributeMaxTexture2DMipmap, property<&Properties::maxTexture2DMipmap, 0>},
    {hipDeviceAttributeMaxTexture3DWidth, property<&Properties::maxTexture3D, 0>},
    {hipDeviceAttributeMaxTexture3DHeight, property<&Properties::maxTexture3D, 1>},
    {hipDeviceAttributeMaxTexture3DDepth, property<&Properties::maxTexture3D, 2>},
    {hipDeviceAttributeMaxTexture3DAlt, property<&Properties::maxTexture3DAlt, 0>},
    {hipDeviceAttributeMaxTextureCubemap, property<&Properties::maxTextureCubemap>},
    {hipDeviceAttributeMaxTextureCubemapLayered, property<&Properties::maxTextureCubemapLayered, 0>},
    {hipDeviceAttributeMaxThreadsDim, property<&Properties::maxThreadsDim, 0>},
    {hipDeviceAttributeMaxThreadsPerBlock, property<&Properties::maxThreadsPerBlock>},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor, property<&Properties::maxThreadsPerMultiProcessor>},
    {hipDeviceAttributeMaxPitch, property<&Properties::memPitch>},
    {hipDeviceAttributeMemoryBusWidth, property<&Properties::memoryBusWidth>},
    {hipDeviceAttributeMemoryClockRate, property<&Properties::memoryClockRate>},
    {hipDeviceAttributeMultiGpuBoardGroupID, property<&Properties::multiGpuBoardGroupID>},
    {hipDeviceAttributeMultiprocessorCount, property<&Properties::multiProcessorCount>},
    {hipDeviceAttributePageableMemoryAccess, property<&Properties::pageableMemoryAccess>},
    {hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
     property<&Properties::pageableMemoryAccessUsesHostPageTables>},
    {hipDeviceAttributePciBusId, property<&Properties::pciBusID>},
    {hipDeviceAttributePciDeviceId, property<&Properties::pciDeviceID>},
    {hipDeviceAttributePciDomainID, property<&Properties::pciDomainID>},
    {hipDeviceAttributePersistingL2CacheMaxSize, property<&Properties::persistingL2CacheMaxSize>},
    {hipDeviceAttributeMaxRegistersPerBlock, property<&Properties::regsPerBlock>},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, property<&Properties::regsPerMultiprocessor>},
    {hipDeviceAttributeReservedSharedMemPerBlock, property<&Properties::reservedSharedMemPerBlock>},
    {hipDeviceAttributeMaxSharedMemoryPerBlock, property<&Properties::sharedMemPerBlock>},
    {hipDeviceAttributeSharedMemPerBlockOptin, property<&Properties::sharedMemPerBlockOptin>},
    {hipDeviceAttributeSharedMemPerMultiprocessor, property<&Properties::sharedMemPerMultiprocessor>},
    {hipDeviceAttributeSingleToDoublePrecisionPerfRatio,
     property<&Properties::singleToDoublePrecisionPerfRatio>},
    {hipDeviceAttributeStreamPrioritiesSupported, property<&Properties::streamPrioritiesSupported>},
    {hipDeviceAttributeSurfaceAlignment, property<&Properties::surfaceAlignment>},
    {hipDeviceAttributeTccDriver, property<&Properties::tccDriver>},
    {hipDeviceAttributeTextureAlignment, property<&Properties::textureAlignment>},
    {hipDeviceAttributeTexturePitchAlignment, property<&Properties::texturePitchAlignment>},
    {hipDeviceAttributeTotalConstantMemory, property<&Properties::totalConstMem>},
    {hipDeviceAttributeTotalGlobalMem, property<&Properties::totalGlobalMem>},
    {hipDeviceAttributeUnifiedAddressing, property<&Properties::unifiedAddressing>},
    {hipDeviceAttributeWarpSize, property<&Properties::warpSize>},
    {hipDeviceAttributeMemoryPoolsSupported, property<&Properties::memoryPoolsSupported>},
    {hipDeviceAttributeVirtualMemoryManagementSupported, always<1>},
    {hipDeviceAttributeHostRegisterSupported, property<&Properties::hostRegisterSupported>},
    {hipDeviceAttributeMemoryPoolSupportedHandleTypes, property<&Properties::memoryPoolSupportedHandleTypes>},
    {hipDeviceAttributeClockInstructionRate, property<&Properties::clockInstructionRate>},
    {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
     property<&Properties::maxSharedMemoryPerMultiProcessor>},
    {hipDeviceAttributeHdpMemFlushCntl, always<0>},
    {hipDeviceAttributeHdpRegFlushCntl, always<0>},
    // The kernels of a multi-device launch may differ in every respect.
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
     property<&Properties::cooperativeMultiDeviceLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
     property<&Properties::cooperativeMultiDeviceLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
     property<&Properties::cooperativeMultiDeviceLaunch>},
    {hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem,
     property<&Properties::cooperativeMultiDeviceLaunch>},
    {hipDeviceAttributeIsLargeBar, property<&Properties::isLargeBar>},
    {hipDeviceAttributeAsicRevision, property<&Properties::asicRevision>},
    {hipDeviceAttributeCanUseStreamWaitValue, always<1>},
    {hipDeviceAttributeImageSupport, always<0>},
    {hipDeviceAttributePhysicalMultiProcessorCount, property<&Properties::multiProcessorCount>},
    {hipDeviceAttributeFineGrainSupport, always<1>},
    {hipDeviceAttributeWallClockRate, property<&Properties::clockInstructionRate>},
    {hipDeviceAttributeNumberOfXccs, of_gpu<&gpus::Gpu::xcds>},
    {hipDeviceAttributeMaxAvailableVgprsPerThread, of_gpu<&gpus::Gpu::vgprs_per_wave>},
    {hipDeviceAttributePciChipId, of_gpu<&gpus::Gpu::pci_device>},
};

}  // namespace

std::optional<int> attribute(const Platform& platform, const Device& device, hipDeviceAttribute_t which) {
  const auto* const found = std::ranges::find(kAttributes, which, &Attribute::id);
  if (found == std::end(kAttributes)) return {};
  return found->value(properties(platform, device), device.gpu);
}

}  // namespace wavesmith::runtime
