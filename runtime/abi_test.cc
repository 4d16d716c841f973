// The layouts of runtime/abi against those that a C++ compiler gave the structures of AMD's own headers:
// HIP 7.1's for all, HIP 5.2's for hipDeviceProp_tR0000.
#include <gtest/gtest.h>

#include <string_view>

#include "runtime/abi/device.h"
#include "runtime/abi/graph.h"

namespace {

struct Layout {
  std::string_view what;
  size_t ours, theirs;
};

// clang-format off
constexpr Layout kLayouts[] = {
    {"hipUUID", sizeof(hipUUID), 16},
    {"hipDeviceProp_tR0600", sizeof(hipDeviceProp_tR0600), 1472},
    {"hipDeviceProp_tR0600.uuid", offsetof(hipDeviceProp_tR0600, uuid), 256},
    {"hipDeviceProp_tR0600.luid", offsetof(hipDeviceProp_tR0600, luid), 272},
    {"hipDeviceProp_tR0600.luidDeviceNodeMask", offsetof(hipDeviceProp_tR0600, luidDeviceNodeMask), 280},
    {"hipDeviceProp_tR0600.totalGlobalMem", offsetof(hipDeviceProp_tR0600, totalGlobalMem), 288},
    {"hipDeviceProp_tR0600.sharedMemPerBlock", offsetof(hipDeviceProp_tR0600, sharedMemPerBlock), 296},
    {"hipDeviceProp_tR0600.regsPerBlock", offsetof(hipDeviceProp_tR0600, regsPerBlock), 304},
    {"hipDeviceProp_tR0600.warpSize", offsetof(hipDeviceProp_tR0600, warpSize), 308},
    {"hipDeviceProp_tR0600.memPitch", offsetof(hipDeviceProp_tR0600, memPitch), 312},
    {"hipDeviceProp_tR0600.maxThreadsPerBlock", offsetof(hipDeviceProp_tR0600, maxThreadsPerBlock), 320},
    {"hipDeviceProp_tR0600.maxThreadsDim", offsetof(hipDeviceProp_tR0600, maxThreadsDim), 324},
    {"hipDeviceProp_tR0600.maxGridSize", offsetof(hipDeviceProp_tR0600, maxGridSize), 336},
    {"hipDeviceProp_tR0600.clockRate", offsetof(hipDeviceProp_tR0600, clockRate), 348},
    {"hipDeviceProp_tR0600.totalConstMem", offsetof(hipDeviceProp_tR0600, totalConstMem), 352},
    {"hipDeviceProp_tR0600.major", offsetof(hipDeviceProp_tR0600, major), 360},
    {"hipDeviceProp_tR0600.minor", offsetof(hipDeviceProp_tR0600, minor), 364},
    {"hipDeviceProp_tR0600.textureAlignment", offsetof(hipDeviceProp_tR0600, textureAlignment), 368},
    {"hipDeviceProp_tR0600.texturePitchAlignment", offsetof(hipDeviceProp_tR0600, texturePitchAlignment), 376},
    {"hipDeviceProp_tR0600.deviceOverlap", offsetof(hipDeviceProp_tR0600, deviceOverlap), 384},
    {"hipDeviceProp_tR0600.multiProcessorCount", offsetof(hipDeviceProp_tR0600, multiProcessorCount), 388},
    {"hipDeviceProp_tR0600.kernelExecTimeoutEnabled", offsetof(hipDeviceProp_tR0600, kernelExecTimeoutEnabled), 392},
    {"hipDeviceProp_tR0600.integrated", offsetof(hipDeviceProp_tR0600, integrated), 396},
    {"hipDeviceProp_tR0600.canMapHostMemory", offsetof(hipDeviceProp_tR0600, canMapHostMemory), 400},
    {"hipDeviceProp_tR0600.computeMode", offsetof(hipDeviceProp_tR0600, computeMode), 404},
    {"hipDeviceProp_tR0600.maxTexture1D", offsetof(hipDeviceProp_tR0600, maxTexture1D), 408},
    {"hipDeviceProp_tR0600.maxTexture1DMipmap", offsetof(hipDeviceProp_tR0600, maxTexture1DMipmap), 412},
    {"hipDeviceProp_tR0600.maxTexture1DLinear", offsetof(hipDeviceProp_tR0600, maxTexture1DLinear), 416},
    {"hipDeviceProp_tR0600.maxTexture2D", offsetof(hipDeviceProp_tR0600, maxTexture2D), 420},
    {"hipDeviceProp_tR0600.maxTexture2DMipmap", offsetof(hipDeviceProp_tR0600, maxTexture2DMipmap), 428},
    {"hipDeviceProp_tR0600.maxTexture2DLinear", offsetof(hipDeviceProp_tR0600, maxTexture2DLinear), 436},
    {"hipDeviceProp_tR0600.maxTexture2DGather", offsetof(hipDeviceProp_tR0600, maxTexture2DGather), 448},
    {"hipDeviceProp_tR0600.maxTexture3D", offsetof(hipDeviceProp_tR0600, maxTexture3D), 456},
    {"hipDeviceProp_tR0600.maxTexture3DAlt", offsetof(hipDeviceProp_tR0600, maxTexture3DAlt), 468},
    {"hipDeviceProp_tR0600.maxTextureCubemap", offsetof(hipDeviceProp_tR0600, maxTextureCubemap), 480},
    {"hipDeviceProp_tR0600.maxTexture1DLayered", offsetof(hipDeviceProp_tR0600, maxTexture1DLayered), 484},
    {"hipDeviceProp_tR0600.maxTexture2DLayered", offsetof(hipDeviceProp_tR0600, maxTexture2DLayered), 492},
    {"hipDeviceProp_tR0600.maxTextureCubemapLayered", offsetof(hipDeviceProp_tR0600, maxTextureCubemapLayered), 504},
    {"hipDeviceProp_tR0600.maxSurface1D", offsetof(hipDeviceProp_tR0600, maxSurface1D), 512},
    {"hipDeviceProp_tR0600.maxSurface2D", offsetof(hipDeviceProp_tR0600, maxSurface2D), 516},
    {"hipDeviceProp_tR0600.maxSurface3D", offsetof(hipDeviceProp_tR0600, maxSurface3D), 524},
    {"hipDeviceProp_tR0600.maxSurface1DLayered", offsetof(hipDeviceProp_tR0600, maxSurface1DLayered), 536},
    {"hipDeviceProp_tR0600.maxSurface2DLayered", offsetof(hipDeviceProp_tR0600, maxSurface2DLayered), 544},
    {"hipDeviceProp_tR0600.maxSurfaceCubemap", offsetof(hipDeviceProp_tR0600, maxSurfaceCubemap), 556},
    {"hipDeviceProp_tR0600.maxSurfaceCubemapLayered", offsetof(hipDeviceProp_tR0600, maxSurfaceCubemapLayered), 560},
    {"hipDeviceProp_tR0600.surfaceAlignment", offsetof(hipDeviceProp_tR0600, surfaceAlignment), 568},
    {"hipDeviceProp_tR0600.concurrentKernels", offsetof(hipDeviceProp_tR0600, concurrentKernels), 576},
    {"hipDeviceProp_tR0600.ECCEnabled", offsetof(hipDeviceProp_tR0600, ECCEnabled), 580},
    {"hipDeviceProp_tR0600.pciBusID", offsetof(hipDeviceProp_tR0600, pciBusID), 584},
    {"hipDeviceProp_tR0600.pciDeviceID", offsetof(hipDeviceProp_tR0600, pciDeviceID), 588},
    {"hipDeviceProp_tR0600.pciDomainID", offsetof(hipDeviceProp_tR0600, pciDomainID), 592},
    {"hipDeviceProp_tR0600.tccDriver", offsetof(hipDeviceProp_tR0600, tccDriver), 596},
    {"hipDeviceProp_tR0600.asyncEngineCount", offsetof(hipDeviceProp_tR0600, asyncEngineCount), 600},
    {"hipDeviceProp_tR0600.unifiedAddressing", offsetof(hipDeviceProp_tR0600, unifiedAddressing), 604},
    {"hipDeviceProp_tR0600.memoryClockRate", offsetof(hipDeviceProp_tR0600, memoryClockRate), 608},
    {"hipDeviceProp_tR0600.memoryBusWidth", offsetof(hipDeviceProp_tR0600, memoryBusWidth), 612},
    {"hipDeviceProp_tR0600.l2CacheSize", offsetof(hipDeviceProp_tR0600, l2CacheSize), 616},
    {"hipDeviceProp_tR0600.persistingL2CacheMaxSize", offsetof(hipDeviceProp_tR0600, persistingL2CacheMaxSize), 620},
    {"hipDeviceProp_tR0600.maxThreadsPerMultiProcessor", offsetof(hipDeviceProp_tR0600, maxThreadsPerMultiProcessor), 624},
    {"hipDeviceProp_tR0600.streamPrioritiesSupported", offsetof(hipDeviceProp_tR0600, streamPrioritiesSupported), 628},
    {"hipDeviceProp_tR0600.globalL1CacheSupported", offsetof(hipDeviceProp_tR0600, globalL1CacheSupported), 632},
    {"hipDeviceProp_tR0600.localL1CacheSupported", offsetof(hipDeviceProp_tR0600, localL1CacheSupported), 636},
    {"hipDeviceProp_tR0600.sharedMemPerMultiprocessor", offsetof(hipDeviceProp_tR0600, sharedMemPerMultiprocessor), 640},
    {"hipDeviceProp_tR0600.regsPerMultiprocessor", offsetof(hipDeviceProp_tR0600, regsPerMultiprocessor), 648},
    {"hipDeviceProp_tR0600.managedMemory", offsetof(hipDeviceProp_tR0600, managedMemory), 652},
    {"hipDeviceProp_tR0600.isMultiGpuBoard", offsetof(hipDeviceProp_tR0600, isMultiGpuBoard), 656},
    {"hipDeviceProp_tR0600.multiGpuBoardGroupID", offsetof(hipDeviceProp_tR0600, multiGpuBoardGroupID), 660},
    {"hipDeviceProp_tR0600.hostNativeAtomicSupported", offsetof(hipDeviceProp_tR0600, hostNativeAtomicSupported), 664},
    {"hipDeviceProp_tR0600.singleToDoublePrecisionPerfRatio", offsetof(hipDeviceProp_tR0600, singleToDoublePrecisionPerfRatio), 668},
    {"hipDeviceProp_tR0600.pageableMemoryAccess", offsetof(hipDeviceProp_tR0600, pageableMemoryAccess), 672},
    {"hipDeviceProp_tR0600.concurrentManagedAccess", offsetof(hipDeviceProp_tR0600, concurrentManagedAccess), 676},
    {"hipDeviceProp_tR0600.computePreemptionSupported", offsetof(hipDeviceProp_tR0600, computePreemptionSupported), 680},
    {"hipDeviceProp_tR0600.canUseHostPointerForRegisteredMem", offsetof(hipDeviceProp_tR0600, canUseHostPointerForRegisteredMem), 684},
    {"hipDeviceProp_tR0600.cooperativeLaunch", offsetof(hipDeviceProp_tR0600, cooperativeLaunch), 688},
    {"hipDeviceProp_tR0600.cooperativeMultiDeviceLaunch", offsetof(hipDeviceProp_tR0600, cooperativeMultiDeviceLaunch), 692},
    {"hipDeviceProp_tR0600.sharedMemPerBlockOptin", offsetof(hipDeviceProp_tR0600, sharedMemPerBlockOptin), 696},
    {"hipDeviceProp_tR0600.pageableMemoryAccessUsesHostPageTables", offsetof(hipDeviceProp_tR0600, pageableMemoryAccessUsesHostPageTables), 704},
    {"hipDeviceProp_tR0600.directManagedMemAccessFromHost", offsetof(hipDeviceProp_tR0600, directManagedMemAccessFromHost), 708},
    {"hipDeviceProp_tR0600.maxBlocksPerMultiProcessor", offsetof(hipDeviceProp_tR0600, maxBlocksPerMultiProcessor), 712},
    {"hipDeviceProp_tR0600.accessPolicyMaxWindowSize", offsetof(hipDeviceProp_tR0600, accessPolicyMaxWindowSize), 716},
    {"hipDeviceProp_tR0600.reservedSharedMemPerBlock", offsetof(hipDeviceProp_tR0600, reservedSharedMemPerBlock), 720},
    {"hipDeviceProp_tR0600.hostRegisterSupported", offsetof(hipDeviceProp_tR0600, hostRegisterSupported), 728},
    {"hipDeviceProp_tR0600.sparseHipArraySupported", offsetof(hipDeviceProp_tR0600, sparseHipArraySupported), 732},
    {"hipDeviceProp_tR0600.hostRegisterReadOnlySupported", offsetof(hipDeviceProp_tR0600, hostRegisterReadOnlySupported), 736},
    {"hipDeviceProp_tR0600.timelineSemaphoreInteropSupported", offsetof(hipDeviceProp_tR0600, timelineSemaphoreInteropSupported), 740},
    {"hipDeviceProp_tR0600.memoryPoolsSupported", offsetof(hipDeviceProp_tR0600, memoryPoolsSupported), 744},
    {"hipDeviceProp_tR0600.gpuDirectRDMASupported", offsetof(hipDeviceProp_tR0600, gpuDirectRDMASupported), 748},
    {"hipDeviceProp_tR0600.gpuDirectRDMAFlushWritesOptions", offsetof(hipDeviceProp_tR0600, gpuDirectRDMAFlushWritesOptions), 752},
    {"hipDeviceProp_tR0600.gpuDirectRDMAWritesOrdering", offsetof(hipDeviceProp_tR0600, gpuDirectRDMAWritesOrdering), 756},
    {"hipDeviceProp_tR0600.memoryPoolSupportedHandleTypes", offsetof(hipDeviceProp_tR0600, memoryPoolSupportedHandleTypes), 760},
    {"hipDeviceProp_tR0600.deferredMappingHipArraySupported", offsetof(hipDeviceProp_tR0600, deferredMappingHipArraySupported), 764},
    {"hipDeviceProp_tR0600.ipcEventSupported", offsetof(hipDeviceProp_tR0600, ipcEventSupported), 768},
    {"hipDeviceProp_tR0600.clusterLaunch", offsetof(hipDeviceProp_tR0600, clusterLaunch), 772},
    {"hipDeviceProp_tR0600.unifiedFunctionPointers", offsetof(hipDeviceProp_tR0600, unifiedFunctionPointers), 776},
    {"hipDeviceProp_tR0600.reserved", offsetof(hipDeviceProp_tR0600, reserved), 780},
    {"hipDeviceProp_tR0600.hipReserved", offsetof(hipDeviceProp_tR0600, hipReserved), 1032},
    {"hipDeviceProp_tR0600.gcnArchName", offsetof(hipDeviceProp_tR0600, gcnArchName), 1160},
    {"hipDeviceProp_tR0600.maxSharedMemoryPerMultiProcessor", offsetof(hipDeviceProp_tR0600, maxSharedMemoryPerMultiProcessor), 1416},
    {"hipDeviceProp_tR0600.clockInstructionRate", offsetof(hipDeviceProp_tR0600, clockInstructionRate), 1424},
    {"hipDeviceProp_tR0600.arch", offsetof(hipDeviceProp_tR0600, arch), 1428},
    {"hipDeviceProp_tR0600.hdpMemFlushCntl", offsetof(hipDeviceProp_tR0600, hdpMemFlushCntl), 1432},
    {"hipDeviceProp_tR0600.hdpRegFlushCntl", offsetof(hipDeviceProp_tR0600, hdpRegFlushCntl), 1440},
    {"hipDeviceProp_tR0600.cooperativeMultiDeviceUnmatchedFunc", offsetof(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedFunc), 1448},
    {"hipDeviceProp_tR0600.cooperativeMultiDeviceUnmatchedGridDim", offsetof(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedGridDim), 1452},
    {"hipDeviceProp_tR0600.cooperativeMultiDeviceUnmatchedBlockDim", offsetof(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedBlockDim), 1456},
    {"hipDeviceProp_tR0600.cooperativeMultiDeviceUnmatchedSharedMem", offsetof(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedSharedMem), 1460},
    {"hipDeviceProp_tR0600.isLargeBar", offsetof(hipDeviceProp_tR0600, isLargeBar), 1464},
    {"hipDeviceProp_tR0600.asicRevision", offsetof(hipDeviceProp_tR0600, asicRevision), 1468},
    {"hipPointerAttribute_t", sizeof(hipPointerAttribute_t), 32},
    {"hipPointerAttribute_t.device", offsetof(hipPointerAttribute_t, device), 4},
    {"hipPointerAttribute_t.devicePointer", offsetof(hipPointerAttribute_t, devicePointer), 8},
    {"hipPointerAttribute_t.hostPointer", offsetof(hipPointerAttribute_t, hostPointer), 16},
    {"hipPointerAttribute_t.isManaged", offsetof(hipPointerAttribute_t, isManaged), 24},
    {"hipPointerAttribute_t.allocationFlags", offsetof(hipPointerAttribute_t, allocationFlags), 28},
    {"hipPitchedPtr", sizeof(hipPitchedPtr), 32},
    {"hipPitchedPtr.pitch", offsetof(hipPitchedPtr, pitch), 8},
    {"hipPitchedPtr.xsize", offsetof(hipPitchedPtr, xsize), 16},
    {"hipPitchedPtr.ysize", offsetof(hipPitchedPtr, ysize), 24},
    {"hipExtent", sizeof(hipExtent), 24},
    {"hipExtent.height", offsetof(hipExtent, height), 8},
    {"hipExtent.depth", offsetof(hipExtent, depth), 16},
    {"hipPos", sizeof(hipPos), 24},
    {"hipPos.y", offsetof(hipPos, y), 8},
    {"hipPos.z", offsetof(hipPos, z), 16},
    {"hipChannelFormatDesc", sizeof(hipChannelFormatDesc), 20},
    {"hipChannelFormatDesc.y", offsetof(hipChannelFormatDesc, y), 4},
    {"hipChannelFormatDesc.z", offsetof(hipChannelFormatDesc, z), 8},
    {"hipChannelFormatDesc.w", offsetof(hipChannelFormatDesc, w), 12},
    {"hipChannelFormatDesc.f", offsetof(hipChannelFormatDesc, f), 16},
    {"HIP_ARRAY_DESCRIPTOR", sizeof(HIP_ARRAY_DESCRIPTOR), 24},
    {"HIP_ARRAY_DESCRIPTOR.Height", offsetof(HIP_ARRAY_DESCRIPTOR, Height), 8},
    {"HIP_ARRAY_DESCRIPTOR.Format", offsetof(HIP_ARRAY_DESCRIPTOR, Format), 16},
    {"HIP_ARRAY_DESCRIPTOR.NumChannels", offsetof(HIP_ARRAY_DESCRIPTOR, NumChannels), 20},
    {"HIP_ARRAY3D_DESCRIPTOR", sizeof(HIP_ARRAY3D_DESCRIPTOR), 40},
    {"HIP_ARRAY3D_DESCRIPTOR.Height", offsetof(HIP_ARRAY3D_DESCRIPTOR, Height), 8},
    {"HIP_ARRAY3D_DESCRIPTOR.Depth", offsetof(HIP_ARRAY3D_DESCRIPTOR, Depth), 16},
    {"HIP_ARRAY3D_DESCRIPTOR.Format", offsetof(HIP_ARRAY3D_DESCRIPTOR, Format), 24},
    {"HIP_ARRAY3D_DESCRIPTOR.NumChannels", offsetof(HIP_ARRAY3D_DESCRIPTOR, NumChannels), 28},
    {"HIP_ARRAY3D_DESCRIPTOR.Flags", offsetof(HIP_ARRAY3D_DESCRIPTOR, Flags), 32},
    {"hipMemcpy3DParms", sizeof(hipMemcpy3DParms), 160},
    {"hipMemcpy3DParms.srcPos", offsetof(hipMemcpy3DParms, srcPos), 8},
    {"hipMemcpy3DParms.srcPtr", offsetof(hipMemcpy3DParms, srcPtr), 32},
    {"hipMemcpy3DParms.dstArray", offsetof(hipMemcpy3DParms, dstArray), 64},
    {"hipMemcpy3DParms.dstPos", offsetof(hipMemcpy3DParms, dstPos), 72},
    {"hipMemcpy3DParms.dstPtr", offsetof(hipMemcpy3DParms, dstPtr), 96},
    {"hipMemcpy3DParms.extent", offsetof(hipMemcpy3DParms, extent), 128},
    {"hipMemcpy3DParms.kind", offsetof(hipMemcpy3DParms, kind), 152},
    {"hipMemcpy3DPeerParms", sizeof(hipMemcpy3DPeerParms), 168},
    {"hipMemcpy3DPeerParms.srcPos", offsetof(hipMemcpy3DPeerParms, srcPos), 8},
    {"hipMemcpy3DPeerParms.srcPtr", offsetof(hipMemcpy3DPeerParms, srcPtr), 32},
    {"hipMemcpy3DPeerParms.srcDevice", offsetof(hipMemcpy3DPeerParms, srcDevice), 64},
    {"hipMemcpy3DPeerParms.dstArray", offsetof(hipMemcpy3DPeerParms, dstArray), 72},
    {"hipMemcpy3DPeerParms.dstPos", offsetof(hipMemcpy3DPeerParms, dstPos), 80},
    {"hipMemcpy3DPeerParms.dstPtr", offsetof(hipMemcpy3DPeerParms, dstPtr), 104},
    {"hipMemcpy3DPeerParms.dstDevice", offsetof(hipMemcpy3DPeerParms, dstDevice), 136},
    {"hipMemcpy3DPeerParms.extent", offsetof(hipMemcpy3DPeerParms, extent), 144},
    {"hip_Memcpy2D", sizeof(hip_Memcpy2D), 128},
    {"hip_Memcpy2D.srcY", offsetof(hip_Memcpy2D, srcY), 8},
    {"hip_Memcpy2D.srcMemoryType", offsetof(hip_Memcpy2D, srcMemoryType), 16},
    {"hip_Memcpy2D.srcHost", offsetof(hip_Memcpy2D, srcHost), 24},
    {"hip_Memcpy2D.srcDevice", offsetof(hip_Memcpy2D, srcDevice), 32},
    {"hip_Memcpy2D.srcArray", offsetof(hip_Memcpy2D, srcArray), 40},
    {"hip_Memcpy2D.srcPitch", offsetof(hip_Memcpy2D, srcPitch), 48},
    {"hip_Memcpy2D.dstXInBytes", offsetof(hip_Memcpy2D, dstXInBytes), 56},
    {"hip_Memcpy2D.dstY", offsetof(hip_Memcpy2D, dstY), 64},
    {"hip_Memcpy2D.dstMemoryType", offsetof(hip_Memcpy2D, dstMemoryType), 72},
    {"hip_Memcpy2D.dstHost", offsetof(hip_Memcpy2D, dstHost), 80},
    {"hip_Memcpy2D.dstDevice", offsetof(hip_Memcpy2D, dstDevice), 88},
    {"hip_Memcpy2D.dstArray", offsetof(hip_Memcpy2D, dstArray), 96},
    {"hip_Memcpy2D.dstPitch", offsetof(hip_Memcpy2D, dstPitch), 104},
    {"hip_Memcpy2D.WidthInBytes", offsetof(hip_Memcpy2D, WidthInBytes), 112},
    {"hip_Memcpy2D.Height", offsetof(hip_Memcpy2D, Height), 120},
    {"HIP_MEMCPY3D", sizeof(HIP_MEMCPY3D), 184},
    {"HIP_MEMCPY3D.srcY", offsetof(HIP_MEMCPY3D, srcY), 8},
    {"HIP_MEMCPY3D.srcZ", offsetof(HIP_MEMCPY3D, srcZ), 16},
    {"HIP_MEMCPY3D.srcLOD", offsetof(HIP_MEMCPY3D, srcLOD), 24},
    {"HIP_MEMCPY3D.srcMemoryType", offsetof(HIP_MEMCPY3D, srcMemoryType), 32},
    {"HIP_MEMCPY3D.srcHost", offsetof(HIP_MEMCPY3D, srcHost), 40},
    {"HIP_MEMCPY3D.srcDevice", offsetof(HIP_MEMCPY3D, srcDevice), 48},
    {"HIP_MEMCPY3D.srcArray", offsetof(HIP_MEMCPY3D, srcArray), 56},
    {"HIP_MEMCPY3D.srcPitch", offsetof(HIP_MEMCPY3D, srcPitch), 64},
    {"HIP_MEMCPY3D.srcHeight", offsetof(HIP_MEMCPY3D, srcHeight), 72},
    {"HIP_MEMCPY3D.dstXInBytes", offsetof(HIP_MEMCPY3D, dstXInBytes), 80},
    {"HIP_MEMCPY3D.dstY", offsetof(HIP_MEMCPY3D, dstY), 88},
    {"HIP_MEMCPY3D.dstZ", offsetof(HIP_MEMCPY3D, dstZ), 96},
    {"HIP_MEMCPY3D.dstLOD", offsetof(HIP_MEMCPY3D, dstLOD), 104},
    {"HIP_MEMCPY3D.dstMemoryType", offsetof(HIP_MEMCPY3D, dstMemoryType), 112},
    {"HIP_MEMCPY3D.dstHost", offsetof(HIP_MEMCPY3D, dstHost), 120},
    {"HIP_MEMCPY3D.dstDevice", offsetof(HIP_MEMCPY3D, dstDevice), 128},
    {"HIP_MEMCPY3D.dstArray", offsetof(HIP_MEMCPY3D, dstArray), 136},
    {"HIP_MEMCPY3D.dstPitch", offsetof(HIP_MEMCPY3D, dstPitch), 144},
    {"HIP_MEMCPY3D.dstHeight", offsetof(HIP_MEMCPY3D, dstHeight), 152},
    {"HIP_MEMCPY3D.WidthInBytes", offsetof(HIP_MEMCPY3D, WidthInBytes), 160},
    {"HIP_MEMCPY3D.Height", offsetof(HIP_MEMCPY3D, Height), 168},
    {"HIP_MEMCPY3D.Depth", offsetof(HIP_MEMCPY3D, Depth), 176},
    {"hipMemLocation", sizeof(hipMemLocation), 8},
    {"hipMemLocation.id", offsetof(hipMemLocation, id), 4},
    {"hipMemcpyAttributes", sizeof(hipMemcpyAttributes), 24},
    {"hipMemcpyAttributes.srcLocHint", offsetof(hipMemcpyAttributes, srcLocHint), 4},
    {"hipMemcpyAttributes.dstLocHint", offsetof(hipMemcpyAttributes, dstLocHint), 12},
    {"hipMemcpyAttributes.flags", offsetof(hipMemcpyAttributes, flags), 20},
    {"hipOffset3D", sizeof(hipOffset3D), 24},
    {"hipOffset3D.y", offsetof(hipOffset3D, y), 8},
    {"hipOffset3D.z", offsetof(hipOffset3D, z), 16},
    {"hipMemcpy3DOperand", sizeof(hipMemcpy3DOperand), 40},
    {"hipMemcpy3DOperand.op", offsetof(hipMemcpy3DOperand, op), 8},
    {"hipMemcpy3DBatchOp", sizeof(hipMemcpy3DBatchOp), 112},
    {"hipMemcpy3DBatchOp.dst", offsetof(hipMemcpy3DBatchOp, dst), 40},
    {"hipMemcpy3DBatchOp.extent", offsetof(hipMemcpy3DBatchOp, extent), 80},
    {"hipMemcpy3DBatchOp.srcAccessOrder", offsetof(hipMemcpy3DBatchOp, srcAccessOrder), 104},
    {"hipMemcpy3DBatchOp.flags", offsetof(hipMemcpy3DBatchOp, flags), 108},
    {"hipMemAccessDesc", sizeof(hipMemAccessDesc), 12},
    {"hipMemAccessDesc.flags", offsetof(hipMemAccessDesc, flags), 8},
    {"hipMemPoolProps", sizeof(hipMemPoolProps), 88},
    {"hipMemPoolProps.handleTypes", offsetof(hipMemPoolProps, handleTypes), 4},
    {"hipMemPoolProps.location", offsetof(hipMemPoolProps, location), 8},
    {"hipMemPoolProps.win32SecurityAttributes", offsetof(hipMemPoolProps, win32SecurityAttributes), 16},
    {"hipMemPoolProps.maxSize", offsetof(hipMemPoolProps, maxSize), 24},
    {"hipMemPoolProps.reserved", offsetof(hipMemPoolProps, reserved), 32},
    {"hipMemPoolPtrExportData", sizeof(hipMemPoolPtrExportData), 64},
    {"hipMemAllocationProp", sizeof(hipMemAllocationProp), 32},
    {"hipMemAllocationProp.location", offsetof(hipMemAllocationProp, location), 8},
    {"hipMemAllocationProp.win32HandleMetaData", offsetof(hipMemAllocationProp, win32HandleMetaData), 16},
    {"hipMemAllocationProp.allocFlags", offsetof(hipMemAllocationProp, allocFlags), 24},
    {"hipIpcMemHandle_t", sizeof(hipIpcMemHandle_t), 64},
    {"hipIpcEventHandle_t", sizeof(hipIpcEventHandle_t), 64},
    {"hipFuncAttributes", sizeof(hipFuncAttributes), 56},
    {"hipFuncAttributes.cacheModeCA", offsetof(hipFuncAttributes, cacheModeCA), 4},
    {"hipFuncAttributes.constSizeBytes", offsetof(hipFuncAttributes, constSizeBytes), 8},
    {"hipFuncAttributes.localSizeBytes", offsetof(hipFuncAttributes, localSizeBytes), 16},
    {"hipFuncAttributes.maxDynamicSharedSizeBytes", offsetof(hipFuncAttributes, maxDynamicSharedSizeBytes), 24},
    {"hipFuncAttributes.maxThreadsPerBlock", offsetof(hipFuncAttributes, maxThreadsPerBlock), 28},
    {"hipFuncAttributes.numRegs", offsetof(hipFuncAttributes, numRegs), 32},
    {"hipFuncAttributes.preferredShmemCarveout", offsetof(hipFuncAttributes, preferredShmemCarveout), 36},
    {"hipFuncAttributes.ptxVersion", offsetof(hipFuncAttributes, ptxVersion), 40},
    {"hipFuncAttributes.sharedSizeBytes", offsetof(hipFuncAttributes, sharedSizeBytes), 48},
    {"hipLaunchParams", sizeof(hipLaunchParams), 56},
    {"hipLaunchParams.gridDim", offsetof(hipLaunchParams, gridDim), 8},
    {"hipLaunchParams.blockDim", offsetof(hipLaunchParams, blockDim), 20},
    {"hipLaunchParams.args", offsetof(hipLaunchParams, args), 32},
    {"hipLaunchParams.sharedMem", offsetof(hipLaunchParams, sharedMem), 40},
    {"hipLaunchParams.stream", offsetof(hipLaunchParams, stream), 48},
    {"hipFunctionLaunchParams", sizeof(hipFunctionLaunchParams), 56},
    {"hipFunctionLaunchParams.gridDimX", offsetof(hipFunctionLaunchParams, gridDimX), 8},
    {"hipFunctionLaunchParams.gridDimY", offsetof(hipFunctionLaunchParams, gridDimY), 12},
    {"hipFunctionLaunchParams.gridDimZ", offsetof(hipFunctionLaunchParams, gridDimZ), 16},
    {"hipFunctionLaunchParams.blockDimX", offsetof(hipFunctionLaunchParams, blockDimX), 20},
    {"hipFunctionLaunchParams.blockDimY", offsetof(hipFunctionLaunchParams, blockDimY), 24},
    {"hipFunctionLaunchParams.blockDimZ", offsetof(hipFunctionLaunchParams, blockDimZ), 28},
    {"hipFunctionLaunchParams.sharedMemBytes", offsetof(hipFunctionLaunchParams, sharedMemBytes), 32},
    {"hipFunctionLaunchParams.hStream", offsetof(hipFunctionLaunchParams, hStream), 40},
    {"hipFunctionLaunchParams.kernelParams", offsetof(hipFunctionLaunchParams, kernelParams), 48},
    {"hipAccessPolicyWindow", sizeof(hipAccessPolicyWindow), 32},
    {"hipAccessPolicyWindow.hitProp", offsetof(hipAccessPolicyWindow, hitProp), 8},
    {"hipAccessPolicyWindow.hitRatio", offsetof(hipAccessPolicyWindow, hitRatio), 12},
    {"hipAccessPolicyWindow.missProp", offsetof(hipAccessPolicyWindow, missProp), 16},
    {"hipAccessPolicyWindow.num_bytes", offsetof(hipAccessPolicyWindow, num_bytes), 24},
    {"hipLaunchMemSyncDomainMap", sizeof(hipLaunchMemSyncDomainMap), 2},
    {"hipLaunchMemSyncDomainMap.remote", offsetof(hipLaunchMemSyncDomainMap, remote), 1},
    {"hipLaunchAttributeValue", sizeof(hipLaunchAttributeValue), 64},
    {"hipLaunchAttributeValue.accessPolicyWindow", offsetof(hipLaunchAttributeValue, accessPolicyWindow), 0},
    {"hipLaunchAttributeValue.cooperative", offsetof(hipLaunchAttributeValue, cooperative), 0},
    {"hipLaunchAttributeValue.priority", offsetof(hipLaunchAttributeValue, priority), 0},
    {"hipLaunchAttributeValue.syncPolicy", offsetof(hipLaunchAttributeValue, syncPolicy), 0},
    {"hipLaunchAttributeValue.memSyncDomainMap", offsetof(hipLaunchAttributeValue, memSyncDomainMap), 0},
    {"hipLaunchAttributeValue.memSyncDomain", offsetof(hipLaunchAttributeValue, memSyncDomain), 0},
    {"hipLaunchAttribute", sizeof(hipLaunchAttribute), 72},
    {"hipLaunchAttribute.pad", offsetof(hipLaunchAttribute, pad), 4},
    {"hipLaunchConfig_t", sizeof(hipLaunchConfig_t), 56},
    {"hipLaunchConfig_t.blockDim", offsetof(hipLaunchConfig_t, blockDim), 12},
    {"hipLaunchConfig_t.dynamicSmemBytes", offsetof(hipLaunchConfig_t, dynamicSmemBytes), 24},
    {"hipLaunchConfig_t.stream", offsetof(hipLaunchConfig_t, stream), 32},
    {"hipLaunchConfig_t.attrs", offsetof(hipLaunchConfig_t, attrs), 40},
    {"hipLaunchConfig_t.numAttrs", offsetof(hipLaunchConfig_t, numAttrs), 48},
    {"HIP_LAUNCH_CONFIG", sizeof(HIP_LAUNCH_CONFIG), 56},
    {"HIP_LAUNCH_CONFIG.gridDimY", offsetof(HIP_LAUNCH_CONFIG, gridDimY), 4},
    {"HIP_LAUNCH_CONFIG.gridDimZ", offsetof(HIP_LAUNCH_CONFIG, gridDimZ), 8},
    {"HIP_LAUNCH_CONFIG.blockDimX", offsetof(HIP_LAUNCH_CONFIG, blockDimX), 12},
    {"HIP_LAUNCH_CONFIG.blockDimY", offsetof(HIP_LAUNCH_CONFIG, blockDimY), 16},
    {"HIP_LAUNCH_CONFIG.blockDimZ", offsetof(HIP_LAUNCH_CONFIG, blockDimZ), 20},
    {"HIP_LAUNCH_CONFIG.sharedMemBytes", offsetof(HIP_LAUNCH_CONFIG, sharedMemBytes), 24},
    {"HIP_LAUNCH_CONFIG.hStream", offsetof(HIP_LAUNCH_CONFIG, hStream), 32},
    {"HIP_LAUNCH_CONFIG.attrs", offsetof(HIP_LAUNCH_CONFIG, attrs), 40},
    {"HIP_LAUNCH_CONFIG.numAttrs", offsetof(HIP_LAUNCH_CONFIG, numAttrs), 48},
    {"hipStreamBatchMemOpParams", sizeof(hipStreamBatchMemOpParams), 48},
    {"hipStreamBatchMemOpParams.waitValue", offsetof(hipStreamBatchMemOpParams, waitValue), 0},
    {"hipStreamBatchMemOpParams.writeValue", offsetof(hipStreamBatchMemOpParams, writeValue), 0},
    {"hipStreamBatchMemOpParams.flushRemoteWrites", offsetof(hipStreamBatchMemOpParams, flushRemoteWrites), 0},
    {"hipStreamBatchMemOpParams.memoryBarrier", offsetof(hipStreamBatchMemOpParams, memoryBarrier), 0},
    {"hipStreamBatchMemOpParams.pad", offsetof(hipStreamBatchMemOpParams, pad), 0},
    {"hipHostNodeParams", sizeof(hipHostNodeParams), 16},
    {"hipHostNodeParams.userData", offsetof(hipHostNodeParams, userData), 8},
    {"hipKernelNodeParams", sizeof(hipKernelNodeParams), 64},
    {"hipKernelNodeParams.extra", offsetof(hipKernelNodeParams, extra), 16},
    {"hipKernelNodeParams.func", offsetof(hipKernelNodeParams, func), 24},
    {"hipKernelNodeParams.gridDim", offsetof(hipKernelNodeParams, gridDim), 32},
    {"hipKernelNodeParams.kernelParams", offsetof(hipKernelNodeParams, kernelParams), 48},
    {"hipKernelNodeParams.sharedMemBytes", offsetof(hipKernelNodeParams, sharedMemBytes), 56},
    {"hipMemsetParams", sizeof(hipMemsetParams), 48},
    {"hipMemsetParams.elementSize", offsetof(hipMemsetParams, elementSize), 8},
    {"hipMemsetParams.height", offsetof(hipMemsetParams, height), 16},
    {"hipMemsetParams.pitch", offsetof(hipMemsetParams, pitch), 24},
    {"hipMemsetParams.value", offsetof(hipMemsetParams, value), 32},
    {"hipMemsetParams.width", offsetof(hipMemsetParams, width), 40},
    {"hipMemAllocNodeParams", sizeof(hipMemAllocNodeParams), 120},
    {"hipMemAllocNodeParams.accessDescs", offsetof(hipMemAllocNodeParams, accessDescs), 88},
    {"hipMemAllocNodeParams.accessDescCount", offsetof(hipMemAllocNodeParams, accessDescCount), 96},
    {"hipMemAllocNodeParams.bytesize", offsetof(hipMemAllocNodeParams, bytesize), 104},
    {"hipMemAllocNodeParams.dptr", offsetof(hipMemAllocNodeParams, dptr), 112},
    {"hipMemcpyNodeParams", sizeof(hipMemcpyNodeParams), 176},
    {"hipMemcpyNodeParams.reserved", offsetof(hipMemcpyNodeParams, reserved), 4},
    {"hipMemcpyNodeParams.copyParams", offsetof(hipMemcpyNodeParams, copyParams), 16},
    {"hipChildGraphNodeParams", sizeof(hipChildGraphNodeParams), 8},
    {"hipEventWaitNodeParams", sizeof(hipEventWaitNodeParams), 8},
    {"hipEventRecordNodeParams", sizeof(hipEventRecordNodeParams), 8},
    {"hipMemFreeNodeParams", sizeof(hipMemFreeNodeParams), 8},
    {"hipExternalSemaphoreSignalParams", sizeof(hipExternalSemaphoreSignalParams), 144},
    {"hipExternalSemaphoreSignalParams.flags", offsetof(hipExternalSemaphoreSignalParams, flags), 72},
    {"hipExternalSemaphoreSignalParams.reserved", offsetof(hipExternalSemaphoreSignalParams, reserved), 76},
    {"hipExternalSemaphoreWaitParams", sizeof(hipExternalSemaphoreWaitParams), 144},
    {"hipExternalSemaphoreWaitParams.flags", offsetof(hipExternalSemaphoreWaitParams, flags), 72},
    {"hipExternalSemaphoreWaitParams.reserved", offsetof(hipExternalSemaphoreWaitParams, reserved), 76},
    {"hipExternalSemaphoreSignalNodeParams", sizeof(hipExternalSemaphoreSignalNodeParams), 24},
    {"hipExternalSemaphoreSignalNodeParams.paramsArray", offsetof(hipExternalSemaphoreSignalNodeParams, paramsArray), 8},
    {"hipExternalSemaphoreSignalNodeParams.numExtSems", offsetof(hipExternalSemaphoreSignalNodeParams, numExtSems), 16},
    {"hipExternalSemaphoreWaitNodeParams", sizeof(hipExternalSemaphoreWaitNodeParams), 24},
    {"hipExternalSemaphoreWaitNodeParams.paramsArray", offsetof(hipExternalSemaphoreWaitNodeParams, paramsArray), 8},
    {"hipExternalSemaphoreWaitNodeParams.numExtSems", offsetof(hipExternalSemaphoreWaitNodeParams, numExtSems), 16},
    {"hipBatchMemOpNodeParams", sizeof(hipBatchMemOpNodeParams), 32},
    {"hipBatchMemOpNodeParams.count", offsetof(hipBatchMemOpNodeParams, count), 8},
    {"hipBatchMemOpNodeParams.paramArray", offsetof(hipBatchMemOpNodeParams, paramArray), 16},
    {"hipBatchMemOpNodeParams.flags", offsetof(hipBatchMemOpNodeParams, flags), 24},
    {"hipGraphNodeParams", sizeof(hipGraphNodeParams), 256},
    {"hipGraphNodeParams.reserved0", offsetof(hipGraphNodeParams, reserved0), 4},
    {"hipGraphNodeParams.reserved2", offsetof(hipGraphNodeParams, reserved2), 248},
    {"hipGraphEdgeData", sizeof(hipGraphEdgeData), 8},
    {"hipGraphEdgeData.reserved", offsetof(hipGraphEdgeData, reserved), 1},
    {"hipGraphEdgeData.to_port", offsetof(hipGraphEdgeData, to_port), 6},
    {"hipGraphEdgeData.type", offsetof(hipGraphEdgeData, type), 7},
    {"hipGraphInstantiateParams", sizeof(hipGraphInstantiateParams), 32},
    {"hipGraphInstantiateParams.flags", offsetof(hipGraphInstantiateParams, flags), 8},
    {"hipGraphInstantiateParams.result_out", offsetof(hipGraphInstantiateParams, result_out), 16},
    {"hipGraphInstantiateParams.uploadStream", offsetof(hipGraphInstantiateParams, uploadStream), 24},
    {"hipDeviceProp_tR0000", sizeof(hipDeviceProp_tR0000), 792},
    {"hipDeviceProp_tR0000.totalGlobalMem", offsetof(hipDeviceProp_tR0000, totalGlobalMem), 256},
    {"hipDeviceProp_tR0000.sharedMemPerBlock", offsetof(hipDeviceProp_tR0000, sharedMemPerBlock), 264},
    {"hipDeviceProp_tR0000.regsPerBlock", offsetof(hipDeviceProp_tR0000, regsPerBlock), 272},
    {"hipDeviceProp_tR0000.warpSize", offsetof(hipDeviceProp_tR0000, warpSize), 276},
    {"hipDeviceProp_tR0000.maxThreadsPerBlock", offsetof(hipDeviceProp_tR0000, maxThreadsPerBlock), 280},
    {"hipDeviceProp_tR0000.maxThreadsDim", offsetof(hipDeviceProp_tR0000, maxThreadsDim), 284},
    {"hipDeviceProp_tR0000.maxGridSize", offsetof(hipDeviceProp_tR0000, maxGridSize), 296},
    {"hipDeviceProp_tR0000.clockRate", offsetof(hipDeviceProp_tR0000, clockRate), 308},
    {"hipDeviceProp_tR0000.memoryClockRate", offsetof(hipDeviceProp_tR0000, memoryClockRate), 312},
    {"hipDeviceProp_tR0000.memoryBusWidth", offsetof(hipDeviceProp_tR0000, memoryBusWidth), 316},
    {"hipDeviceProp_tR0000.totalConstMem", offsetof(hipDeviceProp_tR0000, totalConstMem), 320},
    {"hipDeviceProp_tR0000.major", offsetof(hipDeviceProp_tR0000, major), 328},
    {"hipDeviceProp_tR0000.minor", offsetof(hipDeviceProp_tR0000, minor), 332},
    {"hipDeviceProp_tR0000.multiProcessorCount", offsetof(hipDeviceProp_tR0000, multiProcessorCount), 336},
    {"hipDeviceProp_tR0000.l2CacheSize", offsetof(hipDeviceProp_tR0000, l2CacheSize), 340},
    {"hipDeviceProp_tR0000.maxThreadsPerMultiProcessor", offsetof(hipDeviceProp_tR0000, maxThreadsPerMultiProcessor), 344},
    {"hipDeviceProp_tR0000.computeMode", offsetof(hipDeviceProp_tR0000, computeMode), 348},
    {"hipDeviceProp_tR0000.clockInstructionRate", offsetof(hipDeviceProp_tR0000, clockInstructionRate), 352},
    {"hipDeviceProp_tR0000.arch", offsetof(hipDeviceProp_tR0000, arch), 356},
    {"hipDeviceProp_tR0000.concurrentKernels", offsetof(hipDeviceProp_tR0000, concurrentKernels), 360},
    {"hipDeviceProp_tR0000.pciDomainID", offsetof(hipDeviceProp_tR0000, pciDomainID), 364},
    {"hipDeviceProp_tR0000.pciBusID", offsetof(hipDeviceProp_tR0000, pciBusID), 368},
    {"hipDeviceProp_tR0000.pciDeviceID", offsetof(hipDeviceProp_tR0000, pciDeviceID), 372},
    {"hipDeviceProp_tR0000.maxSharedMemoryPerMultiProcessor", offsetof(hipDeviceProp_tR0000, maxSharedMemoryPerMultiProcessor), 376},
    {"hipDeviceProp_tR0000.isMultiGpuBoard", offsetof(hipDeviceProp_tR0000, isMultiGpuBoard), 384},
    {"hipDeviceProp_tR0000.canMapHostMemory", offsetof(hipDeviceProp_tR0000, canMapHostMemory), 388},
    {"hipDeviceProp_tR0000.gcnArch", offsetof(hipDeviceProp_tR0000, gcnArch), 392},
    {"hipDeviceProp_tR0000.gcnArchName", offsetof(hipDeviceProp_tR0000, gcnArchName), 396},
    {"hipDeviceProp_tR0000.integrated", offsetof(hipDeviceProp_tR0000, integrated), 652},
    {"hipDeviceProp_tR0000.cooperativeLaunch", offsetof(hipDeviceProp_tR0000, cooperativeLaunch), 656},
    {"hipDeviceProp_tR0000.cooperativeMultiDeviceLaunch", offsetof(hipDeviceProp_tR0000, cooperativeMultiDeviceLaunch), 660},
    {"hipDeviceProp_tR0000.maxTexture1DLinear", offsetof(hipDeviceProp_tR0000, maxTexture1DLinear), 664},
    {"hipDeviceProp_tR0000.maxTexture1D", offsetof(hipDeviceProp_tR0000, maxTexture1D), 668},
    {"hipDeviceProp_tR0000.maxTexture2D", offsetof(hipDeviceProp_tR0000, maxTexture2D), 672},
    {"hipDeviceProp_tR0000.maxTexture3D", offsetof(hipDeviceProp_tR0000, maxTexture3D), 680},
    {"hipDeviceProp_tR0000.hdpMemFlushCntl", offsetof(hipDeviceProp_tR0000, hdpMemFlushCntl), 696},
    {"hipDeviceProp_tR0000.hdpRegFlushCntl", offsetof(hipDeviceProp_tR0000, hdpRegFlushCntl), 704},
    {"hipDeviceProp_tR0000.memPitch", offsetof(hipDeviceProp_tR0000, memPitch), 712},
    {"hipDeviceProp_tR0000.textureAlignment", offsetof(hipDeviceProp_tR0000, textureAlignment), 720},
    {"hipDeviceProp_tR0000.texturePitchAlignment", offsetof(hipDeviceProp_tR0000, texturePitchAlignment), 728},
    {"hipDeviceProp_tR0000.kernelExecTimeoutEnabled", offsetof(hipDeviceProp_tR0000, kernelExecTimeoutEnabled), 736},
    {"hipDeviceProp_tR0000.ECCEnabled", offsetof(hipDeviceProp_tR0000, ECCEnabled), 740},
    {"hipDeviceProp_tR0000.tccDriver", offsetof(hipDeviceProp_tR0000, tccDriver), 744},
    {"hipDeviceProp_tR0000.cooperativeMultiDeviceUnmatchedFunc", offsetof(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedFunc), 748},
    {"hipDeviceProp_tR0000.cooperativeMultiDeviceUnmatchedGridDim", offsetof(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedGridDim), 752},
    {"hipDeviceProp_tR0000.cooperativeMultiDeviceUnmatchedBlockDim", offsetof(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedBlockDim), 756},
    {"hipDeviceProp_tR0000.cooperativeMultiDeviceUnmatchedSharedMem", offsetof(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedSharedMem), 760},
    {"hipDeviceProp_tR0000.isLargeBar", offsetof(hipDeviceProp_tR0000, isLargeBar), 764},
    {"hipDeviceProp_tR0000.asicRevision", offsetof(hipDeviceProp_tR0000, asicRevision), 768},
    {"hipDeviceProp_tR0000.managedMemory", offsetof(hipDeviceProp_tR0000, managedMemory), 772},
    {"hipDeviceProp_tR0000.directManagedMemAccessFromHost", offsetof(hipDeviceProp_tR0000, directManagedMemAccessFromHost), 776},
    {"hipDeviceProp_tR0000.concurrentManagedAccess", offsetof(hipDeviceProp_tR0000, concurrentManagedAccess), 780},
    {"hipDeviceProp_tR0000.pageableMemoryAccess", offsetof(hipDeviceProp_tR0000, pageableMemoryAccess), 784},
    {"hipDeviceProp_tR0000.pageableMemoryAccessUsesHostPageTables", offsetof(hipDeviceProp_tR0000, pageableMemoryAccessUsesHostPageTables), 788},
};
// clang-format on

TEST(Abi, SizesAndOffsetsAreThoseOfTheHeaders) {
  for (const Layout& each : kLayouts) EXPECT_EQ(each.ours, each.theirs) << each.what;
}

TEST(Abi, EnumeratorsAreThoseOfTheHeaders) {
  EXPECT_EQ(hipErrorInvalidGraphicsContext, 219);
  EXPECT_EQ(hipErrorTbd, 1054);
  EXPECT_EQ(hipDeviceAttributeMaxPitch, 58);
  EXPECT_EQ(hipDeviceAttributeVendorSpecificBegin, 20000);
  EXPECT_EQ(hipComputeModeProhibited, 2);
  EXPECT_EQ(hipComputeModeExclusiveProcess, 3);
  EXPECT_EQ(hipDevP2PAttrNativeAtomicSupported, 2);
  EXPECT_EQ(hipDevP2PAttrHipArrayAccessSupported, 3);
  EXPECT_EQ(hipExtLimitScratchMin, 4096);
  EXPECT_EQ(hipLimitRange, 4099);
  EXPECT_EQ(hipFuncCachePreferL1, 2);
  EXPECT_EQ(hipFuncCachePreferEqual, 3);
  EXPECT_EQ(hipSharedMemBankSizeFourByte, 1);
  EXPECT_EQ(hipSharedMemBankSizeEightByte, 2);
  EXPECT_EQ(hipFlushGPUDirectRDMAWritesOptionMemOps, 2);
  EXPECT_EQ(hipGPUDirectRDMAWritesOrderingOwner, 100);
  EXPECT_EQ(hipGPUDirectRDMAWritesOrderingAllDevices, 200);
  EXPECT_EQ(HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1);
  EXPECT_EQ(HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, 2);
  EXPECT_EQ(hipDriverEntryPointSymbolNotFound, 1);
  EXPECT_EQ(hipDriverEntryPointVersionNotSufficent, 2);
  EXPECT_EQ(hipMemoryTypeManaged, 3);
  EXPECT_EQ(hipMemoryTypeUnified, 11);
  EXPECT_EQ(HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9);
  EXPECT_EQ(HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 17);
  EXPECT_EQ(hipMemcpyDeviceToDevice, 3);
  EXPECT_EQ(hipMemcpyDeviceToDeviceNoCU, 1024);
  EXPECT_EQ(hipChannelFormatKindFloat, 2);
  EXPECT_EQ(hipChannelFormatKindNone, 3);
  EXPECT_EQ(HIP_AD_FORMAT_SIGNED_INT16, 9);
  EXPECT_EQ(HIP_AD_FORMAT_FLOAT, 32);
  EXPECT_EQ(hipMemLocationTypeHost, 2);
  EXPECT_EQ(hipMemLocationTypeHostNumaCurrent, 4);
  EXPECT_EQ(hipMemcpyFlagPreferOverlapWithCompute, 1);
  EXPECT_EQ(hipMemcpySrcAccessOrderDuringApiCall, 2);
  EXPECT_EQ(hipMemcpySrcAccessOrderMax, 2147483647);
  EXPECT_EQ(hipMemcpyOperandTypeArray, 2);
  EXPECT_EQ(hipMemcpyOperandTypeMax, 2147483647);
  EXPECT_EQ(hipMemAdviseSetAccessedBy, 5);
  EXPECT_EQ(hipMemAdviseUnsetCoarseGrain, 101);
  EXPECT_EQ(hipMemRangeCoherencyModeCoarseGrain, 1);
  EXPECT_EQ(hipMemRangeCoherencyModeIndeterminate, 2);
  EXPECT_EQ(hipMemRangeAttributeAccessedBy, 3);
  EXPECT_EQ(hipMemRangeAttributeCoherencyMode, 100);
  EXPECT_EQ(hipMemPoolAttrReservedMemCurrent, 5);
  EXPECT_EQ(hipMemPoolAttrUsedMemHigh, 8);
  EXPECT_EQ(hipMemAccessFlagsProtRead, 1);
  EXPECT_EQ(hipMemAccessFlagsProtReadWrite, 3);
  EXPECT_EQ(hipMemAllocationTypeUncached, 1073741824);
  EXPECT_EQ(hipMemAllocationTypeMax, 2147483647);
  EXPECT_EQ(hipMemHandleTypeWin32, 2);
  EXPECT_EQ(hipMemHandleTypeWin32Kmt, 4);
  EXPECT_EQ(hipMemAllocationGranularityRecommended, 1);
  EXPECT_EQ(hipMemHandleTypeGeneric, 0);
  EXPECT_EQ(hipMemOperationTypeUnmap, 2);
  EXPECT_EQ(hipMemRangeHandleTypeMax, 2147483647);
  EXPECT_EQ(hipMemRangeFlagsMax, 2147483647);
  EXPECT_EQ(HIP_FUNC_ATTRIBUTE_PTX_VERSION, 5);
  EXPECT_EQ(HIP_FUNC_ATTRIBUTE_MAX, 10);
  EXPECT_EQ(hipFuncAttributePreferredSharedMemoryCarveout, 9);
  EXPECT_EQ(hipFuncAttributeMax, 10);
  EXPECT_EQ(hipAccessPropertyStreaming, 1);
  EXPECT_EQ(hipAccessPropertyPersisting, 2);
  EXPECT_EQ(hipLaunchMemSyncDomainRemote, 1);
  EXPECT_EQ(hipSyncPolicyYield, 3);
  EXPECT_EQ(hipSyncPolicyBlockingSync, 4);
  EXPECT_EQ(hipLaunchAttributePriority, 8);
  EXPECT_EQ(hipLaunchAttributeMax, 11);
  EXPECT_EQ(hipJitOptionFastCompile, 16);
  EXPECT_EQ(hipJitOptionIRtoISAOptCountExt, 10001);
  EXPECT_EQ(hipJitNumLegacyInputTypes, 6);
  EXPECT_EQ(hipJitNumInputTypes, 10);
  EXPECT_EQ(hipLibraryBinaryIsPreserved, 1);
  EXPECT_EQ(hipStreamMemOpWriteValue64, 5);
  EXPECT_EQ(hipStreamMemOpFlushRemoteWrites, 3);
  EXPECT_EQ(hipStreamCaptureModeThreadLocal, 1);
  EXPECT_EQ(hipStreamCaptureModeRelaxed, 2);
  EXPECT_EQ(hipStreamCaptureStatusActive, 1);
  EXPECT_EQ(hipStreamCaptureStatusInvalidated, 2);
  EXPECT_EQ(hipStreamSetCaptureDependencies, 1);
  EXPECT_EQ(hipGraphNodeTypeExtSemaphoreSignal, 8);
  EXPECT_EQ(hipGraphNodeTypeCount, 15);
  EXPECT_EQ(hipGraphDependencyTypeProgrammatic, 1);
  EXPECT_EQ(hipGraphExecUpdateErrorFunctionChanged, 4);
  EXPECT_EQ(hipGraphExecUpdateErrorUnsupportedFunctionChange, 7);
  EXPECT_EQ(hipGraphMemAttrReservedMemCurrent, 2);
  EXPECT_EQ(hipGraphMemAttrReservedMemHigh, 3);
  EXPECT_EQ(hipUserObjectNoDestructorSync, 1);
  EXPECT_EQ(hipGraphUserObjectMove, 1);
  EXPECT_EQ(hipGraphInstantiateFlagDeviceLaunch, 4);
  EXPECT_EQ(hipGraphInstantiateFlagUseNodePriority, 8);
  EXPECT_EQ(hipGraphDebugDotFlagsEventNodeParams, 64);
  EXPECT_EQ(hipGraphDebugDotFlagsHandles, 1024);
  EXPECT_EQ(hipGraphInstantiateInvalidStructure, 2);
  EXPECT_EQ(hipGraphInstantiateMultipleDevicesNotSupported, 4);
}

}  // namespace
