// The operations: each row says what it takes, in what form people ask, and how its model is called.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/attention.h"
#include "model/convolution.h"
#include "model/elementwise.h"
#include "model/gemm/gemm.h"
#include "model/library/collectives.h"
#include "model/library/library_operations.h"
#include "model/moe.h"
#include "model/norm.h"
#include "model/operation.h"

namespace wavesmith::model {
namespace {

using Kind = Parameter::Kind;

uint64_t whole(double value) { return static_cast<uint64_t>(value); }

/// What a GPU would do with a type that its matrix instructions do not know: the first note, for a summary
/// shows the first ones only.
void note_type(const gpus::Gpu& gpu, NumberType type, OperationPrediction& predicted) {
  if (matrix_flops(gpu, type) != 0) return;
  const NumberType instead = computed_as(gpu, type);
  const std::string how = instead == type
                              ? "vector instructions would do it"
                              : fmt::format("numbers would be widened to {} ({} of its FLOP a clock)",
                                            name_of(instead), matrix_flops(gpu, instead));
  std::vector<std::string>& notes = predicted.prediction.notes;
  notes.insert(notes.begin(),
               fmt::format("{} has no matrix instruction for {}: {}", gpu.name, name_of(type), how));
}

Result<OperationPrediction> gemm(const gpus::Gpu& gpu, const Arguments& arguments,
                                 const Conditions& conditions) {
  GemmProblem problem;
  problem.m = whole(arguments.size("m")), problem.n = whole(arguments.size("n")),
  problem.k = whole(arguments.size("k"));
  problem.batch = whole(arguments.size("batch"));
  if (const std::string groups = arguments.text("groups"); !groups.empty()) {
    if (problem.m != 0) return fail(ErrorKind::BadInput, "--m and --groups are one or the other");
    for (size_t at = 0; at <= groups.size();) {
      const size_t end = std::min(groups.find('+', at), groups.size());
      uint64_t rows = 0;
      const auto [last, code] = std::from_chars(groups.data() + at, groups.data() + end, rows);
      if (code != std::errc() || last != groups.data() + end || rows > 1'000'000'000)
        return fail(ErrorKind::BadInput, fmt::format("--groups {} is not a list of rows", groups), {},
                    "write 128+7+512");
      if (rows > 0) problem.groups.push_back(rows);
      at = end + 1;
    }
  } else if (problem.m == 0) {
    return fail(ErrorKind::BadInput, "--m is missing or 0: there is nothing to do", {},
                "sizes are at least 1; or give --groups 128+7+512");
  }
  problem.a = problem.b = arguments.type("dtype");
  if (arguments.given("b-dtype")) problem.b = arguments.type("b-dtype");
  problem.c = arguments.given("c-dtype") ? arguments.type("c-dtype")
              : bits_of(problem.a) < 16  ? NumberType::BF16
                                         : problem.a;
  problem.block_scale = static_cast<uint32_t>(arguments.size("block-scale"));
  problem.a_transposed = arguments.text("layout")[0] == 't';
  problem.b_transposed = arguments.text("layout")[1] == 't';
  std::optional<GemmKernel> kernel;
  if (arguments.size("split-k") > 1 || arguments.given("tile-m")) {
    kernel.emplace();
    kernel->tile_m = static_cast<uint32_t>(arguments.size("tile-m"));
    kernel->tile_n = static_cast<uint32_t>(arguments.size("tile-n"));
    kernel->tile_k = static_cast<uint32_t>(arguments.size("tile-k"));
    kernel->split_k = std::max(1u, static_cast<uint32_t>(arguments.size("split-k")));
  }
  // A type without an instruction is computed in the next wider one.
  if (const NumberType instead = computed_as(gpu, problem.a); instead != problem.a) problem.compute = instead;
  Result<GemmPrediction> got = predict_gemm(gpu, problem, kernel, conditions);
  if (!got) return tl::unexpected(got.error());
  OperationPrediction predicted{*got, {}};
  predicted.facts = {
      {"tile", fmt::format("{}x{}x{}{}", got->kernel.tile_m, got->kernel.tile_n, got->kernel.tile_k,
                           got->chosen ? ", chosen" : "")},
      {"split of K", fmt::to_string(got->kernel.split_k)},
      {"workgroups", fmt::format("{} in {:.2f} rounds", got->tiles, got->waves)},
      {"wave quantisation", fmt::format("{:.1f} % of the rounds has work", 100 * got->quantisation)},
      {"useful", fmt::format("{:.1f} % of the tiles is no padding", 100 * got->useful)},
  };
  note_type(gpu, problem.a, predicted);
  return predicted;
}

Result<OperationPrediction> plain(Result<Prediction> got) {
  if (!got) return tl::unexpected(got.error());
  return OperationPrediction{std::move(*got), {}};
}

ElementwiseFunction elementwise_function(std::string_view name) {
  if (name == "copy" || name == "cast") return ElementwiseFunction::Copy;
  if (name == "div") return ElementwiseFunction::Divide;
  if (name == "pow") return ElementwiseFunction::Power;
  if (name == "exp" || name == "gelu" || name == "silu" || name == "tanh" || name == "sigmoid" ||
      name == "rope")
    return ElementwiseFunction::Transcendental;
  return ElementwiseFunction::Add;
}

Result<OperationPrediction> elementwise_operation(const gpus::Gpu& gpu, const Arguments& arguments,
                                                  const Conditions& conditions) {
  return plain(predict_elementwise(
      gpu,
      elementwise(arguments.size("elements"), static_cast<uint32_t>(arguments.size("operands")),
                  arguments.type("dtype"), elementwise_function(arguments.text("function"))),
      conditions));
}

Result<OperationPrediction> copy(const gpus::Gpu& gpu, const Arguments& arguments,
                                 const Conditions& conditions) {
  const double bytes = arguments.size("bytes");
  const std::string direction = arguments.text("what");
  ElementwiseProblem problem{.elements = std::max(1.0, bytes / 16), .read = bytes, .written = bytes};
  if (direction == "read") problem.written = 0;
  if (direction == "write") problem.read = 0, problem.operands = 0;
  return plain(predict_elementwise(gpu, problem, conditions));
}

Result<OperationPrediction> transpose(const gpus::Gpu& gpu, const Arguments& arguments,
                                      const Conditions& conditions) {
  ElementwiseProblem problem = elementwise(arguments.size("rows") * arguments.size("columns"), 1,
                                           arguments.type("dtype"), ElementwiseFunction::Copy);
  problem.strided = arguments.on("naive");
  return plain(predict_elementwise(gpu, problem, conditions));
}

Result<OperationPrediction> reduce(const gpus::Gpu& gpu, const Arguments& arguments,
                                   const Conditions& conditions) {
  const NumberType type = arguments.type("dtype");
  const double rows = arguments.size("rows"), columns = arguments.size("columns");
  return plain(predict_elementwise(gpu,
                                   {.elements = rows * columns,
                                    .read = rows * columns * bytes_of(type),
                                    .written = rows * bytes_of(type),
                                    .function = ElementwiseFunction::Add,
                                    .reduces = true},
                                   conditions));
}

Result<OperationPrediction> norm(const gpus::Gpu& gpu, const Arguments& arguments,
                                 const Conditions& conditions) {
  return plain(predict_rows(gpu,
                            {.operation = *row_operation(arguments.text("kind")),
                             .rows = arguments.size("rows"),
                             .columns = arguments.size("columns"),
                             .type = arguments.type("dtype"),
                             .residual = arguments.on("residual"),
                             .backward = arguments.on("backward"),
                             .tuned = arguments.text("kernel") == "tuned"},
                            conditions));
}

Result<OperationPrediction> softmax(const gpus::Gpu& gpu, const Arguments& arguments,
                                    const Conditions& conditions) {
  return plain(predict_rows(gpu,
                            {.operation = RowOperation::Softmax,
                             .rows = arguments.size("rows"),
                             .columns = arguments.size("columns"),
                             .type = arguments.type("dtype"),
                             .backward = arguments.on("backward"),
                             .tuned = arguments.text("kernel") == "tuned"},
                            conditions));
}

OperationPrediction with_workgroups(AttentionPrediction got, std::string_view tile) {
  OperationPrediction predicted{got, {}};
  predicted.facts = {
      {std::string(tile), fmt::format("{:.0f}", got.tile)},
      {"workgroups", fmt::format("{:.0f} in {:.2f} rounds", got.workgroups, got.rounds)},
  };
  return predicted;
}

Result<OperationPrediction> attention(const gpus::Gpu& gpu, const Arguments& arguments,
                                      const Conditions& conditions) {
  AttentionProblem problem{.batch = arguments.size("batch"),
                           .heads = arguments.size("heads"),
                           .queries = arguments.size("queries"),
                           .head_size = arguments.size("head-size"),
                           .causal = arguments.on("causal"),
                           .backward = arguments.on("backward"),
                           .atomic_f32 = arguments.on("atomic-f32"),
                           .type = arguments.type("dtype"),
                           .kernel = *attention_kernel(arguments.text("kernel"))};
  problem.kv_heads = arguments.size("kv-heads") > 0 ? arguments.size("kv-heads") : problem.heads;
  problem.keys = arguments.size("keys") > 0 ? arguments.size("keys") : problem.queries;
  problem.value_size = arguments.size("value-size") > 0 ? arguments.size("value-size") : problem.head_size;
  Result<AttentionPrediction> got = predict_attention(gpu, problem, conditions);
  if (!got) return tl::unexpected(got.error());
  return with_workgroups(std::move(*got), "rows a workgroup");
}

Result<OperationPrediction> decode_with(const gpus::Gpu& gpu, const Arguments& arguments,
                                        const Conditions& conditions, bool latent) {
  DecodeProblem problem{.batch = arguments.size("batch"),
                        .heads = arguments.size("heads"),
                        .context = arguments.size("context"),
                        .queries = arguments.size("queries"),
                        .latent = latent,
                        .splits = arguments.size("splits"),
                        .type = arguments.type("dtype")};
  if (latent) {
    problem.kv_heads = 1;
    problem.head_size = arguments.size("latent-size") + arguments.size("rotary-size");
    problem.value_size = arguments.size("latent-size");
  } else {
    problem.kv_heads = arguments.size("kv-heads");
    problem.head_size = problem.value_size = arguments.size("head-size");
    if (arguments.given("page")) problem.page = arguments.size("page");
    if (problem.kv_heads > problem.heads || std::fmod(problem.heads, problem.kv_heads) != 0)
      return fail(ErrorKind::BadInput,
                  fmt::format("{} heads cannot share {} heads of K and V", problem.heads, problem.kv_heads),
                  {}, "the heads are a multiple of the KV heads");
  }
  Result<AttentionPrediction> got = predict_decode(gpu, problem, conditions);
  if (!got) return tl::unexpected(got.error());
  return with_workgroups(std::move(*got), "tokens a workgroup");
}
Result<OperationPrediction> decode(const gpus::Gpu& gpu, const Arguments& arguments,
                                   const Conditions& conditions) {
  return decode_with(gpu, arguments, conditions, false);
}
Result<OperationPrediction> mla(const gpus::Gpu& gpu, const Arguments& arguments,
                                const Conditions& conditions) {
  return decode_with(gpu, arguments, conditions, true);
}

Result<OperationPrediction> delta_rule(const gpus::Gpu& gpu, const Arguments& arguments,
                                       const Conditions& conditions) {
  return plain(predict_recurrent(
      gpu,
      {.batch = arguments.size("batch"),
       .heads = arguments.size("heads"),
       .key_heads = arguments.size("key-heads") > 0 ? arguments.size("key-heads") : arguments.size("heads"),
       .key_size = arguments.size("key-size"),
       .value_size = arguments.size("value-size"),
       .tokens = arguments.size("tokens"),
       .type = arguments.type("dtype"),
       .state = arguments.type("state-dtype")},
      conditions));
}

Result<OperationPrediction> moe(const gpus::Gpu& gpu, const Arguments& arguments,
                                const Conditions& conditions) {
  MoeProblem problem{
      .tokens = arguments.size("tokens"),
      .experts = arguments.size("experts"),
      .chosen = arguments.size("topk"),
      .model_size = arguments.size("model-size"),
      .inner_size = arguments.size("inner-size"),
      .gated = !arguments.on("ungated"),
      .activations = arguments.type("dtype"),
      .weights = arguments.given("weights") ? arguments.type("weights") : arguments.type("dtype"),
      .block_scale = static_cast<uint32_t>(arguments.size("block-scale")),
      .block = arguments.size("block"),
      .one_kernel = arguments.text("kernel") == "one",
      .composable_kernel = arguments.text("kernel") == "ck"};
  const std::string stage = arguments.text("stage");
  problem.stage = stage == "first" ? MoeStage::First : stage == "second" ? MoeStage::Second : MoeStage::Both;
  Result<MoePrediction> got = predict_moe(gpu, problem, conditions);
  if (!got) return tl::unexpected(got.error());
  OperationPrediction predicted{*got, {}};
  predicted.facts = {
      {"experts with tokens", fmt::format("{:.1f}", got->active)},
      {"blocks",
       fmt::format("{:.0f} of {:.0f} rows, {:.0f} % no padding", got->blocks, got->block, 100 * got->useful)},
  };
  return predicted;
}

Result<OperationPrediction> convolution(const gpus::Gpu& gpu, const Arguments& arguments,
                                        const Conditions& conditions) {
  ConvolutionProblem problem{.batch = arguments.size("batch"),
                             .channels = arguments.size("channels"),
                             .filters = arguments.size("filters"),
                             .depth = arguments.size("depth"),
                             .height = arguments.size("height"),
                             .filter_depth = arguments.size("filter-depth"),
                             .filter_height = arguments.size("filter"),
                             .filter_width = arguments.size("filter-width"),
                             .stride = arguments.size("stride"),
                             .padding = arguments.size("padding"),
                             .groups = arguments.size("groups"),
                             .type = arguments.type("dtype"),
                             .channels_last = arguments.text("layout") == "nhwc",
                             .backward = arguments.on("backward"),
                             .of_filters = arguments.text("gradient") == "filters"};
  if (problem.filter_width == 0) problem.filter_width = problem.filter_height;
  problem.width = arguments.size("width") > 0 ? arguments.size("width") : problem.height;
  return plain(predict_convolution(gpu, problem, conditions));
}

Result<OperationPrediction> collective_operation(const gpus::Gpu& gpu, const Arguments& arguments,
                                                 const Conditions&) {
  return plain(predict_collective(gpu, {.operation = *collective(arguments.text("what")),
                                        .ranks = arguments.size("ranks"),
                                        .bytes = arguments.size("bytes"),
                                        .kernel = *collective_kernel(arguments.text("kernel")),
                                        .flagged = !arguments.on("signals")}));
}

const Parameter kType{"dtype", "number type of the operands", Kind::Type, "bf16"};
const Parameter kRows{"rows", "rows, each reduced on its own"};
const Parameter kColumns{"columns", "numbers in a row"};
const Parameter kRowsKernel{"kernel",
                            "whose kernel: written for it (AITER, Composable Kernel), or PyTorch's own",
                            Kind::Choice, "tuned", "tuned torch"};
const Parameter kBackward{"backward", "the gradient's kernel", Kind::Switch, ""};

// What the command line and Python are told of each.

Operation about_gemm() {
  return {
      "gemm",
      "matrix multiplication C[M,N] = A[M,K] B[K,N]",
      {{"m", "rows of A and C", Kind::Size, "0"},
       {"n", "columns of B and C"},
       {"k", "columns of A, rows of B"},
       {"batch", "independent problems of that size", Kind::Size, "1"},
       {"groups", "instead of m: the rows of each group, joined by +, as in 128+7+512; N and K are shared",
        Kind::Text},
       kType,
       {"b-dtype", "type of B, where it differs", Kind::Type, "bf16"},
       {"c-dtype", "type of C; bf16 for operands of 8 bits and less", Kind::Type, "bf16"},
       {"layout", "BLAS letters of A and B: t has K contiguous in A", Kind::Choice, "tn", "tn nn nt tt"},
       {"block-scale", "one scale for so many numbers along K; 0: none", Kind::Size, "0"},
       {"split-k", "workgroups that share a tile; 0: chosen", Kind::Size, "0"},
       {"tile-m", "rows of a workgroup's tile; 0: chosen", Kind::Size, "0"},
       {"tile-n", "columns of a workgroup's tile", Kind::Size, "0"},
       {"tile-k", "depth of a tile's step", Kind::Size, "0"}},
      "--m 4096 --n 4096 --k 4096 --dtype bf16 --gpu mi300x,mi355x,rx9070xt\n"
      "--m 1024:16384:1024 --n 8192 --k 8192 --dtype fp8 --gpu mi355x --plot gemm.svg\n"
      "--m 16 --n 7168 --k 2048 --dtype fp8 --block-scale 128 --gpu mi300x\n"
      "--groups 512+128+1024+64 --n 4096 --k 7168 --gpu mi355x\n",
      gemm};
}

Operation about_attention() {
  return {
      "attention",
      "softmax(Q K^T) V, forward and backward",
      {{"batch", "sequences", Kind::Size, "1"},
       {"heads", "of Q"},
       {"kv-heads", "of K and V; 0: as many", Kind::Size, "0"},
       {"queries", "tokens of a sequence", Kind::Size, "", {}, "length"},
       {"keys", "tokens that are looked at; 0: as many", Kind::Size, "0"},
       {"head-size", "of Q and K", Kind::Size, "128"},
       {"value-size", "of V; 0: as of K", Kind::Size, "0"},
       kType,
       {"causal", "no token looks ahead", Kind::Switch, ""},
       kBackward,
       {"atomic-f32", "backward: dQ is summed in f32", Kind::Switch, ""},
       {"kernel", "whose kernel", Kind::Choice, "aiter", "aiter hipkittens opus ck triton torch tilelang"}},
      "--heads 64 --kv-heads 8 --length 8192 --causal --gpu mi300x,mi355x,h100\n"
      "--batch 4 --heads 32 --length 1024:65536:*2 --gpu mi300x,mi355x --plot attention.svg\n"
      "--batch 4 --heads 32 --length 8192 --backward --gpu mi300x\n",
      attention};
}

Operation about_decode() {
  return {"decode",
          "attention of one new token a sequence against a cache, paged or not, split along the context",
          {{"batch", "sequences"},
           {"context", "tokens in the cache of each"},
           {"heads", "of Q", Kind::Size, "64"},
           {"kv-heads", "of K and V", Kind::Size, "8"},
           {"head-size", "of K and V", Kind::Size, "128"},
           {"queries", "new tokens a sequence", Kind::Size, "1"},
           {"splits", "parts of the context; 0: chosen", Kind::Size, "0"},
           kType},
          "--batch 32 --context 8192 --gpu mi300x,mi355x\n--batch 1:256:*2 --context 32768 --gpu mi355x\n",
          decode};
}

Operation about_paged() {
  return {"paged",
          "the same against a cache in pages",
          {{"batch", "sequences"},
           {"context", "tokens in the cache of each"},
           {"heads", "of Q", Kind::Size, "64"},
           {"kv-heads", "of K and V", Kind::Size, "8"},
           {"head-size", "of K and V", Kind::Size, "128"},
           {"queries", "new tokens a sequence", Kind::Size, "1"},
           {"page", "tokens a page", Kind::Size, "16"},
           {"splits", "parts of the context; 0: chosen", Kind::Size, "0"},
           kType},
          "--batch 64 --context 4096 --page 16 --gpu mi300x\n",
          decode};
}

Operation about_mla() {
  return {"mla",
          "decoding with multi-head latent attention: all heads share one cache row",
          {{"batch", "sequences"},
           {"context", "tokens in the cache of each"},
           {"heads", "of Q", Kind::Size, "128"},
           {"latent-size", "numbers that K and V share", Kind::Size, "512"},
           {"rotary-size", "numbers of K beside", Kind::Size, "64"},
           {"queries", "new tokens a sequence", Kind::Size, "1"},
           {"splits", "parts of the context; 0: chosen", Kind::Size, "0"},
           kType},
          "--batch 64 --context 16384 --heads 128 --gpu mi300x,mi350x\n",
          mla};
}

Operation about_delta_rule() {
  return {"delta-rule",
          "a step of a recurrent state (gated delta rule, linear attention)",
          {{"batch", "sequences"},
           {"heads", "of V and of the state"},
           {"key-heads", "of K; 0: as many", Kind::Size, "0"},
           {"key-size", "rows of a head's state", Kind::Size, "128"},
           {"value-size", "columns of a head's state", Kind::Size, "128"},
           {"tokens", "steps a sequence", Kind::Size, "1"},
           kType,
           {"state-dtype", "type of the state", Kind::Type, "f32"}},
          "--batch 128 --heads 32 --gpu mi355x\n",
          delta_rule};
}

Operation about_moe() {
  return {
      "moe",
      "a mixture of experts: sorted tokens through two grouped matrix multiplications",
      {{"tokens", "in all"},
       {"experts", "on this GPU"},
       {"topk", "experts a token goes to"},
       {"model-size", "numbers of a token"},
       {"inner-size", "numbers between the two multiplications"},
       kType,
       {"weights", "type of the weights, where it differs", Kind::Type, "bf16"},
       {"block-scale", "one scale for so many numbers (32, 128); 0: by tensor or token", Kind::Size, "0"},
       {"block", "rows of a sorted block; 0: chosen", Kind::Size, "0"},
       {"stage", "which multiplication", Kind::Choice, "both", "both first second"},
       {"kernel",
        "whose kernel: written for it (assembly, FlyDSL), one of these for both multiplications, or "
        "Composable "
        "Kernel's",
        Kind::Choice, "tuned", "tuned one ck"},
       {"ungated", "no gate: half of the first multiplication", Kind::Switch, ""}},
      "--tokens 64 --experts 256 --topk 8 --model-size 7168 --inner-size 256 --dtype fp8 --block-scale 128 "
      "--gpu "
      "mi300x,mi355x\n"
      "--tokens 1:32768:*4 --experts 128 --topk 8 --model-size 4096 --inner-size 1536 --dtype fp4 "
      "--block-scale 32 --gpu "
      "mi355x\n",
      moe};
}

Operation about_conv() {
  return {"conv",
          "a convolution in two or three dimensions",
          {{"batch", "images", Kind::Size, "1"},
           {"channels", "of the input"},
           {"filters", "channels of the result"},
           {"height", "of the input"},
           {"width", "of the input; 0: as its height", Kind::Size, "0"},
           {"depth", "of the input, in three dimensions", Kind::Size, "1"},
           {"filter", "height and width of a filter", Kind::Size, "3"},
           {"filter-width", "its width, where it differs; 0: as its height", Kind::Size, "0"},
           {"filter-depth", "depth of a filter", Kind::Size, "1"},
           {"stride", "pixels from one place of the filter to the next", Kind::Size, "1"},
           {"padding", "pixels on each side", Kind::Size, "0"},
           {"groups", "that do not see each other's channels", Kind::Size, "1"},
           kType,
           {"layout", "where the channels stand", Kind::Choice, "nhwc", "nhwc nchw"},
           {"gradient", "one of the gradients alone: that of the filters has its pixels along K",
            Kind::Choice, "none", "none input filters"},
           {"backward", "both gradients", Kind::Switch, ""}},
          "--batch 32 --channels 256 --filters 256 --height 56 --padding 1 --gpu mi300x\n",
          convolution};
}

Operation about_allreduce() {
  return {
      "allreduce",
      "all-reduce and other collectives over the links of a node",
      {{"bytes", "of the buffer on each GPU"},
       {"ranks", "GPUs", Kind::Size, "8"},
       {"what", "which one", Kind::Choice, "all-reduce",
        "all-reduce all-gather reduce-scatter all-to-all broadcast send"},
       {"kernel", "how", Kind::Choice, "auto", "auto ring tree one-shot two-shot"},
       {"signals", "signals of their own tell of the data (vLLM, SGLang); otherwise flags within it (RCCL)",
        Kind::Switch, ""}},
      "--bytes 128MiB --gpu mi300x,mi355x,h100\n--bytes 1KiB:1GiB:*8 --ranks 8 --gpu mi300x --csv "
      "allreduce.csv\n",
      collective_operation};
}

Operation about_norm() {
  return {"norm",
          "layer, RMS, group and batch normalisation",
          {kRows,
           kColumns,
           {"kind", "what is normalised", Kind::Choice, "rms", "layer rms group batch"},
           kType,
           {"residual", "another array is added before, and the sum written too", Kind::Switch, ""},
           kBackward,
           kRowsKernel},
          "--rows 16384 --columns 8192 --residual --gpu mi300x,mi355x\n"
          "--rows 1:65536:*4 --columns 4096 --kind layer --gpu mi355x\n",
          norm};
}

Operation about_softmax() {
  return {"softmax",
          "softmax of each row",
          {kRows, kColumns, kType, kBackward, kRowsKernel},
          "--rows 32768 --columns 8192 --gpu mi355x\n",
          softmax};
}

Operation about_elementwise() {
  return {"elementwise",
          "a function of each element of one or more arrays",
          {{"elements", "numbers in the result"},
           {"operands", "arrays that are read", Kind::Size, "1"},
           {"function", "what is computed", Kind::Choice, "add",
            "copy cast add mul relu div exp gelu silu tanh sigmoid rope pow"},
           kType},
          "--elements 67108864 --operands 2 --function add --gpu mi300x\n"
          "--elements 1024:268435456:*4 --function gelu --gpu mi210,mi300x,mi355x --plot gelu.svg\n",
          elementwise_operation};
}

Operation about_copy() {
  return {
      "copy",
      "a copy, fill or read in the GPU's memory",
      {{"bytes", "of the array"}, {"what", "what is done with it", Kind::Choice, "copy", "copy read write"}},
      "--bytes 1073741824 --gpu mi300x,mi300a\n--bytes 4096:1073741824:*4 --what read --gpu mi355x --csv "
      "read.csv\n",
      copy};
}

Operation about_transpose() {
  return {"transpose",
          "a matrix written with rows and columns exchanged",
          {kRows, kColumns, kType, {"naive", "not through LDS", Kind::Switch, ""}},
          "--rows 8192 --columns 8192 --dtype fp16 --gpu mi300x\n",
          transpose};
}

Operation about_reduce() {
  return {"reduce",
          "sums, maxima or means of each row",
          {{"rows", "results", Kind::Size, "1"}, {"columns", "numbers behind each result"}, kType},
          "--columns 67108864 --dtype f32 --gpu mi300x\n",
          reduce};
}

}  // namespace

std::span<const Operation> operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> every{
        about_gemm(),       about_attention(),   about_decode(), about_paged(),     about_mla(),
        about_delta_rule(), about_moe(),         about_conv(),   about_allreduce(), about_norm(),
        about_softmax(),    about_elementwise(), about_copy(),   about_transpose(), about_reduce(),
    };
    for (Operation& one : library_operations()) every.push_back(std::move(one));
    return every;
  }();
  return all;
}

}  // namespace wavesmith::model
