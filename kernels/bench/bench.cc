// Times a kernel of the library by HIP's events, on a GPU or on an emulated one: `wavesmith run --time` or
// `wavesmith profile`.
//
//   wavesmith_kernels_bench gemm M N K [TYPE] [kk|mk|kn|mn] [TILE[/PARTS|/stream]|-] [OUTPUT TYPE]
//   [scaled|gated] [GROUPS] [k]
//
//   wavesmith_kernels_bench norm|layernorm|addnorm|softmax|gate ROWS COLUMNS [f32|f16|bf16]
//   [QUANTISED TYPE] [SCALING] [BLOCK]
//
//   wavesmith_kernels_bench norm_backward|layernorm_backward|softmax_backward|gate_backward ROWS COLUMNS
//   [f32|f16|bf16]
//
//   wavesmith_kernels_bench reduce ROWS COLUMNS [f32|f16|bf16] [rows|columns|all]
//   wavesmith_kernels_bench transpose ROWS COLUMNS [TYPE] [TYPE OF THE RESULT] [copy] [BATCHES]
//
//   wavesmith_kernels_bench elementwise ROWS COLUMNS [f32|f16|bf16] [add|...|square]
//
//   wavesmith_kernels_bench quantise|dequantise ROWS COLUMNS [f32|f16|bf16] [QUANTISED TYPE]
//   [unscaled|given|matrix|row|block|mx] [BLOCK]
//   wavesmith_kernels_bench attention|attention_backward BATCHES HEADS HEADS_KV LENGTH_Q LENGTH_K
//   HEAD_SIZE[/HEAD_SIZE_V] [bf16|f16] [causal|full]
//   wavesmith_kernels_bench decode BATCHES HEADS HEADS_KV LENGTH_Q CONTEXT HEAD_SIZE[/HEAD_SIZE_V] [bf16|f16]
//   [CACHE TYPE] [PAGE] [beside|heads|inside]
//   wavesmith_kernels_bench fft LENGTH BATCHES [f32|f64] [complex|from_real|to_real]
//
//   wavesmith_kernels_bench convolution IMAGES CHANNELS SIDE OUTPUTS WINDOW [TYPE] [nhwc|nchw]
//   [output|input|weights] [STEP] [GROUPS]
//
//   wavesmith_kernels_bench cross_entropy ROWS CLASSES [TYPE] [gradient]
//   wavesmith_kernels_bench linear_cross_entropy ROWS FEATURES CLASSES [TYPE] [gradient]
//   wavesmith_kernels_bench adam ARRAYS ELEMENTS [TYPE]
//   wavesmith_kernels_bench experts TOKENS HIDDEN INTERMEDIATE EXPERTS [TOP] [TYPE]
//   [apart|ungated|blocks|blocks-apart] wavesmith_kernels_bench topk ROWS COLUMNS MOST [TYPE]
//   wavesmith_kernels_bench gather ROWS COLUMNS [TYPE] [add]
//   wavesmith_kernels_bench expert_sort TOKENS EXPERTS [CHOICES]
//   wavesmith_kernels_bench combine TOKENS COLUMNS [CHOICES] [TYPE]
//   wavesmith_kernels_bench combine_backward ROWS COLUMNS [TYPE]
//   wavesmith_kernels_bench router|router_backward TOKENS EXPERTS [CHOSEN] [softmax|sigmoid] [TYPE] [GROUPS
//   KEPT]
//   wavesmith_kernels_bench sample ROWS VOCABULARY [plain|greedy|topk|topp|both]
//   wavesmith_kernels_bench verify BATCH VOCABULARY [DRAFTS]
//   wavesmith_kernels_bench all_reduce RANKS ROWS COLUMNS [f16|bf16] [norm|apart|plain] [any|once|slices]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "kernels/bench/bench.h"
#include "kernels/gemm/arguments.h"
#include "kernels/library/element_type.h"
#include "kernels/wavesmith_fft.h"
#include "kernels/wavesmith_gradients.h"
#include "kernels/wavesmith_kernels.h"

using namespace wavesmith::kernels::bench;

