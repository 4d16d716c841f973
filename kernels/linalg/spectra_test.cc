// Eigenvalues and singular values on a GPU of each target.
#include "kernels/linalg/linalg_testing.h"

namespace wavesmith::kernels {
namespace {

class Spectra : public OnMatrices {
 protected:
  static constexpr Number kReals[] = {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64};

  template <class Visit>
  void each_real(Visit visit) {
    for (const Number type : kReals)
      for (const int64_t n :
           {one_of<int64_t>({1, 2, 3}), one_of<int64_t>({7, 16, 17}),
            type == kReals[GetParam() % 2] ? between(65, 68) : one_of<int64_t>({31, 32, 33})})
        visit(type, n);
  }
  /// Runs it with the workspace that it asks for.
  static void run_in_workspace(Linalg one) {
    const size_t bytes = wavesmith_kernels_linalg_workspace(&one);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, bytes));
    one.workspace = workspace.data(), one.workspace_bytes = bytes;
    run(one);
  }
  static Dense diagonal(const Matrices& values, int64_t k) {
    Dense made(values.rows, values.rows);
    for (int64_t i = 0; i < values.rows; ++i) made.set(i, i, values.get(k, i, 0));
    return made;
  }
  /// Without vectors values are the same up to their error.
  static void expect_same_values(const Linalg& one, Matrices& values, const MatricesOnGpu& on_values) {
    std::vector<Dense> before;
    for (int64_t k = 0; k < one.batch; ++k) before.push_back(diagonal(values, k));
    run_in_workspace(one);
    on_values.read();
    for (int64_t k = 0; k < one.batch; ++k)
      expect_small(diagonal(values, k).less(before[static_cast<size_t>(k)]).norm(),
                   before[static_cast<size_t>(k)].norm(), one.rows, one.type, "values without vectors");
  }
  static void expect_orthonormal(const Dense& q, Number type, const char* what) {
    expect_small(q.adjoint().times(q).less(Dense::identity(q.columns)).norm(),
                 std::sqrt(static_cast<Wide>(q.columns)), q.rows, type, what);
  }
};

TEST_P(Spectra, EigenvaluesOfSymmetricMatrices) {
  each_real([&](Number type, int64_t n) {
    constexpr int64_t kBatch = 2;
    Matrices a(type, kBatch, n, n, any_layout()), b(type, kBatch, n, n, any_layout()),
        values(type, kBatch, n, 1);
    std::vector<Dense> given;
    for (int64_t k = 0; k < kBatch; ++k) {
      given.push_back(any_dense(type, n, n, k == 1 ? Wide{0.5} : Wide{1}));
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
          a.set(k, i, j, given.back().get(i, j));
          given.back().set(j, i, given.back().get(i, j));
        }
    }
    const MatricesOnGpu on_a(a), on_b(b), on_values(values);
    IntegersOnGpu info(kBatch);
    Linalg one = described(WAVESMITH_LINALG_EIGENVALUES, type, kBatch, n, n);
    one.a = on_a.matrix(), one.b = on_b.matrix(), one.info = info.data();
    one.vector = on_values.matrix().data, one.vector_batch = on_values.matrix().batch;
    run_in_workspace(one);
    on_b.read(), on_values.read(), info.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      ASSERT_EQ(info.get(k), 0);
      const Dense& right = given[static_cast<size_t>(k)];
      const Dense vectors = b.dense(k), lambda = diagonal(values, k);
      for (int64_t i = 1; i < n; ++i) ASSERT_LE(lambda.get(i - 1, i - 1).real(), lambda.get(i, i).real());
      expect_orthonormal(vectors, type, "eigenvectors");
      expect_small(right.times(vectors).less(vectors.times(lambda)).norm(), right.norm(), n, type,
                   "eigenvalues");
    }
    one.b.data = nullptr;
    expect_same_values(one, values, on_values);
  });
}

TEST_P(Spectra, SingularValuesOfAnyMatrices) {
  each_real([&](Number type, int64_t n) {
    constexpr int64_t kBatch = 3;
    const int64_t m = one_of<int64_t>({n, n + 1, n + between(1, 8)});
    Matrices a(type, kBatch, m, n, any_layout()), u(type, kBatch, m, n, any_layout()),
        v(type, kBatch, n, n, any_layout()), values(type, kBatch, n, 1);
    std::vector<Dense> given;
    for (int64_t k = 0; k < kBatch; ++k) {
      const int64_t rank = between(0, n);
      given.push_back(k == 2 ? any_dense(type, m, rank).times(any_dense(type, rank, n))
                             : any_dense(type, m, n, k == 1 ? Wide{0.5} : Wide{1}));
      a.fill(k, given.back());
      given.back() = a.dense(k);
    }
    const MatricesOnGpu on_a(a), on_u(u), on_v(v), on_values(values);
    IntegersOnGpu info(kBatch);
    Linalg one = described(WAVESMITH_LINALG_SINGULAR_VALUES, type, kBatch, m, n);
    one.a = on_a.matrix(), one.b = on_u.matrix(), one.c = on_v.matrix(), one.info = info.data();
    one.vector = on_values.matrix().data, one.vector_batch = on_values.matrix().batch;
    run_in_workspace(one);
    on_u.read(), on_v.read(), on_values.read(), info.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      ASSERT_EQ(info.get(k), 0) << k << ' ' << m << ' ' << n;
      const Dense& right = given[static_cast<size_t>(k)];
      const Dense sigma = diagonal(values, k);
      for (int64_t i = 1; i < n; ++i) ASSERT_GE(sigma.get(i - 1, i - 1).real(), sigma.get(i, i).real());
      expect_orthonormal(u.dense(k), type, "left vectors");
      expect_orthonormal(v.dense(k), type, "right vectors");
      expect_small(u.dense(k).times(sigma).times(v.dense(k).adjoint()).less(right).norm(), right.norm(), m,
                   type, "singular values");
    }
    one.b.data = one.c.data = nullptr;
    expect_same_values(one, values, on_values);
  });
}

