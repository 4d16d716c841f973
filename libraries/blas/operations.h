// The enumerations of operations on matrices: rocblas_operation, rocblas_fill, rocblas_diagonal and
// rocblas_side of rocBLAS, whose numbers hipBLAS, hipSOLVER and rocSOLVER share (rocblas-types.h of
// ROCm 7.0).
#pragma once

namespace wavesmith::libraries {

inline constexpr int kAsItIs = 111, kTransposed = 112, kConjugated = 113;
inline constexpr int kUpper = 121, kLower = 122;
inline constexpr int kNonUnit = 131, kUnit = 132;
inline constexpr int kLeft = 141, kRight = 142;

inline bool is_operation(int operation) { return operation >= kAsItIs && operation <= kConjugated; }

}  // namespace wavesmith::libraries
