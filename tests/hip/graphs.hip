// Graphs: built by hand, captured from streams, instantiated, changed, updated and launched.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

#if HIP_VERSION < 50500000
// Newer than the headers; the library has them. Source: HIP 6.0, hip_runtime_api.h.
typedef struct hipUserObject* hipUserObject_t;
constexpr unsigned hipUserObjectNoDestructorSync = 1, hipGraphUserObjectMove = 1;
extern "C" {
hipError_t hipUserObjectCreate(hipUserObject_t* object, void* pointer, hipHostFn_t destroy,
                               unsigned references, unsigned flags);
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count);
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count, unsigned flags);
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned* enabled);
}
#endif

__device__ int variable[4];

__global__ void add(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}
__global__ void multiply(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= value;
}

constexpr int kCount = 1000;
int calls = 0;
void count_call(void* user) { calls += *static_cast<int*>(user); }

std::vector<int> read(const int* device) {
  std::vector<int> host(kCount);
  CHECK_HIP(hipMemcpy(host.data(), device, kCount * sizeof(int), hipMemcpyDeviceToHost));
  return host;
}
bool all(const int* device, int value) {
  bool same = true;
  for (const int each : read(device)) same &= each == value;
  return same;
}

hipKernelNodeParams kernel_params(void* function, void** arguments) {
  hipKernelNodeParams params{};
  params.func = function;
  params.gridDim = dim3((kCount + 63) / 64);
  params.blockDim = dim3(64);
  params.kernelParams = arguments;
  return params;
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
  CHECK_HIP(hipGraphGetNodes(clone, nullptr, &nodes));
  CHECK(nodes == 5);
  CHECK_ERROR(hipGraphExecUpdate(exec, graph, &culprit, &update), hipErrorGraphExecUpdateFailure);
  CHECK(update == hipGraphExecUpdateErrorTopologyChanged);

  // A graph in a graph.
  hipGraph_t outer;
  hipGraphNode_t child, after;
  CHECK_HIP(hipGraphCreate(&outer, 0));
  CHECK_HIP(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  CHECK_HIP(hipGraphAddKernelNode(&after, outer, &child, 1, &multiply_node));
  hipGraphExec_t outer_exec;
  CHECK_HIP(hipGraphInstantiateWithFlags(&outer_exec, outer, 0));
  CHECK_HIP(hipGraphLaunch(outer_exec, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(all(data, (1 + 5 + 100) * 77));  // the last node was added after `three` became 77

  CHECK_HIP(hipGraphExecDestroy(outer_exec));
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(outer));
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

/// Two streams joined by events, with every kind of work that a stream takes.
void capture(int* data, int* other) {
  hipStream_t a, b;
  hipEvent_t fork, join;
  CHECK_HIP(hipStreamCreate(&a));
  CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  CHECK_HIP(hipEventCreate(&fork));
  CHECK_HIP(hipEventCreate(&join));
  CHECK_HIP(hipMemset(data, 0, kCount * sizeof(int)));
  CHECK_HIP(hipMemset(other, 0, kCount * sizeof(int)));
  CHECK_HIP(hipDeviceSynchronize());

  hipStreamCaptureStatus status;
  CHECK_HIP(hipStreamIsCapturing(a, &status));
  CHECK(status == hipStreamCaptureStatusNone);
  CHECK_HIP(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  CHECK_ERROR(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal), hipErrorIllegalState);
  CHECK_HIP(hipStreamIsCapturing(a, &status));
  CHECK(status == hipStreamCaptureStatusActive);
  CHECK_HIP(hipMemsetAsync(data, 0, kCount * sizeof(int), a));
  add<<<(kCount + 63) / 64, 64, 0, a>>>(data, kCount, 2);
  CHECK_HIP(hipEventRecord(fork, a));
  CHECK_HIP(hipStreamWaitEvent(b, fork, 0));
  CHECK_HIP(hipStreamIsCapturing(b, &status));
  CHECK(status == hipStreamCaptureStatusActive);
  CHECK_HIP(hipMemcpyAsync(other, data, kCount * sizeof(int), hipMemcpyDeviceToDevice, b));
  multiply<<<(kCount + 63) / 64, 64, 0, b>>>(other, kCount, 10);
  add<<<(kCount + 63) / 64, 64, 0, a>>>(data, kCount, 1);
  CHECK_HIP(hipEventRecord(join, b));
  CHECK_HIP(hipStreamWaitEvent(a, join, 0));
  static int amount = 1000;
  CHECK_HIP(hipLaunchHostFunc(a, count_call, &amount));
  unsigned long long id = 0;
  hipGraph_t graph = nullptr;
  const hipGraphNode_t* dependencies = nullptr;
  size_t count = 0;
  CHECK_HIP(hipStreamGetCaptureInfo_v2(a, &status, &id, &graph, &dependencies, &count));
  CHECK(status == hipStreamCaptureStatusActive && id != 0 && count == 1);
  calls = 0;
  CHECK_HIP(hipStreamEndCapture(a, &graph));
  CHECK(calls == 0 && all(data, 0) && all(other, 0));  // nothing was done yet

  size_t nodes = 0;
  CHECK_HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 6);
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int run = 1; run <= 2; ++run) {
    CHECK_HIP(hipGraphLaunch(exec, b));
    CHECK_HIP(hipStreamSynchronize(b));
    CHECK(all(data, 3) && all(other, 20) && calls == run * 1000);
  }
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(graph));
  CHECK_HIP(hipEventDestroy(fork));
  CHECK_HIP(hipEventDestroy(join));
  CHECK_HIP(hipStreamDestroy(a));
  CHECK_HIP(hipStreamDestroy(b));
}

