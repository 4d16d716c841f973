// Operations of libraries that have no table of measurements of their own: the rows of model/operations for
// them.
#include "model/library/library_operations.h"

#include <algorithm>

#include "model/elementwise.h"
#include "model/library/factorisation.h"
#include "model/library/fourier.h"

namespace wavesmith::model {
namespace {

using Kind = Parameter::Kind;

Result<OperationPrediction> plain(Result<Prediction> got) {
  if (!got) return tl::unexpected(got.error());
  return OperationPrediction{std::move(*got), {}};
}

Result<OperationPrediction> stream(const gpus::Gpu& gpu, const Arguments& arguments,
                                   const Conditions& conditions) {
  const double read = arguments.size("read"), written = arguments.size("written");
  return plain(predict_elementwise(gpu,
                                   {.elements = std::max(1.0, std::max(read, written) / 16),
                                    .read = read,
                                    .written = written,
                                    .operands = read > 0 ? 1u : 0u,
                                    .reduces = arguments.on("reduces")},
                                   conditions));
}

Result<OperationPrediction> fft(const gpus::Gpu& gpu, const Arguments& arguments,
                                const Conditions& conditions) {
  using Of = FourierProblem::Kind;
  const std::string kind = arguments.text("kind");
  return plain(predict_fourier(gpu,
                               {.length = arguments.size("length"),
                                .height = arguments.size("height"),
                                .depth = arguments.size("depth"),
                                .batch = arguments.size("batch"),
                                .twice = arguments.text("precision") == "double",
                                .kind = kind == "r2c"   ? Of::FromReal
                                        : kind == "c2r" ? Of::ToReal
                                                        : Of::Complex},
                               conditions));
}

Result<OperationPrediction> factor(const gpus::Gpu& gpu, const Arguments& arguments,
                                   const Conditions& conditions) {
  return plain(predict_factorisation(gpu,
                                     {.what = *factorisation(arguments.text("what")),
                                      .m = arguments.size("m"),
                                      .n = arguments.size("n"),
                                      .k = arguments.size("k"),
                                      .batch = arguments.size("batch"),
                                      .type = arguments.type("dtype"),
                                      .vectors = arguments.on("vectors")},
                                     conditions));
}

}  // namespace

std::vector<Operation> library_operations() {
  return {
      {"stream",
       "a kernel that reads and writes memory and computes little",
       {{"read", "bytes", Kind::Size, "0"},
        {"written", "bytes", Kind::Size, "0"},
        {"reduces", "what is written is few numbers, of all that is read", Kind::Switch, ""}},
       "--read 268435456 --written 134217728 --gpu mi300x,rx9070xt\n",
       stream},
      {"fft",
       "a Fourier transform, by the passes over memory that rocFFT makes",
       {{"length", "numbers that lie side by side"},
        {"height", "rows, of two dimensions", Kind::Size, "1"},
        {"depth", "planes, of three", Kind::Size, "1"},
        {"batch", "transforms", Kind::Size, "1"},
        {"precision", "of the numbers' parts", Kind::Choice, "single", "single double"},
        {"kind", "complex numbers to complex ones, or real ones on one side", Kind::Choice, "c2c",
         "c2c r2c c2r"}},
       "--length 4096 --batch 10000 --gpu mi300x,mi210\n--length 256 --height 256 --depth 256 --kind r2c "
       "--gpu mi300x\n",
       fft},
      {"factor",
       "a factorisation, triangular system, eigenvalues or singular values: an estimate",
       {{"what", "which, by LAPACK's name", Kind::Choice, "getrf",
         "potrf getrf geqrf orgqr ormqr trsm sytrd syev gesvd"},
        {"m", "rows; of trsm the triangle's, of ormqr Q's", Kind::Size, "0"},
        {"n", "columns; of trsm the right sides"},
        {"k", "reflections, of orgqr and ormqr", Kind::Size, "0"},
        {"batch", "matrices", Kind::Size, "1"},
        {"dtype", "f32, f64, c32 or c64", Kind::Type, "f32"},
        {"vectors", "eigenvectors or singular vectors, too", Kind::Switch, ""}},
       "--what getrf --m 8192 --n 8192 --dtype f64 --gpu mi300x\n--what syev --n 1024:8192:*2 --vectors "
       "--gpu mi300x\n",
       factor},
  };
}

}  // namespace wavesmith::model
