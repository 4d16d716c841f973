// Operations that pass over arrays and rows, and reductions over GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/elementwise.h"
#include "model/library/collectives.h"
#include "model/norm.h"
#include "model/operations/rows.h"

namespace wavesmith::model {
namespace {

using Kind = Parameter::Kind;

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

Result<OperationPrediction> collective_operation(const gpus::Gpu& gpu, const Arguments& arguments,
                                                 const Conditions&) {
  return plain(predict_collective(gpu, {.operation = *collective(arguments.text("what")),
                                        .ranks = arguments.size("ranks"),
                                        .bytes = arguments.size("bytes"),
                                        .kernel = *collective_kernel(arguments.text("kernel")),
                                        .flagged = !arguments.on("signals")}));
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

std::vector<Operation> array_operations() {
  return {about_allreduce(), about_norm(),      about_softmax(), about_elementwise(),
          about_copy(),      about_transpose(), about_reduce()};
}

}  // namespace wavesmith::model
