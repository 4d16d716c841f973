// The functions of nodes of graphs that copy and fill memory.
#include "runtime/graph/node.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using namespace wavesmith::runtime::nodes;

namespace {

/// The driver's description of a copy as the runtime's.
bool translate(const HIP_MEMCPY3D& from, hipMemcpy3DParms& to) {
  // Without a pitch rows lie side by side, and x, which may be anything, is where the first one begins.
  const auto side = [](hipMemoryType type, const void* host, const void* device, size_t pitch, size_t x) {
    const auto* const start = static_cast<const char*>(type == hipMemoryTypeHost ? host : device);
    return const_cast<char*>(start && !pitch ? start + x : start);
  };
  if (from.srcMemoryType == hipMemoryTypeArray || from.dstMemoryType == hipMemoryTypeArray) return false;
  const bool from_host = from.srcMemoryType == hipMemoryTypeHost,
             to_host = from.dstMemoryType == hipMemoryTypeHost;
  to = {};
  to.srcPtr = {side(from.srcMemoryType, from.srcHost, from.srcDevice, from.srcPitch, from.srcXInBytes),
               from.srcPitch ? from.srcPitch : from.WidthInBytes, from.WidthInBytes,
               from.srcHeight ? from.srcHeight : from.Height};
  to.dstPtr = {side(from.dstMemoryType, from.dstHost, from.dstDevice, from.dstPitch, from.dstXInBytes),
               from.dstPitch ? from.dstPitch : from.WidthInBytes, from.WidthInBytes,
               from.dstHeight ? from.dstHeight : from.Height};
  to.srcPos = {from.srcPitch ? from.srcXInBytes : 0, from.srcY, from.srcZ};
  to.dstPos = {from.dstPitch ? from.dstXInBytes : 0, from.dstY, from.dstZ};
  to.extent = {from.WidthInBytes, from.Height, from.Depth};
  to.kind = from_host ? (to_host ? hipMemcpyHostToHost : hipMemcpyHostToDevice)
            : to_host ? hipMemcpyDeviceToHost
                      : hipMemcpyDeviceToDevice;
  if (from.srcMemoryType == hipMemoryTypeUnified || from.dstMemoryType == hipMemoryTypeUnified)
    to.kind = hipMemcpyDefault;
  return true;
}

auto driver_copy(const HIP_MEMCPY3D* params) {
  return [=](Platform& platform, Device& device, auto& work) {
    hipMemcpy3DParms runtime;
    if (!params) return hipErrorInvalidValue;
    if (!translate(*params, runtime)) return hipErrorNotSupported;
    return copy(&runtime)(platform, device, work);
  };
}

}  // namespace

HIP_API hipError_t hipGraphAddMemcpyNode(ADD_ARGUMENTS, const hipMemcpy3DParms* params) { ADD(copy(params)); }
HIP_API hipError_t hipGraphAddMemcpyNode1D(ADD_ARGUMENTS, void* to, const void* from, size_t size,
                                           hipMemcpyKind kind) {
  ADD(plain(to, from, size, kind));
}
HIP_API hipError_t hipGraphAddMemcpyNodeFromSymbol(ADD_ARGUMENTS, void* to, const void* variable, size_t size,
                                                   size_t offset, hipMemcpyKind kind) {
  ADD(symbol(false, variable, to, size, offset, kind));
}
HIP_API hipError_t hipGraphAddMemcpyNodeToSymbol(ADD_ARGUMENTS, const void* variable, const void* from,
                                                 size_t size, size_t offset, hipMemcpyKind kind) {
  ADD(symbol(true, variable, from, size, offset, kind));
}
HIP_API hipError_t hipGraphAddMemsetNode(ADD_ARGUMENTS, const hipMemsetParams* params) { ADD(fill(params)); }
HIP_API hipError_t hipDrvGraphAddMemcpyNode(ADD_ARGUMENTS, const HIP_MEMCPY3D* params, hipCtx_t) {
  ADD(driver_copy(params));
}
HIP_API hipError_t hipDrvGraphAddMemsetNode(ADD_ARGUMENTS, const hipMemsetParams* params, hipCtx_t) {
  ADD(fill(params));
}
HIP_API hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* out) {
  return get<CopyWork>(node, [&](const CopyWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* params) {
  return set<CopyWork>(node, changed(copy(params)));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   hipMemcpy3DParms* params) {
  return set<CopyWork>(exec, node, changed_in_executable(copy(params)));
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from, size_t size,
                                                 hipMemcpyKind kind) {
  return set<CopyWork>(node, changed(plain(to, from, size, kind)));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                                     const void* from, size_t size, hipMemcpyKind kind) {
  return set<CopyWork>(exec, node, changed_in_executable(plain(to, from, size, kind)));
}
HIP_API hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to, const void* variable,
                                                         size_t size, size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(node, changed(symbol(false, variable, to, size, offset, kind)));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                             void* to, const void* variable, size_t size,
                                                             size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(exec, node, changed_in_executable(symbol(false, variable, to, size, offset, kind)));
}
HIP_API hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* variable,
                                                       const void* from, size_t size, size_t offset,
                                                       hipMemcpyKind kind) {
  return set<CopyWork>(node, changed(symbol(true, variable, from, size, offset, kind)));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                           const void* variable, const void* from,
                                                           size_t size, size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(exec, node, changed_in_executable(symbol(true, variable, from, size, offset, kind)));
}
HIP_API hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* params) {
  return set<CopyWork>(node, driver_copy(params));
}
HIP_API hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const HIP_MEMCPY3D* params, hipCtx_t) {
  return set<CopyWork>(exec, node, driver_copy(params));
}
HIP_API hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D* out) {
  return get<CopyWork>(node, [&](const CopyWork& work) {
    if (!out) return hipErrorInvalidValue;
    const hipMemcpy3DParms& p = work.params;
    *out = {};
    const bool from_host = p.kind == hipMemcpyHostToHost || p.kind == hipMemcpyHostToDevice;
    const bool to_host = p.kind == hipMemcpyHostToHost || p.kind == hipMemcpyDeviceToHost;
    out->srcMemoryType = from_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
    out->dstMemoryType = to_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
    (from_host ? out->srcHost : *const_cast<const void**>(&out->srcDevice)) = p.srcPtr.ptr;
    (to_host ? out->dstHost : out->dstDevice) = p.dstPtr.ptr;
    out->srcXInBytes = p.srcPos.x, out->srcY = p.srcPos.y, out->srcZ = p.srcPos.z;
    out->dstXInBytes = p.dstPos.x, out->dstY = p.dstPos.y, out->dstZ = p.dstPos.z;
    out->srcPitch = p.srcPtr.pitch, out->srcHeight = p.srcPtr.ysize;
    out->dstPitch = p.dstPtr.pitch, out->dstHeight = p.dstPtr.ysize;
    out->WidthInBytes = p.extent.width, out->Height = p.extent.height, out->Depth = p.extent.depth;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* out) {
  return get<FillWork>(node, [&](const FillWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* params) {
  return set<FillWork>(node, fill(params));
}
HIP_API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipMemsetParams* params) {
  return set<FillWork>(exec, node, fill(params));
}
HIP_API hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const hipMemsetParams* params, hipCtx_t) {
  return set<FillWork>(exec, node, fill(params));
}
