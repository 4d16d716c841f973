#include "runtime/stream/event.h"

#include <chrono>
#include <cmath>
#include <shared_mutex>
#include <unordered_map>

#include "runtime/device/platform.h"
#include "runtime/memory/pool.h"
#include "runtime/observe/check.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/stream/ipc_event.h"

namespace wavesmith::runtime {
namespace {

struct Events {
  std::shared_mutex mutex;
  std::unordered_map<hipEvent_t, std::shared_ptr<Event>> live;
};

Events& events() {
  static auto& all = *new Events;
  return all;
}

class RecordOperation final : public Operation {
 public:
  explicit RecordOperation(std::shared_ptr<Recording> recording, std::shared_ptr<SharedEvent> shared = {})
      : recording_(std::move(recording)),
        shared_(std::move(shared)),
        number_(shared_ ? ++shared_->counters->asked : 0) {}
  hipError_t run(Stream& stream) override {
    recording_->nanoseconds = now(stream);
    if (shared_) reach(*shared_->counters, number_);
    return hipSuccess;
  }
  [[nodiscard]] bool always() const override { return true; }

 private:
  static int64_t now(Stream& stream) {
    const auto& modelled = stream.device.modelled;
    if (!modelled) return std::chrono::steady_clock::now().time_since_epoch().count();
    // In a queue with nothing to do an event is reached at once.
    const bool idle = stream.before() <= stream.asked();
    const double reached = idle ? stream.asked() : stream.before() + modelled->event_seconds();
    // Stores on their way are waited for behind it.
    const double left = modelled->write_back_seconds(stream.id);
    stream.modelled_until(idle ? reached : reached + left);
    return std::llround(reached * 1e9);
  }
  std::shared_ptr<Recording> recording_;
  std::shared_ptr<SharedEvent> shared_;
  uint64_t number_;
};

}  // namespace

std::shared_ptr<Event> find_event(hipEvent_t handle) {
  Events& all = events();
  const std::shared_lock lock(all.mutex);
  const auto found = all.live.find(handle);
  return found == all.live.end() ? nullptr : found->second;
}

std::shared_ptr<Event> make_event(int device, unsigned flags, hipEvent_t* handle) {
  auto event = std::make_shared<Event>();
  event->flags = flags;
  event->device = device;
  *handle = reinterpret_cast<hipEvent_t>(event.get());
  Events& all = events();
  const std::unique_lock lock(all.mutex);
  return all.live[*handle] = event;
}

std::shared_ptr<Operation> record_operation(std::shared_ptr<Recording> recording) {
  return std::make_shared<RecordOperation>(std::move(recording));
}

void publish(hipEvent_t handle, std::shared_ptr<Recording> recording) {
  const auto event = find_event(handle);
  if (!event) return;
  const std::scoped_lock lock(event->mutex);
  event->recording = std::move(recording);
  event->captured = {};
}

hipError_t record_event(hipEvent_t handle, Stream& stream) {
  const auto event = find_event(handle);
  if (!event) return hipErrorInvalidHandle;
  if (const auto captured = capture_record(stream, handle, *event)) return *captured;
  auto recording = std::make_shared<Recording>();
  recording->ticket = stream.enqueue(std::make_shared<RecordOperation>(recording, event->across_processes()));
  const std::scoped_lock lock(event->mutex);
  event->recording = std::move(recording);
  event->captured = {};
  return hipSuccess;
}

}  // namespace wavesmith::runtime

using namespace wavesmith::runtime;

HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t* handle, unsigned flags) {
  return api([&](Platform&) {
    constexpr unsigned kKnown = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                                hipEventDisableSystemFence | hipEventReleaseToDevice |
                                hipEventReleaseToSystem;
    constexpr unsigned kRelease = hipEventReleaseToDevice | hipEventReleaseToSystem;
    if (!handle || (flags & ~kKnown) || (flags & kRelease) == kRelease) return hipErrorInvalidValue;
    if ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming)) return hipErrorInvalidValue;
    make_event(Platform::current_ordinal(), flags, handle);
    return hipSuccess;
  });
}

HIP_API hipError_t hipEventCreate(hipEvent_t* handle) {
  return hipEventCreateWithFlags(handle, hipEventDefault);
}

HIP_API hipError_t hipEventDestroy(hipEvent_t handle) {
  return api([&](Platform&) {
    Events& all = events();
    const std::unique_lock lock(all.mutex);
    if (!handle) return hipErrorInvalidHandle;
    return all.live.erase(handle) ? hipSuccess : hipErrorContextIsDestroyed;
  });
}

HIP_API hipError_t hipEventRecordWithFlags(hipEvent_t handle, hipStream_t stream_handle, unsigned /*flags*/) {
  return api([&](Platform& platform) {
    const auto stream = platform.stream(stream_handle);
    if (!handle) return hipErrorInvalidHandle;
    if (!stream) return hipErrorContextIsDestroyed;
    return record_event(handle, *stream);
  });
}

HIP_API hipError_t hipEventRecord(hipEvent_t handle, hipStream_t stream) {
  return hipEventRecordWithFlags(handle, stream, 0);
}
HIP_API hipError_t hipEventRecord_spt(hipEvent_t handle, hipStream_t stream) {
  return hipEventRecordWithFlags(handle, stream ? stream : hipStreamPerThread, 0);
}

HIP_API hipError_t hipEventSynchronize(hipEvent_t handle) {
  return api([&](Platform&) {
    const auto event = find_event(handle);
    if (!event) return hipErrorInvalidHandle;
    if (refuse_captured(*event)) return hipErrorCapturedEvent;
    const auto recording = event->latest();
    if (const auto shared = event->across_processes()) {
      // Whoever executes the recording of this process may be this very thread.
      if (recording) recording->ticket.stream->wait(recording->ticket.number);
      return wait_for(*shared->counters), hipSuccess;
    }
    if (!recording) return hipSuccess;
    recording->ticket.stream->wait(recording->ticket.number);
    trim_pools();
    return recording->ticket.stream->device.failure();
  });
}

HIP_API hipError_t hipEventQuery(hipEvent_t handle) {
  return api([&](Platform&) {
    const auto event = find_event(handle);
    if (!event) return hipErrorInvalidHandle;
    if (refuse_captured(*event)) return hipErrorCapturedEvent;
    if (const auto shared = event->across_processes())
      return is_reached(*shared->counters) ? hipSuccess : hipErrorNotReady;
    const auto recording = event->latest();
    if (!recording) return hipSuccess;
    if (!recording->ticket.stream->done(recording->ticket.number)) return hipErrorNotReady;
    tell_known(*recording->ticket.stream, recording->ticket.number);
    return recording->ticket.stream->device.failure();
  });
}

HIP_API hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start_handle, hipEvent_t stop_handle) {
  return api([&](Platform&) {
    if (!milliseconds) return hipErrorInvalidValue;
    const auto start = find_event(start_handle), stop = find_event(stop_handle);
    if (!start || !stop) return hipErrorInvalidHandle;
    const auto from = start->latest(), to = stop->latest();
    if (!from || !to || ((start->flags | stop->flags) & hipEventDisableTiming) ||
        start->device != stop->device)
      return hipErrorInvalidHandle;
    if (!from->ticket.stream->done(from->ticket.number) || !to->ticket.stream->done(to->ticket.number))
      return hipErrorNotReady;
    tell_known(*from->ticket.stream, from->ticket.number);
    tell_known(*to->ticket.stream, to->ticket.number);
    *milliseconds = static_cast<float>(static_cast<double>(to->nanoseconds - from->nanoseconds) * 1e-6);
    return hipSuccess;
  });
}
