// Opaque handles of the HIP API.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/abi/error.h"

struct ihipCtx_t;
struct ihipStream_t;
struct ihipEvent_t;
struct ihipModule_t;
struct ihipModuleSymbol_t;
struct ihipLinkState_t;
struct ihipLibrary_t;
struct ihipKernel_t;
struct ihipMemPoolHandle_t;
struct ihipMemGenericAllocationHandle;
struct ihipGraph;
struct hipGraphNode;
struct hipGraphExec;
struct hipUserObject;
struct hipArray;
struct hipMipmappedArray;
struct __hip_texture;
struct __hip_surface;

using hipDevice_t = int;
using hipDeviceptr_t = void*;
using hipCtx_t = ihipCtx_t*;
using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;
using hipModule_t = ihipModule_t*;
using hipFunction_t = ihipModuleSymbol_t*;
using hipLinkState_t = ihipLinkState_t*;
using hipLibrary_t = ihipLibrary_t*;
using hipKernel_t = ihipKernel_t*;
using hipMemPool_t = ihipMemPoolHandle_t*;
using hipMemGenericAllocationHandle_t = ihipMemGenericAllocationHandle*;
using hipGraph_t = ihipGraph*;
using hipGraphNode_t = hipGraphNode*;
using hipGraphExec_t = hipGraphExec*;
using hipUserObject_t = hipUserObject*;
using hipArray_t = hipArray*;
using hipArray_const_t = const hipArray*;
using hipMipmappedArray_t = hipMipmappedArray*;
using hipTextureObject_t = __hip_texture*;
using hipSurfaceObject_t = __hip_surface*;
using hipExternalMemory_t = void*;
using hipExternalSemaphore_t = void*;
using hipHostFn_t = void (*)(void* user);
using hipStreamCallback_t = void (*)(hipStream_t stream, hipError_t status, void* user);

/// Streams that a program names by number instead of creating them.
inline const hipStream_t hipStreamLegacy = reinterpret_cast<hipStream_t>(1);
inline const hipStream_t hipStreamPerThread = reinterpret_cast<hipStream_t>(2);

struct dim3 {
  uint32_t x = 1, y = 1, z = 1;
};
