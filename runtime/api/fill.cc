// The functions that fill memory with a value.
#include "runtime/memory/fill.h"

#include "check/host_call.h"
#include "runtime/memory/copy.h"
#include "runtime/memory/reach.h"
#include "runtime/observe/check.h"
#include "runtime/observe/modelled_time.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

hipStream_t or_per_thread(hipStream_t handle) { return handle ? handle : hipStreamPerThread; }

hipError_t fill(hipStream_t handle, const Fill& what, Order order) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    if (what.width == 0 || what.height == 0 || what.depth == 0) return hipSuccess;
    if (!what.destination) return hipErrorInvalidValue;
    const size_t row = saturated_product(what.width, what.element);
    // Memory that the device does not know of cannot be filled by it.
    const auto allocation = platform.allocations.find(what.destination);
    const auto bytes = reach(row, what.height, what.depth, what.pitch, what.slice);
    if (!allocation || !platform.allocations.contains_or_foreign(what.destination, bytes)) {
      tell_access_refused(*platform.memory, what.destination, bytes, true);
      return hipErrorInvalidValue;
    }
    if (what.height > 1 && row > what.pitch) return hipErrorInvalidValue;
    if (order == Order::Synchronous) {
      if (refuse_captured(*stream)) return hipErrorStreamCaptureImplicit;
    } else if (const auto noted = capture_fill(*stream, what)) {
      return *noted;
    }
    if (const hipError_t failed = stream->device.failure(); failed != hipSuccess) return failed;
    if (order == Order::Synchronous && !stream->device.modelled && !checks() && stream->nothing_before()) {
      do_fill(what);
      return hipSuccess;
    }
    if (stream->device.modelled) host_time() += stream->device.modelled->call_seconds();
    const Ticket ticket = stream->enqueue(std::make_shared<FillOperation>(what));
    // Who fills device memory need not wait for it; the host's own memory has to be filled on return.
    if (order == Order::Asynchronous ||
        (allocation->kind == Allocation::Kind::Device && !allocation->synchronous))
      return hipSuccess;
    stream->wait(ticket.number);
    return stream->device.failure();
  });
}

Fill plain(void* destination, uint32_t value, size_t element, size_t count) {
  return {.destination = destination, .value = value, .element = element, .width = count};
}
Fill rows(void* destination, size_t pitch, uint32_t value, size_t element, size_t width, size_t height) {
  return {.destination = destination,
          .value = value,
          .element = element,
          .width = width,
          .height = height,
          .pitch = pitch};
}
Fill box(const hipPitchedPtr& to, int value, const hipExtent& extent) {
  return {.destination = to.ptr,
          .value = static_cast<uint32_t>(value),
          .width = extent.width,
          .height = extent.height,
          .depth = extent.depth,
          .pitch = to.pitch,
          .slice = saturated_product(to.pitch, to.ysize)};
}

constexpr Order kNow = Order::Synchronous, kLater = Order::Asynchronous;

}  // namespace

HIP_API hipError_t hipMemset(void* p, int value, size_t size) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, plain(p, static_cast<uint32_t>(value), 1, size), kNow);
}
HIP_API hipError_t hipMemset_spt(void* p, int value, size_t size) {
  const wavesmith::check::HostCallScope call;
  return fill(hipStreamPerThread, plain(p, static_cast<uint32_t>(value), 1, size), kNow);
}
HIP_API hipError_t hipMemsetAsync(void* p, int value, size_t size, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, plain(p, static_cast<uint32_t>(value), 1, size), kLater);
}
HIP_API hipError_t hipMemsetAsync_spt(void* p, int value, size_t size, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemsetAsync(p, value, size, or_per_thread(stream));
}
HIP_API hipError_t hipMemsetD8(hipDeviceptr_t p, unsigned char value, size_t count) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, plain(p, value, 1, count), kNow);
}
HIP_API hipError_t hipMemsetD16(hipDeviceptr_t p, unsigned short value, size_t count) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, plain(p, value, 2, count), kNow);
}
HIP_API hipError_t hipMemsetD32(hipDeviceptr_t p, int value, size_t count) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, plain(p, static_cast<uint32_t>(value), 4, count), kNow);
}
HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t p, unsigned char value, size_t count, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, plain(p, value, 1, count), kLater);
}
HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t p, unsigned short value, size_t count,
                                     hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, plain(p, value, 2, count), kLater);
}
HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t p, int value, size_t count, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, plain(p, static_cast<uint32_t>(value), 4, count), kLater);
}

HIP_API hipError_t hipMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, rows(p, pitch, static_cast<uint32_t>(value), 1, width, height), kNow);
}
HIP_API hipError_t hipMemset2D_spt(void* p, size_t pitch, int value, size_t width, size_t height) {
  const wavesmith::check::HostCallScope call;
  return fill(hipStreamPerThread, rows(p, pitch, static_cast<uint32_t>(value), 1, width, height), kNow);
}
HIP_API hipError_t hipMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height,
                                    hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, rows(p, pitch, static_cast<uint32_t>(value), 1, width, height), kLater);
}
HIP_API hipError_t hipMemset2DAsync_spt(void* p, size_t pitch, int value, size_t width, size_t height,
                                        hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemset2DAsync(p, pitch, value, width, height, or_per_thread(stream));
}
HIP_API hipError_t hipMemsetD2D8(hipDeviceptr_t p, size_t pitch, unsigned char value, size_t width,
                                 size_t height) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, rows(p, pitch, value, 1, width, height), kNow);
}
HIP_API hipError_t hipMemsetD2D8Async(hipDeviceptr_t p, size_t pitch, unsigned char value, size_t width,
                                      size_t height, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, rows(p, pitch, value, 1, width, height), kLater);
}
HIP_API hipError_t hipMemsetD2D16(hipDeviceptr_t p, size_t pitch, unsigned short value, size_t width,
                                  size_t height) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, rows(p, pitch, value, 2, width, height), kNow);
}
HIP_API hipError_t hipMemsetD2D16Async(hipDeviceptr_t p, size_t pitch, unsigned short value, size_t width,
                                       size_t height, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, rows(p, pitch, value, 2, width, height), kLater);
}
HIP_API hipError_t hipMemsetD2D32(hipDeviceptr_t p, size_t pitch, unsigned value, size_t width,
                                  size_t height) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, rows(p, pitch, value, 4, width, height), kNow);
}
HIP_API hipError_t hipMemsetD2D32Async(hipDeviceptr_t p, size_t pitch, unsigned value, size_t width,
                                       size_t height, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, rows(p, pitch, value, 4, width, height), kLater);
}

HIP_API hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
  const wavesmith::check::HostCallScope call;
  return fill(nullptr, box(to, value, extent), kNow);
}
HIP_API hipError_t hipMemset3D_spt(hipPitchedPtr to, int value, hipExtent extent) {
  const wavesmith::check::HostCallScope call;
  return fill(hipStreamPerThread, box(to, value, extent), kNow);
}
HIP_API hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return fill(stream, box(to, value, extent), kLater);
}
HIP_API hipError_t hipMemset3DAsync_spt(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemset3DAsync(to, value, extent, or_per_thread(stream));
}
