// The C API of weighted sums of rows' gradients: checks a call and launches it.
#include <vector>

#include "kernels/combine_backward/arguments.h"
#include "kernels/library/named_range.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_combine_backward_description;

constexpr const char* kName = "combine_backward";

/// Checks what is given for each row, and that nothing written overlaps it or dY.
wavesmith_kernels_status check_vectors(const Description& one) {
  constexpr auto kFloat = WAVESMITH_KERNELS_F32;
  const NamedRange tokens_of = NamedRange::of("tokens_of", one.tokens_of, one.rows, WAVESMITH_KERNELS_I32),
                   weights = NamedRange::of("weights", one.weights, one.rows, kFloat),
                   dweights = NamedRange::of("dweights", one.dweights, one.rows, kFloat);
  for (const auto& [name, data] : {std::pair<const char*, const void*>{"tokens_of", one.tokens_of},
                                   {"weights", one.weights},
                                   {"dweights", one.dweights}})
    if (const auto status = check_aligned(kName, name, data, sizeof(float))) return status;
  std::vector<NamedRange> read{tokens_of, weights};
  if (one.tokens > 0) read.push_back({"dy", range_of(one.dy, one.tokens, one.columns)});
  std::vector<NamedRange> with_matrices = read;
  if (one.x.data) with_matrices.push_back({"x", range_of(one.x, one.rows, one.columns)});
  if (one.dx.data) {
    const NamedRange dx{"dx", range_of(one.dx, one.rows, one.columns)};
    if (const auto status = check_apart(kName, dx, read)) return status;
    with_matrices.push_back(dx);
  }
  return check_apart(kName, dweights, with_matrices);
}

wavesmith_kernels_status check(const Description& one) {
  if (one.tokens < 0) return invalid(kName, "tokens is negative");
  if (one.rows > 0 && one.columns > 0) {
    if (!one.tokens_of) return invalid(kName, "tokens_of is null");
    if (one.tokens > 0 && !one.dy.data) return invalid(kName, "dy.data is null");
    if (one.dweights && !one.x.data) return invalid(kName, "dweights is given without x");
  }
  if (const auto status =
          check_rows(kName, one.rows, one.columns,
                     {{.name = "x", .rows = &one.x}, {.name = "dx", .rows = &one.dx, .is_written = true}}))
    return status;
  if (const auto status = check_rows(kName, one.tokens, one.columns, {{.name = "dy", .rows = &one.dy}}))
    return status;
  return one.rows > 0 && one.columns > 0 ? check_vectors(one) : succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_combine_backward(
    const wavesmith_kernels_combine_backward_description* backward, void* stream) {
  if (!backward) return invalid(kName, "the description is null");
  const Description& one = *backward;
  if (const auto status = check(one)) return status;
  if (one.rows == 0 || one.columns == 0 || (!one.dx.data && !one.dweights)) return succeed();
  const CombineBackwardArguments arguments{.x = one.x.data,
                                           .dy = one.dy.data,
                                           .dx = one.dx.data,
                                           .weights = one.weights,
                                           .dweights = one.dweights,
                                           .tokens_of = one.tokens_of,
                                           .stride_x = one.x.row_stride,
                                           .stride_dy = one.dy.row_stride,
                                           .stride_dx = one.dx.row_stride,
                                           .rows = static_cast<int>(one.rows),
                                           .columns = static_cast<int>(one.columns),
                                           .tokens = static_cast<int>(one.tokens),
                                           .type_x = one.x.type,
                                           .type_dy = one.dy.type,
                                           .type_dx = one.dx.type};
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const Grid grid{static_cast<unsigned>(one.rows), 1, kRowThreads};
  return launch(*device, kName, grid, &arguments, sizeof(arguments), stream);
}
