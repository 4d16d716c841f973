// Times a mixture of experts, and what it has beside its grouped products: the choice of experts, and rows
// moved to them and back.
#include <random>

#include "kernels/bench/bench.h"
#include "kernels/pointwise/number_types.h"
#include "kernels/wavesmith_experts.h"
#include "kernels/wavesmith_gradients.h"
#include "kernels/wavesmith_indexed.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels::bench {
namespace {

/// A matrix by rows, columns first.
wavesmith_pointwise_operand matrix(int64_t rows, int64_t columns, wavesmith_pointwise_type type,
                                   int64_t bytes) {
  return {memory(rows * columns * bytes), type, {bytes, columns * bytes}, {}};
}

/// The experts of each token, which differ from each other where `experts` is a power of two: all of them
/// serve as many.
std::vector<int32_t> chosen_experts(int64_t tokens, int64_t experts, int64_t most) {
  constexpr int64_t kApart = 5;
  std::vector<int32_t> all;
  for (int64_t i = 0; i < tokens * most; ++i) all.push_back(static_cast<int32_t>(i * kApart % experts));
  return all;
}

/// The rows of a layer's tokens by experts: where an expert's begin, and whose each is.
struct RowsOfExperts {
  std::vector<int32_t> offsets{0}, tokens, rows_of_token;

  RowsOfExperts(int64_t count, int64_t experts, int64_t most) {
    const std::vector<int32_t> chosen = chosen_experts(count, experts, most);
    rows_of_token.resize(chosen.size());
    for (int64_t expert = 0; expert < experts; ++expert) {
      for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] != expert) continue;
        rows_of_token[i] = static_cast<int32_t>(tokens.size());
        tokens.push_back(static_cast<int32_t>(static_cast<int64_t>(i) / most));
      }
      offsets.push_back(static_cast<int32_t>(tokens.size()));
    }
  }
};

wavesmith_kernels_gemm_description grouped_product(const RowsOfExperts& rows, const int32_t* offsets, void* a,
                                                   void* b, void* d, int64_t n, int64_t k,
                                                   wavesmith_kernels_type type) {
  wavesmith_kernels_gemm_description made{};
  made.m = std::ssize(rows.tokens), made.n = n, made.k = k, made.alpha = 1;
  made.batches = std::ssize(rows.offsets) - 1, made.group_offsets = offsets;
  made.a = {a, type, k, 1, 0}, made.b = {b, type, 1, k, n * k}, made.d = {d, type, n, 1, 0};
  return made;
}

constexpr int64_t kBlock = 128;  ///< numbers along K that share a scale
int64_t blocks_of(int64_t numbers) { return (numbers + kBlock - 1) / kBlock; }

/// So many scales of 1.
float* ones(int64_t count) { return on_gpu(std::vector<float>(static_cast<size_t>(count), 1)); }

/// One for each 128 by 128 of the experts' matrices, of n columns along k.
wavesmith_kernels_scales squares(int64_t experts, int64_t n, int64_t k) {
  const int64_t of_matrix = blocks_of(n) * blocks_of(k);
  return {WAVESMITH_KERNELS_SCALE_PER_SQUARE, ones(experts * of_matrix), kBlock, blocks_of(k), 1, of_matrix};
}

}  // namespace