/// What a capture refuses, and what then becomes of it.
void capture_errors(int* data) {
  hipStream_t a, b;
  hipEvent_t event;
  hipGraph_t graph;
  CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  CHECK_HIP(hipEventCreate(&event));
  CHECK_ERROR(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
  CHECK_ERROR(hipStreamEndCapture(a, &graph), hipErrorIllegalState);

  CHECK_HIP(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  CHECK_ERROR(hipStreamSynchronize(a), hipErrorStreamCaptureUnsupported);
  CHECK_ERROR(hipMemsetAsync(data, 0, 4, a), hipErrorStreamCaptureInvalidated);
  CHECK_ERROR(hipStreamEndCapture(a, &graph), hipErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);

  // A second stream that never comes back.
  CHECK_HIP(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  CHECK_HIP(hipEventRecord(event, a));
  CHECK_HIP(hipStreamWaitEvent(b, event, 0));
  CHECK_HIP(hipMemsetAsync(data, 0, 4, b));
  CHECK_ERROR(hipStreamEndCapture(b, &graph), hipErrorStreamCaptureUnmatched);
  CHECK_ERROR(hipStreamEndCapture(a, &graph), hipErrorStreamCaptureUnjoined);

  // An event from outside.
  CHECK_HIP(hipEventRecord(event, b));
  CHECK_HIP(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  CHECK_ERROR(hipStreamWaitEvent(a, event, 0), hipErrorStreamCaptureIsolation);
  CHECK_ERROR(hipStreamEndCapture(a, &graph), hipErrorStreamCaptureInvalidated);

  // The default stream would wait for a captured blocking stream.
  hipStream_t blocking;
  CHECK_HIP(hipStreamCreate(&blocking));
  CHECK_HIP(hipStreamBeginCapture(blocking, hipStreamCaptureModeGlobal));
  CHECK_ERROR(hipMemsetAsync(data, 0, 4, nullptr), hipErrorStreamCaptureImplicit);
  CHECK_ERROR(hipStreamEndCapture(blocking, &graph), hipErrorStreamCaptureInvalidated);

  CHECK_HIP(hipMemset(data, 0, 4));  // all is as before
  (void)hipGetLastError();
  CHECK_HIP(hipEventDestroy(event));
  CHECK_HIP(hipStreamDestroy(a));
  CHECK_HIP(hipStreamDestroy(b));
  CHECK_HIP(hipStreamDestroy(blocking));
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

/// A value in memory that one stream waits for and another one writes.
void stream_memory() {
  uint32_t* flag;
  CHECK_HIP(hipExtMallocWithFlags(reinterpret_cast<void**>(&flag), 8, hipMallocSignalMemory));
  CHECK_HIP(hipMemset(flag, 0, 8));
  hipStream_t a, b;
  CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  CHECK_HIP(hipStreamWaitValue32(a, flag, 7, hipStreamWaitValueEq, 0xff));
  CHECK_HIP(hipStreamWriteValue32(a, flag, 9, 0));
  CHECK_HIP(hipStreamWriteValue32(b, flag, 0x107, 0));
  CHECK_HIP(hipStreamSynchronize(a));
  CHECK_HIP(hipStreamSynchronize(b));
  uint32_t value = 0;
  CHECK_HIP(hipMemcpy(&value, flag, 4, hipMemcpyDeviceToHost));
  CHECK(value == 9);
  CHECK_ERROR(hipStreamWaitValue32(a, nullptr, 7, hipStreamWaitValueEq, ~0u), hipErrorInvalidValue);
  CHECK_ERROR(hipStreamWaitValue32(a, flag, 7, 9, ~0u), hipErrorInvalidValue);
  CHECK_HIP(hipStreamDestroy(a));
  CHECK_HIP(hipStreamDestroy(b));
  CHECK_HIP(hipFree(flag));
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

void a_captured_graph_takes_nodes(int* data) {
  hipStream_t stream;
  hipGraph_t graph, seen;
  hipGraphNode_t node;
  const hipGraphNode_t* last;
  hipStreamCaptureStatus status;
  size_t count;
  CHECK_HIP(hipStreamCreate(&stream));
  CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  CHECK_HIP(hipMemsetAsync(data, 0, 4 * kCount, stream));
  CHECK_HIP(hipStreamGetCaptureInfo_v2(stream, &status, nullptr, &seen, &last, &count));
  CHECK(status == hipStreamCaptureStatusActive && count == 1);
  CHECK_ERROR(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);  // only a question
  hipMemsetParams fill = {};
  fill.dst = data;
  fill.value = 0x22;
  fill.elementSize = 1;
  fill.width = 4 * kCount;
  fill.height = 1;
  CHECK_HIP(hipGraphAddMemsetNode(&node, seen, last, count, &fill));
  CHECK_HIP(hipStreamUpdateCaptureDependencies(stream, &node, 1, hipStreamSetCaptureDependencies));
  CHECK_HIP(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(exec, stream));
  std::vector<int> found(kCount);
  CHECK_HIP(hipMemcpyAsync(found.data(), data, 4 * kCount, hipMemcpyDeviceToHost, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  for (const int value : found) CHECK(value == 0x22222222);
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(graph));
  // What would not be noted is refused meanwhile.
  void* memory;
  CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  CHECK_ERROR(hipMalloc(&memory, 64), hipErrorStreamCaptureUnsupported);
  CHECK_ERROR(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  CHECK_HIP(hipMalloc(&memory, 64));
  CHECK_HIP(hipFree(memory));
  CHECK_ERROR(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
  CHECK_ERROR(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  CHECK_HIP(hipStreamDestroy(stream));
}

int main() {
  int *data, *other;
  CHECK_HIP(hipMalloc(&data, kCount * sizeof(int)));
  CHECK_HIP(hipMalloc(&other, kCount * sizeof(int)));
  explicit_graph(data);
  symbols(data);
  capture(data, other);
  capture_errors(data);
  wrong_arguments(data);
  events(data);
  stream_memory();
  user_objects();
  changes_that_are_refused(data, other);
  a_captured_graph_takes_nodes(data);
  CHECK_HIP(hipFree(data));
  CHECK_HIP(hipFree(other));
  return finish();
}