TEST_P(Spectra, OfAnyScaleAndOfNumbersThatAreNotFinite) {
  for (const Number type : kReals) {
    const std::complex<Wide> scales[] = {type == WAVESMITH_POINTWISE_F32 ? 1e-36L : 1e-300L,
                                         type == WAVESMITH_POINTWISE_F32 ? 1e37L : 1e307L, std::nanl("")};
    Matrices a(type, 3, 4, 4), values(type, 3, 4, 1);
    for (int64_t k = 0; k < 3; ++k)
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 4; ++j) a.set(k, i, j, scales[k] * static_cast<Wide>(i == j ? i + 2 : 0));
    for (const auto operation : {WAVESMITH_LINALG_EIGENVALUES, WAVESMITH_LINALG_SINGULAR_VALUES}) {
      const MatricesOnGpu on_a(a), on_values(values);
      IntegersOnGpu info(3);
      Linalg one = described(operation, type, 3, 4, 4);
      one.a = on_a.matrix(), one.info = info.data();
      one.vector = on_values.matrix().data, one.vector_batch = on_values.matrix().batch;
      run_in_workspace(one);
      on_values.read(), info.read();
      EXPECT_EQ(info.get(0), 0);
      EXPECT_EQ(info.get(1), 0);
      EXPECT_NE(info.get(2), 0);
      for (int64_t k = 0; k < 2; ++k)
        for (int64_t i = 0; i < 4; ++i) {
          const int64_t at = operation == WAVESMITH_LINALG_EIGENVALUES ? i : 3 - i;
          const Wide right = a.get(k, i, i).real();
          expect_small(std::abs(values.get(k, at, 0).real() - right) / right, 1, 4, type, "scaled values");
        }
    }
  }
}

/// By Taylor's series of a matrix that is small, and squares.
Dense exponential_of(Dense a) {
  int squares = 0;
  for (; a.norm() > 1; ++squares) a = a.scaled(0.5L);
  Dense sum = Dense::identity(a.rows), term = sum;
  for (int k = 1; k < 30; ++k) {
    term = term.times(a).scaled(Wide{1} / k);
    sum = sum.plus(term);
  }
  for (; squares > 0; --squares) sum = sum.times(sum);
  return sum;
}

TEST_P(Spectra, Exponentials) {
  each_type([&](Number type, int64_t given_n) {
    constexpr int64_t kBatch = 4;
    const int64_t n = std::min<int64_t>(given_n, 64);
    Matrices a(type, kBatch, n, n, any_layout()), b(type, kBatch, n, n, any_layout());
    std::vector<Dense> given;
    for (int64_t k = 0; k < kBatch; ++k) {  // of each degree, and one with squares
      const Dense any = any_dense(type, n, n);
      const Wide norm = one_of({0.01L, 0.3L, 1.0L, 2.0L}) * static_cast<Wide>(k == 3 ? 8 : 1);
      a.fill(k, any.scaled(norm / any.norm()));
      given.push_back(a.dense(k));  // as it was rounded
    }
    if (type == kTypes[GetParam() % 4]) a.set(1, n - 1, 0, std::numeric_limits<Wide>::infinity());
    const MatricesOnGpu on_a(a), on_b(b);
    Linalg one = described(WAVESMITH_LINALG_EXPONENTIAL, type, kBatch, n, n);
    one.a = on_a.matrix(), one.b = on_b.matrix();
    run_in_workspace(one);
    on_b.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      const Dense found = b.dense(k), &right = given[static_cast<size_t>(k)];
      if (std::isinf(a.get(k, n - 1, 0).real())) {
        for (int64_t i = 0; i < n * n; ++i) ASSERT_TRUE(std::isnan(found.re[static_cast<size_t>(i)]));
        continue;
      }
      const Wide norm = right.norm();
      expect_small(found.less(exponential_of(right)).norm(), (1 + norm) * std::exp(norm), n, type, "e^a");
    }
  });
}

TEST_P(Spectra, ExponentialOfLargeNumbers) {
  Matrices a(WAVESMITH_POINTWISE_F64, 3, 2, 2), b = a;
  for (int64_t k = 0; k < 3; ++k) a.fill(k, Dense(2, 2));
  a.set(0, 0, 1, 1e300L);                     // nilpotent
  a.set(1, 0, 0, -700), a.set(1, 1, 1, 700);  // no longer as one number
  a.set(2, 0, 0, 1e5L);                       // overflows
  const MatricesOnGpu on_a(a), on_b(b);
  Linalg one = described(WAVESMITH_LINALG_EXPONENTIAL, WAVESMITH_POINTWISE_F64, 3, 2, 2);
  one.a = on_a.matrix(), one.b = on_b.matrix();
  run_in_workspace(one);
  on_b.read();
  EXPECT_EQ(b.get(0, 0, 0).real(), 1);
  EXPECT_NEAR(static_cast<double>(b.get(0, 0, 1).real() / 1e300L), 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(b.get(1, 1, 1).real() / std::exp(700.0L)), 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(b.get(1, 0, 0).real() * std::exp(700.0L)), 1, 1e-12);
  EXPECT_FALSE(std::isfinite(b.get(2, 0, 0).real()));
}

INSTANTIATE_TEST_SUITE_P(On, Spectra, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
