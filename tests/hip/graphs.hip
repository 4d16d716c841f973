// Graphs: built by hand, instantiated, changed, updated and launched.
#include <hip/hip_runtime.h>

#include <cstring>
#include <vector>

#include "graph_work.h"

__device__ int variable[4];

hipKernelNodeParams kernel_params(void* function, void** arguments) {
  hipKernelNodeParams params{};
  params.func = function;
  params.gridDim = dim3((kCount + 63) / 64);
  params.blockDim = dim3(64);
  params.kernelParams = arguments;
  return params;
}

/// What a graph says of itself whose kernels are `first`, of (data, kCount, 5), and `second`, after it.
void read_nodes(hipGraph_t graph, hipGraphNode_t first, hipGraphNode_t second) {
  size_t nodes = 0, edges = 0, roots = 0;
  CHECK_HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  CHECK_HIP(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  CHECK_HIP(hipGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 5 && edges == 4 && roots == 1);
  hipGraphNodeType type;
  CHECK_HIP(hipGraphNodeGetType(first, &type));
  CHECK(type == hipGraphNodeTypeKernel);
  hipKernelNodeParams got{};
  CHECK_HIP(hipGraphKernelNodeGetParams(first, &got));
  CHECK(got.blockDim.x == 64 && got.gridDim.x == (kCount + 63) / 64 &&
        *static_cast<int*>(got.kernelParams[2]) == 5);
  hipGraphNode_t before[4];
  size_t room = 4;
  CHECK_HIP(hipGraphNodeGetDependencies(second, before, &room));
  CHECK(room == 1 && before[0] == first);
}

/// Launches a graph that has `graph` as a node and then the kernel `last`.
void graph_in_graph(hipGraph_t graph, const hipKernelNodeParams& last, hipStream_t stream) {
  hipGraph_t outer;
  hipGraphNode_t child, after;
  CHECK_HIP(hipGraphCreate(&outer, 0));
  CHECK_HIP(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  CHECK_HIP(hipGraphAddKernelNode(&after, outer, &child, 1, &last));
  hipGraphExec_t outer_exec;
  CHECK_HIP(hipGraphInstantiateWithFlags(&outer_exec, outer, 0));
  CHECK_HIP(hipGraphLaunch(outer_exec, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK_HIP(hipGraphExecDestroy(outer_exec));
  CHECK_HIP(hipGraphDestroy(outer));
}

/// memset -> (x + 5) -> (x * 3) -> copy to the host, with a host function beside them.
void explicit_graph(int* data) {
  hipGraph_t graph;
  CHECK_HIP(hipGraphCreate(&graph, 0));
  hipMemsetParams set{};
  set.dst = data;
  set.elementSize = 4;
  set.width = kCount;
  set.height = 1;
  set.value = 1;
  hipGraphNode_t fill, first, second, copy, host;
  CHECK_HIP(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &set));
  int count = kCount, five = 5, three = 3;
  void* add_arguments[] = {&data, &count, &five};
  void* multiply_arguments[] = {&data, &count, &three};
  hipKernelNodeParams add_node = kernel_params(reinterpret_cast<void*>(add), add_arguments);
  hipKernelNodeParams multiply_node = kernel_params(reinterpret_cast<void*>(multiply), multiply_arguments);
  CHECK_HIP(hipGraphAddKernelNode(&first, graph, &fill, 1, &add_node));
  CHECK_HIP(hipGraphAddKernelNode(&second, graph, nullptr, 0, &multiply_node));
  struct {
    hipKernelNodeAttrValue value;
    unsigned char behind[64];
  } held;
  std::memset(&held, 0x5a, sizeof held);
  CHECK_HIP(hipGraphKernelNodeGetAttribute(first, hipKernelNodeAttributeAccessPolicyWindow, &held.value));
  CHECK(held.value.accessPolicyWindow.num_bytes == 0);
  for (const unsigned char each : held.behind) CHECK(each == 0x5a);
  CHECK_HIP(hipGraphAddDependencies(graph, &first, &second, 1));
  five = three = 77;  // arguments were taken when the nodes were added
  std::vector<int> result(kCount);
  CHECK_HIP(hipGraphAddMemcpyNode1D(&copy, graph, &second, 1, result.data(), data, kCount * sizeof(int),
                                    hipMemcpyDeviceToHost));
  int amount = 10;
  hipHostNodeParams host_params{count_call, &amount};
  CHECK_HIP(hipGraphAddHostNode(&host, graph, &copy, 1, &host_params));

  read_nodes(graph, first, second);
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  for (int run = 1; run <= 3; ++run) {
    result.assign(kCount, 0);
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    bool right = true;
    for (const int each : result) right &= each == (1 + 5) * 3;
    CHECK(right);
    CHECK(calls == run * 10);
  }

  // A change of the executable leaves the graph as it was.
  int hundred = 100;
  void* changed[] = {&data, &count, &hundred};
  hipKernelNodeParams other = kernel_params(reinterpret_cast<void*>(add), changed);
  CHECK_HIP(hipGraphExecKernelNodeSetParams(exec, first, &other));
  CHECK_HIP(hipGraphLaunch(exec, stream));
  CHECK(result[kCount - 1] == (1 + 100) * 3);  // pageable memory: the launch waits
  hipKernelNodeParams got{};
  CHECK_HIP(hipGraphKernelNodeGetParams(first, &got));
  CHECK(*static_cast<int*>(got.kernelParams[2]) == 5);

  // A change of the graph reaches the executable by an update.
  CHECK_HIP(hipGraphKernelNodeSetParams(second, &other));
  hipGraphNode_t culprit;
  hipGraphExecUpdateResult update;
  CHECK_HIP(hipGraphExecUpdate(exec, graph, &culprit, &update));
  CHECK(update == hipGraphExecUpdateSuccess);
  CHECK_HIP(hipGraphLaunch(exec, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(result[7] == 1 + 5 + 100);

  // A clone is on its own.
  hipGraph_t clone;
  CHECK_HIP(hipGraphClone(&clone, graph));
  hipGraphNode_t in_clone;
  CHECK_HIP(hipGraphNodeFindInClone(&in_clone, fill, clone));
  CHECK(in_clone != fill);
  CHECK_HIP(hipGraphDestroyNode(host));
  size_t nodes = 0;
  CHECK_HIP(hipGraphGetNodes(clone, nullptr, &nodes));
  CHECK(nodes == 5);
  CHECK_ERROR(hipGraphExecUpdate(exec, graph, &culprit, &update), hipErrorGraphExecUpdateFailure);
  CHECK(update == hipGraphExecUpdateErrorTopologyChanged);

  graph_in_graph(graph, multiply_node, stream);
  CHECK(all(data, (1 + 5 + 100) * 77));  // the last node was added after `three` became 77

  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(clone));
  CHECK_HIP(hipGraphDestroy(graph));
  CHECK_HIP(hipStreamDestroy(stream));
}

void symbols(int* data) {
  hipGraph_t graph;
  hipGraphNode_t to, from;
  CHECK_HIP(hipGraphCreate(&graph, 0));
  const int source[4] = {3, 1, 4, 1};
  int target[2] = {};
  CHECK_HIP(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, HIP_SYMBOL(variable), source, sizeof source,
                                          0, hipMemcpyHostToDevice));
  CHECK_HIP(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, target, HIP_SYMBOL(variable), sizeof target,
                                            4, hipMemcpyDeviceToHost));
  CHECK_ERROR(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, target, HIP_SYMBOL(variable), 16, 4,
                                              hipMemcpyDeviceToHost),
              hipErrorInvalidValue);
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(exec, nullptr));
  CHECK_HIP(hipDeviceSynchronize());
  CHECK(target[0] == 1 && target[1] == 4);
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(graph));
  (void)data;
}

