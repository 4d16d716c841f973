// Copies that a structure describes: the driver's, those between peers, and batches of copies. Each becomes a
// box.
#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/api/version.h"
#include "runtime/memory/copy.h"

using namespace wavesmith::runtime;

namespace {

/// HIP_MEMCPY3D as it was before HIP 6.
struct DriverCopyOfHip5 {
  unsigned srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  unsigned srcPitch, srcHeight;
  unsigned dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  unsigned dstPitch, dstHeight, WidthInBytes, Height, Depth;
};

/// A memory type as the program numbers it.
hipMemoryType type_of(int number) {
  if (hip_major() >= 6) return static_cast<hipMemoryType>(number);
  constexpr hipMemoryType kOld[] = {hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeArray,
                                    hipMemoryTypeUnified, hipMemoryTypeManaged};
  return number >= 0 && number < 5 ? kOld[number] : hipMemoryTypeUnregistered;
}

hipError_t side_of(hipMemoryType type, const void* host, const void* device, const void* array,
                   PitchedPosition& side) {
  switch (type) {
    case hipMemoryTypeHost:
      side.base = static_cast<char*>(const_cast<void*>(host));
      break;
    case hipMemoryTypeDevice:
    case hipMemoryTypeManaged:
    case hipMemoryTypeUnified:
      side.base = static_cast<char*>(const_cast<void*>(device));
      break;
    case hipMemoryTypeArray:  // of which there are none
      return array ? hipErrorNotSupported : hipErrorInvalidValue;
    default:
      return hipErrorInvalidValue;
  }
  return side.base ? hipSuccess : hipErrorInvalidValue;
}

/// The copy between two sides; the kind follows from what their memory is.
hipError_t copy_sides(hipStream_t handle, const PitchedPosition& to, const PitchedPosition& from,
                      hipExtent extent, Order order) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return hipSuccess;
    // Without a pitch rows lie side by side, and x is where the first one begins.
    if ((to.pitch && to.x + extent.width > to.pitch) || (from.pitch && from.x + extent.width > from.pitch))
      return hipErrorInvalidPitchValue;
    return copy(platform, *stream, box_between(to, from, extent), hipMemcpyDefault, order);
  });
}

hipError_t copy_rows(hipStream_t stream, const hip_Memcpy2D* given, Order order) {
  if (!given) return finish(hipErrorInvalidValue);
  PitchedPosition to{.x = given->dstXInBytes, .y = given->dstY, .pitch = given->dstPitch},
      from{.x = given->srcXInBytes, .y = given->srcY, .pitch = given->srcPitch};
  if (const hipError_t error =
          side_of(type_of(given->srcMemoryType), given->srcHost, given->srcDevice, given->srcArray, from);
      error != hipSuccess)
    return finish(error);
  if (const hipError_t error =
          side_of(type_of(given->dstMemoryType), given->dstHost, given->dstDevice, given->dstArray, to);
      error != hipSuccess)
    return finish(error);
  return copy_sides(stream, to, from, {given->WidthInBytes, given->Height, 1}, order);
}

template <class Description>
hipError_t copy_boxes_of(hipStream_t stream, const Description& given, Order order) {
  PitchedPosition to{.x = given.dstXInBytes,
                     .y = given.dstY,
                     .z = given.dstZ,
                     .pitch = given.dstPitch,
                     .height = given.dstHeight};
  PitchedPosition from{.x = given.srcXInBytes,
                       .y = given.srcY,
                       .z = given.srcZ,
                       .pitch = given.srcPitch,
                       .height = given.srcHeight};
  if (const hipError_t error =
          side_of(type_of(given.srcMemoryType), given.srcHost, given.srcDevice, given.srcArray, from);
      error != hipSuccess)
    return finish(error);
  if (const hipError_t error =
          side_of(type_of(given.dstMemoryType), given.dstHost, given.dstDevice, given.dstArray, to);
      error != hipSuccess)
    return finish(error);
  return copy_sides(stream, to, from, {given.WidthInBytes, given.Height, given.Depth}, order);
}

