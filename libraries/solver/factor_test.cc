// potrf, getrf, getrs and trsm of rocSOLVER, hipSOLVER, rocBLAS and hipBLAS: what comes out, multiplied in
// wider numbers, must be what went in. Random sizes and values; the seed is printed.
#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "libraries/solver/factor_testing.h"

namespace {

using namespace wavesmith::libraries;
template <class T>
using Factors = FactorTest<T>;
TYPED_TEST_SUITE(Factors, BlasTypes);

TYPED_TEST(Factors, CholeskyTimesItsConjugateIsTheMatrix) {
  for (int round = 0; round < 20; ++round) {
    const int n = 1 + this->below(40), lda = n + this->below(3), part = round % 2 ? kUpper : kLower;
    const Dense a = this->positive(n);
    auto values = this->stored(a, lda);
    const auto before = values;
    int info = -1;
    void* matrix = values.data();  // read when its turn in the stream comes
    if (round % 3 == 0) {
      ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), this->rocblas_handle_,
                     part, n, values.data(), lda, &info),
                0);
    } else if (round % 3 == 1) {
      int workspace = -1;
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "potrf_bufferSize").c_str(),
                     this->hipsolver_handle_, part, n, values.data(), lda, &workspace),
                0);
      EXPECT_EQ(workspace, 0);
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "potrf").c_str(), this->hipsolver_handle_,
                     part, n, values.data(), lda, static_cast<void*>(nullptr), 0, &info),
                0);
    } else {
      int workspace = -1;
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "potrfBatched_bufferSize").c_str(),
                     this->hipsolver_handle_, part, n, &matrix, lda, &workspace, 1),
                0);
      EXPECT_GE(workspace, 0);
      if (this->below(2))
        ASSERT_EQ(
            call(this->hipsolver_, this->large("hipsolver", "potrfBatched").c_str(), this->hipsolver_handle_,
                 part, n, &matrix, lda, static_cast<void*>(nullptr), workspace, &info, 1),
            0);
      else
        ASSERT_EQ(call(this->hipsolver_, this->large("hipsolverDn", "potrfBatched").c_str(),
                       this->hipsolver_handle_, part, n, &matrix, lda, &info, 1),
                  0);
    }
    this->synchronize();
    EXPECT_EQ(info, 0);
    Dense factor = this->loaded(values, n, n, lda);
    const Dense old = this->loaded(before, n, n, lda);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (part == kLower ? i < j : i > j) {
          EXPECT_EQ(factor(i, j), old(i, j)) << "the other triangle";
          factor(i, j) = 0;
        }
    const Dense other = turned(factor, kConjugated);
    this->expect_equal(part == kLower ? factor * other : other * factor, a, 20.0L * n);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Factors, LowerTimesUpperIsTheMatrixWithRowsExchanged) {
  for (int round = 0; round < 20; ++round) {
    const bool batch = round % 3 == 2;
    const int m = 1 + this->below(40), n = batch ? m : 1 + this->below(40), lda = m + this->below(3),
              least = std::min(m, n);
    const Dense a = this->random(m, n);
    auto values = this->stored(a, lda);
    std::vector<int> pivots(static_cast<size_t>(least));
    int info = -1;
    void* matrix = values.data();  // read when its turn in the stream comes
    if (round % 3 == 0) {
      ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "getrf").c_str(), this->rocblas_handle_, m,
                     n, values.data(), lda, pivots.data(), &info),
                0);
    } else if (!batch) {
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "getrf").c_str(), this->hipsolver_handle_, m,
                     n, values.data(), lda, static_cast<void*>(nullptr), 0, pivots.data(), &info),
                0);
    } else {
      ASSERT_EQ(call(this->hipblas_, this->large("hipblas", "getrfBatched").c_str(), this->hipblas_handle_, n,
                     &matrix, lda, pivots.data(), &info, 1),
                0);
    }
    this->synchronize();
    EXPECT_EQ(info, 0);
    Dense lower(m, least), upper(least, n), exchanged = a;
    const Dense both = this->loaded(values, m, n, lda);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        if (i > j && j < least) {
          lower(i, j) = both(i, j);
          EXPECT_LE(std::abs(both(i, j)), 1.5) << "the largest number of the column is the pivot";
        }
        if (i <= j && i < least) upper(i, j) = both(i, j);
      }
    for (int i = 0; i < least; ++i) {
      lower(i, i) = 1;
      for (int j = 0; j < n; ++j)
        std::swap(exchanged(i, j), exchanged(pivots[static_cast<size_t>(i)] - 1, j));
    }
    this->expect_equal(lower * upper, exchanged, 40.0L * least);
    if (this->HasFatalFailure()) return;
    if (m != n) continue;
    for (const int operation : {kAsItIs, kTransposed, kConjugated}) {
      const int columns = 1 + this->below(4), ldb = n + this->below(3);
      const Dense wanted = this->random(n, columns);
      auto b = this->stored(turned(a, operation) * wanted, ldb);
      ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "getrs").c_str(), this->rocblas_handle_,
                     operation, n, columns, values.data(), lda, pivots.data(), b.data(), ldb),
                0);
      this->synchronize();
      // By what it gives: a badly conditioned matrix may have far solutions of the same product.
      const Dense solved = this->loaded(b, n, columns, ldb);
      Real largest = 1;
      for (const Wide& value : solved.values) largest = std::max(largest, std::abs(value));
      this->expect_equal(turned(a, operation) * solved, turned(a, operation) * wanted, 200.0L * n * largest);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Factors, TriangularSolutionsGiveTheRightSides) {
  for (int round = 0; round < 48; ++round) {
    const int side = round % 2 ? kRight : kLeft, part = round / 2 % 2 ? kUpper : kLower,
              operation = kAsItIs + round / 4 % 3, diagonal = round / 12 % 2 ? kUnit : kNonUnit;
    const int m = 1 + this->below(20), n = 1 + this->below(20), size = side == kLeft ? m : n,
              lda = size + this->below(3), ldb = m + this->below(3);
    Dense a = this->random(size, size);
    for (Wide& value : a.values) value *= 0.3L;
    for (int i = 0; i < size; ++i) a(i, i) += 2;
    const Dense right = this->random(m, n);
    const auto stored_a = this->stored(a, lda);
    auto b = this->stored(right, ldb);
    const TypeParam alpha(0.5f);
    const void* matrix = stored_a.data();
    void* vectors = b.data();
    if (round % 6 == 5) {
      ASSERT_EQ(call(this->hipblas_, this->large("hipblas", "trsmBatched").c_str(), this->hipblas_handle_,
                     side, part, operation, diagonal, m, n, &alpha, &matrix, lda, &vectors, ldb, 1),
                0);
    } else if (round % 3 == 2) {
      ASSERT_EQ(call(this->rocblas_, this->small("rocblas_", "trsm_batched").c_str(), this->rocblas_handle_,
                     side, part, operation, diagonal, m, n, &alpha, &matrix, lda, &vectors, ldb, 1),
                0);
    } else if (round % 3 == 1) {
      ASSERT_EQ(call(this->hipblas_, this->large("hipblas", "trsm").c_str(), this->hipblas_handle_, side,
                     part, operation, diagonal, m, n, &alpha, stored_a.data(), lda, b.data(), ldb),
                0);
    } else {
      ASSERT_EQ(call(this->rocblas_, this->small("rocblas_", "trsm").c_str(), this->rocblas_handle_, side,
                     part, operation, diagonal, m, n, &alpha, stored_a.data(), lda, b.data(), ldb),
                0);
    }
    this->synchronize();
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) {
        if (part == kLower ? i < j : i > j) a(i, j) = 0;
        if (i == j && diagonal == kUnit) a(i, j) = 1;
      }
    const Dense x = this->loaded(b, m, n, ldb), op = turned(a, operation);
    Dense want = right;
    Real largest = 1;
    for (Wide& value : want.values) value *= 0.5L;
    for (const Wide& value : x.values) largest = std::max(largest, std::abs(value));
    SCOPED_TRACE(testing::Message() << "round " << round);
    this->expect_equal(side == kLeft ? op * x : x * op, want, 60.0L * size * largest);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Factors, SolutionsByCholeskyFactorsGiveTheRightSides) {
  using T = TypeParam;
  for (int round = 0; round < 16; ++round) {
    const int n = 1 + this->below(30), lda = n + this->below(3), columns = 1 + this->below(4),
              ldb = n + this->below(3), part = round % 2 ? kUpper : kLower;
    const Dense a = this->positive(n), right = this->random(n, columns);
    auto values = this->stored(a, lda), b = this->stored(right, ldb);
    int info = -1;
    ASSERT_EQ(this->roc("potrf", part, n, values.data(), lda, &info), 0);
    T *matrix = values.data(), *vectors = b.data();
    if (round % 4 < 2)
      ASSERT_EQ(this->roc("potrs", part, n, columns, matrix, lda, vectors, ldb), 0);
    else
      ASSERT_EQ(this->roc("potrs_batched", part, n, columns, &matrix, lda, &vectors, ldb, 1), 0);
    this->synchronize();
    this->expect_equal(a * this->loaded(b, n, columns, ldb), right, 60.0L * n * n);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Factors, BatchesAreSolvedAndInvertedByTheirFactors) {
  using T = TypeParam;
  for (int round = 0; round < 12; ++round) {
    const int n = 1 + this->below(20), lda = n + this->below(3), columns = 1 + this->below(3),
              count = 1 + this->below(3), operation = kAsItIs + round % 3;
    const bool exchanged = round % 4 != 3;
    std::vector<Dense> matrices, rights;
    std::vector<std::vector<T>> stored, vectors, inverses;
    std::vector<T*> a, b, c;
    for (int i = 0; i < count; ++i) {
      matrices.push_back(this->positive(n));  // has factors with exchanges and without
      rights.push_back(this->random(n, columns));
      stored.push_back(this->stored(matrices.back(), lda));
      vectors.push_back(this->stored(rights.back(), lda));
      inverses.push_back(std::vector<T>(static_cast<size_t>(n * lda)));
    }
    for (int i = 0; i < count; ++i) {
      a.push_back(stored[static_cast<size_t>(i)].data());
      b.push_back(vectors[static_cast<size_t>(i)].data());
      c.push_back(inverses[static_cast<size_t>(i)].data());
    }
    std::vector<int> pivots(static_cast<size_t>(n * count)), info(static_cast<size_t>(count), -1);
    int* const rows = exchanged ? pivots.data() : nullptr;
    int arguments = -1;
    const auto blas = [&](const char* function, auto... args) {
      return call(this->hipblas_, this->large("hipblas", function), this->hipblas_handle_, args...);
    };
    ASSERT_EQ(blas("getrfBatched", n, a.data(), lda, rows, info.data(), count), 0);
    ASSERT_EQ(
        blas("getrsBatched", operation, n, columns, a.data(), lda, rows, b.data(), lda, &arguments, count),
        0);
    EXPECT_EQ(arguments, 0);
    ASSERT_EQ(blas("getriBatched", n, a.data(), lda, rows, c.data(), lda, info.data(), count), 0);
    this->synchronize();
    for (size_t i = 0; i < matrices.size(); ++i) {
      EXPECT_EQ(info[i], 0);
      Dense one(n, n);
      for (int k = 0; k < n; ++k) one(k, k) = 1;
      this->expect_equal(turned(matrices[i], operation) * this->loaded(vectors[i], n, columns, lda),
                         rights[i], 80.0L * n * n);
      this->expect_equal(matrices[i] * this->loaded(inverses[i], n, n, lda), one, 80.0L * n * n);
      if (this->HasFatalFailure()) return;
    }
    // A zero on the diagonal of U.
    stored[0][static_cast<size_t>((n - 1) * lda + n - 1)] = T{};
    ASSERT_EQ(blas("getriBatched", n, a.data(), lda, rows, c.data(), lda, info.data(), count), 0);
    this->synchronize();
    EXPECT_EQ(info[0], n);
  }
}

/// rocSOLVER's, in matrices that are not square, too, with a gap between one matrix's pivots and the next
/// one's.
TYPED_TEST(Factors, RocsolversBatchesAreFactoredSolvedAndInvertedInPlace) {
  using T = TypeParam;
  for (int round = 0; round < 12; ++round) {
    const bool square = round % 2 == 0;
    const int m = 1 + this->below(20), n = square ? m : 1 + this->below(20), least = std::min(m, n),
              lda = m + this->below(3), columns = 1 + this->below(3), count = 1 + this->below(4),
              operation = kAsItIs + round % 3;
    const int64_t stride = least + this->below(3);
    std::vector<Dense> matrices;
    std::vector<std::vector<T>> stored;
    std::vector<T*> a;
    for (int i = 0; i < count; ++i) {
      matrices.push_back(square ? this->positive(n) : this->random(m, n));
      stored.push_back(this->stored(matrices.back(), lda));
    }
    for (auto& one : stored) a.push_back(one.data());
    std::vector<int> pivots(static_cast<size_t>(stride * count), -7), info(static_cast<size_t>(count), -1);
    ASSERT_EQ(this->roc("getrf_batched", m, n, a.data(), lda, pivots.data(), stride, info.data(), count), 0);
    this->synchronize();
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      EXPECT_EQ(info[at], 0);
      for (int64_t k = least; k < stride; ++k)
        EXPECT_EQ(pivots[static_cast<size_t>(i * stride + k)], -7) << "between the pivots";
      Dense lower(m, least), upper(least, n), exchanged = matrices[at];
      const Dense both = this->loaded(stored[at], m, n, lda);
      for (int r = 0; r < m; ++r)
        for (int c = 0; c < n; ++c) {
          if (r > c && c < least) lower(r, c) = both(r, c);
          if (r <= c && r < least) upper(r, c) = both(r, c);
        }
      for (int k = 0; k < least; ++k) {
        lower(k, k) = 1;
        for (int c = 0; c < n; ++c)
          std::swap(exchanged(k, c), exchanged(pivots[static_cast<size_t>(i * stride + k)] - 1, c));
      }
      this->expect_equal(lower * upper, exchanged, 80.0L * least * least);
      if (this->HasFatalFailure()) return;
    }
    if (!square) continue;
    std::vector<Dense> wanted;
    std::vector<std::vector<T>> rights;
    std::vector<T*> b;
    for (int i = 0; i < count; ++i) {
      wanted.push_back(this->random(n, columns));
      rights.push_back(
          this->stored(turned(matrices[static_cast<size_t>(i)], operation) * wanted.back(), lda));
    }
    for (auto& one : rights) b.push_back(one.data());
    ASSERT_EQ(this->roc("getrs_batched", operation, n, columns, a.data(), lda, pivots.data(), stride,
                        b.data(), lda, count),
              0);
    ASSERT_EQ(this->roc("getri_batched", n, a.data(), lda, pivots.data(), stride, info.data(), count), 0);
    this->synchronize();
    Dense one(n, n);
    for (int k = 0; k < n; ++k) one(k, k) = 1;
    for (size_t i = 0; i < matrices.size(); ++i) {
      EXPECT_EQ(info[i], 0);
      const Dense turn = turned(matrices[i], operation);
      this->expect_equal(turn * this->loaded(rights[i], n, columns, lda), turn * wanted[i], 200.0L * n * n);
      this->expect_equal(matrices[i] * this->loaded(stored[i], n, n, lda), one, 80.0L * n * n);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Factors, RocsolversBatchesOfPositiveMatricesAreFactored) {
  const int n = 9, lda = 11, count = 3;
  std::vector<Dense> matrices;
  std::vector<std::vector<TypeParam>> stored;
  std::vector<TypeParam*> a;
  for (int i = 0; i < count; ++i) {
    matrices.push_back(this->positive(n));
    stored.push_back(this->stored(matrices.back(), lda));
  }
  stored[1][0] = TypeParam(-1);  // not positive
  for (auto& one : stored) a.push_back(one.data());
  int info[count] = {-1, -1, -1};
  ASSERT_EQ(this->roc("potrf_batched", kLower, n, a.data(), lda, info, count), 0);
  this->synchronize();
  EXPECT_EQ(info[1], 1);
  for (const int i : {0, 2}) {
    EXPECT_EQ(info[i], 0);
    Dense factor = this->loaded(stored[static_cast<size_t>(i)], n, n, lda);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < c; ++r) factor(r, c) = 0;
    this->expect_equal(factor * turned(factor, kConjugated), matrices[static_cast<size_t>(i)], 20.0L * n);
  }
  // rocblas_status: 4 is a size, 11 a value, 3 a pointer, 1 a handle.
  EXPECT_EQ(this->roc("potrf_batched", kLower, n, a.data(), lda, info, -1), 4);
  EXPECT_EQ(this->roc("potrf_batched", 99, n, a.data(), lda, info, count), 11);
  EXPECT_EQ(this->roc("potrf_batched", kLower, n, static_cast<void*>(nullptr), lda, info, count), 3);
  int* const none = nullptr;
  const int64_t stride = n;
  EXPECT_EQ(this->roc("getrf_batched", n, n, a.data(), lda, none, stride, info, count), 3);
  EXPECT_EQ(this->roc("getrs_batched", kAsItIs, n, 1, a.data(), lda, none, stride, a.data(), lda, count), 3);
  EXPECT_EQ(this->roc("getri_batched", n, a.data(), lda, none, stride, info, count), 3);
  EXPECT_EQ(this->roc("getrf_batched", n, n, a.data(), n - 1, none, stride, info, count), 4);
}

// AMD's rocBLAS may be here without its rocSOLVER: its handles have no mark of ours. Here they are memory
// whose beginning is what rocblas_get_stream looks at.
TYPED_TEST(Factors, AHandleThatIsNotOursIsAskedForItsStream) {
  void* stream = nullptr;
  ASSERT_EQ(call(this->hip_, "hipStreamCreate", &stream), 0);
  void* foreign[8] = {stream};
  std::vector<TypeParam> a{TypeParam(4), TypeParam(2), TypeParam(2), TypeParam(5)};
  int info = -1;
  ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), static_cast<void*>(foreign),
                 kLower, 2, a.data(), 2, &info),
            0);
  ASSERT_EQ(call(this->hip_, "hipStreamSynchronize", stream), 0) << "it went into that stream";
  EXPECT_EQ(info, 0);
  EXPECT_EQ(a[0], TypeParam(2));
  EXPECT_EQ(a[1], TypeParam(1));
  EXPECT_EQ(a[3], TypeParam(2));
  EXPECT_EQ(call(this->hip_, "hipStreamDestroy", stream), 0);
}