namespace {

wavesmith_kernels_scaling scaling_of(const std::string& name) {
  static constexpr const char* kNames[] = {"unscaled", "given", "matrix", "row", "block", "mx"};
  return static_cast<wavesmith_kernels_scaling>(index_of(name, kNames, "scaling"));
}

wavesmith_kernels_elementwise_operation elementwise_of(const std::string& name) {
  static constexpr const char* kNames[] = {
      "add", "subtract", "multiply",        "divide", "minimum", "maximum", "negate", "absolute", "exp",
      "log", "sqrt",     "reciprocal_root", "tanh",   "sigmoid", "relu",    "gelu",   "silu",     "square"};
  return static_cast<wavesmith_kernels_elementwise_operation>(
      index_of(name, kNames, "elementwise operation"));
}

/// An operation on rows: its time, and the bytes that it has to move per second.
int rows(const std::string& operation, const std::vector<std::string>& words) {
  const auto word = [&](size_t index, const char* otherwise) {
    return index < words.size() ? words[index] : std::string(otherwise);
  };
  const int64_t height = std::atoll(words[0].c_str()), width = std::atoll(words[1].c_str());
  const auto type = type_of(word(2, "bf16"));
  int64_t moved = 0;
  const auto matrix_of = [&](wavesmith_kernels_type element) {
    const int64_t stride = wavesmith::kernels::elements_of(element, width);
    const int64_t bytes = height * stride * wavesmith::kernels::size_of(element);
    moved += bytes;
    return wavesmith_kernels_rows{memory(bytes), element, stride};
  };
  const auto matrix = [&] { return matrix_of(type); };
  // What is quantised, and its scales.
  const bool quantises = operation == "quantise" || operation == "dequantise",
             is_elementwise = operation == "elementwise", is_reduction = operation == "reduce";
  const std::string small = is_elementwise || is_reduction ? "" : word(3, quantises ? "e4m3" : "");
  const auto scaling = scaling_of(word(4, small.empty() ? "unscaled" : "row"));
  wavesmith_kernels_scales scales{scaling, nullptr, std::atoll(word(5, "128").c_str()), 0, 1};
  if (scaling == WAVESMITH_KERNELS_SCALE_MX) scales.block = 32;
  scales.row_stride = scaling >= WAVESMITH_KERNELS_SCALE_PER_BLOCK
                          ? (width + scales.block - 1) / std::max<int64_t>(scales.block, 1)
                          : 1;
  if (scaling != WAVESMITH_KERNELS_UNSCALED) scales.data = memory(4 * height * scales.row_stride);
  const auto result = [&] { return small.empty() ? matrix() : matrix_of(type_of(small)); };
  float best = 0;
  if (operation == "quantise") {
    const wavesmith_kernels_quantise_description quantise{height, width, matrix(), result(), scales};
    if (scaling == WAVESMITH_KERNELS_SCALE_PER_MATRIX)
      moved += height * width * wavesmith::kernels::size_of(type);  // read twice
    best = milliseconds_of([&] { return wavesmith_kernels_quantise(&quantise, nullptr); });
  } else if (operation == "dequantise") {
    const wavesmith_kernels_dequantise_description dequantise{height, width, result(), matrix(), scales};
    best = milliseconds_of([&] { return wavesmith_kernels_dequantise(&dequantise, nullptr); });
  } else if (is_elementwise) {
    wavesmith_kernels_elementwise_description one{};
    one.rows = height, one.columns = width, one.operation = elementwise_of(word(3, "add"));
    one.alpha = one.beta = 1, one.x = matrix(), one.y = matrix(), one.z_column_stride = 1;
    if (one.operation < WAVESMITH_KERNELS_ELEMENTWISE_NEGATE) one.z = matrix();
    best = milliseconds_of([&] { return wavesmith_kernels_elementwise(&one, nullptr); });
  } else if (is_reduction) {
    static constexpr const char* kOver[] = {"rows", "columns", "all"};
    wavesmith_kernels_reduce_description reduce{};
    reduce.rows = height, reduce.columns = width, reduce.reduction = WAVESMITH_KERNELS_REDUCE_SUM;
    reduce.over = static_cast<wavesmith_kernels_reduced>(index_of(word(3, "rows"), kOver, "reduction of"));
    reduce.x = matrix(), reduce.y = {memory(std::max(height, width) * 4), type, 1};
    wavesmith_kernels_reduce_workspace(&reduce, &reduce.workspace_bytes);
    reduce.workspace = memory(static_cast<int64_t>(reduce.workspace_bytes) + 1);
    best = milliseconds_of([&] { return wavesmith_kernels_reduce(&reduce, nullptr); });
  } else if (operation == "softmax") {
    const wavesmith_kernels_softmax_description softmax{height, width, matrix(), matrix(), 1, 0};
    best = milliseconds_of([&] { return wavesmith_kernels_softmax(&softmax, nullptr); });
  } else if (operation == "gate") {
    const wavesmith_kernels_gate_description gate{
        height, width, matrix(), matrix(), result(), WAVESMITH_KERNELS_SILU, scales};
    best = milliseconds_of([&] { return wavesmith_kernels_gate(&gate, nullptr); });
  } else {
    wavesmith_kernels_norm_description norm{};
    norm.rows = height, norm.columns = width, norm.x = matrix(), norm.y = result(), norm.scales = scales;
    norm.weight = memory(width * 4), norm.weight_type = type, norm.epsilon = 1e-5F;
    norm.centred = operation == "layernorm";
    if (operation == "addnorm") norm.residual = matrix(), norm.sum = matrix();
    best = milliseconds_of([&] { return wavesmith_kernels_norm(&norm, nullptr); });
  }
  return report(operation, height, width, best, moved);
}

/// The gradients of an operation on rows: their time, and the bytes that they have to move per second. Of a
/// norm those of the vectors, too.
int rows_backward(const std::string& operation, const std::vector<std::string>& words) {
  const int64_t height = std::atoll(words[0].c_str()), width = std::atoll(words[1].c_str());
  const auto type = type_of(words.size() > 2 ? words[2] : "bf16");
  const int64_t bytes = height * width * wavesmith::kernels::size_of(type);
  int64_t moved = 0;
  const auto matrix = [&] {
    moved += bytes;
    return wavesmith_kernels_rows{memory(bytes), type, width};
  };
  float best = 0;
  if (operation == "softmax_backward") {
    const wavesmith_kernels_softmax_backward_description softmax{height,   width, matrix(), matrix(),
                                                                 matrix(), 1,     0};
    best = milliseconds_of([&] { return wavesmith_kernels_softmax_backward(&softmax, nullptr); });
  } else if (operation == "gate_backward") {
    const wavesmith_kernels_gate_backward_description gate{
        height, width, matrix(), matrix(), matrix(), matrix(), matrix(), WAVESMITH_KERNELS_SILU};
    best = milliseconds_of([&] { return wavesmith_kernels_gate_backward(&gate, nullptr); });
  } else {
    wavesmith_kernels_norm_backward_description norm{};
    norm.rows = height, norm.columns = width, norm.x = matrix(), norm.dy = matrix(), norm.dx = matrix();
    norm.centred = operation == "layernorm_backward";
    norm.weight = memory(width * 4), norm.dweight = memory(width * 4);
    norm.weight_type = norm.dweight_type = norm.dbias_type = type;
    norm.factors = static_cast<const float*>(memory(height * 4));
    if (norm.centred) {
      norm.dbias = memory(width * 4);
      norm.means = static_cast<const float*>(memory(height * 4));
    }
    wavesmith_kernels_norm_backward_workspace(&norm, &norm.workspace_bytes);
    norm.workspace = memory(static_cast<int64_t>(norm.workspace_bytes) + 1);
    best = milliseconds_of([&] { return wavesmith_kernels_norm_backward(&norm, nullptr); });
  }
  return report(operation, height, width, best, moved);
}

/// A transposition, or a copy: its time, and the bytes that it reads and writes per second.
int transpose(const std::vector<std::string>& words) {
  const auto word = [&](size_t index, const char* otherwise) {
    return index < words.size() ? words[index] : std::string(otherwise);
  };
  const int64_t height = std::atoll(words[0].c_str()), width = std::atoll(words[1].c_str()),
                batches = std::atoll(word(5, "1").c_str());
  const auto type = type_of(word(2, "bf16")), to = type_of(word(3, word(2, "bf16").c_str()));
  const bool copies = word(4, "") == "copy";
  int64_t moved = 0;
  const auto matrix = [&](wavesmith_kernels_type element, bool by_rows) {
    const int64_t bytes = batches * height * width * wavesmith::kernels::size_of(element);
    moved += bytes;
    return wavesmith_kernels_matrix{memory(bytes), element, by_rows ? width : 1, by_rows ? 1 : height,
                                    height * width};
  };
  const wavesmith_kernels_transpose_description one{height, width, batches, matrix(type, true),
                                                    matrix(to, copies)};
  const float best = milliseconds_of([&] { return wavesmith_kernels_transpose(&one, nullptr); });
  return report("transpose", height, width, best, moved);
}

/// Gives a product the scales that its types want, and those of blocks of 128 that `how` names: "squares" or
/// "blocks" of B, or "zeros" of weights of 4 bits.
void give_block_scales(wavesmith_kernels_gemm_description& gemm, const std::string& how, int64_t groups) {
  constexpr int64_t kBlock = wavesmith::kernels::kGemmBlock;
  const int64_t blocks = (gemm.k + kBlock - 1) / kBlock;
  const auto scales = [&](wavesmith_kernels_scaling scaling, int64_t lines) {
    const bool mx = scaling == WAVESMITH_KERNELS_SCALE_MX;
    const int64_t together = mx ? (lines + 3) / 4 * 4 : lines;
    const int64_t count = together * (mx ? gemm.k / wavesmith::kernels::kMxBlock : blocks);
    return wavesmith_kernels_scales{scaling, memory(4 * groups * count), kBlock, 1, together, count};
  };
  constexpr auto kMx = WAVESMITH_KERNELS_SCALE_MX, kPerBlock = WAVESMITH_KERNELS_SCALE_PER_BLOCK;
  if (gemm.a.type == WAVESMITH_KERNELS_E2M1X2) gemm.block_scales_a = scales(kMx, gemm.m);
  if (gemm.b.type == WAVESMITH_KERNELS_E2M1X2) gemm.block_scales_b = scales(kMx, gemm.n);
  if (how == "blocks" || how == "squares") gemm.block_scales_a = scales(kPerBlock, gemm.m);
  if (how == "blocks" || gemm.b.type == WAVESMITH_KERNELS_I4X2)
    gemm.block_scales_b = scales(kPerBlock, gemm.n);
  if (how == "squares")
    gemm.block_scales_b = scales(WAVESMITH_KERNELS_SCALE_PER_SQUARE, (gemm.n + kBlock - 1) / kBlock);
  if (gemm.b.type == WAVESMITH_KERNELS_I4X2) gemm.block_scales_type = gemm.a.type;
  if (how == "zeros") gemm.zero_points_b = memory(4 * gemm.n * blocks);
}

int gemm(const std::vector<std::string>& words) {
  const auto word = [&](size_t index, const char* otherwise) {
    return index < words.size() ? words[index] : std::string(otherwise);
  };
  const int64_t m = std::atoll(words[0].c_str()), n = std::atoll(words[1].c_str()),
                k = std::atoll(words[2].c_str());
  const std::string types = word(3, "bf16");
  const size_t cross = types == "e2m1x2" ? types.npos : types.find('x');  // "e4m3xe5m2": A's and B's
  const auto type = type_of(types.substr(0, cross)), type_b = type_of(types.substr(cross + 1));
  const int64_t size = wavesmith::kernels::size_of(type);
  const int64_t elements = wavesmith::kernels::elements_of(type, k);
  const auto type_d = type_of(word(6, size == 1 ? "bf16" : types.substr(0, cross).c_str()));
  const std::string layout = word(4, "kk"), tile = word(5, "");
  const auto by = [](void* data, wavesmith_kernels_type element, bool rows, int64_t height, int64_t width) {
    return wavesmith_kernels_matrix{data, element, rows ? width : 1, rows ? 1 : height, 0};
  };
  const int64_t groups = words.size() > 8 ? std::atoll(words[8].c_str()) : 1;
  const bool along_k = word(9, "") == "k";
  wavesmith_kernels_gemm_description description{};
  description.a = by(memory(m * k * size), type, layout[0] == 'k', m, elements);
  const bool gated = word(7, "") == "gated";
  const int64_t columns = gated ? 2 * n : n;  // of B
  description.b = by(memory((along_k ? 1 : groups) * columns * k * size), type_b, layout[1] != 'k',
                     type_b == type ? elements : wavesmith::kernels::elements_of(type_b, k), columns);
  description.m = m, description.n = n, description.k = k, description.batches = 1, description.alpha = 1;
  give_block_scales(description, word(7, ""), groups);
  description.d = by(memory((along_k ? groups : 1) * m * n * 4), type_d, true, m, n);
  if (word(7, "") == "scaled") {
    const auto factors = [](int64_t count) { return static_cast<float*>(memory(4 * count)); };
    description.scale_a = factors(m), description.scale_a_per_row = 1;
    description.scale_b = factors(n), description.scale_b_per_column = 1;
    description.bias = factors(n), description.bias_type = WAVESMITH_KERNELS_F32;
  }
  if (gated) description.gated = 1, description.activation = WAVESMITH_KERNELS_SILU;
  if (groups > 1) {
    std::vector<int32_t> offsets;
    for (int64_t i = 0; i <= groups; ++i)
      offsets.push_back(static_cast<int32_t>(i * (along_k ? k : m) / groups));
    description.group_offsets = on_gpu(offsets);
    description.batches = groups, description.b.batch_stride = columns * k;
    description.groups_along_k = along_k, description.d.batch_stride = m * n;
  }
  const char* const wanted = tile.empty() || tile == "-" ? nullptr : tile.c_str();
  wavesmith_kernels_gemm_workspace(&description, wanted, &description.workspace_bytes);
  if (description.workspace_bytes > 0)
    description.workspace = memory(static_cast<int64_t>(description.workspace_bytes));
  const float best = milliseconds_of([&] {
    return wanted ? wavesmith_kernels_gemm_with(&description, wanted, nullptr)
                  : wavesmith_kernels_gemm(&description, nullptr);
  });
  const char* name = "";
  wavesmith_kernels_gemm_check(&description, &name);
  std::printf("gemm %lld %lld %lld: %.2f us, %.1f TFLOP/s%s%s\n", static_cast<long long>(m),
              static_cast<long long>(n), static_cast<long long>(k), best * 1e3,
              2e-9 * static_cast<double>(m * columns * k) / static_cast<double>(best),
              wanted ? "" : ", dispatch's choice ", wanted ? "" : name);
  return 0;
}

/// Heads of so many rows that lie one behind the other in a position.
wavesmith_kernels_heads heads_of(const wavesmith_kernels_attention_description& a, int64_t rows,
                                 int64_t count, int64_t size) {
  return {memory(a.batches * rows * count * size * 2), rows * count * size, count * size, size};
}

/// The second of sizes of heads, "192/128"; 0 where there is one.
int64_t values_of(const std::string& sizes) {
  const size_t slash = sizes.find('/');
  return slash == std::string::npos ? 0 : std::atoll(&sizes[slash + 1]);
}

wavesmith_kernels_attention_description attention_of(const Words& words) {
  const auto number = [&](size_t index) { return static_cast<int64_t>(std::atoll(words[index].c_str())); };
  wavesmith_kernels_attention_description a{};
  a.batches = number(0), a.heads_q = number(1), a.heads_kv = number(2), a.length_q = number(3);
  a.length_k = number(4), a.head_size = number(5);
  a.head_size_v = values_of(words[5]);
  const int64_t size = a.head_size, size_v = a.head_size_v == 0 ? size : a.head_size_v;
  a.type = words.size() > 6 && words[6] == "f16" ? WAVESMITH_KERNELS_F16 : WAVESMITH_KERNELS_BF16;
  a.causal = words.size() > 7 && words[7] == "causal";
  a.scale = 0.125F, a.window_left = a.window_right = -1;
  a.q = heads_of(a, a.length_q, a.heads_q, size), a.o = heads_of(a, a.length_q, a.heads_q, size_v);
  a.k = heads_of(a, a.length_k, a.heads_kv, size), a.v = heads_of(a, a.length_k, a.heads_kv, size_v);
  return a;
}

/// `elements`: of heads, of all products of queries by keys.
void print_attention(const char* what, const wavesmith_kernels_attention_description& a, float best,
                     int64_t elements, const char* name) {
  const auto products = static_cast<double>(a.batches * a.heads_q * a.length_q * a.length_k * elements);
  std::printf("%s: %.2f us, %.1f TFLOP/s, %s\n", what, static_cast<double>(best) * 1e3,
              (a.causal ? 1e-9 : 2e-9) * products / static_cast<double>(best), name);
}

int attention(const Words& words) {
  const wavesmith_kernels_attention_description a = attention_of(words);
  const float best = milliseconds_of([&] { return wavesmith_kernels_attention(&a, nullptr); });
  const char* name = "";
  wavesmith_kernels_attention_check(&a, &name);
  print_attention("attention", a, best, a.head_size + (a.head_size_v == 0 ? a.head_size : a.head_size_v),
                  name);
  return 0;
}

int attention_backward(const Words& words) {
  wavesmith_kernels_attention_backward_description b{};
  auto& a = b.forward;
  a = attention_of(words);
  b.any_order = words.back() != "ordered";
  a.lse = static_cast<float*>(memory(a.batches * a.heads_q * a.length_q * 4));
  a.lse_head_stride = a.length_q, a.lse_batch_stride = a.heads_q * a.length_q;
  const auto of_q = [&] { return heads_of(a, a.length_q, a.heads_q, a.head_size); };
  const auto of_k = [&] { return heads_of(a, a.length_k, a.heads_kv, a.head_size); };
  b.d_o = of_q(), b.dq = of_q(), b.dk = of_k(), b.dv = of_k();
  wavesmith_kernels_attention_backward_workspace(&b, &b.workspace_bytes);
  b.workspace = memory(static_cast<int64_t>(b.workspace_bytes));
  const float best = milliseconds_of([&] { return wavesmith_kernels_attention_backward(&b, nullptr); });
  const char* name = "";
  wavesmith_kernels_attention_backward_check(&b, &name);
  print_attention("attention_backward", a, best, 5 * a.head_size, name);
  return 0;
}

/// Decode, all contexts of one length, in pages whose order is mixed: its time, and the bytes of K and V per
/// second. Scales of positions lie beside the cache, (blocks, page, heads), or heads before positions, or
/// inside of rows, behind each head.
int decode(const std::vector<std::string>& words) {
  const auto number = [&](size_t index) { return static_cast<int64_t>(std::atoll(words[index].c_str())); };
  wavesmith_kernels_decode_description description{};
  auto& d = description;
  d.batches = number(0), d.heads_q = number(1), d.heads_kv = number(2), d.length_q = number(3);
  d.longest_context = number(4), d.head_size = number(5), d.scale = 0.125F, d.window_left = -1;
  d.head_size_v = values_of(words[5]);
  const bool latent = d.head_size_v != 0;  // values are the first elements of keys
  d.type = type_of(words.size() > 6 ? words[6] : "bf16");
  d.page_size = words.size() > 8 ? number(8) : 16;
  const int64_t pages = (d.longest_context + d.page_size - 1) / d.page_size;
  d.blocks = d.batches * pages, d.block_table_stride = pages;
  const auto heads = [&] {
    return wavesmith_kernels_heads{memory(d.batches * d.length_q * d.heads_q * d.head_size * 2),
                                   d.length_q * d.heads_q * d.head_size, d.heads_q * d.head_size,
                                   d.head_size};
  };
  constexpr int64_t kWord = sizeof(float);
  const auto cache = [&] {
    const auto type = words.size() > 7 ? type_of(words[7]) : d.type;
    const std::string scales = words.size() > 9 ? words[9] : type == WAVESMITH_KERNELS_I8 ? "beside" : "";
    const int64_t head = d.head_size + (scales == "inside" ? kWord : 0), row = d.heads_kv * head;
    wavesmith_kernels_paged made{
        .data = memory(d.blocks * d.page_size * row * wavesmith::kernels::size_of(type)),
        .type = type,
        .block_stride = d.page_size * row,
        .row_stride = row,
        .head_stride = head};
    if (scales == "inside") {
      made.token_scales = reinterpret_cast<float*>(static_cast<char*>(made.data) + d.head_size);
      made.token_scales_block_stride = made.block_stride / kWord;
      made.token_scales_row_stride = row / kWord, made.token_scales_head_stride = head / kWord;
    } else if (!scales.empty()) {
      const bool by_heads = scales == "heads";
      made.token_scales = static_cast<float*>(memory(d.blocks * d.page_size * d.heads_kv * kWord));
      made.token_scales_block_stride = d.page_size * d.heads_kv;
      made.token_scales_row_stride = by_heads ? 1 : d.heads_kv;
      made.token_scales_head_stride = by_heads ? d.page_size : 1;
    }
    return made;
  };
  d.q = heads(), d.o = heads(), d.k = cache();
  if (!latent) d.v = cache();
  std::vector<int32_t> table, contexts(static_cast<size_t>(d.batches), static_cast<int32_t>(number(4)));
  constexpr int64_t kApart = 7919;  // a prime
  for (int64_t i = 0; i < d.blocks; ++i) table.push_back(static_cast<int32_t>(i * kApart % d.blocks));
  d.block_table = on_gpu(table), d.context_lengths = on_gpu(contexts);
  if (wavesmith_kernels_decode_workspace(&d, &d.workspace_bytes) == WAVESMITH_KERNELS_SUCCESS)
    d.workspace = memory(static_cast<int64_t>(d.workspace_bytes) + 1);
  const float best = milliseconds_of([&] { return wavesmith_kernels_decode(&d, nullptr); });
  const char* name = "";
  wavesmith_kernels_decode_check(&d, &name);
  const double bytes = (latent ? 1 : 2) *
                       static_cast<double>(d.batches * d.longest_context * d.heads_kv * d.head_size) *
                       static_cast<double>(wavesmith::kernels::size_of(d.k.type));
  std::printf("decode: %.2f us, %.1f GB/s of K and V, %s, workspace of %zu bytes\n",
              static_cast<double>(best) * 1e3, bytes / static_cast<double>(best) * 1e-6, name,
              d.workspace_bytes);
  return 0;
}

/// Lines one behind the other; the time against what it has to move.
int fft(const std::vector<std::string>& words) {
  static constexpr const char *kTypes[] = {"f32", "f64"}, *kKinds[] = {"complex", "from_real", "to_real"};
  const bool wide = words.size() > 2 && index_of(words[2], kTypes, "type") == 1;
  wavesmith_fft_description d{};
  d.kind = static_cast<wavesmith_fft_kind>(words.size() > 3 ? index_of(words[3], kKinds, "kind") : 0);
  d.dimensions = 2, d.scale = 1;
  d.sizes[0] = std::atoll(words[0].c_str()), d.sizes[1] = std::atoll(words[1].c_str());
  int64_t moved = 0;
  const auto side = [&](wavesmith_fft_kind real) {
    const bool is_half = d.kind != real && d.kind != WAVESMITH_FFT_COMPLEX, is_real = d.kind == real;
    const int64_t part = wide ? 8 : 4, number = is_real ? part : 2 * part,
                  line = number * (is_half ? d.sizes[0] / 2 + 1 : d.sizes[0]);
    wavesmith_pointwise_operand made{};
    moved += line * d.sizes[1];
    made.data = memory(line * d.sizes[1]);
    made.type = is_real ? (wide ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32)
                        : (wide ? WAVESMITH_POINTWISE_C128 : WAVESMITH_POINTWISE_C64);
    made.strides[0] = number, made.strides[1] = line;
    return made;
  };
  d.x = side(WAVESMITH_FFT_FROM_REAL), d.y = side(WAVESMITH_FFT_TO_REAL);
  d.workspace_bytes = wavesmith_kernels_fft_workspace(&d);
  d.workspace = memory(static_cast<int64_t>(d.workspace_bytes) + 1);
  const float best = milliseconds_of([&] { return wavesmith_kernels_fft(&d, nullptr); });
  std::printf("fft: %.2f us, %.1f GB/s, workspace of %zu bytes\n", static_cast<double>(best) * 1e3,
              static_cast<double>(moved) / static_cast<double>(best) * 1e-6, d.workspace_bytes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  if (argc > 4 && std::strcmp(argv[1], "gemm") == 0) return gemm(words);
  if (argc > 7 && std::strcmp(argv[1], "attention") == 0) return attention(words);
  if (argc > 7 && std::strcmp(argv[1], "attention_backward") == 0) return attention_backward(words);
  if (argc > 7 && std::strcmp(argv[1], "decode") == 0) return decode(words);
  if (argc > 3 && std::strcmp(argv[1], "transpose") == 0) return transpose(words);
  if (argc > 3 && std::strcmp(argv[1], "fft") == 0) return fft(words);
  static constexpr std::pair<const char*, int (*)(const Words&)> kOthers[] = {
      {"convolution", convolution},
      {"cross_entropy", cross_entropy},
      {"linear_cross_entropy", linear_cross_entropy},
      {"adam", adam},
      {"experts", experts},
      {"topk", topk},
      {"gather", gather},
      {"expert_sort", expert_sort},
      {"combine", combine},
      {"combine_backward", combine_backward},
      {"router", router},
      {"router_backward", router_backward},
      {"sample", sample},
      {"verify", verify},
      {"all_reduce", all_reduce}};
  for (const auto& [name, run] : kOthers)
    if (argc > 3 && std::strcmp(argv[1], name) == 0) return run(words);
  if (argc > 3 && std::string(argv[1]).ends_with("_backward")) return rows_backward(argv[1], words);
  const bool of_rows = argc > 1 && std::strcmp(argv[1], "gemm") != 0 &&
                       std::strncmp(argv[1], "attention", 9) != 0 && std::strcmp(argv[1], "decode") != 0;
  if (argc > 3 && of_rows) return rows(argv[1], words);
  constexpr const char* kWorks[] = {
      "gemm M N K [TYPE] [kk|mk|kn|mn] [TILE[/PARTS|/stream]|-] [OUTPUT TYPE]\n"
      "          [plain|scaled|gated|blocks|squares|zeros] [GROUPS] [k]",
      "norm|layernorm|addnorm|softmax|gate ROWS COLUMNS [f32|f16|bf16] [QUANTISED TYPE] [SCALING]",
      "norm_backward|layernorm_backward|softmax_backward|gate_backward ROWS COLUMNS [f32|f16|bf16]",
      "reduce ROWS COLUMNS [f32|f16|bf16] [rows|columns|all]",
      "transpose ROWS COLUMNS [TYPE] [TYPE OF THE RESULT] [copy] [BATCHES]",
      "elementwise ROWS COLUMNS [f32|f16|bf16] [add|...|square]",
      "quantise|dequantise ROWS COLUMNS [f32|f16|bf16] [QUANTISED TYPE]\n"
      "          [unscaled|given|matrix|row|block|mx] [BLOCK]",
      "attention|attention_backward BATCHES HEADS HEADS_KV LENGTH_Q LENGTH_K\n"
      "          HEAD_SIZE[/HEAD_SIZE_V] [bf16|f16] [causal|full] [ordered]",
      "decode BATCHES HEADS HEADS_KV LENGTH_Q CONTEXT HEAD_SIZE[/HEAD_SIZE_V] [bf16|f16]\n"
      "          [CACHE TYPE] [PAGE] [beside|heads|inside]",
      "fft LENGTH BATCHES [f32|f64] [complex|from_real|to_real]",
      "convolution IMAGES CHANNELS SIDE OUTPUTS WINDOW [TYPE] [nhwc|nchw] [output|input|weights]\n"
      "          [STEP] [GROUPS]",
      "cross_entropy ROWS CLASSES [TYPE] [gradient]",
      "linear_cross_entropy ROWS FEATURES CLASSES [TYPE] [gradient]",
      "adam ARRAYS ELEMENTS [TYPE]",
      "experts TOKENS HIDDEN INTERMEDIATE EXPERTS [TOP] [TYPE] [apart|ungated|blocks|blocks-apart]",
      "topk ROWS COLUMNS MOST [TYPE]",
      "gather ROWS COLUMNS [TYPE] [add]",
      "expert_sort TOKENS EXPERTS [CHOICES]",
      "combine TOKENS COLUMNS [CHOICES] [TYPE]",
      "combine_backward ROWS COLUMNS [TYPE]",
      "router|router_backward TOKENS EXPERTS [CHOSEN] [softmax|sigmoid] [TYPE] [GROUPS KEPT]",
      "sample ROWS VOCABULARY [plain|greedy|topk|topp|both]",
      "verify BATCH VOCABULARY [DRAFTS]",
      "all_reduce RANKS ROWS COLUMNS [f16|bf16] [norm|apart|plain] [any|once|slices]",
  };
  const char* before = "usage: ";
  for (const char* const work : kWorks) {
    std::fprintf(stderr, "%s%s %s\n", before, argv[0], work);
    before = "       ";
  }
  return 2;
}
