#include "runtime/graph/capture.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "runtime/graph/capture_state.h"
#include "runtime/graph/graph.h"
#include "runtime/memory/fill.h"
#include "runtime/stream/event.h"

namespace wavesmith::runtime {

std::atomic<int> captures_under_way{0};

std::recursive_mutex& captures_mutex() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

hipStreamCaptureMode& thread_capture_mode() {
  thread_local hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  return mode;
}

namespace {

using Lock = std::scoped_lock<std::recursive_mutex>;

/// The captures under way. Few, so that a list does.
std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::shared_ptr<Capture>>;
  return all;
}

/// The legacy default stream would order itself with a captured stream, which a graph cannot say.
template <class Found>
bool each_clash(Stream& stream, Found found) {
  if (stream.kind != Stream::Kind::Null) return false;
  bool any = false;
  for (const auto& capture : captures())
    for (const Stream* const other : capture->streams)
      if (&other->device == &stream.device && other->blocking()) found(*capture), any = true;
  return any;
}
bool spoils_others(Stream& stream) {
  return each_clash(stream, [](Capture& capture) { capture.invalid = true; });
}

}  // namespace

bool clashes_with_captures(Stream& stream) {
  const Lock lock(captures_mutex());
  return each_clash(stream, [](Capture&) {});
}

hipError_t begin_capture(Stream& stream, hipStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                         std::vector<Node*> first) {
  static std::atomic<unsigned long long> next{1};
  const Lock lock(captures_mutex());
  if (stream.captured.capture) return hipErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->theirs = graph != nullptr;
  capture->graph = graph ? std::move(graph) : std::make_shared<Graph>();
  if (!capture->theirs) make_known(capture->graph);
  if (capture->graph->capturing) return hipErrorIllegalState;
  capture->graph->capturing = true;
  capture->id = next++;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->streams.insert(&stream);
  stream.captured = {capture, std::move(first)};
  captures().push_back(std::move(capture));
  ++captures_under_way;
  return hipSuccess;
}

hipError_t end_capture(Stream& stream, std::shared_ptr<Graph>& graph) {
  // Events that were recorded meanwhile know the capture on; its graph must not live for that.
  std::shared_ptr<Graph> ended;
  const Lock lock(captures_mutex());
  const std::shared_ptr<Capture> capture = stream.captured.capture;
  if (!capture) return hipErrorIllegalState;
  if (capture->origin != &stream) return hipErrorStreamCaptureUnmatched;
  if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return hipErrorStreamCaptureWrongThread;
  // What other streams have done has to come before the last of the stream that the capture began with.
  bool joined = true;
  const std::vector<Node*>& last = stream.captured.nodes;
  for (Stream* const each : capture->streams)
    for (const Node* const node : each->captured.nodes)
      joined &= each == &stream || !node->dependents.empty() ||
                std::find(last.begin(), last.end(), node) != last.end();
  for (Stream* const each : capture->streams) each->captured = {};
  capture->graph->capturing = false;
  capture->ended = true;
  std::erase(captures(), capture);
  --captures_under_way;
  ended = std::move(capture->graph);
  if (capture->invalid) return hipErrorStreamCaptureInvalidated;
  if (!joined) return hipErrorStreamCaptureUnjoined;
  graph = std::move(ended);
  if (!capture->theirs) make_unknown(*graph);
  return hipSuccess;
}

void drop_from_capture(Stream& stream) {
  std::shared_ptr<Graph> ended;
  const Lock lock(captures_mutex());
  const std::shared_ptr<Capture> capture = std::exchange(stream.captured, {}).capture;
  if (!capture) return;
  // A stream that has joined may go, and leaves its nodes. Source: ROCm 7's clr, hip_stream.cpp,
  // hipStreamDestroy. RCCL does so.
  capture->streams.erase(&stream);
  if (capture->origin != &stream) return;
  capture->invalid = true;
  for (Stream* const each : capture->streams) each->captured = {};
  capture->graph->capturing = false;
  capture->ended = true;
  std::erase(captures(), capture);
  --captures_under_way;
  ended = std::move(capture->graph);
}

std::optional<hipError_t> capture_node(Stream& stream, const std::function<hipError_t(Work&)>& make) {
  if (!anything_captured()) return {};
  const Lock lock(captures_mutex());
  const std::shared_ptr<Capture>& capture = stream.captured.capture;
  if (!capture) return spoils_others(stream) ? std::optional(hipErrorStreamCaptureImplicit) : std::nullopt;
  if (capture->invalid) return hipErrorStreamCaptureInvalidated;
  Work work;
  if (const hipError_t error = make(work); error != hipSuccess) return error;
  stream.captured.nodes = {capture->graph->add(stream.device, std::move(work), stream.captured.nodes)};
  return hipSuccess;
}

