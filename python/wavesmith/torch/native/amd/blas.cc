#include "amd/blas.h"

#include "amd/choice.h"
#include "amd/hipblaslt.h"
#include "amd/rocblas.h"
#include "device/streams.h"

namespace wavesmith::device::amd {

bool adds_bias(bool along_result) {
  const Blas preferred = preferred_blas();
  return preferred == Blas::kWavesmith || (preferred == Blas::kHipblaslt && along_result);
}

bool multiply(const wavesmith_kernels_gemm_description& gemm, c10::DeviceIndex device, hipStream_t stream,
              const char* what) {
  const Blas preferred = preferred_blas();
  // There is nothing to multiply, only C to scale.
  if (preferred == Blas::kWavesmith || gemm.k == 0) return false;
  const CaptureAllows allows;  // handles, code and memory of the library's that a first call asks for
  if (preferred == Blas::kHipblaslt)
    return computed("hipBLASLt", what, multiply_by_hipblaslt(gemm, device, stream));
  return computed("rocBLAS", what, multiply_by_rocblas(gemm, device, stream));
}

}  // namespace wavesmith::device::amd
