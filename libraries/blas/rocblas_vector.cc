// rocBLAS: functions of vectors (vector.h), axpy, scal and geam (sum.h), and copies between the host and the
// GPU (transfer.h). rocblas-functions.h and rocblas-auxiliary.h of ROCm 7.0.
#include "libraries/blas/rocblas_statuses.h"
#include "libraries/blas/vector_entry.h"

using namespace wavesmith::libraries;

WAVESMITH_REAL_VECTORS(rocblas_, s, is, Number::F32)
WAVESMITH_REAL_VECTORS(rocblas_, d, id, Number::F64)
WAVESMITH_COMPLEX_VECTORS(rocblas_, c, sc, ic, cs, Number::F32, Number::C32)
WAVESMITH_COMPLEX_VECTORS(rocblas_, z, dz, iz, zd, Number::F64, Number::C64)

WAVESMITH_TRANSFER_VECTOR(rocblas_set_vector)
WAVESMITH_TRANSFER_VECTOR_IN_STREAM(rocblas_set_vector_async)
WAVESMITH_TRANSFER_VECTOR(rocblas_get_vector)
WAVESMITH_TRANSFER_VECTOR_IN_STREAM(rocblas_get_vector_async)
WAVESMITH_TRANSFER_MATRIX(rocblas_set_matrix)
WAVESMITH_TRANSFER_MATRIX_IN_STREAM(rocblas_set_matrix_async)
WAVESMITH_TRANSFER_MATRIX(rocblas_get_matrix)
WAVESMITH_TRANSFER_MATRIX_IN_STREAM(rocblas_get_matrix_async)
