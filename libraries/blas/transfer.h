// Copies of matrices and vectors (as rows) between host and GPU, which serve set_vector, get_matrix and
// related functions of the BLAS libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "libraries/blas/gemm.h"

extern "C" int hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                           size_t height, int kind);
extern "C" int hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, int kind, void* stream);

namespace wavesmith::libraries {

/// m by n elements of `width` bytes, their columns `from_ld` and `to_ld` elements apart.
struct Transfer {
  int64_t m, n, width;
  const void* from;
  int64_t from_ld;
  void* to;
  int64_t to_ld;
};

/// Copies at once, or in stream order.
inline GemmStatus transfer(const Transfer& t, std::optional<void*> stream = {}) {
  constexpr int kByAddress = 4;  // hipMemcpyDefault
  if (t.m < 0 || t.n < 0 || t.width <= 0 || t.from_ld < 1 || t.to_ld < 1 || t.from_ld < t.m || t.to_ld < t.m)
    return GemmStatus::BadSize;
  if (t.m == 0 || t.n == 0) return GemmStatus::Done;
  if (!t.from || !t.to) return GemmStatus::BadPointer;
  const auto bytes = [&](int64_t elements) { return static_cast<size_t>(elements * t.width); };
  const auto columns = static_cast<size_t>(t.n);
  const int status =
      stream ? hipMemcpy2DAsync(t.to, bytes(t.to_ld), t.from, bytes(t.from_ld), bytes(t.m), columns,
                                kByAddress, *stream)
             : hipMemcpy2D(t.to, bytes(t.to_ld), t.from, bytes(t.from_ld), bytes(t.m), columns, kByAddress);
  return status == 0 ? GemmStatus::Done : GemmStatus::BadPointer;
}

}  // namespace wavesmith::libraries
