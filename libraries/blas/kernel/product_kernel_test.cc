// Products of the BLAS libraries that are kernels of the kernel library, against sums of doubles: of halves,
// and what is the same for all types.
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
#include "libraries/blas/kernel/product_kernel_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::products;

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

TEST_P(OnEachGpu, AWorkspaceHoldsPartsOfALongSum) {
  constexpr int kM = 16, kN = 64, kK = 8192;
  Matmul matmul{hipblaslt_, lt_, NumberFacts<_Float16>::kHip, kM, kN, kK, 1};
  EXPECT_EQ(matmul.wanted(0), 0);
  matmul.workspace_bytes = matmul.wanted(uint64_t{1} << 25);
  ASSERT_GT(matmul.workspace_bytes, 0);
  const std::vector<_Float16> a(size_t{kM} * kK, _Float16(0.25)), b(size_t{kN} * kK, _Float16(0.5)),
      nothing(size_t{kM} * kN, _Float16(77)), sums(size_t{kM} * kN, _Float16(512));
  const std::vector<float> poison(matmul.workspace_bytes / 4, std::numeric_limits<float>::quiet_NaN());
  const OnGpu<_Float16> on_a(hip_, a), on_b(hip_, b), on_d(hip_, nothing), again(hip_, nothing);
  const OnGpu<float> workspace(hip_, poison);
  matmul.workspace = workspace.out();
  ASSERT_EQ(matmul(on_a.in(), on_b.in(), nullptr, on_d.out()), 0);
  EXPECT_EQ(on_d.numbers(), sums);
  const std::vector<float> parts = workspace.numbers();
  EXPECT_TRUE(std::ranges::any_of(parts, [](float part) { return !std::isnan(part); })) << "it was not used";

  // Where nothing fits in, or it is the host's, there is one part.
  std::vector<float> of_host(poison);
  matmul.workspace = of_host.data();
  ASSERT_EQ(matmul(on_a.in(), on_b.in(), nullptr, again.out()), 0);
  EXPECT_EQ(again.numbers(), sums);
  EXPECT_TRUE(std::ranges::all_of(of_host, [](float part) { return std::isnan(part); }));
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
