// The C API of a linear layer's cross entropy: products with a part of the classes' weights, each followed by
// the loss of their logits, or by their gradient and its products.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/library/named_range.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_gemm.h"
#include "kernels/wavesmith_linear_loss.h"
#include "kernels/wavesmith_loss.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_linear_cross_entropy_description;
using Gradient = wavesmith_linear_cross_entropy_gradient_description;
using Rows = wavesmith_kernels_rows;
using Matrix = wavesmith_kernels_matrix;

constexpr const char *kName = "linear_cross_entropy", *kGradientName = "linear_cross_entropy_gradient";

/// Logits of so many bytes leave room for operands in an MI300X's Infinity Cache of 256 MiB.
constexpr int64_t kAdvisedBytes = int64_t{128} << 20;
/// Parts are whole tiles of products, the widest of which have so many columns.
constexpr int64_t kLeastClasses = 256;
/// Rows of logits begin at multiples of 16 bytes.
constexpr int64_t kAtOnce = 8, kLogitBytes = 2, kAlignment = 16;

constexpr int64_t rounded_up(int64_t number, int64_t to) { return (number + to - 1) / to * to; }

/// What lies in the workspace, one behind the other: cross entropy's state, sums of dx, logits.
struct Layout {
  int64_t state = 0, sums = 0;  ///< bytes
  int64_t classes = 0;          ///< of a part, at most

  Layout(const Description& one, const Rows& dx) : state(rounded_up(one.rows * 2 * 4, kAlignment)) {
    if (dx.data && dx.type != WAVESMITH_KERNELS_F32)
      sums = rounded_up(one.rows * one.features * 4, kAlignment);
  }
  [[nodiscard]] int64_t logits() const { return state + sums; }
  [[nodiscard]] int64_t bytes_of(int64_t rows, int64_t of_part) const {
    return logits() + rows * rounded_up(of_part, kAtOnce) * kLogitBytes;
  }
  [[nodiscard]] int64_t least(const Description& one) const {
    return bytes_of(one.rows, std::min(one.classes, kLeastClasses));
  }
  [[nodiscard]] int64_t advised(const Description& one) const {
    return std::max(least(one), std::min(bytes_of(one.rows, one.classes), logits() + kAdvisedBytes));
  }
  /// Takes as many classes at a time as a workspace has room for.
  void fill(const Description& one) {
    const int64_t room =
        (static_cast<int64_t>(one.workspace_bytes) - logits()) / (one.rows * kLogitBytes) / kAtOnce * kAtOnce;
    classes = room >= one.classes ? one.classes : room / kLeastClasses * kLeastClasses;
  }
};

bool is_empty(const Description& one) { return one.rows == 0; }

wavesmith_kernels_status check(const char* what, const Description& one) {
  if (const auto status = check_rows(what, one.rows, one.features, {{.name = "x", .rows = &one.x}}))
    return status;
  if (const auto status =
          check_rows(what, one.classes, one.features, {{.name = "weights", .rows = &one.weights}}))
    return status;
  if (!(one.smoothing >= 0 && one.smoothing <= 1))
    return invalid(what, "smoothing is " + std::to_string(one.smoothing) + ", not in [0, 1]");
  if (is_empty(one)) return succeed();
  if (one.classes == 0) return invalid(what, "classes is 0");
  if (one.features == 0) return invalid(what, "features is 0");
  if (!one.x.data) return invalid(what, "x.data is null");
  if (!one.weights.data) return invalid(what, "weights.data is null");
  if (size_of(one.x.type) != kLogitBytes)
    return not_supported(what,
                         "x is of " + std::string(word_of(one.x.type)) + ", neither of f16 nor of bf16");
  if (one.weights.type != one.x.type)
    return not_supported(what, "x is of " + std::string(word_of(one.x.type)) + " and weights of " +
                                   std::string(word_of(one.weights.type)));
  if (!one.targets) return invalid(what, "targets is null");
  if (!one.logs) return invalid(what, "logs is null");
  if (const auto status = check_aligned(what, "targets", one.targets, 8)) return status;
  return check_vector(what, "logs", one.logs, WAVESMITH_KERNELS_F32);
}

std::vector<NamedRange> read_of(const Description& one) {
  return {{"x", range_of(one.x, one.rows, one.features)},
          {"weights", range_of(one.weights, one.classes, one.features)},
          {"targets", ByteRange::of(one.targets, 2 * one.rows, WAVESMITH_KERNELS_F32)}};
}

