// The operations: each row says what it takes, in what form people ask, and how its model is called.
#include <fmt/format.h>

#include <cmath>

#include "model/elementwise.h"
#include "model/gemm.h"
#include "model/norm.h"
#include "model/operation.h"

namespace wavesmith::model {
namespace {

using Kind = Parameter::Kind;

uint64_t whole(double value) { return static_cast<uint64_t>(value); }

/// What a GPU would do with a type that its matrix instructions do not know.
void note_type(const gpus::Gpu& gpu, NumberType type, Answer& answer) {
  if (matrix_flops(gpu, type) != 0) return;
  for (const NumberType instead : {NumberType::F8, NumberType::BF16, NumberType::F16, NumberType::F32})
    if (bits_of(instead) >= bits_of(type) && matrix_flops(gpu, instead) != 0) {
      answer.prediction.notes.push_back(fmt::format(
          "{} has no matrix instruction for {}: numbers would be widened to {} ({} of its FLOP a clock)",
          gpu.name, name_of(type), name_of(instead), matrix_flops(gpu, instead)));
      return;
    }
  answer.prediction.notes.push_back(fmt::format(
      "{} has no matrix instruction for {}: vector instructions would do it", gpu.name, name_of(type)));
}

Result<Answer> gemm(const gpus::Gpu& gpu, const Arguments& arguments, const Conditions& conditions) {
  GemmProblem problem;
  problem.m = whole(arguments.size("m")), problem.n = whole(arguments.size("n")),
  problem.k = whole(arguments.size("k"));
  problem.batch = whole(arguments.size("batch"));
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
  if (matrix_flops(gpu, problem.a) == 0 && bits_of(problem.a) < 32) {
    for (const NumberType instead : {NumberType::F8, NumberType::BF16, NumberType::F16})
      if (!problem.compute && bits_of(instead) >= bits_of(problem.a) && matrix_flops(gpu, instead) != 0)
        problem.compute = instead;
  }
  Result<GemmPrediction> got = predict_gemm(gpu, problem, kernel, conditions);
  if (!got) return tl::unexpected(got.error());
  Answer answer{*got, {}};
  answer.facts = {
      {"tile", fmt::format("{}x{}x{}{}", got->kernel.tile_m, got->kernel.tile_n, got->kernel.tile_k,
       got->chosen ? ", chosen" : "")},
      {"split of K", fmt::to_string(got->kernel.split_k)},
      {"workgroups", fmt::format("{} in {:.2f} rounds", got->tiles, got->waves)},
      {"wave quantisation", fmt::format("{:.1f} % of the rounds has work", 100 * got->quantisation)},
      {"useful", fmt::format("{:.1f} % of the tiles is no padding", 100 * got->useful)},
  };
  note_type(gpu, problem.a, answer);
  return answer;
}

Result<Answer> plain(Result<Prediction> got) {
  if (!got) return tl::unexpected(got.error());
  return Answer{std::move(*got), {}};
}

Function function_named(std::string_view name) {
  if (name == "copy" || name == "cast") return Function::Copy;
  if (name == "div") return Function::Divide;
  if (name == "pow") return Function::Power;
  if (name == "exp" || name == "gelu" || name == "silu" || name == "tanh" || name == "sigmoid" ||
      name == "rope")
    return Function::Transcendental;
  return Function::Add;
}

Result<Answer> elementwise_operation(const gpus::Gpu& gpu, const Arguments& arguments,
                                     const Conditions& conditions) {
  return plain(predict_elementwise(
      gpu,
      elementwise(arguments.size("elements"), static_cast<uint32_t>(arguments.size("operands")),
                  arguments.type("dtype"), function_named(arguments.text("function"))),
      conditions));
}

Result<Answer> copy(const gpus::Gpu& gpu, const Arguments& arguments, const Conditions& conditions) {
  const double bytes = arguments.size("bytes");
  const std::string direction = arguments.text("what");
  ElementwiseProblem problem{.elements = std::max(1.0, bytes / 16), .read = bytes, .written = bytes};
  if (direction == "read") problem.written = 0;
  if (direction == "write") problem.read = 0, problem.operands = 0;
  return plain(predict_elementwise(gpu, problem, conditions));
}

Result<Answer> transpose(const gpus::Gpu& gpu, const Arguments& arguments, const Conditions& conditions) {
  ElementwiseProblem problem = elementwise(arguments.size("rows") * arguments.size("columns"), 1,
                                           arguments.type("dtype"), Function::Copy);
  problem.strided = arguments.on("naive");
  return plain(predict_elementwise(gpu, problem, conditions));
}

Result<Answer> reduce(const gpus::Gpu& gpu, const Arguments& arguments, const Conditions& conditions) {
  const NumberType type = arguments.type("dtype");
  const double rows = arguments.size("rows"), columns = arguments.size("columns");
  return plain(predict_elementwise(gpu,
                                   {.elements = rows * columns,
                                    .read = rows * columns * bytes_of(type),
                                    .written = rows * bytes_of(type),
                                    .function = Function::Add,
                                    .reduces = true},
                                   conditions));
}

Result<Answer> norm(const gpus::Gpu& gpu, const Arguments& arguments, const Conditions& conditions) {
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

Result<Answer> softmax(const gpus::Gpu& gpu, const Arguments& arguments, const Conditions& conditions) {
  return plain(predict_rows(gpu,
                            {.operation = RowOperation::Softmax,
                             .rows = arguments.size("rows"),
                             .columns = arguments.size("columns"),
                             .type = arguments.type("dtype"),
                             .backward = arguments.on("backward"),
                             .tuned = arguments.text("kernel") == "tuned"},
                            conditions));
}

const Parameter kType{"dtype", "number type of the operands", Kind::Type, "bf16"};
const Parameter kRows{"rows", "rows, each reduced on its own"};
const Parameter kColumns{"columns", "numbers in a row"};
const Parameter kRowsKernel{"kernel",
                            "whose kernel: written for it (AITER, Composable Kernel), or PyTorch's own",
                            Kind::Choice, "tuned", "tuned torch"};
const Parameter kBackward{"backward", "the gradient's kernel", Kind::Switch, ""};

}  // namespace

std::span<const Operation> operations() {
  static const std::vector<Operation> all{
      {"gemm",
       "matrix multiplication C[M,N] = A[M,K] B[K,N]",     {{"m", "rows of A and C"},
        {"n", "columns of B and C"},
        {"k", "columns of A, rows of B"},
        {"batch", "independent problems of that size", Kind::Size, "1"},
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
       "--m 16 --n 7168 --k 2048 --dtype fp8 --block-scale 128 --gpu mi300x\n",                    gemm                 },
      {"norm",
       "layer, RMS, group and batch normalisation",        {kRows,
        kColumns,
        {"kind", "what is normalised", Kind::Choice, "rms", "layer rms group batch"},
        kType,
        {"residual", "another array is added before, and the sum written too", Kind::Switch, ""},
        kBackward,
        kRowsKernel},
       "--rows 16384 --columns 8192 --residual --gpu mi300x,mi355x\n"
       "--rows 1:65536:*4 --columns 4096 --kind layer --gpu mi355x\n",                             norm                 },
      {"softmax",
       "softmax of each row",                              {kRows, kColumns, kType, kBackward, kRowsKernel},
       "--rows 32768 --columns 8192 --gpu mi355x\n",                                               softmax              },
      {"elementwise",
       "a function of each element of one or more arrays", {{"elements", "numbers in the result"},
        {"operands", "arrays that are read", Kind::Size, "1"},
        {"function", "what is computed", Kind::Choice, "add",
         "copy cast add mul relu div exp gelu silu tanh sigmoid rope pow"},
        kType},
       "--elements 67108864 --operands 2 --function add --gpu mi300x\n"
       "--elements 1024:268435456:*4 --function gelu --gpu mi210,mi300x,mi355x --plot gelu.svg\n", elementwise_operation},
      {"copy",
       "a copy, fill or read in the GPU's memory",         {{"bytes", "of the array"}, {"what", "what is done with it", Kind::Choice, "copy", "copy read write"}},
       "--bytes 1073741824 --gpu mi300x,mi300a\n--bytes 4096:1073741824:*4 --what read --gpu mi355x --csv "
       "read.csv\n",                                                                               copy                 },
      {"transpose",
       "a matrix written with rows and columns exchanged", {kRows, kColumns, kType, {"naive", "not through LDS", Kind::Switch, ""}},
       "--rows 8192 --columns 8192 --dtype fp16 --gpu mi300x\n",                                   transpose            },
      {"reduce",
       "sums, maxima or means of each row",                {{"rows", "results", Kind::Size, "1"}, {"columns", "numbers behind each result"}, kType},
       "--columns 67108864 --dtype f32 --gpu mi300x\n",                                            reduce               },
  };
  return all;
}

}  // namespace wavesmith::model
