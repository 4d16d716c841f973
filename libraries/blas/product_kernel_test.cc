// Products of the BLAS libraries that are kernels of the kernel library: on GPUs of three generations,
// against sums of doubles. A product counts as a kernel if the GPUs have executed instructions for it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/scratch.h"
#include "libraries/blas/product_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::products;

/// The process's GPUs, before anything looks at them.
const bool machine = setenv("WAVESMITH_GPU", "mi300x,mi210,rx9070xt", 1) == 0;
constexpr const char* kGpus[] = {"mi300x", "mi210", "rx9070xt"};

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
  template <class From, class To>
  void check_ex();

  void *hipblaslt_ = nullptr, *lt_ = nullptr;
};

class OnEachGpu : public ProductKernels, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ASSERT_EQ(call(hip_, "hipSetDevice", GetParam()), 0);
    ProductKernels::SetUp();
  }
};

template <class From, class To>
void ProductKernels::check_ex() {
  for (int round = 0; round < 8; ++round) {
    auto one = normal_case<From, To>(round < 6 ? 70 : 260, round % 2 ? 1 + below(3) : 1);
    const auto alpha = static_cast<float>(one.alpha.real()), beta = static_cast<float>(one.beta.real());
    check(one, [&](const void* a, const void* b, void* c) {
      if (round % 2)
        return call(hipblas_, "hipblasGemmStridedBatchedEx", handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                    static_cast<const void*>(&alpha), a, NumberFacts<From>::kHip, one.lda, one.stride_a, b,
                    NumberFacts<From>::kHip, one.ldb, one.stride_b, static_cast<const void*>(&beta), c,
                    NumberFacts<To>::kHip, one.ldc, one.stride_c, one.batches, 2, 160);
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

TEST_P(OnEachGpu, ProductsOfAllLayoutsEqualSumsInDoublePrecision) {
  check_ex<_Float16, _Float16>();
  check_ex<_Float16, float>();
  check_ex<Brain, Brain>();
  check_ex<Brain, float>();
}

TEST_P(OnEachGpu, HalvesAsScalarsAreWidened) {
  for (int round = 0; round < 6; ++round) {
    auto one = normal_case<_Float16, _Float16>(100, round % 2 ? 3 : 1);
    const auto alpha = static_cast<_Float16>(one.alpha.real()), beta = static_cast<_Float16>(one.beta.real());
    check(one, [&](const void* a, const void* b, void* c) {
      if (round % 2)
        return call(hipblas_, "hipblasHgemmStridedBatched", handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                    static_cast<const void*>(&alpha), a, one.lda, one.stride_a, b, one.ldb, one.stride_b,
                    static_cast<const void*>(&beta), c, one.ldc, one.stride_c, one.batches);
      return call(hipblas_, "hipblasHgemm", handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                  static_cast<const void*>(&alpha), a, one.lda, b, one.ldb, static_cast<const void*>(&beta),
                  c, one.ldc);
    });
    if (HasFatalFailure()) return;
  }
}

/// hipblasLtMatmul of column-major matrices without gaps, D = activation(A transposed * B + bias).
struct Matmul {
  void *library, *handle;
  int type, m, n, k;
  uint32_t epilogue;

  int operator()(const void* a, const void* b, const void* bias, void* d) const {
    void *description = nullptr, *of_a = nullptr, *of_b = nullptr, *of_d = nullptr;
    const auto set = [&](int attribute, auto value) {
      EXPECT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, attribute,
                     static_cast<const void*>(&value), sizeof value),
                0);
    };
    const auto layout = [&](void** place, int rows, int columns) {
      EXPECT_EQ(call(library, "hipblasLtMatrixLayoutCreate", place, type, static_cast<uint64_t>(rows),
                     static_cast<uint64_t>(columns), static_cast<int64_t>(rows)),
                0);
    };
    EXPECT_EQ(call(library, "hipblasLtMatmulDescCreate", &description, 2, 0), 0);
    set(0, int32_t{kTransposed});
    set(2, epilogue);
    if (bias) set(3, bias);
    layout(&of_a, k, m), layout(&of_b, k, n), layout(&of_d, m, n);
    const float alpha = 0.5f, beta = 0;
    const int status = call(library, "hipblasLtMatmul", handle, description, static_cast<const void*>(&alpha),
                            a, of_a, b, of_b, static_cast<const void*>(&beta), static_cast<const void*>(d),
                            of_d, d, of_d, static_cast<const void*>(nullptr), static_cast<void*>(nullptr),
                            size_t{0}, static_cast<void*>(nullptr));
    for (void* each : {of_a, of_b, of_d}) EXPECT_EQ(call(library, "hipblasLtMatrixLayoutDestroy", each), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulDescDestroy", description), 0);
    return status;
  }
};

/// The place of an element in columns of `rows`.
size_t at(int row, int column, int rows) {
  return static_cast<size_t>(column) * static_cast<size_t>(rows) + static_cast<size_t>(row);
}

double activated(uint32_t epilogue, double x) {
  if (epilogue & 2) return std::max(x, 0.0);
  if (epilogue & 32) return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  if (epilogue & 65536) return x / (1 + std::exp(-x));
  return x;
}

TEST_P(OnEachGpu, BiasesAreAddedToRowsAndActivationsFollow) {
  for (const uint32_t epilogue : {4u, 2u, 6u, 32u, 36u, 65536u, 65540u}) {
    const int m = 1 + below(150), n = 1 + below(90), k = 1 + below(200);
    SCOPED_TRACE(testing::Message() << "epilogue " << epilogue << ", " << m << " by " << n << " by " << k);
    const auto random = [&](int count) {
      std::vector<_Float16> all(static_cast<size_t>(count));
      for (_Float16& each : all)
        each = static_cast<_Float16>(number() < 0 ? number() - 1.01 : number() + 1.01);
      return all;
    };
    const std::vector<_Float16> a = random(k * m), b = random(k * n), bias = random(m),
                                nothing(static_cast<size_t>(m) * static_cast<size_t>(n), _Float16(77));
    const OnGpu<_Float16> on_a(hip_, a), on_b(hip_, b), on_bias(hip_, bias), on_d(hip_, nothing);
    const uint64_t so_far = executed();
    const bool biased = (epilogue & 4) != 0;
    const Matmul matmul{hipblaslt_, lt_, NumberFacts<_Float16>::kHip, m, n, k, epilogue};
    ASSERT_EQ(matmul(on_a.in(), on_b.in(), biased ? on_bias.in() : nullptr, on_d.out()), 0);
    EXPECT_GT(executed(), so_far) << "no kernel ran";
    const std::vector<_Float16> d = on_d.numbers();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        double sum = biased ? static_cast<double>(bias[static_cast<size_t>(i)]) : 0, size = std::abs(sum);
        for (int p = 0; p < k; ++p) {
          const double product =
              0.5 * static_cast<double>(a[at(p, i, k)]) * static_cast<double>(b[at(p, j, k)]);
          sum += product;
          size += std::abs(product);
        }
        const double want = activated(epilogue, sum);
        // Activations have slopes of at most 1.13, and errors of a few units of a float.
        ASSERT_NEAR(static_cast<double>(d[at(i, j, m)]), want,
                    1.2 * 0x1p-24 * (k + 8) * size + 0x1p-10 * std::abs(want) + 0x1p-24)
            << "row " << i << ", column " << j;
      }
  }
}

TEST_P(OnEachGpu, NotANumberBecomesZeroInReluAsOnTheHost) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<_Float16> a = {_Float16(nan), 1, -1, 2}, b = {1, 2, 3, -4},
                              nothing(4, _Float16(77));  // of a the columns are rows
  std::vector<_Float16> on_host = nothing;
  const Matmul matmul{hipblaslt_, lt_, NumberFacts<_Float16>::kHip, 2, 2, 2, 2};
  ASSERT_EQ(matmul(a.data(), b.data(), nullptr, on_host.data()), 0);
  const OnGpu<_Float16> on_a(hip_, a), on_b(hip_, b), on_d(hip_, nothing);
  const uint64_t so_far = executed();
  ASSERT_EQ(matmul(on_a.in(), on_b.in(), nullptr, on_d.out()), 0);
  EXPECT_GT(executed(), so_far);
  const std::vector<_Float16> want = {0, _Float16(1.5), 0, 0};
  EXPECT_EQ(on_host, want);
  EXPECT_EQ(on_d.numbers(), want);
}

INSTANTIATE_TEST_SUITE_P(Of, OnEachGpu, testing::Range(0, 3),
                         [](const auto& info) { return std::string(kGpus[info.param]); });

constexpr _Float16 kOne = 1;

/// C += A * B of 2 by 2 halves, all of them next to each other.
int add_product(void* hipblas, void* handle, const void* a, const void* b, void* c) {
  return call(hipblas, "hipblasHgemm", handle, kAsItIs, kAsItIs, 2, 2, 2, static_cast<const void*>(&kOne), a,
              2, b, 2, static_cast<const void*>(&kOne), c, 2);
}
const std::vector<_Float16> kA = {1, 2, 3, 4}, kB = {5, 6, 7, 8}, kC = {1, 1, 1, 1}, kSum = {24, 35, 32, 47};

TEST_F(ProductKernels, TheHostServesItsOwnMemory) {
  const OnGpu<_Float16> a(hip_, kA), b(hip_, kB);
  std::vector<_Float16> c = kC;
  const uint64_t so_far = executed();
  ASSERT_EQ(add_product(hipblas_, handle_, kA.data(), kB.data(), c.data()), 0);
  EXPECT_EQ(executed(), so_far);
  EXPECT_EQ(c, kSum);
  c = kC;  // A and B on the GPU
  ASSERT_EQ(add_product(hipblas_, handle_, a.in(), b.in(), c.data()), 0);
  EXPECT_EQ(executed(), so_far);
  EXPECT_EQ(c, kSum);
}

TEST_F(ProductKernels, AMatrixThatReachesPastItsAllocationIsAnError) {
  const OnGpu<_Float16> a(hip_, kA), b(hip_, kB), c(hip_, {1, 1, 1});
  testing::internal::CaptureStderr();
  EXPECT_EQ(add_product(hipblas_, handle_, a.in(), b.in(), c.out()), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("matrix C of a product (2 by 2 by 2) reaches past"),
            std::string::npos);
}

TEST_F(ProductKernels, TheHostServesWhereTheResultOverlapsAnOperand) {
  const OnGpu<_Float16> a(hip_, {1, 0, 0, 1}), both(hip_, {2, 0, 0, 2});
  const uint64_t so_far = executed();
  ASSERT_EQ(add_product(hipblas_, handle_, a.in(), both.in(), both.out()), 0);
  EXPECT_EQ(executed(), so_far);
  EXPECT_EQ(both.numbers(), (std::vector<_Float16>{4, 0, 0, 4}));
}

TEST_F(ProductKernels, GraphsRepeatThem) {
  const OnGpu<_Float16> a(hip_, kA), b(hip_, kB), c(hip_, {0, 0, 0, 0});
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSetStream", handle_, stream), 0);
  uint64_t so_far = executed();
  ASSERT_EQ(call(hip_, "hipStreamBeginCapture", stream, 0), 0);
  ASSERT_EQ(add_product(hipblas_, handle_, a.in(), b.in(), c.out()), 0);
  ASSERT_EQ(call(hip_, "hipStreamEndCapture", stream, &graph), 0);
  EXPECT_EQ(executed(), so_far) << "a captured product runs with its graph";
  ASSERT_EQ(call(hip_, "hipGraphInstantiate", &executable, graph, static_cast<void*>(nullptr),
                 static_cast<char*>(nullptr), size_t{0}),
            0);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(call(hip_, "hipGraphLaunch", executable, stream), 0);
    const uint64_t now = executed();
    EXPECT_GT(now, so_far);
    so_far = now;
    std::vector<_Float16> want = kSum;
    for (_Float16& each : want) each = static_cast<_Float16>(static_cast<float>(each - 1) * i);
    EXPECT_EQ(c.numbers(), want);
  }
  EXPECT_EQ(call(hip_, "hipGraphExecDestroy", executable), 0);
  EXPECT_EQ(call(hip_, "hipGraphDestroy", graph), 0);
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
}