NamedRange workspace_of(const Description& one) {
  const auto first = reinterpret_cast<uintptr_t>(one.workspace);
  return {"workspace", {first, first + one.workspace_bytes}};
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check(kName, one)) return status;
  if (is_empty(one)) return succeed();
  if (!one.losses) return invalid(kName, "losses is null");
  return check_vector(kName, "losses", one.losses, WAVESMITH_KERNELS_F32);
}

wavesmith_kernels_status check(const Gradient& one) {
  const Description& forward = one.forward;
  if (const auto status = check(kGradientName, forward)) return status;
  if (const auto status =
          check_rows(kGradientName, forward.rows, forward.features, {{.name = "dx", .rows = &one.dx}}))
    return status;
  if (const auto status = check_rows(kGradientName, forward.classes, forward.features,
                                     {{.name = "dweights", .rows = &one.dweights}}))
    return status;
  if (one.upstream_stride != 0 && one.upstream_stride != 1)
    return invalid(kGradientName,
                   "upstream_stride is " + std::to_string(one.upstream_stride) + ", neither 1 nor 0");
  if (is_empty(forward)) return succeed();
  if (!one.upstream) return invalid(kGradientName, "upstream is null");
  return check_vector(kGradientName, "upstream", one.upstream, WAVESMITH_KERNELS_F32);
}

/// `count` rows from `first` on as a matrix, or as its transpose.
Matrix matrix_of(const Rows& rows, int64_t first = 0) {
  void* const data = static_cast<char*>(rows.data) + first * rows.row_stride * size_of(rows.type);
  return {data, rows.type, rows.row_stride, 1, 0};
}
Matrix transposed(const Matrix& one) { return {one.data, one.type, one.column_stride, one.row_stride, 0}; }

struct Sizes {
  int64_t m, n, k;
};
/// D = A * B, or C + A * B where C is given.
wavesmith_kernels_status multiply(const Sizes& sizes, const Matrix& a, const Matrix& b, const Matrix* c,
                                  const Matrix& d, void* stream) {
  wavesmith_kernels_gemm_description gemm{};
  gemm.m = sizes.m, gemm.n = sizes.n, gemm.k = sizes.k, gemm.batches = 1;
  gemm.alpha = 1, gemm.beta = c ? 1 : 0;
  gemm.a = a, gemm.b = b, gemm.c = c ? *c : d, gemm.d = d;
  return wavesmith_kernels_gemm(&gemm, stream);
}

/// Part of the classes, with its logits in the workspace.
struct Part {
  const Description& all;
  int64_t first, count;
  Rows logits;

  Part(const Description& all_, const Layout& layout, int64_t first_)
      : all(all_),
        first(first_),
        count(std::min(layout.classes, all_.classes - first_)),
        logits{static_cast<char*>(all_.workspace) + layout.logits(), all_.x.type,
               rounded_up(layout.classes, kAtOnce)} {}

  [[nodiscard]] bool is_last() const { return first + count == all.classes; }
  [[nodiscard]] Matrix weights() const { return matrix_of(all.weights, first); }
  [[nodiscard]] wavesmith_kernels_status compute_logits(void* stream) const {
    return multiply({all.rows, count, all.features}, matrix_of(all.x), transposed(weights()), nullptr,
                    matrix_of(logits), stream);
  }
  [[nodiscard]] wavesmith_cross_entropy_description entropy() const {
    wavesmith_cross_entropy_description made{};
    made.rows = all.rows, made.classes = count, made.logits = logits;
    made.targets = all.targets, made.ignored = all.ignored, made.smoothing = all.smoothing;
    made.losses = is_last() ? all.losses : nullptr, made.logs = all.logs;
    made.first_class = first, made.all_classes = all.classes, made.state = static_cast<float*>(all.workspace);
    return made;
  }
};

/// The products of a part's gradient, which lies where its logits were.
wavesmith_kernels_status multiply_gradient(const Gradient& one, const Layout& layout, const Part& part,
                                           void* stream) {
  const Description& all = one.forward;
  if (one.dweights.data)
    if (const auto status = multiply({part.count, all.features, all.rows}, transposed(matrix_of(part.logits)),
                                     matrix_of(all.x), nullptr, matrix_of(one.dweights, part.first), stream))
      return status;
  if (!one.dx.data) return succeed();
  const Matrix result = matrix_of(one.dx);
  const Matrix sums = layout.sums == 0 ? result
                                       : Matrix{static_cast<char*>(all.workspace) + layout.state,
                                                WAVESMITH_KERNELS_F32, all.features, 1, 0};
  return multiply({all.rows, all.features, part.count}, matrix_of(part.logits), part.weights(),
                  part.first > 0 ? &sums : nullptr, part.is_last() ? result : sums, stream);
}

