// Factorisations and solutions on a GPU of each target.
#include "kernels/linalg/linalg_testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

class LinearAlgebra : public OnMatrices {
 protected:
  /// The pivots' exchanges, of a matrix's rows.
  static void exchange(Dense& matrix, const IntegersOnGpu& pivots, int64_t k, int64_t count) {
    for (int64_t i = 0; i < count; ++i) matrix.exchange_rows(i, pivots.get(k * count + i) - 1);
  }
};

TEST_P(LinearAlgebra, CholeskyOfPositiveDefiniteMatrices) {
  each_type([&](Number type, int64_t n) {
    constexpr int64_t kBatch = 2;
    Matrices a(type, kBatch, n, n, any_layout());
    std::vector<Dense> given;
    for (int64_t k = 0; k < kBatch; ++k) {
      const Dense root = any_dense(type, n, n, k == 1 ? Wide{0.9} : Wide{1});
      Dense made = root.times(root.adjoint());
      for (int64_t i = 0; i < n; ++i) made.re[made.at(i, i)] += n * 1e-3L;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) a.set(k, i, j, i < j ? 7 : made.get(i, j));
      given.push_back(a.triangle(k, true, false));
    }
    const Matrices before = a;
    const MatricesOnGpu on_a(a);
    IntegersOnGpu info(kBatch);
    Linalg one = described(WAVESMITH_LINALG_CHOLESKY, type, kBatch, n, n);
    one.a = on_a.matrix(), one.info = info.data();
    run(one);
    on_a.read(), info.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      ASSERT_EQ(info.get(k), 0);
      const Dense l = a.triangle(k, true, false);
      Dense product = l.times(l.adjoint());
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i + 1; j < n; ++j) product.set(i, j, 0);
      expect_small(product.less(given[static_cast<size_t>(k)]).norm(), given[static_cast<size_t>(k)].norm(),
                   n, type, "Cholesky");
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i + 1; j < n; ++j)
          ASSERT_EQ(a.get(k, i, j), before.get(k, i, j)) << "above the diagonal";
    }
  });
}

TEST_P(LinearAlgebra, CholeskySaysWhichPartIsNotPositiveDefinite) {
  for (const int64_t wrong : {0, 5, 70}) {
    Matrices a(WAVESMITH_POINTWISE_F32, 1, 80, 80);
    a.fill(0, Dense::identity(80));
    a.set(0, wrong, wrong, wrong == 5 ? std::nanl("") : -1);
    const MatricesOnGpu on_a(a);
    IntegersOnGpu info(1);
    Linalg one = described(WAVESMITH_LINALG_CHOLESKY, a.type, 1, 80, 80);
    one.a = on_a.matrix(), one.info = info.data();
    run(one);
    info.read();
    EXPECT_EQ(info.get(0), wrong + 1);
  }
}

TEST_P(LinearAlgebra, LuOfAnyMatrices) {
  each_type([&](Number type, int64_t n) {
    constexpr int64_t kBatch = 2;
    const int64_t m = one_of<int64_t>({n, n, between(1, n), n + between(1, 9)}), steps = std::min(n, m);
    Matrices a(type, kBatch, n, m, any_layout());
    std::vector<Dense> given;
    for (int64_t k = 0; k < kBatch; ++k) {
      given.push_back(any_dense(type, n, m, k == 1 ? Wide{0.8} : Wide{1}));
      a.fill(k, given.back());
    }
    const MatricesOnGpu on_a(a);
    IntegersOnGpu info(kBatch), pivots(kBatch * steps);
    Linalg one = described(WAVESMITH_LINALG_LU, type, kBatch, n, m);
    one.a = on_a.matrix(), one.info = info.data();
    one.pivots = pivots.data(), one.pivots_batch = steps;
    run(one);
    on_a.read(), info.read(), pivots.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      Dense& right = given[static_cast<size_t>(k)];
      exchange(right, pivots, k, steps);
      const Dense lower = a.triangle(k, true, true), upper = a.triangle(k, false, false);
      Dense l(n, steps), u(steps, m);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < steps; ++j) l.set(i, j, lower.get(i, j));
      for (int64_t i = 0; i < steps; ++i)
        for (int64_t j = 0; j < m; ++j) u.set(i, j, upper.get(i, j));
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < std::min(i, steps); ++j)
          ASSERT_LE(std::abs(l.get(i, j)), std::sqrt(2.0L) * 1.001L) << i << ' ' << j;
      ASSERT_EQ(info.get(k), 0);
      expect_small(l.times(u).less(right).norm(), l.norm() * u.norm(), std::max(n, m), type, "LU");
    }
  });
}

