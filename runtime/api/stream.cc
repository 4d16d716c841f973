// The functions that make, order and wait for streams.
#include <algorithm>
#include <cstring>

#include "runtime/abi/memory.h"
#include "runtime/device/platform.h"
#include "runtime/graph/capture_state.h"
#include "runtime/launch/library_call.h"
#include "runtime/memory/pool.h"
#include "runtime/observe/check.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/stream/event.h"
#include "runtime/stream/ipc_event.h"

using namespace wavesmith::runtime;

namespace {

constexpr int kLowest = 1, kHighest = -1;

/// Does nothing: only its tickets matter.
class NothingOperation final : public Operation {
 public:
  hipError_t run(Stream&) override { return hipSuccess; }
  [[nodiscard]] bool always() const override { return true; }
};

/// A function of the program, called in its turn.
template <class Call>
class CallOperation final : public Operation {
 public:
  explicit CallOperation(Call call) : call_(std::move(call)) {}
  hipError_t run(Stream& stream) override {
    // It may tell any of the host's threads what has come to pass.
    tell_known(stream, wavesmith::check::stream_point().number);
    call_(stream);
    return hipSuccess;
  }
  [[nodiscard]] bool always() const override { return true; }

 private:
  Call call_;
};

template <class Call>
std::shared_ptr<Operation> call_operation(Call call) {
  return std::make_shared<CallOperation<Call>>(std::move(call));
}

/// Runs `body(Stream&)` on the stream of a handle. One that is none any more, or never was, answers as ROCm
/// does.
template <class Body>
hipError_t on_stream(hipStream_t handle, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    return stream ? body(platform, *stream) : hipErrorContextIsDestroyed;
  });
}

hipStream_t or_per_thread(hipStream_t handle) { return handle ? handle : hipStreamPerThread; }

}  // namespace

HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t* handle, unsigned flags, int priority) {
  return api([&](Platform& platform) {
    if (!handle || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
    *handle = platform.current()
                  .create_stream(Stream::Kind::Created, flags, std::clamp(priority, kHighest, kLowest))
                  ->handle();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t* handle, unsigned flags) {
  return hipStreamCreateWithPriority(handle, flags, 0);
}
HIP_API hipError_t hipStreamCreate(hipStream_t* handle) {
  return hipStreamCreateWithPriority(handle, hipStreamDefault, 0);
}

HIP_API hipError_t hipExtStreamCreateWithCUMask(hipStream_t* handle, uint32_t size, const uint32_t* mask) {
  if (size == 0 || !mask) return plain_api([] { return hipErrorInvalidValue; });
  return hipStreamCreate(handle);
}

HIP_API hipError_t hipExtStreamGetCUMask(hipStream_t handle, uint32_t size, uint32_t* mask) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    const uint32_t units = stream.device.gpu.compute_units;
    if (!mask || size < (units + 31) / 32) return hipErrorInvalidValue;
    for (uint32_t i = 0; i < size; ++i)
      mask[i] = units >= 32 * (i + 1) ? ~0u : units > 32 * i ? (1u << (units - 32 * i)) - 1 : 0;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  return api([&](Platform&) {
    if (lowest) *lowest = kLowest;
    if (highest) *highest = kHighest;
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamDestroy(hipStream_t handle) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    if (stream.kind != Stream::Kind::Created) return hipErrorInvalidHandle;
    drop_from_capture(stream);
    stream.wait_all();
    stream.device.remove_stream(stream);
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamSynchronize(hipStream_t handle) {
  return on_stream(handle, [](Platform&, Stream& stream) {
    if (refuse_captured(stream) || refuse_while_capturing()) return hipErrorStreamCaptureUnsupported;
    stream.wait_all();
    // The default stream is done when the streams that it orders are.
    if (stream.kind == Stream::Kind::Null)
      for (const auto& other : stream.device.streams())
        if (other->blocking()) other->wait_all();
    trim_pools();
    return stream.device.failure();
  });
}
HIP_API hipError_t hipStreamSynchronize_spt(hipStream_t handle) {
  return hipStreamSynchronize(or_per_thread(handle));
}

HIP_API hipError_t hipStreamQuery(hipStream_t handle) {
  return on_stream(handle, [](Platform&, Stream& stream) {
    if (refuse_captured(stream)) return hipErrorStreamCaptureUnsupported;
    // What is asked for in between may be done by then, or not: it does not count.
    const uint64_t last = stream.last();
    if (!stream.all_done()) return hipErrorNotReady;
    tell_known(stream, last);
    if (stream.kind == Stream::Kind::Null && checks())
      for (const auto& other : stream.device.streams())
        if (other->blocking()) tell_known(*other, other->last());
    return stream.device.failure();
  });
}
HIP_API hipError_t hipStreamQuery_spt(hipStream_t handle) { return hipStreamQuery(or_per_thread(handle)); }

HIP_API hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event_handle, unsigned flags) {
  return api([&](Platform& platform) -> hipError_t {
    const auto found = platform.stream(handle);
    const auto event = find_event(event_handle);
    if (!found || !event) return hipErrorInvalidHandle;
    Stream& stream = *found;
    if (flags & ~unsigned{hipEventWaitExternal}) return hipErrorInvalidValue;
    if (const auto noted = capture_wait(stream, event_handle, *event)) return *noted;
    const auto recording = event->latest();
    if (const auto shared = event->across_processes()) {
      std::vector<Ticket> recorded;  // by this process
      if (recording) recorded.push_back(recording->ticket);
      stream.enqueue(call_operation([shared](Stream&) { wait_for(*shared->counters); }), std::move(recorded));
      return hipSuccess;
    }
    if (!recording || recording->ticket.stream.get() == &stream ||
        (!stream.device.modelled && !checks() && recording->ticket.stream->done(recording->ticket.number)))
      return hipSuccess;
    stream.enqueue(std::make_shared<NothingOperation>(), {recording->ticket});
    stream.follow(recording->ticket);
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamWaitEvent_spt(hipStream_t handle, hipEvent_t event, unsigned flags) {
  return hipStreamWaitEvent(or_per_thread(handle), event, flags);
}

HIP_API hipError_t hipStreamGetFlags(hipStream_t handle, unsigned* flags) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    if (!flags || stream.kind == Stream::Kind::Null) return hipErrorInvalidValue;
    *flags = stream.flags;
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamGetFlags_spt(hipStream_t handle, unsigned* flags) {
  return hipStreamGetFlags(or_per_thread(handle), flags);
}

HIP_API hipError_t hipStreamGetPriority(hipStream_t handle, int* priority) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    if (!priority) return hipErrorInvalidValue;
    *priority = stream.priority;
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamGetPriority_spt(hipStream_t handle, int* priority) {
  return hipStreamGetPriority(or_per_thread(handle), priority);
}

HIP_API hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t* device) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    if (!device) return hipErrorInvalidValue;
    *device = stream.device.ordinal;
    return hipSuccess;
  });
}

HIP_API int hipGetStreamDeviceId(hipStream_t handle) {
  Platform* const platform = Platform::get();
  const auto stream = platform ? platform->stream(handle) : nullptr;
  return stream ? stream->device.ordinal : -1;
}

HIP_API hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback, void* user,
                                        unsigned flags) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    if (!callback || flags) return hipErrorInvalidValue;
    if (const auto noted = capture_host(
            stream, nullptr, nullptr, [=](Stream& where) { callback(handle, where.device.failure(), user); }))
      return *noted;
    stream.enqueue(call_operation([=](Stream& where) { callback(handle, where.device.failure(), user); }));
    return hipSuccess;
  });
}
HIP_API hipError_t hipStreamAddCallback_spt(hipStream_t handle, hipStreamCallback_t callback, void* user,
                                            unsigned flags) {
  return hipStreamAddCallback(or_per_thread(handle), callback, user, flags);
}

HIP_API hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function, void* user) {
  return on_stream(handle, [&](Platform&, Stream& stream) {
    if (!function) return hipErrorInvalidValue;
    if (const auto noted = capture_host(stream, function, user)) return *noted;
    // What a host function costs its caller is not known: as a launch does.
    if (stream.device.modelled) host_time() += stream.device.modelled->call_seconds();
    stream.enqueue(call_operation([=](Stream& turn) { call_host(turn, function, user); }));
    return hipSuccess;
  });
}
HIP_API hipError_t hipLaunchHostFunc_spt(hipStream_t handle, hipHostFn_t function, void* user) {
  return hipLaunchHostFunc(or_per_thread(handle), function, user);
}

HIP_API hipError_t hipStreamAttachMemAsync(hipStream_t handle, void* pointer, size_t length, unsigned flags) {
  return on_stream(handle, [&](Platform& platform, Stream&) {
    const auto allocation = platform.allocations.find(pointer);
    if (length && (!allocation || length != allocation->size)) return hipErrorInvalidValue;
    if (flags == hipMemAttachSingle && !handle) return hipErrorInvalidValue;
    if (!pointer || (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle))
      return hipErrorInvalidValue;
    return hipSuccess;
  });
}
