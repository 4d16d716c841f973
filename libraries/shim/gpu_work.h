// The kinds of work that the libraries report (work.h), as operations of `wavesmith predict`.
#pragma once

#include "libraries/shim/number.h"
#include "libraries/shim/work.h"

namespace wavesmith::libraries {

/// A kernel that reads and writes so many bytes. `reduces`: its result is a few numbers.
inline GpuWork streamed(double read, double written, bool reduces = false) {
  if (read + written <= 0) return GpuWork();
  GpuWork work("stream");
  work.set("read", read).set("written", written);
  return reduces ? work.set("reduces", "true") : work;
}

inline double bytes_of(Number type, int64_t m, int64_t n = 1) {
  return static_cast<double>(size_of(type)) * static_cast<double>(m) * static_cast<double>(n);
}

/// c += a * b of one type, with c of m by n, as one kernel.
inline GpuWork product(Number type, int64_t m, int64_t n, int64_t k, int64_t batch = 1) {
  const char* const word = word_of(type);
  GpuWork work("gemm");
  if (m < 1 || n < 1 || k < 1 || batch < 1) return GpuWork();
  work.set("m", m).set("n", n).set("k", k).set("batch", batch);
  return work.set("dtype", word).set("b-dtype", word).set("c-dtype", word).set("layout", "nn");
}

/// A factorisation by its LAPACK name (model/library/factorisation.h); no work where there are no rows or
/// columns.
inline GpuWork factored(const char* what, Number type, int64_t m, int64_t n, int64_t k = 0, int64_t batch = 1,
                        bool vectors = false) {
  if (m < 1 || n < 1 || batch < 1) return GpuWork();
  GpuWork work("factor");
  work.set("what", what).set("m", m).set("n", n).set("k", k).set("batch", batch).set("dtype", word_of(type));
  return vectors ? work.set("vectors", "true") : work;
}

}  // namespace wavesmith::libraries