void wrong_arguments(int* data) {
  hipGraph_t graph;
  hipGraphNode_t node, empty;
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphCreate(&graph, 0));
  CHECK_ERROR(hipGraphCreate(nullptr, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphCreate(&graph, 1), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphAddKernelNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphAddEmptyNode(&node, nullptr, nullptr, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphAddEmptyNode(nullptr, graph, nullptr, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphAddEmptyNode(&node, graph, nullptr, 1), hipErrorInvalidValue);
  hipMemsetParams set{};
  set.dst = data;
  set.elementSize = 3;
  set.width = set.height = 1;
  CHECK_ERROR(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &set), hipErrorInvalidValue);
  set.elementSize = 4;
  set.width = size_t{1} << 40;
  CHECK_ERROR(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &set), hipErrorInvalidValue);
  set.width = 2;
  set.pitch = 8;
  set.height = SIZE_MAX / set.pitch + 2;  // what height * pitch makes of it is small
  CHECK_ERROR(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &set), hipErrorInvalidValue);
  CHECK_HIP(hipGraphAddEmptyNode(&empty, graph, nullptr, 0));
  CHECK_HIP(hipGraphAddEmptyNode(&node, graph, &empty, 1));
  CHECK_ERROR(hipGraphAddDependencies(graph, &empty, &node, 1), hipErrorInvalidValue);  // there already
  CHECK_ERROR(hipGraphAddDependencies(graph, &node, &node, 1), hipErrorInvalidValue);
  CHECK_HIP(hipGraphAddDependencies(graph, &node, &empty, 1));
  CHECK_ERROR(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);  // a circle
  CHECK_HIP(hipGraphRemoveDependencies(graph, &node, &empty, 1));
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(exec, nullptr));
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_ERROR(hipGraphExecDestroy(exec), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphLaunch(exec, nullptr), hipErrorInvalidValue);
  CHECK_HIP(hipGraphDestroyNode(node));
  CHECK_ERROR(hipGraphDestroyNode(node), hipErrorInvalidValue);
  CHECK_HIP(hipGraphDestroy(graph));
  CHECK_ERROR(hipGraphDestroy(graph), hipErrorInvalidValue);
}