namespace capture_detail {

std::optional<hipError_t> launch(Stream& stream, const LaunchRequest& request, const void* host) {
  return capture_node(stream, [&](Work& work) {
    const Geometry& geometry = request.geometry;
    hipKernelNodeParams params{};
    params.func = host ? const_cast<void*>(host) : request.function;
    params.blockDim = {geometry.workgroup[0], geometry.workgroup[1], geometry.workgroup[2]};
    if (geometry.workgroup.empty()) return hipErrorInvalidConfiguration;
    const Extent3 blocks = workgroups_of(geometry.grid, geometry.workgroup);
    params.gridDim = {blocks[0], blocks[1], blocks[2]};
    params.sharedMemBytes = geometry.dynamic_lds;
    params.kernelParams = request.arguments;
    params.extra = request.extra;
    KernelWork kernel;
    if (const hipError_t error = make_kernel_work(*Platform::get(), stream.device, &params, kernel);
        error != hipSuccess)
      return error;
    kernel.geometry = geometry;  // a grid need not be whole blocks
    kernel.cooperative = request.cooperative;
    // Whatever a launch refuses is refused now.
    std::shared_ptr<LaunchOperation> checked;
    if (const hipError_t error = make_launch(*Platform::get(), stream.device, request, checked);
        error != hipSuccess)
      return error;
    work = std::move(kernel);
    return hipSuccess;
  });
}

std::optional<hipError_t> copy(Stream& stream, const Box& box, hipMemcpyKind kind) {
  return capture_node(stream, [&](Work& work) {
    CopyWork copy;
    copy.box = box;
    hipMemcpy3DParms& params = copy.params;
    params.srcPtr = {
        const_cast<void*>(box.source), box.source_pitch ? box.source_pitch : box.width, box.width,
        box.source_pitch ? std::max<size_t>(box.source_slice / box.source_pitch, box.height) : 1};
    params.dstPtr = {box.destination, box.destination_pitch ? box.destination_pitch : box.width, box.width,
                     box.destination_pitch
                         ? std::max<size_t>(box.destination_slice / box.destination_pitch, box.height)
                         : 1};
    params.extent = {box.width, box.height, box.depth};
    params.kind = kind;
    work = std::move(copy);
    return hipSuccess;
  });
}

std::optional<hipError_t> fill(Stream& stream, const Fill& fill) {
  return capture_node(stream, [&](Work& work) {
    FillWork made;
    made.params.dst = fill.destination;
    made.params.elementSize = static_cast<unsigned>(fill.element);
    made.params.value = fill.value;
    made.params.width = fill.width;
    made.params.height = fill.height * fill.depth;
    made.params.pitch = fill.pitch;
    // Slices that lie directly behind one another are rows; a box with gaps between its slices isn't what a
    // node can say.
    if (fill.depth > 1 && fill.slice != fill.pitch * fill.height) return hipErrorNotSupported;
    work = made;
    return hipSuccess;
  });
}

std::optional<hipError_t> host(Stream& stream, hipHostFn_t function, void* user,
                               std::function<void(Stream&)> call) {
  return capture_node(stream, [&](Work& work) {
    HostWork made;
    made.params = {function, user};
    made.call = std::move(call);
    work = std::move(made);
    return hipSuccess;
  });
}

std::optional<hipError_t> record(Stream& stream, hipEvent_t, Event& event) {
  const Lock lock(captures_mutex());
  if (!stream.captured.capture)
    return spoils_others(stream) ? std::optional(hipErrorStreamCaptureImplicit) : std::nullopt;
  if (stream.captured.capture->invalid) return hipErrorStreamCaptureInvalidated;
  const std::scoped_lock own(event.mutex);
  event.captured = stream.captured;
  return hipSuccess;
}

std::optional<hipError_t> wait(Stream& stream, hipEvent_t, Event& event) {
  const Lock lock(captures_mutex());
  CapturePoint point;
  {
    const std::scoped_lock own(event.mutex);
    if (event.captured.capture && event.captured.capture->ended) event.captured = {};
    point = event.captured;
  }
  const std::shared_ptr<Capture>& mine = stream.captured.capture;
  if (!point.capture) {
    if (!mine) return spoils_others(stream) ? std::optional(hipErrorStreamCaptureImplicit) : std::nullopt;
    // A graph cannot wait for what is outside of it.
    mine->invalid = true;
    return hipErrorStreamCaptureIsolation;
  }
  if (mine && mine != point.capture) {
    mine->invalid = point.capture->invalid = true;
    return hipErrorStreamCaptureMerge;
  }
  if (point.capture->invalid) return hipErrorStreamCaptureInvalidated;
  if (stream.kind == Stream::Kind::Null) {
    point.capture->invalid = true;
    return hipErrorStreamCaptureImplicit;
  }
  if (!mine) {
    point.capture->streams.insert(&stream);
    stream.captured.capture = point.capture;
  }
  for (Node* const node : point.nodes)
    if (std::find(stream.captured.nodes.begin(), stream.captured.nodes.end(), node) ==
        stream.captured.nodes.end())
      stream.captured.nodes.push_back(node);
  return hipSuccess;
}

bool refuse(Stream& stream) {
  const Lock lock(captures_mutex());
  if (!stream.captured.capture) return spoils_others(stream);
  stream.captured.capture->invalid = true;
  return true;
}

bool refuse_event(Event& event) {
  const Lock lock(captures_mutex());
  const std::scoped_lock own(event.mutex);
  if (!event.captured.capture || event.captured.capture->ended) return false;
  event.captured.capture->invalid = true;
  return true;
}

bool refuse_all() {
  const Lock lock(captures_mutex());
  for (const auto& capture : captures()) capture->invalid = true;
  return !captures().empty();
}

bool refuse_everywhere() {
  const hipStreamCaptureMode mode = thread_capture_mode();
  if (mode == hipStreamCaptureModeRelaxed) return false;
  const Lock lock(captures_mutex());
  bool refused = false;
  for (const auto& capture : captures()) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool minds = (own && capture->mode != hipStreamCaptureModeRelaxed) ||
                       (mode == hipStreamCaptureModeGlobal && capture->mode == hipStreamCaptureModeGlobal);
    if (minds) capture->invalid = refused = true;
  }
  return refused;
}

}  // namespace capture_detail
}  // namespace wavesmith::runtime
