// How a call becomes launches: small matrices by one workgroup each, large ones in blocks, of which one
// workgroup factors a panel and many bring the rest up to date.
#include <algorithm>
#include <string>

#include "kernels/linalg/linalg.h"
#include "kernels/pointwise/number_types.h"

namespace wavesmith::kernels {

bool fits_in_shared(int64_t rows, int64_t columns, int64_t more_columns, int64_t bytes) {
  return ((rows | 1) * columns + (columns | 1) * more_columns) * bytes <= kLinalgShared;
}

namespace {

/// What fails ends the sequence.
#define CALL(step)                                 \
  do {                                             \
    if (const auto status = (step)) return status; \
  } while (false)

wavesmith_linalg_matrix turned(wavesmith_linalg_matrix of) {
  std::swap(of.row, of.column);
  return of;
}

int shift_of(int64_t size, int64_t most) {
  int shift = 0;
  while (1 << shift < std::min(size, most)) ++shift;
  return shift;
}

/// Steps of one call, for all matrices at once.
class Steps {
 public:
  Steps(const Linalg& one, const Device& device, void* stream)
      : one_(one), device_(device), stream_(stream), bytes_(size_of(one.type)) {}

  wavesmith_kernels_status cholesky() const {
    const int64_t n = one_.rows, block = triangle_of(static_cast<int>(bytes_));
    for (int64_t at = 0; at < n; at += block) {
      const int64_t rows = std::min(block, n - at), rest = n - at - rows;
      Linalg step = part(at);
      step.a = moved(one_.a, at, at), step.rows = step.columns = rows;
      CALL(launch_on_matrices(step, "cholesky", at));
      if (rest == 0) break;
      step.flags = WAVESMITH_LINALG_CONJUGATE;
      step.b = turned(moved(one_.a, at + rows, at)), step.columns = rest;
      CALL(solve_triangle(step));
      step.a = moved(one_.a, at + rows, at), step.c = moved(one_.a, at + rows, at + rows);
      step.flags = WAVESMITH_LINALG_CONJUGATE | WAVESMITH_LINALG_LOWER;
      step.rows = step.columns = rest, step.inner = rows;
      CALL(product(step));
    }
    return succeed();
  }

  wavesmith_kernels_status lu() const {
    const int64_t m = one_.rows, n = one_.columns, steps = std::min(m, n);
    const int64_t block = fits_in_shared(m, n, 0, bytes_) ? n : kPanel;
    for (int64_t at = 0; at < steps; at += block) {
      const int64_t columns = std::min(block, n - at), pivots = std::min(columns, steps - at);
      Linalg step = part(at);
      step.a = moved(one_.a, at, at), step.rows = m - at, step.columns = columns, step.flags = one_.flags;
      CALL(launch_on_matrices(step, "lu", at));
      step.inner = pivots;
      step.b = moved(one_.a, at, 0), step.columns = at;
      CALL(exchange_rows(step, at));
      step.b = moved(one_.a, at, at + columns), step.columns = n - at - columns;
      CALL(exchange_rows(step, at));
      step.flags = WAVESMITH_LINALG_UNIT, step.rows = pivots;
      CALL(solve_triangle(step));
      step.a = moved(one_.a, at + pivots, at), step.c = moved(one_.a, at + pivots, at + columns);
      step.rows = m - at - pivots, step.flags = 0;
      CALL(product(step));
    }
    return succeed();
  }

  wavesmith_kernels_status solve_lower() const {
    const int64_t n = one_.rows, block = triangle_of(static_cast<int>(bytes_));
    for (int64_t at = 0; at < n; at += block) {
      const int64_t rows = std::min(block, n - at), rest = n - at - rows;
      Linalg step = one_;
      step.a = moved(one_.a, at, at), step.b = moved(one_.b, at, 0), step.rows = rows;
      CALL(solve_triangle(step));
      step.c = turned(moved(one_.b, at + rows, 0)), step.a = turned(step.b);
      step.b = turned(moved(one_.a, at + rows, at));
      step.rows = one_.columns, step.columns = rest, step.inner = rows;
      step.flags = one_.flags & WAVESMITH_LINALG_CONJUGATE;
      CALL(product(step));
    }
    return succeed();
  }

  wavesmith_kernels_status qr() const {
    const int64_t m = one_.rows, n = one_.columns, steps = std::min(m, n);
    const int64_t block = fits_in_shared(m, n, 0, bytes_) ? n : kPanel;
    for (int64_t at = 0; at < steps; at += block) {
      const int64_t columns = std::min(block, n - at);
      Linalg step = part(at);
      step.a = moved(one_.a, at, at), step.rows = m - at, step.columns = columns;
      CALL(launch_on_matrices(step, "qr", at));
      step.b = moved(one_.a, at, at + columns), step.columns = n - at - columns;
      step.inner = std::min(columns, steps - at), step.flags = WAVESMITH_LINALG_CONJUGATE_FACTORS;
      CALL(reflect(step));
    }
    return succeed();
  }

  wavesmith_kernels_status exchange_rows(const Linalg& step, int64_t offset = 0) const {
    if (step.columns == 0 || step.inner == 0) return succeed();
    LinalgArguments to = arguments_of(step, step.columns);
    to.groups = static_cast<int>((step.columns + to.threads - 1) / to.threads);
    to.offset = static_cast<int>(offset);
    return launch_step(step, "exchange_rows", to);
  }

  wavesmith_kernels_status reflect(const Linalg& step) const { return by_columns(step, "reflect", 1); }
  wavesmith_kernels_status solve_ldl(const Linalg& step) const { return by_columns(step, "solve_ldl", 1); }