// A kernel of the current GPU's target would not run on the stream's.
TEST_F(ProductKernels, RunOnTheGpuOfTheirStream) {
  for (int device = 0; device < 3; ++device) {
    void* stream = nullptr;
    ASSERT_EQ(call(hip_, "hipSetDevice", device), 0);
    ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
    const OnGpu<_Float16> a(hip_, kA), b(hip_, kB), c(hip_, kC);
    const int current = (device + 1) % 3;
    ASSERT_EQ(call(hip_, "hipSetDevice", current), 0);
    ASSERT_EQ(call(hipblas_, "hipblasSetStream", handle_, stream), 0);
    const uint64_t so_far = executed();
    ASSERT_EQ(add_product(hipblas_, handle_, a.in(), b.in(), c.out()), 0);
    ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
    EXPECT_GT(executed(), so_far) << "no kernel ran on " << kGpus[device];
    EXPECT_EQ(c.numbers(), kSum);
    int now = -1;
    ASSERT_EQ(call(hip_, "hipGetDevice", &now), 0);
    EXPECT_EQ(now, current);
    EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
  }
}

// A report is written when a process ends, and the environment is read once: the tests run this program
// again, for one product.
class ProductsOfAnotherProcess : public ProductKernels {
 protected:
  /// Whether this is that process. It computes its product then.
  bool is_other_process() {
    if (!std::getenv("WAVESMITH_REPORT")) return false;
    const OnGpu<_Float16> a(hip_, kA), b(hip_, kB), c(hip_, kC);
    EXPECT_EQ(add_product(hipblas_, handle_, a.in(), b.in(), c.out()), 0);
    EXPECT_EQ(c.numbers(), kSum);
    return true;
  }
  /// The report of such a process with these variables, and what it said.
  static nlohmann::json report_of(const std::string& variables, std::string* said = nullptr) {
    const wavesmith::Scratch scratch("products");
    const std::filesystem::path report = scratch / "report.json", errors = scratch / "stderr";
    const std::string command = variables + " WAVESMITH_REPORT='" + report.string() + "' '" +
                                std::filesystem::read_symlink("/proc/self/exe").string() +
                                "' --gtest_filter=ProductsOfAnotherProcess.AreKernels* >/dev/null 2>'" +
                                errors.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream file(report), text(errors);
    if (said) said->assign(std::istreambuf_iterator<char>(text), {});
    return nlohmann::json::parse(file, nullptr, false);
  }
};