hipError_t copy_boxes(hipStream_t stream, const HIP_MEMCPY3D* given, Order order) {
  if (!given) return finish(hipErrorInvalidValue);
  if (hip_major() >= 6) return copy_boxes_of(stream, *given, order);
  DriverCopyOfHip5 old;
  std::memcpy(&old, given, sizeof old);
  return copy_boxes_of(stream, old, order);
}

hipError_t copy_peers(hipStream_t stream, const hipMemcpy3DPeerParms* given, Order order) {
  return api([&](Platform& platform) {
    if (!given) return hipErrorInvalidValue;
    if (!platform.device(given->srcDevice) || !platform.device(given->dstDevice))
      return hipErrorInvalidDevice;
    if (given->srcArray || given->dstArray) return hipErrorNotSupported;
    if (!given->srcPtr.ptr || !given->dstPtr.ptr) return hipErrorInvalidValue;
    return copy_sides(stream, pitched_side(given->dstPtr, given->dstPos),
                      pitched_side(given->srcPtr, given->srcPos), given->extent, order);
  });
}

}  // namespace

HIP_API hipError_t hipMemcpyParam2D(const hip_Memcpy2D* given) {
  return copy_rows(nullptr, given, Order::Synchronous);
}
HIP_API hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* given, hipStream_t stream) {
  return copy_rows(stream, given, Order::Asynchronous);
}
HIP_API hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* given) {
  return copy_rows(nullptr, given, Order::Synchronous);
}
HIP_API hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* given) {
  return copy_boxes(nullptr, given, Order::Synchronous);
}
HIP_API hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* given, hipStream_t stream) {
  return copy_boxes(stream, given, Order::Asynchronous);
}
HIP_API hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* given) {
  return copy_peers(nullptr, given, Order::Synchronous);
}
HIP_API hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* given, hipStream_t stream) {
  return copy_peers(stream, given, Order::Asynchronous);
}

HIP_API hipError_t hipMemcpyBatchAsync(void** destinations, void** sources, size_t* sizes, size_t count,
                                       hipMemcpyAttributes* attributes, size_t* attribute_starts,
                                       size_t attribute_count, size_t* failed, hipStream_t handle) {
  return api([&](Platform& platform) -> hipError_t {
    if (failed) *failed = SIZE_MAX;
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    if (!destinations || !sources || !sizes || count == 0) return hipErrorInvalidValue;
    if (attribute_count > count ||
        (attribute_count > 0 && (!attributes || !attribute_starts || attribute_starts[0] != 0)))
      return hipErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const hipError_t error =
          copy(platform, *stream, {.destination = destinations[i], .source = sources[i], .width = sizes[i]},
               hipMemcpyDefault, Order::Asynchronous);
      if (error != hipSuccess) return failed ? (*failed = i, error) : error;
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemcpy3DBatchAsync(size_t count, hipMemcpy3DBatchOp* operations, size_t* failed,
                                         unsigned long long flags, hipStream_t stream) {
  if (failed) *failed = SIZE_MAX;
  if (count == 0 || !operations || flags) return finish(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    const hipMemcpy3DBatchOp& op = operations[i];
    hipError_t error = hipSuccess;
    if (op.src.type == hipMemcpyOperandTypeArray || op.dst.type == hipMemcpyOperandTypeArray) {
      error = finish(hipErrorNotSupported);
    } else if (op.src.type != hipMemcpyOperandTypePointer || op.dst.type != hipMemcpyOperandTypePointer ||
               !op.src.op.ptr.ptr || !op.dst.op.ptr.ptr) {
      error = finish(hipErrorInvalidValue);
    } else {
      const auto side = [](const hipMemcpy3DOperand& operand) {
        const auto& p = operand.op.ptr;
        return PitchedPosition{static_cast<char*>(p.ptr), 0, 0, 0, p.rowLength, p.layerHeight};
      };
      error = copy_sides(stream, side(op.dst), side(op.src), op.extent, Order::Asynchronous);
    }
    if (error != hipSuccess) return failed ? (*failed = i, error) : error;
  }
  return hipSuccess;
}
