// The functions that capture streams.
#include <algorithm>

#include "runtime/device/platform.h"
#include "runtime/graph/capture_state.h"

using namespace wavesmith::runtime;

namespace {

bool is_mode(hipStreamCaptureMode mode) {
  return mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed;
}

/// Runs `body(Stream&)` on the stream of a handle, with the captures locked.
template <class Body>
hipError_t with_stream(hipStream_t handle, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    const std::scoped_lock lock(captures_mutex());
    return body(*stream);
  });
}

hipStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.captured.capture) return hipStreamCaptureStatusNone;
  return stream.captured.capture->invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
}

hipStream_t or_per_thread(hipStream_t handle) { return handle ? handle : hipStreamPerThread; }

}  // namespace

HIP_API hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode) {
  return with_stream(handle, [&](Stream& stream) {
    if (!is_mode(mode)) return hipErrorInvalidValue;
    if (stream.kind == Stream::Kind::Null) return hipErrorStreamCaptureUnsupported;
    return begin_capture(stream, mode);
  });
}
HIP_API hipError_t hipStreamBeginCapture_spt(hipStream_t handle, hipStreamCaptureMode mode) {
  return hipStreamBeginCapture(or_per_thread(handle), mode);
}

HIP_API hipError_t hipStreamBeginCaptureToGraph(hipStream_t handle, hipGraph_t graph_handle,
                                                const hipGraphNode_t* dependencies,
                                                const hipGraphEdgeData* edges, size_t count,
                                                hipStreamCaptureMode mode) {
  return with_stream(handle, [&](Stream& stream) {
    const auto graph = find_graph(graph_handle);
    if (!graph || !is_mode(mode) || (count > 0 && !dependencies)) return hipErrorInvalidValue;
    if (edges) return hipErrorNotSupported;
    if (stream.kind == Stream::Kind::Null) return hipErrorStreamCaptureUnsupported;
    std::vector<Node*> first;
    for (size_t i = 0; i < count; ++i) {
      Node* const node = find_node(dependencies[i]);
      if (!graph->has(node)) return hipErrorInvalidValue;
      first.push_back(node);
    }
    return begin_capture(stream, mode, graph, std::move(first));
  });
}

HIP_API hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t* out) {
  return with_stream(handle, [&](Stream& stream) {
    if (!out) return hipErrorInvalidValue;
    *out = nullptr;
    std::shared_ptr<Graph> graph;
    if (const hipError_t error = end_capture(stream, graph); error != hipSuccess) return error;
    *out = find_graph(handle_of(*graph)) ? handle_of(*graph) : own(graph);
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamEndCapture_spt(hipStream_t handle, hipGraph_t* graph) {
  return hipStreamEndCapture(or_per_thread(handle), graph);
}

HIP_API hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
  return with_stream(handle, [&](Stream& stream) {
    if (!status) return hipErrorInvalidValue;
    if (anything_captured() && clashes_with_captures(stream)) return hipErrorStreamCaptureImplicit;
    *status = status_of(stream);
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamIsCapturing_spt(hipStream_t handle, hipStreamCaptureStatus* status) {
  return hipStreamIsCapturing(or_per_thread(handle), status);
}

HIP_API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle, hipStreamCaptureStatus* status,
                                              unsigned long long* id, hipGraph_t* graph,
                                              const hipGraphNode_t** dependencies, size_t* count) {
  return with_stream(handle, [&](Stream& stream) {
    if (!status) return hipErrorInvalidValue;
    if (anything_captured() && clashes_with_captures(stream)) return hipErrorStreamCaptureImplicit;
    *status = status_of(stream);
    if (*status != hipStreamCaptureStatusActive) return hipSuccess;
    if (id) *id = stream.captured.capture->id;
    if (graph) *graph = handle_of(*stream.captured.capture->graph);
    // A handle is the node's address, so the list of nodes is the list of handles.
    if (dependencies) *dependencies = reinterpret_cast<const hipGraphNode_t*>(stream.captured.nodes.data());
    if (count) *count = stream.captured.nodes.size();
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t handle, hipStreamCaptureStatus* status,
                                                  unsigned long long* id, hipGraph_t* graph,
                                                  const hipGraphNode_t** dependencies, size_t* count) {
  return hipStreamGetCaptureInfo_v2(or_per_thread(handle), status, id, graph, dependencies, count);
}
HIP_API hipError_t hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus* status,
                                           unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(handle, status, id, nullptr, nullptr, nullptr);
}
HIP_API hipError_t hipStreamGetCaptureInfo_spt(hipStream_t handle, hipStreamCaptureStatus* status,
                                               unsigned long long* id) {
  return hipStreamGetCaptureInfo(or_per_thread(handle), status, id);
}

HIP_API hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t* dependencies,
                                                      size_t count, unsigned flags) {
  return with_stream(handle, [&](Stream& stream) {
    if ((count > 0 && !dependencies) || flags > hipStreamSetCaptureDependencies) return hipErrorInvalidValue;
    if (status_of(stream) == hipStreamCaptureStatusInvalidated) return hipErrorStreamCaptureInvalidated;
    if (status_of(stream) == hipStreamCaptureStatusNone) return hipErrorIllegalState;
    std::vector<Node*> nodes =
        flags == hipStreamSetCaptureDependencies ? std::vector<Node*>{} : stream.captured.nodes;
    for (size_t i = 0; i < count; ++i) {
      Node* const node = find_node(dependencies[i]);
      if (!stream.captured.capture->graph->has(node)) return hipErrorInvalidValue;
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    stream.captured.nodes = std::move(nodes);
    return hipSuccess;
  });
}

HIP_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return plain_api([&] {
    if (!mode || !is_mode(*mode)) return hipErrorInvalidValue;
    std::swap(*mode, thread_capture_mode());
    return hipSuccess;
  });
}