TEST_F(ProductsOfAnotherProcess, AreKernelsInReportsAndNoCallsThatTheHostServes) {
  if (is_other_process()) return;
  for (const char* variables : {"", "WAVESMITH_TIME=1"}) {
    std::string said;
    const auto report = report_of(variables, &said);
    ASSERT_TRUE(report.is_object());
    ASSERT_EQ(report["kernels"].size(), 1) << report.dump(1);
    EXPECT_EQ(report["kernels"][0]["launches"], 1);
    EXPECT_TRUE(report["kernels"][0]["name"].get<std::string>().starts_with("gemm_f16_")) << report.dump(1);
    EXPECT_TRUE(report["library_calls"].empty()) << report.dump(1);
    EXPECT_EQ(said, "");
  }
}

TEST_F(ProductsOfAnotherProcess, AreTheHostsWhereItIsAskedForOrThereIsNoCode) {
  for (const char* variables : {"WAVESMITH_STAND_INS=host", "WAVESMITH_KERNELS_FOLDER=/nowhere"}) {
    std::string said;
    const auto report = report_of(variables, &said);
    ASSERT_TRUE(report.is_object());
    EXPECT_TRUE(report["kernels"].empty()) << report.dump(1);
    ASSERT_EQ(report["library_calls"].size(), 1) << report.dump(1);
    EXPECT_EQ(report["library_calls"][0]["function"], "hipblasHgemm");
    EXPECT_EQ(said, "");
  }
}

}  // namespace
