// Arrays, textures and surfaces. They need image instructions, which AMD's CDNA GPUs lack and which nobody
// emulates for the others: hipDeviceAttributeImageSupport is 0, and what would make an image answers
// hipErrorNotSupported once its arguments are in order, as ROCm does on such a GPU. So there never is a valid
// handle to give back, only null. Functions of images that do not stand here answer as exports.cc says.
#include "runtime/abi/memory.h"
#include "runtime/api/exports.h"
#include "runtime/device/platform.h"

using namespace wavesmith::runtime;

struct hipResourceDesc;
struct hipTextureDesc;
struct hipResourceViewDesc;

namespace {

/// What makes an image: `valid` says whether its arguments would do.
hipError_t no_image(const char* function, bool valid = true) {
  return plain_api([=] {
    return valid ? unsupported(function, "the GPU has no images (hipDeviceAttributeImageSupport is 0)")
                 : hipErrorInvalidValue;
  });
}

/// What takes an image back: there is none, but null may be given by those who clean up.
hipError_t no_such_image(const void* handle, hipError_t for_null) {
  return plain_api([=] { return handle ? hipErrorInvalidHandle : for_null; });
}

/// One to four channels of equal width, none after one that is missing.
bool is_format(const hipChannelFormatDesc* format) {
  if (!format || format->x <= 0) return false;
  int before = format->x;
  for (const int bits : {format->y, format->z, format->w}) {
    if (bits != 0 && bits != before) return false;
    before = bits;
  }
  return true;
}

template <class Descriptor>
bool is_descriptor(const Descriptor* descriptor) {
  return descriptor &&
         (descriptor->NumChannels == 1 || descriptor->NumChannels == 2 || descriptor->NumChannels == 4);
}

}  // namespace

// A format is no image: this works everywhere.
HIP_API hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

HIP_API hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* format, size_t /*width*/,
                                  size_t /*height*/, unsigned /*flags*/) {
  return no_image(__func__, array && is_format(format));
}
HIP_API hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* format,
                                    hipExtent /*extent*/, unsigned /*flags*/) {
  return no_image(__func__, array && is_format(format));
}
HIP_API hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* array, const hipChannelFormatDesc* format,
                                           hipExtent /*extent*/, unsigned /*levels*/, unsigned /*flags*/) {
  return no_image(__func__, array && is_format(format));
}
HIP_API hipError_t hipArrayCreate(hipArray_t* array, const HIP_ARRAY_DESCRIPTOR* descriptor) {
  return no_image(__func__, array && is_descriptor(descriptor));
}
HIP_API hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* descriptor) {
  return no_image(__func__, array && is_descriptor(descriptor));
}
HIP_API hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t* array, HIP_ARRAY3D_DESCRIPTOR* descriptor,
                                           unsigned /*levels*/) {
  return no_image(__func__, array && is_descriptor(descriptor));
}
HIP_API hipError_t hipCreateTextureObject(hipTextureObject_t*, const hipResourceDesc*, const hipTextureDesc*,
                                          const hipResourceViewDesc*) {
  return no_image(__func__);
}
HIP_API hipError_t hipTexObjectCreate(hipTextureObject_t*, const void*, const void*, const void*) {
  return no_image(__func__);
}
HIP_API hipError_t hipCreateSurfaceObject(hipSurfaceObject_t*, const hipResourceDesc*) {
  return no_image(__func__);
}

HIP_API hipError_t hipFreeArray(hipArray_t array) { return no_such_image(array, hipErrorInvalidValue); }
HIP_API hipError_t hipArrayDestroy(hipArray_t array) { return no_such_image(array, hipErrorInvalidValue); }
HIP_API hipError_t hipFreeMipmappedArray(hipMipmappedArray_t array) {
  return no_such_image(array, hipErrorInvalidValue);
}
HIP_API hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t array) {
  return no_such_image(array, hipErrorInvalidValue);
}
HIP_API hipError_t hipDestroyTextureObject(hipTextureObject_t texture) {
  return no_such_image(texture, hipSuccess);
}
HIP_API hipError_t hipTexObjectDestroy(hipTextureObject_t texture) {
  return no_such_image(texture, hipSuccess);
}
HIP_API hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surface) {
  return no_such_image(surface, hipSuccess);
}
HIP_API hipError_t hipGetChannelDesc(hipChannelFormatDesc* format, hipArray_const_t /*array*/) {
  return plain_api([=] { return format ? hipErrorInvalidHandle : hipErrorInvalidValue; });
}
HIP_API hipError_t hipArrayGetInfo(hipChannelFormatDesc*, hipExtent*, unsigned*, hipArray_t) {
  return plain_api([] { return hipErrorInvalidHandle; });
}
HIP_API hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR*, hipArray_t) {
  return plain_api([] { return hipErrorInvalidHandle; });
}
HIP_API hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR*, hipArray_t) {
  return plain_api([] { return hipErrorInvalidHandle; });
}

// Surfaces with C++ names as well: programs of before HIP 5 link to them so.
extern "C" __attribute__((visibility("default"), alias("hipCreateSurfaceObject"))) hipError_t
_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc(hipSurfaceObject_t*, const hipResourceDesc*);
extern "C" __attribute__((visibility("default"), alias("hipDestroySurfaceObject"))) hipError_t
    _Z23hipDestroySurfaceObjectP13__hip_surface(hipSurfaceObject_t);