TEST_P(LinearAlgebra, LuSaysWhichPivotIsZero) {
  Matrices a(WAVESMITH_POINTWISE_F64, 1, 9, 9);
  Dense given = any_dense(a.type, 9, 9);
  for (int64_t i = 0; i < 9; ++i) given.set(i, 4, 0);
  a.fill(0, given);
  const MatricesOnGpu on_a(a);
  IntegersOnGpu info(1), pivots(9);
  Linalg one = described(WAVESMITH_LINALG_LU, a.type, 1, 9, 9);
  one.a = on_a.matrix(), one.info = info.data(), one.pivots = pivots.data();
  run(one);
  info.read();
  EXPECT_EQ(info.get(0), 5);
}

TEST_P(LinearAlgebra, TrianglesAreSolved) {
  each_type([&](Number type, int64_t n) {
    constexpr int64_t kBatch = 2;
    const int64_t m = between(1, 40);
    const bool unit = between(0, 1) == 0, conjugated = between(0, 1) == 0;
    Matrices a(type, kBatch, n, n, any_layout()), b(type, kBatch, n, m, any_layout());
    std::vector<Dense> right;
    for (int64_t k = 0; k < kBatch; ++k) {
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j)
          a.set(k, i, j, i == j ? any_number(type) + Wide{4} : any_number(type) / static_cast<Wide>(n));
      right.push_back(any_dense(type, n, m));
      b.fill(k, right.back());
    }
    const MatricesOnGpu on_a(a), on_b(b);
    Linalg one = described(WAVESMITH_LINALG_SOLVE_LOWER, type, kBatch, n, m);
    one.a = on_a.matrix(), one.b = on_b.matrix();
    one.flags = (unit ? WAVESMITH_LINALG_UNIT : 0) | (conjugated ? WAVESMITH_LINALG_CONJUGATE : 0);
    run(one);
    on_b.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      Dense l = a.triangle(k, true, unit);
      if (conjugated) l = l.adjoint().adjoint(false);
      const Dense x = b.dense(k);
      expect_small(l.times(x).less(right[static_cast<size_t>(k)]).norm(), l.norm() * x.norm(), n, type,
                   "solution");
    }
  });
}

TEST_P(LinearAlgebra, RowsAreExchangedAndBack) {
  each_type([&](Number type, int64_t n) {
    const int64_t m = between(1, 300), count = between(1, n);
    Matrices b(type, 1, n, m, any_layout());
    Dense expected = any_dense(type, n, m);
    b.fill(0, expected);
    const Matrices before = b;
    Elements host(WAVESMITH_KERNELS_I32, static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t p = between(i, n - 1);
      host.set(static_cast<size_t>(i), static_cast<double>(p + 1));
      expected.exchange_rows(i, p);
    }
    const OnGpu pivots(host);
    const MatricesOnGpu on_b(b);
    Linalg one = described(WAVESMITH_LINALG_EXCHANGE_ROWS, type, 1, n, m, count);
    one.b = on_b.matrix(), one.pivots = static_cast<int32_t*>(pivots.data());
    run(one);
    on_b.read();
    {
      const ErrorNote note;  // of none: numbers are equal
      EXPECT_EQ(b.dense(0).less(expected).norm(), 0);
    }
    one.flags = WAVESMITH_LINALG_REVERSED;
    run(one);
    on_b.read();
    EXPECT_EQ(b.memory.bytes, before.memory.bytes);
  });
}

