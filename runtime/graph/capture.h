// Stream capture: work enqueued in a stream becomes nodes of a graph.
//
// Each function that enqueues work first calls a function here, which records the work if the stream is being
// captured. While nothing is captured that costs one load of a counter.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/abi/graph.h"

namespace wavesmith::runtime {

class Capture;
class Stream;
struct Event;
struct Box;
struct Fill;
struct LaunchRequest;
struct Node;

/// The position of a captured stream: the nodes on which its next work depends.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<Node*> nodes;
};

/// Streams that are being captured, in the whole process.
extern std::atomic<int> captures_under_way;

namespace capture_detail {
std::optional<hipError_t> launch(Stream& stream, const LaunchRequest& request, const void* host);
std::optional<hipError_t> copy(Stream& stream, const Box& box, hipMemcpyKind kind);
std::optional<hipError_t> fill(Stream& stream, const Fill& fill);
std::optional<hipError_t> host(Stream& stream, hipHostFn_t function, void* user,
                               std::function<void(Stream&)> call);
std::optional<hipError_t> record(Stream& stream, hipEvent_t handle, Event& event);
std::optional<hipError_t> wait(Stream& stream, hipEvent_t handle, Event& event);
bool refuse(Stream& stream);
bool refuse_event(Event& event);
bool refuse_everywhere();
bool refuse_all();
}  // namespace capture_detail

inline bool anything_captured() { return captures_under_way.load(std::memory_order_acquire) > 0; }

// The result for the caller if the work was recorded or is not allowed now; nullopt: enqueue it.
inline std::optional<hipError_t> capture_launch(Stream& stream, const LaunchRequest& request,
                                                const void* host = nullptr) {
  return anything_captured() ? capture_detail::launch(stream, request, host) : std::nullopt;
}
inline std::optional<hipError_t> capture_copy(Stream& stream, const Box& box, hipMemcpyKind kind) {
  return anything_captured() ? capture_detail::copy(stream, box, kind) : std::nullopt;
}
inline std::optional<hipError_t> capture_fill(Stream& stream, const Fill& fill) {
  return anything_captured() ? capture_detail::fill(stream, fill) : std::nullopt;
}
inline std::optional<hipError_t> capture_host(Stream& stream, hipHostFn_t function, void* user,
                                              std::function<void(Stream&)> call = {}) {
  return anything_captured() ? capture_detail::host(stream, function, user, std::move(call)) : std::nullopt;
}
inline std::optional<hipError_t> capture_record(Stream& stream, hipEvent_t handle, Event& event) {
  return anything_captured() ? capture_detail::record(stream, handle, event) : std::nullopt;
}
inline std::optional<hipError_t> capture_wait(Stream& stream, hipEvent_t handle, Event& event) {
  return anything_captured() ? capture_detail::wait(stream, handle, event) : std::nullopt;
}
/// Guards operations that are not allowed on a captured stream, such as waiting for it: returns true and
/// invalidates the capture.
inline bool refuse_captured(Stream& stream) { return anything_captured() && capture_detail::refuse(stream); }
inline bool refuse_captured(Event& event) {
  return anything_captured() && capture_detail::refuse_event(event);
}
/// Guards operations that are not allowed while a capture affects this thread by its mode.
inline bool refuse_while_capturing() { return anything_captured() && capture_detail::refuse_everywhere(); }
/// Guards operations that are not allowed while any stream is captured.
inline bool refuse_while_anything_is_captured() {
  return anything_captured() && capture_detail::refuse_all();
}

}  // namespace wavesmith::runtime
