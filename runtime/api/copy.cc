// The functions that copy memory.
#include <cstring>

#include "check/host_call.h"
#include "runtime/launch/fat_binary.h"
#include "runtime/memory/copy.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

hipStream_t or_per_thread(hipStream_t handle) { return handle ? handle : hipStreamPerThread; }

hipError_t copy_on(hipStream_t handle, const Box& box, hipMemcpyKind kind, Order order) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    return stream ? copy(platform, *stream, box, kind, order) : hipErrorContextIsDestroyed;
  });
}

hipError_t copy_plain(hipStream_t handle, void* destination, const void* source, size_t size,
                      hipMemcpyKind kind, Order order) {
  return copy_on(handle, {.destination = destination, .source = source, .width = size}, kind, order);
}

hipError_t copy_rows(hipStream_t handle, void* destination, size_t destination_pitch, const void* source,
                     size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind, Order order) {
  if (width && height && (width > destination_pitch || width > source_pitch))
    return plain_api([] { return hipErrorInvalidPitchValue; });
  return copy_on(handle,
                 {.destination = destination,
                  .source = source,
                  .width = width,
                  .height = height,
                  .destination_pitch = destination_pitch,
                  .source_pitch = source_pitch},
                 kind, order);
}

hipError_t copy_boxes(hipStream_t handle, const hipMemcpy3DParms* parms, Order order) {
  if (!parms) return plain_api([] { return hipErrorInvalidValue; });
  if (parms->srcArray || parms->dstArray) return plain_api([] { return hipErrorNotSupported; });
  const hipPitchedPtr &source = parms->srcPtr, &destination = parms->dstPtr;
  if (!source.ptr || !destination.ptr) return plain_api([] { return hipErrorInvalidValue; });
  const hipExtent& extent = parms->extent;
  if (extent.width &&
      (extent.width + parms->srcPos.x > source.pitch || extent.width + parms->dstPos.x > destination.pitch))
    return plain_api([] { return hipErrorInvalidValue; });
  return copy_on(
      handle,
      box_between(pitched_side(destination, parms->dstPos), pitched_side(source, parms->srcPos), extent),
      parms->kind, order);
}

/// Whether a copy of that kind can end (or begin) in a variable, which is device memory.
bool suits_variable(hipMemcpyKind kind, bool into) {
  return kind == (into ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost) || kind == hipMemcpyDeviceToDevice ||
         kind == hipMemcpyDeviceToDeviceNoCU || kind == hipMemcpyDefault;
}

/// Copies to or from a variable of the program.
hipError_t copy_symbol(hipStream_t handle, const void* symbol, void* destination, const void* source,
                       size_t size, size_t offset, hipMemcpyKind kind, Order order) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    const auto variable = registered_variable(platform, stream->device, symbol);
    if (!variable) return hipErrorInvalidSymbol;
    if (offset > variable->size || size > variable->size - offset) return hipErrorInvalidValue;
    if (!suits_variable(kind, destination == nullptr)) return hipErrorInvalidMemcpyDirection;
    void* const inside = static_cast<char*>(variable->address) + offset;
    return copy(platform, *stream,
                {.destination = destination ? destination : inside,
                 .source = source ? source : inside,
                 .width = size},
                kind, order);
  });
}

}  // namespace

HIP_API hipError_t hipMemcpy(void* destination, const void* source, size_t size, hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  return copy_plain(nullptr, destination, source, size, kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpy_spt(void* destination, const void* source, size_t size, hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  return copy_plain(hipStreamPerThread, destination, source, size, kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpyWithStream(void* destination, const void* source, size_t size, hipMemcpyKind kind,
                                       hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return copy_plain(stream, destination, source, size, kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpyAsync(void* destination, const void* source, size_t size, hipMemcpyKind kind,
                                  hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return copy_plain(stream, destination, source, size, kind, Order::Asynchronous);
}
HIP_API hipError_t hipMemcpyAsync_spt(void* destination, const void* source, size_t size, hipMemcpyKind kind,
                                      hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpyAsync(destination, source, size, kind, or_per_thread(stream));
}

HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t destination, const void* source, size_t size) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpy(destination, source, size, hipMemcpyHostToDevice);
}
HIP_API hipError_t hipMemcpyDtoH(void* destination, hipDeviceptr_t source, size_t size) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpy(destination, source, size, hipMemcpyDeviceToHost);
}
HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t destination, hipDeviceptr_t source, size_t size) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpy(destination, source, size, hipMemcpyDeviceToDevice);
}
HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t destination, const void* source, size_t size,
                                      hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpyAsync(destination, source, size, hipMemcpyHostToDevice, stream);
}
HIP_API hipError_t hipMemcpyDtoHAsync(void* destination, hipDeviceptr_t source, size_t size,
                                      hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpyAsync(destination, source, size, hipMemcpyDeviceToHost, stream);
}
HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t destination, hipDeviceptr_t source, size_t size,
                                      hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpyAsync(destination, source, size, hipMemcpyDeviceToDevice, stream);
}