  wavesmith_kernels_status product(const Linalg& step) const {
    if (step.rows == 0 || step.columns == 0 || step.inner == 0) return succeed();
    LinalgArguments to = arguments_of(step, kLinalgThreads);
    const auto tiles = [](int64_t size) {
      return static_cast<int>((size + kProductTile - 1) / kProductTile);
    };
    to.groups = tiles(step.rows) * tiles(step.columns);
    return launch_step(step, "subtract_product", to);
  }

  /// One workgroup per matrix, which it has in shared memory if the matrix fits.
  wavesmith_kernels_status launch_on_matrices(const Linalg& step, const char* kernel,
                                              int64_t offset = 0) const {
    LinalgArguments to = arguments_of(step, std::max(step.rows, step.columns));
    to.in_shared = fits_in_shared(step.rows, step.columns, 0, bytes_) ? 1 : 0;
    to.offset = static_cast<int>(offset);
    return launch_step(step, kernel, to);
  }

  /// One workgroup per matrix, with a part of the workspace.
  wavesmith_kernels_status in_workspace(const char* kernel, size_t workspace) const {
    LinalgArguments to = arguments_of(one_, one_.rows);
    to.in_shared = workspace == 0 ? 1 : 0;
    to.workspace = one_.workspace;
    to.workspace_batch = static_cast<int64_t>(workspace) / one_.batch;
    return launch_step(one_, kernel, to);
  }

 private:
  [[nodiscard]] wavesmith_linalg_matrix moved(wavesmith_linalg_matrix of, int64_t row, int64_t column) const {
    of.data = static_cast<char*>(of.data) + (row * of.row + column * of.column) * bytes_;
    return of;
  }
  /// The call with pivots and factors from a column on.
  [[nodiscard]] Linalg part(int64_t at) const {
    Linalg step = one_;
    step.flags = 0;
    if (step.pivots) step.pivots += at;
    if (step.vector) step.vector = static_cast<char*>(step.vector) + at * bytes_;
    return step;
  }

  wavesmith_kernels_status solve_triangle(const Linalg& step) const {
    return by_columns(step, "solve_lower", 4);
  }
  /// A team takes up to so many columns.
  wavesmith_kernels_status by_columns(const Linalg& step, const char* kernel, int64_t most) const {
    if (step.columns == 0 || step.rows == 0) return succeed();
    LinalgArguments to = arguments_of(step, std::max(step.rows, step.columns));
    const int64_t taken = (to.threads >> to.team_shift) * most;
    to.groups = static_cast<int>((step.columns + taken - 1) / taken);
    return launch_step(step, kernel, to);
  }

  [[nodiscard]] static LinalgArguments arguments_of(const Linalg& step, int64_t size) {
    const auto matrix = [](const wavesmith_linalg_matrix& of) {
      return LinalgMatrix{of.data, static_cast<int>(of.row), static_cast<int>(of.column), of.batch};
    };
    LinalgArguments to{};
    to.a = matrix(step.a), to.b = matrix(step.b), to.c = matrix(step.c);
    to.vector = step.vector, to.vector_batch = step.vector_batch;
    to.pivots = step.pivots, to.pivots_batch = step.pivots_batch, to.info = step.info;
    to.rows = static_cast<int>(step.rows), to.columns = static_cast<int>(step.columns);
    to.inner = static_cast<int>(step.inner), to.flags = step.flags;
    to.groups = 1;
    to.threads = size <= 16 ? kLinalgFewThreads : kLinalgThreads;
    to.team_shift = shift_of(step.rows, 32);
    return to;
  }

  wavesmith_kernels_status launch_step(const Linalg& step, const char* kernel,
                                       const LinalgArguments& to) const {
    const std::string name = std::string("linalg_") + kernel + "_" + std::string(word_of(step.type));
    const auto workgroups = static_cast<unsigned>(step.batch * to.groups);
    return launch(device_, name.c_str(),
                  {.x = workgroups, .y = 1, .threads = static_cast<unsigned>(to.threads)}, &to, sizeof(to),
                  stream_);
  }

  const Linalg& one_;
  const Device& device_;
  void* stream_;
  int64_t bytes_;
};

}  // namespace

wavesmith_kernels_status launch_linalg(const Linalg& one, void* stream) {
  const Device* device = nullptr;
  CALL(current_device(device));
  const Steps steps(one, *device, stream);
  switch (one.operation) {
    case WAVESMITH_LINALG_CHOLESKY:
      return steps.cholesky();
    case WAVESMITH_LINALG_LU:
      return steps.lu();
    case WAVESMITH_LINALG_SOLVE_LOWER:
      return steps.solve_lower();
    case WAVESMITH_LINALG_EXCHANGE_ROWS:
      return steps.exchange_rows(one);
    case WAVESMITH_LINALG_QR:
      return steps.qr();
    case WAVESMITH_LINALG_REFLECT:
      return steps.reflect(one);
    case WAVESMITH_LINALG_EIGENVALUES:
      return steps.in_workspace("eigenvalues", wavesmith_kernels_linalg_workspace(&one));
    case WAVESMITH_LINALG_SINGULAR_VALUES:
      return steps.in_workspace("singular_values", wavesmith_kernels_linalg_workspace(&one));
    case WAVESMITH_LINALG_EXPONENTIAL:
      return steps.in_workspace("exponential", wavesmith_kernels_linalg_workspace(&one));
    case WAVESMITH_LINALG_LDL:
      return steps.launch_on_matrices(one, "ldl");
    case WAVESMITH_LINALG_SOLVE_LDL:
      return steps.solve_ldl(one);
    default:
      return steps.product(one);
  }
}

}  // namespace wavesmith::kernels
