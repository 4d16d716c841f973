// Helpers for tests of products that are kernels: numbers in a GPU's memory, and a fixture on GPUs of three
// generations. A product counts as a kernel if the GPUs have executed instructions for it.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "libraries/blas/product_testing.h"

namespace wavesmith::libraries::products {

/// The process's GPUs, before anything looks at them.
inline const bool machine = setenv("WAVESMITH_GPU", "mi300x,mi210,rx9070xt", 1) == 0;
inline constexpr const char* kGpus[] = {"mi300x", "mi210", "rx9070xt"};

/// A copy of numbers in the current GPU's memory, which ends with them.
template <class T>
class OnGpu {
 public:
  OnGpu(void* hip, const std::vector<T>& numbers) : hip_(hip), count_(numbers.size()) {
    EXPECT_EQ(call(hip_, "hipMalloc", &memory_, std::max<size_t>(1, count_ * sizeof(T))), 0);
    EXPECT_EQ(
        call(hip_, "hipMemcpy", memory_, static_cast<const void*>(numbers.data()), count_ * sizeof(T), 1), 0);
  }
  ~OnGpu() { EXPECT_EQ(call(hip_, "hipFree", memory_), 0); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  [[nodiscard]] const void* in() const { return memory_; }
  [[nodiscard]] void* out() const { return memory_; }
  [[nodiscard]] std::vector<T> numbers() const {
    std::vector<T> all(count_);
    EXPECT_EQ(call(hip_, "hipMemcpy", static_cast<void*>(all.data()), in(), count_ * sizeof(T), 2), 0);
    return all;
  }

 private:
  void* hip_;
  void* memory_ = nullptr;
  size_t count_;
};

class ProductKernels : public ProductTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(machine);
    ProductTest::SetUp();
    hipblaslt_ = open_library("libhipblaslt.so.1");
    ASSERT_TRUE(hipblaslt_);
    ASSERT_EQ(call(hipblaslt_, "hipblasLtCreate", &lt_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(call(hipblaslt_, "hipblasLtDestroy", lt_), 0);
    ProductTest::TearDown();
  }
  /// Wave-instructions that GPUs have executed so far.
  uint64_t executed() {
    synchronize();
    return reinterpret_cast<uint64_t (*)()>(dlsym(hip_, "wavesmith_instructions"))();
  }
  /// A random case whose operands are normal numbers: CDNA2 takes subnormal ones for 0.
  template <class From, class To>
  Case<From, To> normal_case(int largest, int batches) {
    auto one = random_case<From, To>(largest, batches);
    for (auto* const matrix : {&one.a, &one.b})
      for (From& value : *matrix)
        if (std::abs(wide(value)) < 0x1p-10) value = make<From>(0.5, 0);
    return one;
  }
  /// Runs a product by `product(a, b, c)` on the GPU's memory, and compares it with sums of doubles.
  template <class From, class To, class Run>
  void check(Case<From, To>& one, Run product) {
    const std::vector<To> before = one.c;
    const OnGpu<From> a(hip_, one.a), b(hip_, one.b);
    const OnGpu<To> c(hip_, one.c);
    const uint64_t so_far = executed();
    ASSERT_EQ(product(a.in(), b.in(), c.out()), 0);
    if (one.m > 0 && one.n > 0) {
      EXPECT_GT(executed(), so_far) << "no kernel ran";
    }
    one.c = c.numbers();
    one.check(before, 0x1p-24);
  }

  /// Products of all layouts by three functions that name types.
  template <class From, class To>
  void check_ex() {
    for (int round = 0; round < 8; ++round) {
      auto one = normal_case<From, To>(round < 6 ? 70 : 260, round % 2 ? 1 + below(3) : 1);
      const auto alpha = static_cast<float>(one.alpha.real()), beta = static_cast<float>(one.beta.real());
      check(one, [&](const void* a, const void* b, void* c) {
        if (round % 2)
          return call(hipblas_, "hipblasGemmStridedBatchedEx", handle_, one.op_a, one.op_b, one.m, one.n,
                      one.k, static_cast<const void*>(&alpha), a, NumberFacts<From>::kHip, one.lda,
                      one.stride_a, b, NumberFacts<From>::kHip, one.ldb, one.stride_b,
                      static_cast<const void*>(&beta), c, NumberFacts<To>::kHip, one.ldc, one.stride_c,
                      one.batches, 2, 160);
        if (round % 4)
          return call(hipblas_, "hipblasGemmEx", handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                      static_cast<const void*>(&alpha), a, NumberFacts<From>::kHip, one.lda, b,
                      NumberFacts<From>::kHip, one.ldb, static_cast<const void*>(&beta), c,
                      NumberFacts<To>::kHip, one.ldc, 2, 160);
        return call(rocblas_, "rocblas_gemm_ex", rocblas_handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                    static_cast<const void*>(&alpha), a, NumberFacts<From>::kRocblas, one.lda, b,
                    NumberFacts<From>::kRocblas, one.ldb, static_cast<const void*>(&beta),
                    static_cast<const void*>(c), NumberFacts<To>::kRocblas, one.ldc, c,
                    NumberFacts<To>::kRocblas, one.ldc, NumberFacts<float>::kRocblas, 0, int32_t{0},
                    uint32_t{0});
      });
      if (HasFatalFailure()) return;
    }
  }

  void *hipblaslt_ = nullptr, *lt_ = nullptr;
};

class OnEachGpu : public ProductKernels, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ASSERT_EQ(call(hip_, "hipSetDevice", GetParam()), 0);
    ProductKernels::SetUp();
  }
};