/// A SwiGLU layer of experts, whose choice is known: gate and up with SiLU of tokens where they lie, down
/// times the tokens' weights, and the sum over a token's experts. "apart": SiLU times up by a kernel of its
/// own. "ungated": a layer that has no gate, SiLU of up alone.
///
/// Of floats of 8 bits tokens have a scale each and so have experts' columns; between the products numbers
/// are of 8 bits with one scale that is known before, and results are of bf16. "blocks": tokens' blocks of
/// 128 and experts' squares have scales, those between the products, too, which a kernel makes of bf16;
/// "blocks-apart": which SiLU times up does.
int experts(const Words& words) {
  const int64_t tokens = number(words, 0), hidden = number(words, 1), inner = number(words, 2),
                count = number(words, 3), most = number(words, 4, 2);
  const auto type = type_of(word(words, 5, "bf16"));
  const std::string kind = word(words, 6, "");
  const bool blocks = kind.starts_with("blocks"), small = size_of(type) == 1;
  const bool apart = kind.ends_with("apart"), ungated = kind == "ungated";
  if (blocks && !small) {
    std::fprintf(stderr, "blocks have scales of floats of 8 bits\n");
    return 2;
  }
  const auto wide = small ? WAVESMITH_KERNELS_BF16 : type;  // of results, and of what is not quantised yet
  const int64_t columns = ungated ? inner : 2 * inner;      // of a token's first product
  if (count < 2 || (count & (count - 1)) != 0 || most > count) {
    std::fprintf(stderr, "%lld is no power of two from %lld on\n", static_cast<long long>(count),
                 static_cast<long long>(most));
    return 2;
  }
  const int64_t bytes = size_of(type), wide_bytes = size_of(wide);
  const RowsOfExperts rows(tokens, count, most);
  const int64_t height = std::ssize(rows.tokens);
  const int32_t* const offsets = on_gpu(rows.offsets);

  void* const both = memory(height * 2 * inner * wide_bytes);
  const wavesmith_kernels_scales between{blocks  ? WAVESMITH_KERNELS_SCALE_PER_BLOCK
                                         : small ? WAVESMITH_KERNELS_SCALE_GIVEN
                                                 : WAVESMITH_KERNELS_UNSCALED,
                                         small ? ones(height * blocks_of(inner)) : nullptr,
                                         kBlock,
                                         blocks_of(inner),
                                         1,
                                         0};
  const wavesmith_kernels_gate_description gate{
      height,
      inner,
      {both, wide, 2 * inner},
      {static_cast<char*>(both) + inner * wide_bytes, wide, 2 * inner},
      {memory(height * inner * bytes), type, inner},
      WAVESMITH_KERNELS_SILU,
      between};
  const wavesmith_kernels_quantise_description quantise{height, inner, {both, wide, inner}, gate.y, between};
  auto up = grouped_product(rows, offsets, memory(tokens * hidden * bytes),
                            memory(count * columns * hidden * bytes), both, columns, hidden, type);
  up.d.type = wide;
  up.a_rows = on_gpu(rows.tokens), up.a_row_count = tokens;
  if (!apart) {
    up.n = inner, up.d = {blocks ? both : gate.y.data, blocks ? wide : type, inner, 1, 0};
    up.gated = ungated ? 0 : 1, up.activation = WAVESMITH_KERNELS_SILU;
  }
  auto down = grouped_product(rows, offsets, gate.y.data, memory(count * hidden * inner * bytes),
                              memory(height * hidden * wide_bytes), hidden, inner, type);
  down.d.type = wide;
  down.scale_a = ones(height), down.scale_a_per_row = 1;
  if (blocks) {
    up.block_scales_a = {
        WAVESMITH_KERNELS_SCALE_PER_BLOCK, ones(height * blocks_of(hidden)), kBlock, blocks_of(hidden), 1, 0};
    up.block_scales_b = squares(count, columns, hidden);
    down.block_scales_a = between, down.block_scales_b = squares(count, hidden, inner);
  } else if (small) {
    up.scale_a = ones(height), up.scale_a_per_row = 1;
    up.scale_d = apart ? nullptr : ones(1);
    for (auto* const product : {&up, &down}) {
      const int64_t of_matrix = product == &up ? columns : hidden;
      product->scale_b = ones(count * of_matrix), product->scale_b_per_column = 1;
      product->scale_b_batch_stride = of_matrix;
    }
  }

  wavesmith_combine_description back{};
  back.tokens = tokens, back.columns = hidden, back.choices = most, back.rows = height;
  back.x = {down.d.data, wide, hidden}, back.y = {memory(tokens * hidden * wide_bytes), wide, hidden};
  back.places = on_gpu(rows.rows_of_token);

  const float best = milliseconds_of([&] {
    for (const auto status :
         {wavesmith_kernels_gemm(&up, nullptr),
          apart    ? wavesmith_kernels_gate(&gate, nullptr)
          : blocks ? wavesmith_kernels_quantise(&quantise, nullptr)
                   : WAVESMITH_KERNELS_SUCCESS,
          wavesmith_kernels_gemm(&down, nullptr), wavesmith_kernels_combine(&back, nullptr)})
      if (status != WAVESMITH_KERNELS_SUCCESS) return status;
    return WAVESMITH_KERNELS_SUCCESS;
  });
  std::printf("experts: %.2f us, %.1f TFLOP/s\n", static_cast<double>(best) * 1e3,
              2e-9 * static_cast<double>(height * hidden * (columns + inner)) / static_cast<double>(best));
  return 0;
}

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

