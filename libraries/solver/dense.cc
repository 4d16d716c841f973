#include "libraries/solver/dense.h"

#include <cstdio>
#include <cstdlib>

namespace {
/// Eigen keeps the sizes of caches in a static variable: set before there are threads.
[[gnu::constructor]] void before_threads() { Eigen::initParallel(); }
}  // namespace

// These libraries are linked without C++'s own; this is what Eigen calls when there is no more memory.
void* operator new(size_t size) {
  std::fprintf(stderr, "wavesmith: no memory for %zu bytes of a factorisation\n", size);
  std::abort();
}
