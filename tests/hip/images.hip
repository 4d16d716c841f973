// Arrays, textures and surfaces on a GPU without images: the documented error, and clean-up code that meets
// null.
#include <hip/hip_runtime.h>

#include "check.h"

int main() {
  int supported = -1;
  CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeImageSupport, 0));
  CHECK(supported == 0);

  const hipChannelFormatDesc format = hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat);
  CHECK(format.x == 16 && format.y == 16 && format.z == 0 && format.w == 0);
  CHECK(format.f == hipChannelFormatKindFloat);

  hipArray* array = nullptr;
  CHECK_ERROR(hipMallocArray(&array, &format, 64, 64, hipArrayDefault), hipErrorNotSupported);
  CHECK_ERROR(hipGetLastError(), hipErrorNotSupported);
  CHECK(array == nullptr);
  CHECK_ERROR(hipMallocArray(nullptr, &format, 64, 64, hipArrayDefault), hipErrorInvalidValue);
  const hipChannelFormatDesc uneven = hipCreateChannelDesc(16, 8, 0, 0, hipChannelFormatKindFloat);
  CHECK_ERROR(hipMallocArray(&array, &uneven, 64, 64, hipArrayDefault), hipErrorInvalidValue);
  const hipChannelFormatDesc gap = hipCreateChannelDesc(8, 0, 8, 0, hipChannelFormatKindUnsigned);
  CHECK_ERROR(hipMallocArray(&array, &gap, 64, 64, hipArrayDefault), hipErrorInvalidValue);
  CHECK_ERROR(hipMalloc3DArray(&array, &format, make_hipExtent(8, 8, 8), hipArrayDefault),
              hipErrorNotSupported);
  HIP_ARRAY_DESCRIPTOR descriptor = {};
  descriptor.Width = descriptor.Height = 16;
  descriptor.Format = HIP_AD_FORMAT_FLOAT;
  descriptor.NumChannels = 4;
  CHECK_ERROR(hipArrayCreate(&array, &descriptor), hipErrorNotSupported);
  descriptor.NumChannels = 3;
  CHECK_ERROR(hipArrayCreate(&array, &descriptor), hipErrorInvalidValue);

  hipResourceDesc resource = {};
  hipTextureDesc how = {};
  hipTextureObject_t texture;
  hipSurfaceObject_t surface;
  CHECK_ERROR(hipCreateTextureObject(&texture, &resource, &how, nullptr), hipErrorNotSupported);
  CHECK_ERROR(hipCreateSurfaceObject(&surface, &resource), hipErrorNotSupported);

  CHECK_HIP(hipDestroyTextureObject(nullptr));
  CHECK_HIP(hipDestroySurfaceObject(nullptr));
  CHECK_ERROR(hipFreeArray(nullptr), hipErrorInvalidValue);
  CHECK_ERROR(hipFreeArray(reinterpret_cast<hipArray*>(&descriptor)), hipErrorInvalidHandle);
  return finish();
}
