#include "model/library/factorisation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/constants.h"
#include "model/gemm/gemm.h"
#include "model/traffic.h"

namespace wavesmith::model {
namespace {

constexpr std::pair<std::string_view, Factorisation> kNames[] = {
    {"potrf", Factorisation::Potrf}, {"getrf", Factorisation::Getrf}, {"geqrf", Factorisation::Geqrf},
    {"orgqr", Factorisation::Orgqr}, {"ormqr", Factorisation::Ormqr}, {"trsm", Factorisation::Trsm},
    {"sytrd", Factorisation::Sytrd}, {"syev", Factorisation::Syev},   {"gesvd", Factorisation::Gesvd},
};

class Estimate {
 public:
  Estimate(const gpus::Gpu& gpu, const FactorisationProblem& problem, const Conditions& conditions)
      : gpu_(gpu),
        problem_(problem),
        conditions_(conditions),
        kernel_(kernel_seconds(gpu, Conditions::Timing::BackToBack)),
        bandwidth_(sustained_memory(gpu).bytes_per_second) {}

  void make() {
    const double m = problem_.m, n = problem_.n, k = problem_.k;
    switch (problem_.what) {
      case Factorisation::Potrf:
        return potrf(n);
      case Factorisation::Getrf:
        return getrf(m, n);
      case Factorisation::Geqrf:
        return geqrf(m, n);
      case Factorisation::Orgqr:
      case Factorisation::Ormqr:
        return reflect(m, n, k);
      case Factorisation::Trsm:
        return trsm(m, n);
      case Factorisation::Sytrd:
        return sytrd(n);
      case Factorisation::Syev:
        return syev(n);
      case Factorisation::Gesvd:
        return gesvd(std::max(m, n), std::min(m, n));
    }
  }

  Prediction end() {
    result_.seconds = columns_ + products_ + memory_;
    result_.parts = {
        {"columns, one after the other", columns_, columns_},
        {"matrix multiplications", products_, products_},
        {"memory", memory_, memory_},
    };
    result_.bound = columns_ > products_ + memory_ ? "latency"
                    : products_ > memory_          ? "matrix"
                                                   : memory_name(gpu_);
    result_.clock_mhz = gpu_.engine_mhz;
    result_.clock_kind = gpus::Kind::Read;
    result_.flops *= problem_.batch * real_products(problem_.type);
    result_.bytes =
        2 * problem_.batch * std::max(1.0, problem_.m) * std::max(1.0, problem_.n) * bytes_of(problem_.type);
    result_.notes.emplace_back("an estimate: never compared with measurements");
    result_.confidence = Confidence::Low;
    finish(result_);
    return result_;
  }

 private:
  // Blocks of columns: rocSOLVER's library/src/include/ideal_sizes.hpp (POTRF_BLOCKSIZE, GEQxF_BLOCKSIZE,
  // xxTRD_BLOCKSIZE); that of getrf goes by intervals there, and trsm's is the diagonal block that rocBLAS
  // inverts.
  [[nodiscard]] double potrf_block() const {
    const double bytes = bytes_of(problem_.type);
    return bytes == 4 ? 180 : bytes == 8 ? 127 : 90;
  }
  static constexpr double kBlock = 64, kTridiagonalBlock = 32, kTriangle = 128;
  // Assumed: a column of a block that one kernel factors in LDS takes about a thousand clocks (a search or a
  // root, a division, an update, two barriers); one of getrf's and others twice that.
  static constexpr double kColumn = 0.5e-6, kPivotedColumn = 1e-6;
  // Assumed: the kernels of a column of geqr2, latrd and labrd, which are not one.
  static constexpr double kReflectionKernels = 4, kTridiagonalKernels = 8, kBidiagonalKernels = 12;
  // Assumed: what one thread takes for a rotation of the iterations that find eigenvalues, three for each
  // pair.
  static constexpr double kRotation = 20e-9;

  /// Calls step(first, columns) for the blocks of `size` columns; of many for some, which stand for the
  /// others.
  template <class Step>
  void blocks(double size, double block, Step step) {
    constexpr double kMost = 12;
    const double count = std::ceil(size / block), shown = std::min(count, kMost);
    const double before = weight_;
    weight_ *= count / shown;
    for (int i = 0; i < static_cast<int>(shown); ++i) {
      const double first = std::floor((i + 0.5) * count / shown) * block;
      step(first, std::min(block, size - first));
    }
    weight_ = before;
  }

