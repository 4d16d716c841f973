// hipBLASLt's groups of products, by the symbols of its C++ interface: the caller makes room for the objects,
// as AMD's header lays them out, and writes the arguments that are read when the group's turn has come.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/shim/handle_test.h"

namespace {

using namespace wavesmith::libraries;

constexpr int kF32 = 0, kF64 = 1, kF16 = 2, kComputeF32 = 2, kComputeF64 = 7;
using Sizes = std::vector<long>;

/// hipblaslt_ext::UserArguments, as hipblaslt-ext.hpp of ROCm 7.0 has it.
struct [[gnu::packed]] Arguments {
  uint32_t m, n, batch, k;
  void *d, *c, *a, *b;
  uint32_t ldd, stride_d, ldc, stride_c, lda, stride_a, ldb, stride_b;
  unsigned char alpha[16], beta[16];
  void *scale_a, *scale_b, *scale_c, *scale_d, *scale_alpha, *bias;
  int32_t bias_type, reserved;
  void* aux;
  uint32_t ld_aux, stride_aux;
  float extra[2];
  int32_t activation;
};
static_assert(sizeof(Arguments) == 196);

class GroupedProducts : public HandleTest {
 protected:
  GroupedProducts() : HandleTest("libhipblaslt.so.1", "hipblasLtCreate", "hipblasLtDestroy") {}
  /// A function of hipblaslt_ext without a result.
  template <class... Args>
  void act(const std::string& name, Args... args) {
    call(library_, "_ZN13hipblaslt_ext" + name, args...);
  }
  template <class... Args>
  int status(const std::string& name, Args... args) {
    return call(library_, "_ZN13hipblaslt_ext" + name, args...);
  }
  void* object() { return object_.data(); }
  /// By its table of virtual functions, as a program does.
  void destroy() {
    (*static_cast<void (***)(void*)>(object()))[0](object());
    object_.assign(10, ~uint64_t{0});
  }

  /// The group that is described by these, all of the same types and operations.
  int set(Sizes m, Sizes n, Sizes k, int operation_a, int operation_b, int type, int type_d, int compute,
          const void* alpha, const void* beta, int mode = 1, bool epilogues_differ = false) {
    const size_t count = m.size();
    act("11GroupedGemmC1EPv18hipblasOperation_tS2_11hipDataTypeS3_S3_S3_20hipblasComputeType_t", object(),
        handle_, operation_a, operation_b, type, type, type_d, type_d, compute);
    EXPECT_EQ(object_[1] & 0xffffffff, 2) << "a grouped product";
    EXPECT_EQ(object_[6], reinterpret_cast<uint64_t>(handle_));
    EXPECT_EQ(object_[9], ~uint64_t{0}) << "what is not the object's";
    void* types = nullptr;
    act("15GemmProblemTypeC1E18hipblasOperation_tS1_11hipDataTypeS2_S2_S2_20hipblasComputeType_t", &types,
        operation_a, operation_b, type, type, type_d, type_d, compute);
    std::vector<void*> epilogues(count), inputs(count);
    for (size_t i = 0; i < count; ++i) {
      act("12GemmEpilogueC1Ev", &epilogues[i]);
      act("12GemmEpilogue7setModeE19hipblasLtEpilogue_t", &epilogues[i],
          epilogues_differ && i == 1 ? mode + 1 : mode);
      act("12GemmEpilogue15setBiasDataTypeE11hipDataType", &epilogues[i],
          compute == kComputeF64 ? kF64 : kF32);
      act("10GemmInputsC1Ev", &inputs[i]);
      act("10GemmInputs8setAlphaEPKv", &inputs[i], alpha);
      act("10GemmInputs7setBetaEPKv", &inputs[i], beta);
    }
    Sizes batches(count, 1), lda, ldb, ldc = m, strides(count, 0);
    for (size_t i = 0; i < count; ++i) {
      lda.push_back(operation_a == kAsItIs ? m[i] : k[i]);
      ldb.push_back(operation_b == kAsItIs ? k[i] : n[i]);
    }
    Sizes ldd = ldc, stride_b = strides, stride_c = strides, stride_d = strides;
    const int result = status(
        "11GroupedGemm10setProblemERSt6vectorIlSaIlEES4_S4_S4_S4_S4_S4_S4_S4_S4_S4_S4_RS1_INS_"
        "12GemmEpilogueESaIS5_"
        "EERS1_INS_10GemmInputsESaIS9_EERNS_15GemmProblemTypeE",
        object(), &m, &n, &k, &batches, &lda, &ldb, &ldc, &ldd, &strides, &stride_b, &stride_c, &stride_d,
        &epilogues, &inputs, &types);
    for (size_t i = 0; i < count; ++i) {
      act("12GemmEpilogueD1Ev", &epilogues[i]);
      act("10GemmInputsD1Ev", &inputs[i]);
    }
    act("15GemmProblemTypeD1Ev", &types);
    return result;
  }
  int run(void* arguments) {
    return status("11GroupedGemm3runEPvP12ihipStream_t", object(), arguments, nullptr);
  }
  int defaults(void* arguments) {
    return status("11GroupedGemm37getDefaultValueForDeviceUserArgumentsEPv", object(), arguments);
  }