/// hipblasLtMatmul of column-major matrices without gaps, D = activation(A transposed * B + bias).
struct Matmul {
  void *library, *handle;
  int type, m, n, k;
  uint32_t epilogue;
  int type_d = type;
  const float *scale_a = nullptr, *scale_b = nullptr, *scale_d = nullptr;
  bool per_row = false;  ///< scale_a has m elements
  void* workspace = nullptr;
  uint64_t workspace_bytes = 0;

  int operator()(const void* a, const void* b, const void* bias, void* d) const {
    void *description = nullptr, *of_a = nullptr, *of_b = nullptr, *of_d = nullptr;
    const auto set = [&](int attribute, auto value) {
      EXPECT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, attribute,
                     static_cast<const void*>(&value), sizeof value),
                0);
    };
    const auto layout = [&](void** place, int of, int rows, int columns) {
      EXPECT_EQ(call(library, "hipblasLtMatrixLayoutCreate", place, of, static_cast<uint64_t>(rows),
                     static_cast<uint64_t>(columns), static_cast<int64_t>(rows)),
                0);
    };
    EXPECT_EQ(call(library, "hipblasLtMatmulDescCreate", &description, 2, 0), 0);
    set(0, int32_t{kTransposed});
    set(2, epilogue);
    if (bias) set(3, bias);
    if (scale_a) set(5, scale_a);
    if (scale_b) set(6, scale_b);
    if (scale_d) set(8, scale_d);
    if (per_row) set(31, int32_t{3});
    layout(&of_a, type, k, m), layout(&of_b, type, k, n), layout(&of_d, type_d, m, n);
    const float alpha = 0.5f, beta = 0;
    const int status = call(library, "hipblasLtMatmul", handle, description, static_cast<const void*>(&alpha),
                            a, of_a, b, of_b, static_cast<const void*>(&beta), static_cast<const void*>(d),
                            of_d, d, of_d, static_cast<const void*>(nullptr), workspace,
                            static_cast<size_t>(workspace_bytes), static_cast<void*>(nullptr));
    for (void* each : {of_a, of_b, of_d}) EXPECT_EQ(call(library, "hipblasLtMatrixLayoutDestroy", each), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulDescDestroy", description), 0);
    return status;
  }
  /// The bytes of workspace that the library would use, of at most that many.
  [[nodiscard]] uint64_t wanted(uint64_t most) const {
    void *description = nullptr, *preference = nullptr, *layouts[3] = {};
    const int types[] = {type, type, type_d}, rows[] = {k, k, m}, columns[] = {m, n, n};
    uint64_t found[7] = {};  // behind 24 bytes of algorithm the workspace's size
    int count = 0;
    const int32_t transposed = kTransposed;
    EXPECT_EQ(call(library, "hipblasLtMatmulDescCreate", &description, 2, 0), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, 0,
                   static_cast<const void*>(&transposed), sizeof transposed),
              0);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(
          call(library, "hipblasLtMatrixLayoutCreate", &layouts[i], types[i], static_cast<uint64_t>(rows[i]),
               static_cast<uint64_t>(columns[i]), static_cast<int64_t>(rows[i])),
          0);
    EXPECT_EQ(call(library, "hipblasLtMatmulPreferenceCreate", &preference), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulPreferenceSetAttribute", preference, 1,
                   static_cast<const void*>(&most), sizeof most),
              0);
    EXPECT_EQ(call(library, "hipblasLtMatmulAlgoGetHeuristic", handle, description, layouts[0], layouts[1],
                   layouts[2], layouts[2], preference, 1, static_cast<void*>(found), &count),
              0);
    EXPECT_EQ(count, 1);
    for (void* each : layouts) EXPECT_EQ(call(library, "hipblasLtMatrixLayoutDestroy", each), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulPreferenceDestroy", preference), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulDescDestroy", description), 0);
    return found[3];
  }
};

/// The place of an element in columns of `rows`.
inline size_t at(int row, int column, int rows) {
  return static_cast<size_t>(column) * static_cast<size_t>(rows) + static_cast<size_t>(row);
}

}  // namespace wavesmith::libraries::products