/// Events in a graph: recorded by one, waited for by another.
void events(int* data) {
  hipGraph_t graph;
  hipGraphNode_t record, work;
  hipEvent_t start, stop;
  CHECK_HIP(hipEventCreate(&start));
  CHECK_HIP(hipEventCreate(&stop));
  CHECK_HIP(hipGraphCreate(&graph, 0));
  int count = kCount, one = 1;
  void* arguments[] = {&data, &count, &one};
  hipKernelNodeParams params = kernel_params(reinterpret_cast<void*>(add), arguments);
  CHECK_HIP(hipGraphAddEventRecordNode(&record, graph, nullptr, 0, start));
  CHECK_HIP(hipGraphAddKernelNode(&work, graph, &record, 1, &params));
  CHECK_HIP(hipGraphAddEventRecordNode(&record, graph, &work, 1, stop));
  hipEvent_t got;
  CHECK_HIP(hipGraphEventRecordNodeGetEvent(record, &got));
  CHECK(got == stop);
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(exec, nullptr));
  CHECK_HIP(hipEventSynchronize(stop));
  float milliseconds = -1;
  CHECK_HIP(hipEventElapsedTime(&milliseconds, start, stop));
  CHECK(milliseconds > 0);
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(graph));
  CHECK_HIP(hipEventDestroy(start));
  CHECK_HIP(hipEventDestroy(stop));
}

int destroyed = 0;
void destroy(void* object) { destroyed += *static_cast<int*>(object); }