TYPED_TEST(Factors, WhereThereIsNoFactorItIsSaid) {
  std::vector<TypeParam> a{TypeParam(1), TypeParam(2), TypeParam(2), TypeParam(1)};  // not positive
  int info = -1, pivots[2] = {};
  ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), this->rocblas_handle_, kLower,
                 2, a.data(), 2, &info),
            0);
  this->synchronize();
  EXPECT_EQ(info, 2);
  std::fill(a.begin(), a.end(), TypeParam(3));  // singular
  ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "getrf").c_str(), this->rocblas_handle_, 2, 2,
                 a.data(), 2, pivots, &info),
            0);
  this->synchronize();
  EXPECT_EQ(info, 2);
  const auto status = [&](void* handle, int part, int n, int lda, int* to) {
    return call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), handle, part, n, a.data(), lda,
                to);
  };
  EXPECT_EQ(status(nullptr, kLower, 2, 2, &info), 1);
  EXPECT_EQ(status(this->rocblas_handle_, 99, 2, 2, &info), 11);
  EXPECT_EQ(status(this->rocblas_handle_, kLower, -1, 2, &info), 4);
  EXPECT_EQ(status(this->rocblas_handle_, kLower, 2, 1, &info), 4);
  EXPECT_EQ(status(this->rocblas_handle_, kLower, 2, 2, nullptr), 3);
  void* memory = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &memory, sizeof(TypeParam) * 3), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), this->rocblas_handle_, kLower,
                 2, static_cast<TypeParam*>(memory), 2, &info),
            3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reaches past the end"), std::string::npos);
  EXPECT_EQ(call(this->hip_, "hipFree", memory), 0);
}

}  // namespace
