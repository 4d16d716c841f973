// Where the matrices of a request lie, one or those of a batch.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "libraries/shim/number.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// One matrix by columns, or those of a batch: at a distance of `stride` elements, or where `each` says (read
/// when their turn has come).
struct Matrices {
  void* first;
  int64_t ld;
  int64_t stride = 0;
  void* const* each = nullptr;

  void* at(int64_t index, size_t width) const {
    return each ? each[index] : static_cast<char*>(first) + index * stride * static_cast<int64_t>(width);
  }
};

/// Whether the `count` matrices of m by n, known where they lie, lie in their allocation; if not, it is said.
inline bool lie_in_memory(const Matrices& a, Number type, int64_t m, int64_t n, int64_t count) {
  if (a.each || m == 0 || n == 0 || count == 0 ||
      reaches(a.first, 0, (count - 1) * a.stride + (n - 1) * a.ld + m - 1, size_of(type)))
    return true;
  std::fprintf(stderr, "wavesmith: a matrix of %lld by %lld reaches past the end of its allocation\n",
               static_cast<long long>(m), static_cast<long long>(n));
  return false;
}

/// Of a batch whose matrices' places are read only now. A GPU would fault.
inline void expect_in_memory(const void* data, Number type, int64_t m, int64_t n, int64_t ld) {
  if (m == 0 || n == 0 || reaches(data, 0, (n - 1) * ld + m - 1, size_of(type))) return;
  std::fprintf(stderr, "wavesmith: a matrix of a batch reaches past the end of its allocation\n");
  std::abort();
}

}  // namespace wavesmith::libraries
