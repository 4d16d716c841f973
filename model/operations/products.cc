// Operations that multiply matrices: products, mixtures of experts, convolutions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/convolution.h"
#include "model/gemm/gemm.h"
#include "model/moe.h"
#include "model/operations/rows.h"

namespace wavesmith::model {
namespace {

using Kind = Parameter::Kind;

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
  if (arguments.text("library") != "any") problem.library = arguments.text("library");
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
       {"library", "whose kernels it gets", Kind::Choice, "any", "any rocBLAS hipBLASLt"},
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

}  // namespace

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

std::vector<Operation> product_operations() { return {about_gemm(), about_moe(), about_conv()}; }

}  // namespace wavesmith::model