HIP_API hipError_t hipMemcpyPeer(void* destination, int to, const void* source, int from, size_t size) {
  const wavesmith::check::HostCallScope call;
  return api([&](Platform& platform) {
    if (!platform.device(to) || !platform.device(from)) return hipErrorInvalidDevice;
    return copy(platform, *platform.device(Platform::current_ordinal())->null_stream(),
                {.destination = destination, .source = source, .width = size}, hipMemcpyDeviceToDevice,
                Order::Peer);
  });
}
HIP_API hipError_t hipMemcpyPeerAsync(void* destination, int to, const void* source, int from, size_t size,
                                      hipStream_t handle) {
  const wavesmith::check::HostCallScope call;
  return api([&](Platform& platform) {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    if (!platform.device(to) || !platform.device(from)) return hipErrorInvalidDevice;
    return copy(platform, *stream, {.destination = destination, .source = source, .width = size},
                hipMemcpyDeviceToDevice, Order::Asynchronous);
  });
}

HIP_API hipError_t hipMemcpy2D(void* destination, size_t destination_pitch, const void* source,
                               size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  return copy_rows(nullptr, destination, destination_pitch, source, source_pitch, width, height, kind,
                   Order::Synchronous);
}
HIP_API hipError_t hipMemcpy2D_spt(void* destination, size_t destination_pitch, const void* source,
                                   size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  return copy_rows(hipStreamPerThread, destination, destination_pitch, source, source_pitch, width, height,
                   kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpy2DAsync(void* destination, size_t destination_pitch, const void* source,
                                    size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind,
                                    hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return copy_rows(stream, destination, destination_pitch, source, source_pitch, width, height, kind,
                   Order::Asynchronous);
}
HIP_API hipError_t hipMemcpy2DAsync_spt(void* destination, size_t destination_pitch, const void* source,
                                        size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind,
                                        hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return copy_rows(or_per_thread(stream), destination, destination_pitch, source, source_pitch, width, height,
                   kind, Order::Asynchronous);
}

HIP_API hipError_t hipMemcpy3D(const hipMemcpy3DParms* parms) {
  const wavesmith::check::HostCallScope call;
  return copy_boxes(nullptr, parms, Order::Synchronous);
}
HIP_API hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* parms) {
  const wavesmith::check::HostCallScope call;
  return copy_boxes(hipStreamPerThread, parms, Order::Synchronous);
}
HIP_API hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parms, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return copy_boxes(stream, parms, Order::Asynchronous);
}
HIP_API hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms* parms, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return copy_boxes(or_per_thread(stream), parms, Order::Asynchronous);
}

HIP_API hipError_t hipMemcpyToSymbol(const void* symbol, const void* source, size_t size, size_t offset,
                                     hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  if (!source) return plain_api([] { return hipErrorInvalidValue; });
  return copy_symbol(nullptr, symbol, nullptr, source, size, offset, kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* source, size_t size, size_t offset,
                                         hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  if (!source) return plain_api([] { return hipErrorInvalidValue; });
  return copy_symbol(hipStreamPerThread, symbol, nullptr, source, size, offset, kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* source, size_t size, size_t offset,
                                          hipMemcpyKind kind, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  if (!source) return plain_api([] { return hipErrorInvalidValue; });
  return copy_symbol(stream, symbol, nullptr, source, size, offset, kind, Order::Asynchronous);
}
HIP_API hipError_t hipMemcpyToSymbolAsync_spt(const void* symbol, const void* source, size_t size,
                                              size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpyToSymbolAsync(symbol, source, size, offset, kind, or_per_thread(stream));
}
HIP_API hipError_t hipMemcpyFromSymbol(void* destination, const void* symbol, size_t size, size_t offset,
                                       hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  if (!destination) return plain_api([] { return hipErrorInvalidValue; });
  return copy_symbol(nullptr, symbol, destination, nullptr, size, offset, kind, Order::Synchronous);
}
HIP_API hipError_t hipMemcpyFromSymbol_spt(void* destination, const void* symbol, size_t size, size_t offset,
                                           hipMemcpyKind kind) {
  const wavesmith::check::HostCallScope call;
  if (!destination) return plain_api([] { return hipErrorInvalidValue; });
  return copy_symbol(hipStreamPerThread, symbol, destination, nullptr, size, offset, kind,
                     Order::Synchronous);
}
HIP_API hipError_t hipMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t size, size_t offset,
                                            hipMemcpyKind kind, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  if (!destination) return plain_api([] { return hipErrorInvalidValue; });
  return copy_symbol(stream, symbol, destination, nullptr, size, offset, kind, Order::Asynchronous);
}
HIP_API hipError_t hipMemcpyFromSymbolAsync_spt(void* destination, const void* symbol, size_t size,
                                                size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipMemcpyFromSymbolAsync(destination, symbol, size, offset, kind, or_per_thread(stream));
}