void user_objects() {
  int one = 1;
  hipGraph_t graph;
  hipUserObject_t object;
  CHECK_HIP(hipGraphCreate(&graph, 0));
  CHECK_HIP(hipUserObjectCreate(&object, &one, destroy, 1, hipUserObjectNoDestructorSync));
  CHECK_HIP(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
  CHECK(destroyed == 0);
  CHECK_HIP(hipGraphReleaseUserObject(graph, object, 4));  // more than there are: nothing happens
  CHECK(destroyed == 0);
  CHECK_HIP(hipGraphReleaseUserObject(graph, object, 1));
  CHECK(destroyed == 1);
  CHECK_HIP(hipUserObjectRelease(object, 1));  // gone: nothing happens
  CHECK_HIP(hipUserObjectCreate(&object, &one, destroy, 2, hipUserObjectNoDestructorSync));
  CHECK_HIP(hipGraphRetainUserObject(graph, object, 1, 0));
  CHECK_HIP(hipUserObjectRelease(object, 2));
  CHECK(destroyed == 1);
  CHECK_HIP(hipGraphDestroy(graph));
  CHECK(destroyed == 2);
}

void changes_that_are_refused(int* data, int* other) {
  constexpr size_t kSize = kCount * sizeof(int);
  std::vector<int> host(kCount);
  hipGraph_t graph, clone, child;
  hipGraphExec_t exec;
  hipGraphNode_t node, inner, found;
  CHECK_HIP(hipGraphCreate(&graph, 0));
  CHECK_HIP(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, data, other, kSize, hipMemcpyDeviceToDevice));
  CHECK_ERROR(hipGraphMemcpyNodeSetParams1D(node, data, other, 0, hipMemcpyDeviceToDevice),
              hipErrorInvalidValue);
  CHECK_ERROR(hipGraphMemcpyNodeSetParams1D(node, data, data + 1, kSize - 4, hipMemcpyDeviceToDevice),
              hipErrorInvalidValue);
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_ERROR(hipGraphExecMemcpyNodeSetParams1D(exec, node, data, host.data(), kSize, hipMemcpyHostToDevice),
              hipErrorInvalidValue);
  CHECK_HIP(hipGraphExecMemcpyNodeSetParams1D(exec, node, other, data, kSize, hipMemcpyDeviceToDevice));
  // A node of a clone is none of the executable that was made of the original.
  unsigned enabled = 7;
  CHECK_HIP(hipGraphClone(&clone, graph));
  CHECK_HIP(hipGraphNodeFindInClone(&found, node, clone));
  CHECK_HIP(hipGraphNodeGetEnabled(exec, node, &enabled));
  CHECK(enabled == 1);
  CHECK_ERROR(hipGraphNodeGetEnabled(exec, found, &enabled), hipErrorInvalidValue);
  CHECK_HIP(hipGraphDestroy(clone));
  CHECK_HIP(hipGraphExecDestroy(exec));
  // A child graph may change, its shape may not.
  CHECK_HIP(hipGraphCreate(&child, 0));
  CHECK_HIP(hipGraphAddEmptyNode(&inner, child, nullptr, 0));
  CHECK_HIP(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphExecChildGraphNodeSetParams(exec, node, child));
  CHECK_HIP(hipGraphAddEmptyNode(&inner, child, &inner, 1));
  CHECK_ERROR(hipGraphExecChildGraphNodeSetParams(exec, node, child), hipErrorInvalidValue);
  CHECK_ERROR(hipGraphInstantiateWithFlags(&exec, graph, 10), hipErrorInvalidValue);  // two flags
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(child));
  CHECK_HIP(hipGraphDestroy(graph));
}

int main() {
  int *data, *other;
  CHECK_HIP(hipMalloc(&data, kCount * sizeof(int)));
  CHECK_HIP(hipMalloc(&other, kCount * sizeof(int)));
  explicit_graph(data);
  symbols(data);
  wrong_arguments(data);
  events(data);
  user_objects();
  changes_that_are_refused(data, other);
  CHECK_HIP(hipFree(data));
  CHECK_HIP(hipFree(other));
  return finish();
}