TEST_P(LinearAlgebra, QrAndItsReflections) {
  each_type([&](Number type, int64_t n) {
    constexpr int64_t kBatch = 2;
    const int64_t m = one_of<int64_t>({n, between(1, n), n + between(1, 9)}), steps = std::min(n, m);
    Matrices a(type, kBatch, n, m, any_layout()), tau(type, kBatch, steps, 1),
        q(type, kBatch, n, n, any_layout());
    std::vector<Dense> given;
    for (int64_t k = 0; k < kBatch; ++k) {
      given.push_back(any_dense(type, n, m, k == 1 ? Wide{0.8} : Wide{1}));
      a.fill(k, given.back());
      q.fill(k, Dense::identity(n));
    }
    const MatricesOnGpu on_a(a), on_tau(tau), on_q(q);
    Linalg one = described(WAVESMITH_LINALG_QR, type, kBatch, n, m);
    one.a = on_a.matrix(), one.vector = on_tau.matrix().data, one.vector_batch = on_tau.matrix().batch;
    run(one);
    on_a.read();
    {
      const ErrorNote note;  // of what is compared below
    }
    one = described(WAVESMITH_LINALG_REFLECT, type, kBatch, n, n, steps);
    one.a = on_a.matrix(), one.vector = on_tau.matrix().data, one.vector_batch = on_tau.matrix().batch;
    one.b = on_q.matrix(), one.flags = WAVESMITH_LINALG_REVERSED;
    run(one);
    on_q.read();
    for (int64_t k = 0; k < kBatch; ++k) {
      const Dense& right = given[static_cast<size_t>(k)];
      const Dense made = q.dense(k), r = a.triangle(k, false, false);
      expect_small(made.adjoint().times(made).less(Dense::identity(n)).norm(),
                   std::sqrt(static_cast<Wide>(n)), n, type, "orthogonality");
      expect_small(made.times(r).less(right).norm(), right.norm(), std::max(n, m), type, "QR");
    }
    one.flags = WAVESMITH_LINALG_CONJUGATE_FACTORS;
    run(one);
    on_q.read();
    for (int64_t k = 0; k < kBatch; ++k)
      expect_small(q.dense(k).less(Dense::identity(n)).norm(), std::sqrt(static_cast<Wide>(n)), n, type,
                   "q^H q");
  });
}

TEST_P(LinearAlgebra, LdlOfSymmetricMatricesAndItsSolutions) {
  each_type([&](Number type, int64_t n) {
    const int64_t m = between(1, 5);
    Matrices a(type, 1, n, n, any_layout()), b(type, 1, n, m, any_layout());
    Dense given = any_dense(type, n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        if (i == j && between(0, 1) == 0) given.set(i, i, 0);  // which asks for blocks of two
        given.set(j, i, given.get(i, j));
        a.set(0, i, j, given.get(i, j));
      }
    const Dense right = any_dense(type, n, m);
    b.fill(0, right);
    const MatricesOnGpu on_a(a), on_b(b);
    IntegersOnGpu info(1), pivots(n);
    Linalg one = described(WAVESMITH_LINALG_LDL, type, 1, n, n);
    one.a = on_a.matrix(), one.info = info.data(), one.pivots = pivots.data();
    run(one);
    on_a.read(), info.read(), pivots.read();
    if (info.get(0) != 0) return;
    Dense middle(n, n), l = a.triangle(0, true, true);
    for (int64_t k = 0; k < n; ++k) {
      middle.set(k, k, a.get(0, k, k));
      if (pivots.get(k) > 0) continue;
      middle.set(k + 1, k, a.get(0, k + 1, k)), middle.set(k, k + 1, a.get(0, k + 1, k));
      l.set(k + 1, k, 0);
      middle.set(k + 1, k + 1, a.get(0, k + 1, k + 1));
      ++k;
    }
    // From the inside out: column k of l, then the exchange of step k.
    Dense product = middle;
    for (int64_t k = n - 1; k >= 0; --k) {
      const int64_t p = std::abs(pivots.get(k)) - 1;
      const bool two = pivots.get(k) < 0;
      Dense step = Dense::identity(n);
      for (int64_t i = k + 1; i < n; ++i) {
        step.set(i, k, l.get(i, k));
        if (two) step.set(i, k - 1, l.get(i, k - 1));
      }
      product = step.times(product).times(step.adjoint(false));
      product.exchange_rows(k, p);
      product = product.adjoint(false);
      product.exchange_rows(k, p);
      if (two) --k;
    }
    expect_small(product.less(given).norm(), given.norm() * 4, n, type, "LDL");
    one = described(WAVESMITH_LINALG_SOLVE_LDL, type, 1, n, m);
    one.a = on_a.matrix(), one.pivots = pivots.data(), one.b = on_b.matrix();
    run(one);
    on_b.read();
    const Dense x = b.dense(0);
    expect_small(given.times(x).less(right).norm(), given.norm() * x.norm() * 4, n, type, "solution by LDL");
  });
}

