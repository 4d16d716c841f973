// Graphs that streams are captured into.
#include <vector>

#include "graph_work.h"

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
  CHECK_HIP(hipMemcpyAsync(other, data, kCount * sizeof(int), hipMemcpyDeviceToDevice, a));
  CHECK_HIP(hipEventRecord(fork, a));
  CHECK_HIP(hipStreamWaitEvent(b, fork, 0));
  CHECK_HIP(hipStreamIsCapturing(b, &status));
  CHECK(status == hipStreamCaptureStatusActive);
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

/// A stream that has joined a capture may be destroyed before its end, as RCCL does; and an event that was
/// recorded keeps nothing of the graph.
void a_joined_stream_may_go(int* data) {
  hipStream_t origin, joined;
  hipEvent_t event;
  CHECK_HIP(hipStreamCreate(&origin));
  CHECK_HIP(hipStreamCreateWithFlags(&joined, hipStreamNonBlocking));
  CHECK_HIP(hipEventCreate(&event));
  CHECK_HIP(hipMemset(data, 0, kCount * sizeof(int)));
  CHECK_HIP(hipStreamBeginCapture(origin, hipStreamCaptureModeRelaxed));
  CHECK_HIP(hipEventRecord(event, origin));
  CHECK_HIP(hipStreamWaitEvent(joined, event, 0));
  add<<<(kCount + 63) / 64, 64, 0, joined>>>(data, kCount, 5);
  CHECK_HIP(hipEventRecord(event, joined));
  CHECK_HIP(hipStreamWaitEvent(origin, event, 0));
  CHECK_HIP(hipStreamDestroy(joined));
  hipStreamCaptureStatus status;
  hipGraph_t captured;
  hipUserObject_t object;
  static int one = 1;
  calls = 0;
  CHECK_HIP(hipStreamGetCaptureInfo_v2(origin, &status, nullptr, &captured, nullptr, nullptr));
  CHECK_HIP(hipUserObjectCreate(&object, &one, count_call, 1, hipUserObjectNoDestructorSync));
  CHECK_HIP(hipGraphRetainUserObject(captured, object, 1, hipGraphUserObjectMove));
  multiply<<<(kCount + 63) / 64, 64, 0, origin>>>(data, kCount, 3);
  hipGraph_t graph;
  hipGraphExec_t exec;
  CHECK_HIP(hipStreamEndCapture(origin, &graph));
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(exec, origin));
  CHECK_HIP(hipStreamSynchronize(origin));
  CHECK(all(data, 15));
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK(calls == 0);
  CHECK_HIP(hipGraphDestroy(graph));
  CHECK(calls == 1);
  CHECK_HIP(hipEventDestroy(event));
  CHECK_HIP(hipStreamDestroy(origin));
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
  capture(data, other);
  a_joined_stream_may_go(data);
  capture_errors(data);
  a_captured_graph_takes_nodes(data);
  CHECK_HIP(hipFree(data));
  CHECK_HIP(hipFree(other));
  return finish();
}
