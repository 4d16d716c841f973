// Tensor maps for the copy engine, made on the host by the driver, and the launch of kernels.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include "tile/arch/ptx_tensor.h"

namespace wavesmith::kernels {

/// Sizes and boxes in elements, strides in bytes, from the dimension that lies together to the outermost.
struct TensorShape {
  CUtensorMapDataType type;
  const void* data;
  cuuint64_t sizes[4], strides[3];
  cuuint32_t box[4];
};

/// False where the copy engine does not take such a tensor: an address or stride is no multiple of 16 bytes.
inline bool make_tensor(tile::ptx::TensorMap& map, const TensorShape& shape) {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &result) != cudaSuccess)
      found = nullptr;
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  static_assert(sizeof(map) == sizeof(CUtensorMap));
  const cuuint32_t steps[] = {1, 1, 1, 1};
  cuuint64_t places = reinterpret_cast<cuuint64_t>(shape.data);
  for (const cuuint64_t stride : shape.strides) places |= stride;
  return encode && places % 16 == 0 &&
         encode(reinterpret_cast<CUtensorMap*>(&map), shape.type, 4, const_cast<void*>(shape.data),
                shape.sizes, shape.strides, shape.box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/// Null, or what went wrong.
template <class Arguments>
const char* launch_kernel(void (*kernel)(Arguments), dim3 grid, int threads, int shared,
                          const Arguments& arguments, void* stream) {
  const auto text = [](cudaError_t error) {
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
  };
  if (shared > 0)
    if (const char* const error =
            text(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared)))
      return error;
  kernel<<<grid, threads, shared, static_cast<cudaStream_t>(stream)>>>(arguments);
  return text(cudaGetLastError());
}

inline int multiprocessors() {
  int count = 0;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  return count;
}

}  // namespace wavesmith::kernels