/// Without rows the weights' gradients are 0.
wavesmith_kernels_status clear(const Gradient& one, void* stream) {
  if (!one.dweights.data || one.forward.classes == 0 || one.forward.features == 0) return succeed();
  Matrix none = matrix_of(one.dweights);
  none.type = WAVESMITH_KERNELS_BF16;
  return multiply({one.forward.classes, one.forward.features, 0}, transposed(none), none, nullptr,
                  matrix_of(one.dweights), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy_workspace(
    const wavesmith_linear_cross_entropy_description* entropy, size_t* bytes) {
  if (!entropy) return invalid(kName, "the description is null");
  if (!bytes) return invalid(kName, "bytes is null");
  if (const auto status = check(*entropy)) return status;
  *bytes = is_empty(*entropy) ? 0 : static_cast<size_t>(Layout(*entropy, {}).advised(*entropy));
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy(
    const wavesmith_linear_cross_entropy_description* entropy, void* stream) {
  if (!entropy) return invalid(kName, "the description is null");
  const Description& one = *entropy;
  if (const auto status = check(one)) return status;
  if (is_empty(one)) return succeed();
  Layout layout(one, {});
  if (const auto status =
          check_workspace(kName, one.workspace, one.workspace_bytes, static_cast<size_t>(layout.least(one))))
    return status;
  std::vector<NamedRange> ranges = read_of(one);
  ranges.push_back(NamedRange::of("losses", one.losses, one.rows, WAVESMITH_KERNELS_F32));
  ranges.push_back(NamedRange::of("logs", one.logs, one.rows, WAVESMITH_KERNELS_F32));
  ranges.push_back(workspace_of(one));
  if (const auto status = check_written(kName, ranges, 3)) return status;
  layout.fill(one);
  for (int64_t first = 0; first < one.classes; first += layout.classes) {
    const Part part(one, layout, first);
    if (const auto status = part.compute_logits(stream)) return status;
    const wavesmith_cross_entropy_description loss = part.entropy();
    if (const auto status = wavesmith_kernels_cross_entropy(&loss, stream)) return status;
  }
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy_gradient_workspace(
    const wavesmith_linear_cross_entropy_gradient_description* gradient, size_t* bytes) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  if (!bytes) return invalid(kGradientName, "bytes is null");
  if (const auto status = check(*gradient)) return status;
  const Description& one = gradient->forward;
  *bytes = is_empty(one) ? 0 : static_cast<size_t>(Layout(one, gradient->dx).advised(one));
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy_gradient(
    const wavesmith_linear_cross_entropy_gradient_description* gradient, void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  if (const auto status = check(*gradient)) return status;
  const Description& one = gradient->forward;
  if (is_empty(one)) return clear(*gradient, stream);
  if (!gradient->dx.data && !gradient->dweights.data) return succeed();
  Layout layout(one, gradient->dx);
  if (const auto status = check_workspace(kGradientName, one.workspace, one.workspace_bytes,
                                          static_cast<size_t>(layout.least(one))))
    return status;
  std::vector<NamedRange> ranges = read_of(one);
  ranges.push_back(NamedRange::of("logs", one.logs, one.rows, WAVESMITH_KERNELS_F32));
  ranges.push_back(NamedRange::of("upstream", gradient->upstream, gradient->upstream_stride ? one.rows : 1,
                                  WAVESMITH_KERNELS_F32));
  const size_t read = ranges.size();
  if (gradient->dx.data) ranges.push_back({"dx", range_of(gradient->dx, one.rows, one.features)});
  if (gradient->dweights.data)
    ranges.push_back({"dweights", range_of(gradient->dweights, one.classes, one.features)});
  ranges.push_back(workspace_of(one));
  if (const auto status = check_written(kGradientName, ranges, ranges.size() - read)) return status;
  layout.fill(one);
  for (int64_t first = 0; first < one.classes; first += layout.classes) {
    const Part part(one, layout, first);
    if (const auto status = part.compute_logits(stream)) return status;
    const wavesmith_cross_entropy_gradient_description loss = {.forward = part.entropy(),
                                                               .upstream = gradient->upstream,
                                                               .upstream_stride = gradient->upstream_stride,
                                                               .factor = gradient->factor,
                                                               .gradient = part.logits};
    if (const auto status = wavesmith_kernels_cross_entropy_gradient(&loss, stream)) return status;
    if (const auto status = multiply_gradient(*gradient, layout, part, stream)) return status;
  }
  return succeed();
}
