// MIOpen's convolutions whose tensors are in a GPU's memory: they are kernels, on GPUs of three generations,
// and results are the host's, in graphs, too.
#include "libraries/blas/kernel/product_kernel_testing.h"
#include "libraries/convolution/MIOpen_testing.h"

namespace wavesmith::libraries::testing_miopen {
namespace {

using products::OnGpu;

class ConvolutionKernels : public MiopenTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(products::machine);
    ASSERT_EQ(call(hip_, "hipSetDevice", GetParam()), 0);
    MiopenTest::SetUp();
    ASSERT_EQ(call(library_, "miopenCreateConvolutionDescriptor", &how_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(call(library_, "miopenDestroyConvolutionDescriptor", how_), 0);
    MiopenTest::TearDown();
  }
  uint64_t executed() {
    synchronize();
    return reinterpret_cast<uint64_t (*)()>(dlsym(hip_, "wavesmith_instructions"))();
  }

  /// A random convolution of two dimensions: y, x and w, with some padding, step, dilation and groups.
  std::vector<Tensor> any_convolution(int type) {
    const int groups = below(3) ? 1 : 2;
    std::vector<int> x{1 + below(2), groups * (1 + below(5))}, w{groups * (1 + below(6)), x[1] / groups},
        y{x[0], w[0]}, padding, steps, dilations;
    for (int i = 0; i < 2; ++i) {
      padding.push_back(below(3)), steps.push_back(1 + below(2)), dilations.push_back(1 + below(2));
      w.push_back(1 + below(3));
      const int reach = dilations[i] * (w[i + 2] - 1) + 1;
      x.push_back(std::max(1, reach - 2 * padding[i]) + below(9));
      y.push_back((x[i + 2] + 2 * padding[i] - reach) / steps[i] + 1);
    }
    EXPECT_EQ(call(library_, "miopenInitConvolutionNdDescriptor", how_, 2, padding.data(), steps.data(),
                   dilations.data(), 0),
              0);
    EXPECT_EQ(call(library_, "miopenSetConvolutionGroupCount", how_, groups), 0);
    std::vector<Tensor> made{tensor(type, y), tensor(type, x), tensor(type, w)};
    for (Tensor& each : made)  // CDNA2 takes subnormal halves for 0
      for (size_t i = 0; i < each.bytes.size(); i += size_of(type))
        if (std::abs(read(type, each.bytes.data() + i)) < 0x1p-10) write(type, 0.5, each.bytes.data() + i);
    return made;
  }

  /// Computes tensor number `result` of y, x and w, whose data lies there.
  int run(int result, const std::vector<Tensor>& t, const void* const (&data)[3]) {
    static constexpr const char* kNames[] = {"Forward", "BackwardData", "BackwardWeights"};
    static constexpr int kRead[][2] = {{2, 1}, {0, 2}, {0, 1}};
    const auto [first, second] = kRead[result];
    const std::string name = std::string("miopenConvolution") + kNames[result] + "Immediate";
    return call(library_, name.c_str(), handle_, t[first].descriptor, data[first], t[second].descriptor,
                data[second], how_, t[result].descriptor, const_cast<void*>(data[result]),
                static_cast<void*>(nullptr), size_t{0}, uint64_t{1});
  }
  /// The tensor of the host, which the host computes, and that of the GPU.
  void compare(const Tensor& host, const std::vector<unsigned char>& gpu) {
    each(host.sizes, [&](const std::vector<int>& at) {
      const double expected = host[at], got = read(host.type, gpu.data() + host.place(at));
      ASSERT_NEAR(got, expected, 2 * epsilon_of(host.type) * std::abs(expected) + 1e-4);
    });
  }

  /// `run_it` computes the result with data on the GPU.
  template <class Run>
  void check(int result, int type, Run run_it) {
    std::vector<Tensor> t = any_convolution(type);
    SCOPED_TRACE(testing::Message() << "result " << result << ", type " << type);
    const OnGpu<unsigned char> y(hip_, t[0].bytes), x(hip_, t[1].bytes), w(hip_, t[2].bytes);
    const void* const on_gpu[] = {y.in(), x.in(), w.in()};
    const void* const on_host[] = {t[0].bytes.data(), t[1].bytes.data(), t[2].bytes.data()};
    const uint64_t before = executed();
    run_it(t, on_gpu);
    EXPECT_GT(executed(), before) << "no kernel ran";
    ASSERT_EQ(run(result, t, on_host), 0);
    synchronize();
    compare(t[result], (result == 0 ? y : result == 1 ? x : w).numbers());
    for (Tensor& each : t) forget(each);
  }

  void* how_ = nullptr;
};

TEST_P(ConvolutionKernels, EachDirectionIsKernelsWhoseResultsAreTheHosts) {
  for (const int type : {kFloat, kHalf, kBrain})
    for (int result = 0; result < 3; ++result)
      for (int round = 0; round < 2; ++round) {
        check(result, type, [&](const std::vector<Tensor>& t, const void* const(&data)[3]) {
          ASSERT_EQ(run(result, t, data), 0);
          synchronize();
        });
        if (HasFatalFailure()) return;
      }
}

TEST_P(ConvolutionKernels, GraphsHaveThem) {
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  ASSERT_EQ(call(library_, "miopenSetStream", handle_, stream), 0);
  check(0, kFloat, [&](const std::vector<Tensor>& t, const void* const(&data)[3]) {
    ASSERT_EQ(call(hip_, "hipStreamBeginCapture", stream, 0), 0);
    ASSERT_EQ(run(0, t, data), 0);
    ASSERT_EQ(call(hip_, "hipStreamEndCapture", stream, &graph), 0);
    ASSERT_EQ(call(hip_, "hipGraphInstantiate", &executable, graph, static_cast<void*>(nullptr),
                   static_cast<char*>(nullptr), size_t{0}),
              0);
    for (int launch = 0; launch < 2; ++launch) ASSERT_EQ(call(hip_, "hipGraphLaunch", executable, stream), 0);
    synchronize();
  });
  EXPECT_EQ(call(hip_, "hipGraphExecDestroy", executable), 0);
  EXPECT_EQ(call(hip_, "hipGraphDestroy", graph), 0);
  EXPECT_EQ(call(library_, "miopenSetStream", handle_, static_cast<void*>(nullptr)), 0);
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
}

TEST_P(ConvolutionKernels, DoublesAreTheHosts) {
  std::vector<Tensor> t = any_convolution(kDouble);
  const OnGpu<unsigned char> y(hip_, t[0].bytes), x(hip_, t[1].bytes), w(hip_, t[2].bytes);
  const uint64_t before = executed();
  EXPECT_EQ(run(0, t, {y.in(), x.in(), w.in()}), 0);
  EXPECT_EQ(executed(), before);
  for (Tensor& each : t) forget(each);
}

std::string gpu_name(const testing::TestParamInfo<int>& info) { return products::kGpus[info.param]; }
INSTANTIATE_TEST_SUITE_P(On, ConvolutionKernels, testing::Range(0, 3), gpu_name);

}  // namespace
}  // namespace wavesmith::libraries::testing_miopen