  /// c of m by n += a * b; `share` of it, where a triangle is enough.
  void product(double m, double n, double k, double share = 1) {
    if (m < 1 || n < 1 || k < 1) return;
    GemmProblem gemm;
    gemm.m = static_cast<uint64_t>(m), gemm.n = static_cast<uint64_t>(n), gemm.k = static_cast<uint64_t>(k);
    gemm.batch = static_cast<uint64_t>(problem_.batch);
    gemm.a = gemm.b = gemm.c = problem_.type;
    if (const NumberType instead = computed_as(gpu_, problem_.type); instead != problem_.type)
      gemm.compute = instead;
    if (const auto got = predict_gemm(gpu_, gemm, std::nullopt, conditions_))
      products_ += weight_ * std::max(share * got->seconds, kernel_);
    result_.flops += weight_ * share * 2 * m * n * k;
  }
  /// Matrices of a batch are factored side by side, one a compute unit.
  void columns(double count, double seconds) {
    columns_ += weight_ * count * seconds * std::ceil(problem_.batch / gpu_.compute_units);
  }
  void kernels(double count) { columns_ += weight_ * count * kernel_; }
  void move(double numbers) {
    memory_ += weight_ * numbers * problem_.batch * bytes_of(problem_.type) / bandwidth_;
  }

  void trsm(double m, double n) {
    blocks(m, kTriangle, [&](double first, double width) {
      columns(width, kColumn);  // the block's inverse
      product(width, n, width);
      product(m - first - width, n, width);
    });
  }
  void potrf(double n) {
    blocks(n, potrf_block(), [&](double first, double width) {
      const double rest = n - first - width;
      columns(width, kColumn);
      kernels(1);
      if (rest < 1) return;
      product(rest, width, width);  // of the block below
      product(rest, rest, width, 0.5);
    });
  }
  void getrf(double m, double n) {
    blocks(std::min(m, n), kBlock, [&](double first, double width) {
      columns(width, kPivotedColumn);
      kernels(2);
      move(2 * width * n);  // rows exchanged
      product(width, n - first - width, width);
      product(m - first - width, n - first - width, width);
    });
  }
  /// I - V T V^H applied to n columns of m rows.
  void block_reflector(double m, double n, double width) {
    product(width, n, m);
    product(width, n, width);
    product(m, n, width);
  }
  void geqrf(double m, double n) {
    blocks(std::min(m, n), kBlock, [&](double first, double width) {
      kernels(kReflectionKernels * width);
      move(width * width * (m - first));
      block_reflector(m - first, n - first - width, width);
    });
  }
  void reflect(double m, double n, double k) {
    blocks(k, kBlock, [&](double first, double width) { block_reflector(m - first, n, width); });
  }
  void sytrd(double n) {
    blocks(n, kTridiagonalBlock, [&](double first, double width) {
      const double rest = n - first;
      kernels(kTridiagonalKernels * width);
      move(width * rest * rest);  // a matrix times a vector for each column
      product(rest - width, rest - width, 2 * width, 0.5);
    });
  }
  /// Of numbers on a diagonal and beside it, by one thread.
  void iterate(double n) { columns(3 * n * n / 2, kRotation); }
  void syev(double n) {
    sytrd(n);
    if (!problem_.vectors) return iterate(n);
    // Divide and conquer: 4/3 n^3 multiply-adds at most, halved by each level; then Q applied to the vectors.
    double part = n;
    while (part > kTridiagonalBlock) {
      weight_ = n / part;
      product(part, part, part / 2);
      part /= 2;
    }
    weight_ = 1;
    reflect(n, n, n);
  }
  void gesvd(double m, double n) {
    blocks(n, kTridiagonalBlock, [&](double first, double width) {
      const double rows = m - first, rest = n - first;
      kernels(kBidiagonalKernels * width);
      move(2 * width * rows * rest);
      product(rows - width, rest - width, 2 * width);
    });
    iterate(n);
    if (!problem_.vectors) return;
    reflect(m, n, n);
    reflect(n, n, n);
    move(3 * n * (m + n));  // the rotations, applied to the vectors
  }

  const gpus::Gpu& gpu_;
  const FactorisationProblem& problem_;
  const Conditions& conditions_;
  double kernel_, bandwidth_, weight_ = 1;
  double columns_ = 0, products_ = 0, memory_ = 0;
  Prediction result_;
};

}  // namespace

std::optional<Factorisation> factorisation(std::string_view name) {
  for (const auto& [known, what] : kNames)
    if (known == name) return what;
  return std::nullopt;
}

Result<Prediction> predict_factorisation(const gpus::Gpu& gpu, const FactorisationProblem& problem,
                                         const Conditions& conditions) {
  const bool of_rows = problem.what == Factorisation::Potrf || problem.what == Factorisation::Sytrd ||
                       problem.what == Factorisation::Syev;
  if (!(problem.n >= 1) || !(problem.batch >= 1) || (!of_rows && !(problem.m >= 1)))
    return fail(ErrorKind::BadInput, "a matrix without rows or columns", {}, "every size is at least 1");
  Estimate estimate(gpu, problem, conditions);
  estimate.make();
  return estimate.end();
}

}  // namespace wavesmith::model