  std::vector<uint64_t> object_ = std::vector<uint64_t>(9 + 1, ~uint64_t{0});

  /// Against sums in double precision; sizes are those that the arguments have when the group runs.
  template <class In, class Out, class Scalar>
  void expect_products(int type, int type_d, int compute, double tolerance) {
    for (int round = 0; round < 12; ++round) {
      SCOPED_TRACE(testing::Message() << "round " << round);
      const int operation_a = round % 2 ? kTransposed : kAsItIs,
                operation_b = round / 2 % 2 ? kTransposed : kAsItIs;
      const size_t count = 1 + below(size_t{5});
      const bool bias = round % 3 == 2;
      const auto alpha = static_cast<Scalar>(0.5), beta = static_cast<Scalar>(round % 3 == 1 ? 2 : 0);
      // What is said at first is only an upper bound.
      ASSERT_EQ(set(Sizes(count, 40), Sizes(count, 40), Sizes(count, 40), operation_a, operation_b, type,
                    type_d, compute, &alpha, &beta, bias ? 2 | 4 : 1),
                0);
      std::vector<Arguments> arguments(count);
      ASSERT_EQ(defaults(arguments.data()), 0);
      std::vector<std::vector<In>> a(count), b(count);
      std::vector<std::vector<Out>> c(count), d(count);
      std::vector<std::vector<Scalar>> biases(count);
      for (size_t i = 0; i < count; ++i) {
        Arguments& one = arguments[i];
        EXPECT_EQ(one.m, 40u);
        EXPECT_EQ(one.lda, 40u);
        Scalar stored;
        std::memcpy(&stored, one.alpha, sizeof stored);
        EXPECT_EQ(stored, alpha);
        one.m = static_cast<uint32_t>(1 + below(20));
        one.n = static_cast<uint32_t>(below(20));  // none at all, too
        one.k = static_cast<uint32_t>(below(20));
        const auto fill = [&](auto& values, size_t size) {
          using T = std::remove_cvref_t<decltype(values[0])>;
          values.resize(size);
          for (auto& value : values) value = static_cast<T>(number());
        };
        fill(a[i], 40 * 40);
        fill(b[i], 40 * 40);
        fill(c[i], 40 * 40);
        fill(biases[i], 40);
        d[i].assign(40 * 40, Out(7));
        one.a = a[i].data();
        one.b = b[i].data();
        one.c = c[i].data();
        one.d = d[i].data();
        one.bias = biases[i].data();
      }
      ASSERT_EQ(run(arguments.data()), 0);
      ASSERT_EQ(call(hip_, "hipDeviceSynchronize"), 0);
      for (size_t i = 0; i < count; ++i) {
        const Arguments& one = arguments[i];
        for (size_t column = 0; column < 40; ++column)
          for (size_t row = 0; row < 40; ++row) {
            const double got = static_cast<double>(d[i][column * 40 + row]);
            if (row >= one.m || column >= one.n) {
              ASSERT_EQ(got, 7) << "outside of the product";
              continue;
            }
            double sum = 0;
            for (size_t k = 0; k < one.k; ++k)
              sum += static_cast<double>(a[i][operation_a == kAsItIs ? k * 40 + row : row * 40 + k]) *
                     static_cast<double>(b[i][operation_b == kAsItIs ? column * 40 + k : k * 40 + column]);
            double want = static_cast<double>(alpha) * sum;
            if (static_cast<double>(beta) != 0)
              want += static_cast<double>(beta) * static_cast<double>(c[i][column * 40 + row]);
            if (bias) want = std::max(0.0, want + static_cast<double>(biases[i][row]));
            ASSERT_NEAR(got, want, tolerance * (1 + std::abs(want))) << "product " << i;
          }
      }
      destroy();
    }
  }
};

TEST_F(GroupedProducts, OfFloats) { expect_products<float, float, float>(kF32, kF32, kComputeF32, 1e-5); }
TEST_F(GroupedProducts, OfHalvesIntoFloats) {
  expect_products<_Float16, float, float>(kF16, kF32, kComputeF32, 1e-5);
}
TEST_F(GroupedProducts, OfHalves) {
  expect_products<_Float16, _Float16, float>(kF16, kF16, kComputeF32, 2e-3);
}
TEST_F(GroupedProducts, OfDoubles) {
  expect_products<double, double, double>(kF64, kF64, kComputeF64, 1e-13);
}

TEST_F(GroupedProducts, TheTypesAndOneWayToComputeAreTold) {
  const float one = 1, zero = 0;
  ASSERT_EQ(set({3, 4}, {5, 6}, {7, 8}, kTransposed, kAsItIs, kF16, kF32, kComputeF32, &one, &zero), 0);
  // A vector of objects of one pointer each, returned in memory as the processor's convention says.
  struct Types {
    void **first, **last, **end;
  };
  const auto problem_types = reinterpret_cast<Types (*)(void*)>(
      dlsym(library_, "_ZN13hipblaslt_ext11GroupedGemm15getProblemTypesEv"));
  ASSERT_NE(problem_types, nullptr);
  const Types types = problem_types(object());
  ASSERT_EQ(types.last - types.first, 1);
  const auto type = [&](const char* name) {
    return status(std::string("15GemmProblemType") + name, types.first);
  };
  const auto get = [&](const char* name) {
    return call(library_, std::string("_ZNK13hipblaslt_ext15GemmProblemType") + name, types.first);
  };
  EXPECT_EQ(get("6getOpAEv"), kTransposed);
  EXPECT_EQ(get("6getOpBEv"), kAsItIs);
  EXPECT_EQ(get("8getTypeAEv"), kF16);
  EXPECT_EQ(get("8getTypeDEv"), kF32);
  EXPECT_EQ(get("14getTypeComputeEv"), kComputeF32);
  type("D1Ev");
  std::free(types.first);
  unsigned char* algorithms[3] = {};
  ASSERT_EQ(status("11getAllAlgosEPvNS_8GemmTypeE18hipblasOperation_tS2_11hipDataTypeS3_S3_S3_"
                   "20hipblasComputeType_tRSt6"
                   "vectorI33_hipblasLtMatmulHeuristicResult_tSaIS6_EE",
                   handle_, 2, kTransposed, kAsItIs, kF16, kF16, kF32, kF32, kComputeF32, algorithms),
            0);
  ASSERT_EQ(algorithms[1] - algorithms[0], 56);
  uint64_t workspace = 7;
  EXPECT_EQ(status("12GemmInstance15isAlgoSupportedER22_hipblasLtMatmulAlgo_tRm", object(), algorithms[0],
                   &workspace),
            0);
  EXPECT_EQ(workspace, 0);
  EXPECT_EQ(status("12GemmInstance10initializeERK22_hipblasLtMatmulAlgo_tPvbP12ihipStream_t", object(),
                   algorithms[0], nullptr, true, nullptr),
            0);
  std::free(algorithms[0]);
  destroy();
}

TEST_F(GroupedProducts, WhatIsNotServedIsNamedAndBadArgumentsAreRefused) {
  const float one = 1, zero = 0;
  const auto tried = [&](int type, int compute, int mode, bool differ) {
    const int result =
        set({3, 4}, {5, 6}, {7, 8}, kAsItIs, kAsItIs, type, type, compute, &one, &zero, mode, differ);
    EXPECT_EQ(run(object()), 3) << "without a problem";
    EXPECT_EQ(defaults(object()), 3);
    destroy();
    return result;
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(tried(kF32, kComputeF32, 1, true), 7);
  EXPECT_EQ(tried(kF32, kComputeF32, 192, false), 7) << "a gradient";
  EXPECT_EQ(tried(99, kComputeF32, 1, false), 7);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      said.find(
          "GroupedGemm::setProblem is not supported; it returns HIPBLAS_STATUS_NOT_SUPPORTED for epilogues"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("for this epilogue"), std::string::npos) << said;
  EXPECT_NE(said.find("for these types"), std::string::npos) << said;
  ASSERT_EQ(set({3, 4}, {5, 6}, {7, 8}, kAsItIs, kAsItIs, kF32, kF32, kComputeF32, &one, &zero), 0);
  EXPECT_EQ(run(nullptr), 3);
  void* memory = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, 2 * sizeof(Arguments) - 1), 0);
  EXPECT_EQ(run(memory), 3) << "the second one's arguments reach past the allocation";
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
  destroy();
}

}  // namespace
