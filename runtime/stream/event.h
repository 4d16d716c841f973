// Events: points in a stream's work, with the time at which they were reached.
#pragma once

#include <memory>

#include "runtime/abi/launch.h"
#include "runtime/graph/capture.h"
#include "runtime/stream/stream.h"

namespace wavesmith::runtime {

/// One recording of an event.
struct Recording {
  Ticket ticket;
  std::atomic<int64_t> nanoseconds{-1};  ///< of the steady clock; -1: not yet reached
};

struct SharedEvent;

struct Event {
  unsigned flags = 0;
  int device = 0;
  std::mutex mutex;
  std::shared_ptr<Recording> recording;  ///< the latest one; empty: never recorded
  CapturePoint captured;                 ///< instead, when it was recorded on a stream that is captured
  std::shared_ptr<SharedEvent> shared;   ///< when other processes have it, too

  [[nodiscard]] std::shared_ptr<SharedEvent> across_processes() {
    const std::scoped_lock lock(mutex);
    return shared;
  }
  [[nodiscard]] std::shared_ptr<Recording> latest() {
    const std::scoped_lock lock(mutex);
    return recording;
  }
};

/// The event of a handle; empty for anything that is none.
std::shared_ptr<Event> find_event(hipEvent_t handle);
std::shared_ptr<Event> make_event(int device, unsigned flags, hipEvent_t* handle);
hipError_t record_event(hipEvent_t handle, Stream& stream);
/// The operation that notes the time of a recording. Its ticket is that of the operation that contains it.
std::shared_ptr<Operation> record_operation(std::shared_ptr<Recording> recording);
/// Makes this the event's latest recording.
void publish(hipEvent_t handle, std::shared_ptr<Recording> recording);

}  // namespace wavesmith::runtime
