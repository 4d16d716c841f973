// hipBLAS: functions of vectors (vector.h), axpy, scal and geam (sum.h), and copies between the host and the
// GPU (transfer.h). hipblas.h of ROCm 7.0.
#include "libraries/blas/hipblas_statuses.h"
#include "libraries/blas/vector_entry.h"

using namespace wavesmith::libraries;

WAVESMITH_REAL_VECTORS(hipblas, S, Is, Number::F32)
WAVESMITH_REAL_VECTORS(hipblas, D, Id, Number::F64)
WAVESMITH_COMPLEX_VECTORS(hipblas, C, Sc, Ic, Cs, Number::F32, Number::C32)
WAVESMITH_COMPLEX_VECTORS(hipblas, Z, Dz, Iz, Zd, Number::F64, Number::C64)

WAVESMITH_TRANSFER_VECTOR(hipblasSetVector)
WAVESMITH_TRANSFER_VECTOR_IN_STREAM(hipblasSetVectorAsync)
WAVESMITH_TRANSFER_VECTOR(hipblasGetVector)
WAVESMITH_TRANSFER_VECTOR_IN_STREAM(hipblasGetVectorAsync)
WAVESMITH_TRANSFER_MATRIX(hipblasSetMatrix)
WAVESMITH_TRANSFER_MATRIX_IN_STREAM(hipblasSetMatrixAsync)
WAVESMITH_TRANSFER_MATRIX(hipblasGetMatrix)
WAVESMITH_TRANSFER_MATRIX_IN_STREAM(hipblasGetMatrixAsync)
