// The addresses of a request's matrices, one or those of a batch.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "libraries/shim/number.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// One column-major matrix, or those of a batch: `stride` elements apart, or at the addresses in `each`,
/// which is read when the request runs.
struct Matrices {
  void* first;
  int64_t ld;
  int64_t stride = 0;
  void* const* each = nullptr;

  void* at(int64_t index, size_t width) const {
    return each ? each[index] : static_cast<char*>(first) + index * stride * static_cast<int64_t>(width);
  }
};

/// Whether the `count` matrices of m by n lie in their allocation, if their addresses are known; if not, a
/// line on stderr says so.
inline bool lie_in_memory(const Matrices& a, Number type, int64_t m, int64_t n, int64_t count) {
  if (a.each || m == 0 || n == 0 || count == 0 ||
      reaches(a.first, 0, (count - 1) * a.stride + (n - 1) * a.ld + m - 1, size_of(type)))
    return true;
  std::fprintf(stderr, "wavesmith: a matrix of %lld by %lld reaches past the end of its allocation\n",
               static_cast<long long>(m), static_cast<long long>(n));
  return false;
}

/// Ends the process if a matrix of a batch, whose address is read only now, reaches past its allocation: a
/// GPU would fault.
inline void expect_in_memory(const void* data, Number type, int64_t m, int64_t n, int64_t ld) {
  if (m == 0 || n == 0 || reaches(data, 0, (n - 1) * ld + m - 1, size_of(type))) return;
  std::fprintf(stderr, "wavesmith: a matrix of a batch reaches past the end of its allocation\n");
  std::abort();
}

}  // namespace wavesmith::libraries
