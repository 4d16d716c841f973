// The functions of kernel nodes of graphs.
#include "runtime/device/properties.h"
#include "runtime/graph/node.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using namespace wavesmith::runtime::nodes;

HIP_API hipError_t hipGraphAddKernelNode(ADD_ARGUMENTS, const hipKernelNodeParams* params) {
  ADD(kernel(params));
}
HIP_API hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* out) {
  return get<KernelWork>(node, [&](const KernelWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* params) {
  return set<KernelWork>(node, kernel(params));
}
HIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipKernelNodeParams* params) {
  return set<KernelWork>(exec, node, kernel(params));
}

HIP_API hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipLaunchAttributeID which,
                                                  const hipLaunchAttributeValue* value) {
  if (!value) return wavesmith::runtime::finish(hipErrorInvalidValue);
  return set<KernelWork>(node, [&](Platform& platform, Device& device, KernelWork& work) {
    switch (which) {
      case hipLaunchAttributeCooperative:
        work.cooperative = value->cooperative;  // as given: any number but 0 means yes
        return hipSuccess;
      case hipLaunchAttributePriority:
        work.priority = value->priority;
        return hipSuccess;
      case hipLaunchAttributeAccessPolicyWindow: {
        const hipAccessPolicyWindow& window = value->accessPolicyWindow;
        const auto most = static_cast<size_t>(properties(platform, device).accessPolicyMaxWindowSize);
        if (window.num_bytes > most || !(window.hitRatio >= 0 && window.hitRatio <= 1) ||
            window.missProp == hipAccessPropertyPersisting)
          return hipErrorInvalidValue;
        work.window.accessPolicyWindow = window;
        return hipSuccess;
      }
      default:
        return hipErrorInvalidValue;
    }
  });
}
HIP_API hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipLaunchAttributeID which,
                                                  hipLaunchAttributeValue* value) {
  return get<KernelWork>(node, [&](const KernelWork& work) {
    if (!value) return hipErrorInvalidValue;
    switch (which) {  // only what it is: before HIP 7 a value had half as many bytes
      case hipLaunchAttributeCooperative:
        value->cooperative = work.cooperative;
        return hipSuccess;
      case hipLaunchAttributePriority:
        value->priority = work.priority;
        return hipSuccess;
      case hipLaunchAttributeAccessPolicyWindow:
        value->accessPolicyWindow = work.window.accessPolicyWindow;
        return hipSuccess;
      default:
        return hipErrorInvalidValue;
    }
  });
}
HIP_API hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  return get<KernelWork>(from, [&](const KernelWork& source) {
    return set<KernelWork>(to, [&](Platform&, Device&, KernelWork& work) {
      work.cooperative = source.cooperative;
      work.priority = source.priority;
      work.window = source.window;
      return hipSuccess;
    });
  });
}