TEST_P(LinearAlgebra, ProductsAreSubtracted) {
  each_type([&](Number type, int64_t n) {
    const int64_t m = between(1, 70), inner = between(1, 40);
    Matrices a(type, 1, n, inner, any_layout()), b(type, 1, inner, m, any_layout()),
        c(type, 1, n, m, any_layout());
    const Dense x = any_dense(type, n, inner), y = any_dense(type, inner, m), z = any_dense(type, n, m);
    a.fill(0, x), b.fill(0, y), c.fill(0, z);
    const MatricesOnGpu on_a(a), on_b(b), on_c(c);
    Linalg one = described(WAVESMITH_LINALG_SUBTRACT_PRODUCT, type, 1, n, m, inner);
    one.a = on_a.matrix(), one.b = on_b.matrix(), one.c = on_c.matrix();
    one.flags = WAVESMITH_LINALG_CONJUGATE;
    run(one);
    on_c.read();
    const Dense right = z.less(x.times(y.adjoint().adjoint(false)));
    const Wide norm = z.norm() + x.norm() * y.norm();
    expect_small(c.dense(0).less(right).norm(), norm, inner, type, "product");
    one.flags |= WAVESMITH_LINALG_ADD;
    run(one);
    on_c.read();
    expect_small(c.dense(0).less(z).norm(), 2 * norm, inner, type, "added product");
  });
}

INSTANTIATE_TEST_SUITE_P(On, LinearAlgebra, testing::Range(0, kGpuCount), gpu_name);

TEST(LinearAlgebraRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 4096);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Linalg right{};
  right.operation = WAVESMITH_LINALG_LU, right.type = WAVESMITH_POINTWISE_F32;
  right.batch = 1, right.rows = right.columns = 8;
  right.a = {memory.data(), 8, 1, 64};
  right.info = static_cast<int32_t*>(memory.data()) + 64, right.pivots = right.info + 8;
  EXPECT_EQ(wavesmith_kernels_linalg(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Linalg>(
      &wavesmith_kernels_linalg, right,
      {{[](Linalg& d) { d.operation = static_cast<wavesmith_linalg_operation>(12); }, kWrong,
        "operation is 12"},
       {[](Linalg& d) { d.type = static_cast<wavesmith_pointwise_type>(12); }, kWrong, "type is 12, no type"},
       {[](Linalg& d) { d.type = WAVESMITH_POINTWISE_F16; }, kNot, "type is f16"},
       {[](Linalg& d) { d.rows = -1; }, kWrong, "rows is negative"},
       {[](Linalg& d) { d.rows = 1 << 25; }, kNot, "rows is 2^25 or more"},
       {[](Linalg& d) { d.a.data = nullptr; }, kWrong, "a.data is null"},
       {[](Linalg& d) { d.a.row = 1L << 31; }, kNot, "a spans 2^31 elements or more"},
       {[](Linalg& d) { d.a.data = static_cast<char*>(d.a.data) + 2; }, kWrong, "a.data"},
       {[](Linalg& d) { d.pivots = nullptr; }, kWrong, "pivots is null"},
       {[](Linalg& d) { d.info = nullptr; }, kWrong, "info is null"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_CHOLESKY, d.columns = 7; }, kWrong,
        "rows is 8, and columns 7"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_QR; }, kWrong, "vector is null"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_REFLECT, d.inner = 9; }, kWrong, "inner is 9"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_SINGULAR_VALUES, d.rows = 7; }, kWrong,
        "there are fewer rows than columns"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_SINGULAR_VALUES, d.b = d.a; }, kWrong,
        "of b and c one has data"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_EIGENVALUES, d.type = WAVESMITH_POINTWISE_C64; }, kNot,
        "type is c64"},
       {[](Linalg& d) { d.operation = WAVESMITH_LINALG_EIGENVALUES, d.rows = d.columns = 2049; }, kNot,
        "rows is 2049, more than 2048"},
       {[](Linalg& d) {
          d.operation = WAVESMITH_LINALG_EIGENVALUES, d.rows = d.columns = 100, d.vector = d.info;
        },
        kWrong, "workspace"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