/// Choices in the order of experts, of which all have about as many; with weights.
int expert_sort(const Words& words) {
  const int64_t tokens = number(words, 0), count = number(words, 1), most = number(words, 2, 8);
  std::mt19937 random(1);
  std::uniform_int_distribution<int32_t> expert(0, static_cast<int32_t>(std::max<int64_t>(count, 1) - 1));
  std::vector<int32_t> ids(static_cast<size_t>(tokens * most));
  for (int32_t& each : ids) each = expert(random);
  const auto integers = [&](int64_t size) { return static_cast<int32_t*>(memory(size * 4)); };
  wavesmith_sort_experts_description d{};
  d.tokens = tokens, d.choices = most, d.experts = count, d.ids = on_gpu(ids);
  d.group_offsets = integers(count + 1), d.tokens_of = integers(tokens * most);
  d.places = integers(tokens * most);
  d.weights = static_cast<const float*>(memory(tokens * most * 4));
  d.sorted_weights = static_cast<float*>(memory(tokens * most * 4));
  wavesmith_kernels_sort_experts_workspace(&d, &d.workspace_bytes);
  d.workspace = memory(static_cast<int64_t>(d.workspace_bytes) + 1);
  const float best = milliseconds_of([&] { return wavesmith_kernels_sort_experts(&d, nullptr); });
  return report("expert_sort", tokens, count, best, tokens * most * 5 * 4);
}

/// The weighted sum over each token's experts.
int combine(const Words& words) {
  const int64_t tokens = number(words, 0), columns = number(words, 1), most = number(words, 2, 8);
  const auto type = type_of(word(words, 3, "bf16"));
  const int64_t bytes = size_of(type), rows = tokens * most;
  std::vector<int32_t> places;
  constexpr int64_t kApart = 7919;  // a prime
  for (int64_t i = 0; i < rows; ++i) places.push_back(static_cast<int32_t>(i * kApart % rows));
  wavesmith_combine_description d{};
  d.tokens = tokens, d.columns = columns, d.choices = most, d.rows = rows;
  d.x = {memory(rows * columns * bytes), type, columns};
  d.y = {memory(tokens * columns * bytes), type, columns};
  d.places = on_gpu(places), d.weights = static_cast<const float*>(memory(rows * 4));
  const float best = milliseconds_of([&] { return wavesmith_kernels_combine(&d, nullptr); });
  return report("combine", tokens, columns, best, (rows + tokens) * columns * bytes);
}

/// The gradients of the sum over each token's two experts.
int combine_backward(const Words& words) {
  const int64_t rows = number(words, 0), columns = number(words, 1), tokens = (rows + 1) / 2;
  const auto type = type_of(word(words, 2, "bf16"));
  const int64_t bytes = size_of(type);
  std::vector<int32_t> tokens_of;
  constexpr int64_t kApart = 7919;  // a prime
  for (int64_t i = 0; i < rows; ++i) tokens_of.push_back(static_cast<int32_t>(i * kApart % rows / 2));
  const auto matrix_of = [&](int64_t count) {
    return wavesmith_kernels_rows{memory(count * columns * bytes), type, columns};
  };
  const wavesmith_kernels_combine_backward_description d{rows,
                                                         columns,
                                                         tokens,
                                                         matrix_of(rows),
                                                         matrix_of(tokens),
                                                         matrix_of(rows),
                                                         on_gpu(tokens_of),
                                                         static_cast<const float*>(memory(rows * 4)),
                                                         static_cast<float*>(memory(rows * 4))};
  const float best = milliseconds_of([&] { return wavesmith_kernels_combine_backward(&d, nullptr); });
  return report("combine_backward", rows, columns, best, (2 * rows + tokens) * columns * bytes);
}

}  // namespace wavesmith::kernels::bench
