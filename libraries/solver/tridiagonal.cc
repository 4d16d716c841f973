#include "libraries/solver/tridiagonal.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "libraries/blas/operands.h"
#include "libraries/shim/workspace.h"

namespace wavesmith::libraries {
namespace {

/// Four diagonals and one right side: an exchange of rows fills the second one above the main one.
template <class Wide>
void solve(Wide* lower, Wide* diagonal, Wide* upper, Wide* second, Wide* b, int64_t m) {
  for (int64_t i = 0; i + 1 < m; ++i) {
    second[i] = Wide{};
    if (!(size_of_pivot(diagonal[i]) < size_of_pivot(lower[i + 1]))) {
      const Wide factor = divide(lower[i + 1], diagonal[i]);
      diagonal[i + 1] = minus(diagonal[i + 1], factor * upper[i]);
      b[i + 1] = minus(b[i + 1], factor * b[i]);
      continue;
    }
    std::swap(b[i], b[i + 1]);
    const Wide factor = divide(diagonal[i], lower[i + 1]), below = diagonal[i + 1];
    diagonal[i] = lower[i + 1];
    diagonal[i + 1] = minus(upper[i], factor * below);
    upper[i] = below;
    if (i + 2 < m) {
      second[i] = upper[i + 1];
      upper[i + 1] = minus(Wide{}, factor * upper[i + 1]);
    }
    b[i + 1] = minus(b[i + 1], factor * b[i]);
  }
  for (int64_t i = m; i-- > 0;) {
    if (i + 1 < m) b[i] = minus(b[i], upper[i] * b[i + 1]);
    if (i + 2 < m) b[i] = minus(b[i], second[i] * b[i + 2]);
    b[i] = divide(b[i], diagonal[i]);
  }
}

}  // namespace

void TridiagonalSolve::run() const {
  with_type(type, [this]<class T>(T) {
    using Wide = decltype(widened(T{}));
    auto* const workspace = allocate_workspace<Wide>(5 * m, "a solution");
    for (int64_t system = 0; system < count; ++system)
      for (int64_t column = 0; column < columns; ++column) {
        const auto copy = [&](const void* from, Wide* to) {
          for (int64_t i = 0; i < m; ++i) to[i] = widened(static_cast<const T*>(from)[system * stride + i]);
        };
        copy(lower, workspace);
        copy(diagonal, workspace + m);
        copy(upper, workspace + 2 * m);
        T* const values = static_cast<T*>(b) + system * stride + column * ldb;
        Wide* const right = workspace + 4 * m;
        for (int64_t i = 0; i < m; ++i) right[i] = widened(values[i]);
        solve(workspace, workspace + m, workspace + 2 * m, workspace + 3 * m, right, m);
        for (int64_t i = 0; i < m; ++i) store(right[i], values[i]);
      }
    std::free(workspace);
  });
}

}  // namespace wavesmith::libraries
