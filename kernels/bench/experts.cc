// Times what a mixture of experts has beside its grouped products: the choice of experts, and rows moved to
// them and back.
#include "kernels/bench/bench.h"
#include "kernels/pointwise/number_types.h"
#include "kernels/wavesmith_indexed.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels::bench {
namespace {

/// A matrix by rows, columns first.
wavesmith_pointwise_operand matrix(int64_t rows, int64_t columns, wavesmith_pointwise_type type,
                                   int64_t bytes) {
  return {memory(rows * columns * bytes), type, {bytes, columns * bytes}, {}};
}

}  // namespace

/// The largest of each row, and where they are.
int topk(const Words& words) {
  const int64_t rows = number(words, 0), columns = number(words, 1), most = number(words, 2, 2);
  const auto type = type_of(word(words, 3, "f32"));
  const int64_t bytes = size_of(type);
  wavesmith_sort_description d{};
  d.dimensions = 2, d.along = 0, d.sizes[0] = columns, d.sizes[1] = rows, d.most = most, d.descending = 1;
  d.x = matrix(rows, columns, number_of(type), bytes), d.values = matrix(rows, most, number_of(type), bytes);
  d.places = matrix(rows, most, WAVESMITH_POINTWISE_I64, 8);
  d.workspace_bytes = wavesmith_kernels_sort_workspace(&d);
  d.workspace = memory(static_cast<int64_t>(d.workspace_bytes) + 1);
  const float best = milliseconds_of([&] { return wavesmith_kernels_sort(&d, nullptr); });
  return report("topk", rows, columns, best, rows * (columns * bytes + most * (bytes + 8)));
}

/// Rows in another order, or added in another order to rows of f32.
int gather(const Words& words) {
  const int64_t rows = number(words, 0), columns = number(words, 1);
  const auto type = type_of(word(words, 2, "bf16"));
  const bool adds = word(words, 3, "") == "add";
  const int64_t bytes = size_of(type), result = adds ? 4 : bytes;
  std::vector<int32_t> order;
  constexpr int64_t kApart = 7919;  // a prime
  for (int64_t i = 0; i < rows; ++i) order.push_back(static_cast<int32_t>(i * kApart % rows));
  wavesmith_indexed_description d{};
  d.operation = adds ? WAVESMITH_INDEXED_ADD : WAVESMITH_INDEXED_GET;
  d.dimensions = 2, d.sizes[0] = columns, d.sizes[1] = rows, d.indexed = 1;
  d.x = matrix(rows, columns, number_of(type), bytes);
  d.y = matrix(rows, columns, adds ? WAVESMITH_POINTWISE_F32 : number_of(type), result);
  (adds ? d.y : d.x).strides[1] = 0;  // where a row begins the index says
  auto& index = d.index[0];
  index.indices = {on_gpu(order), WAVESMITH_POINTWISE_I32, {0, 4}, {}};
  index.size = rows, index.stride = columns * (adds ? result : bytes);
  const float best = milliseconds_of([&] { return wavesmith_kernels_indexed(&d, nullptr); });
  return report("gather", rows, columns, best, rows * columns * (bytes + (adds ? 2 : 1) * result));
}

}  // namespace wavesmith::kernels::bench
