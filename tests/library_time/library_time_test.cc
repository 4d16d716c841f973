// With modelled time a library's call that is served on the host takes what `wavesmith predict` says of it,
// in the order of its stream; reports count it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "base/scratch.h"
#include "gpus/gpu.h"
#include "libraries/rccl/rccl_test.h"
#include "model/operation.h"

namespace wavesmith::libraries {
namespace {

/// Products of halves would be kernels, with times of their own.
const bool timed = setenv("WAVESMITH_TIME", "1", 1) == 0 && setenv("WAVESMITH_STAND_INS", "host", 1) == 0;

using Values = std::map<std::string, std::string, std::less<>>;

double predicted_us(const char* operation, const Values& values) {
  const auto predicted = (*model::find_operation(operation))->predict(**gpus::find_gpu("mi300x"), values);
  EXPECT_TRUE(predicted) << predicted.error().text();
  return predicted ? predicted->prediction.seconds * 1e6 : 0;
}
/// What two events and a launch add: the launch's call, the way to the first wave, and the event behind.
double around_us() {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300x");
  return gpu.launch_us.value_or(2.5) + gpu.first_wave_us.value_or(0.5) + gpu.event_us.value_or(1.0);
}

class LibraryTime : public RcclTest {
 protected:
  void SetUp() override {
    RcclTest::SetUp();
    ASSERT_TRUE(timed);
    hip("hipSetDevice", 0);
    ASSERT_EQ(call(hipblas_, "hipblasCreate", &blas_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(call(hipblas_, "hipblasDestroy", blas_), 0);
    RcclTest::TearDown();
  }
  /// Zeros for every stream: some do not wait for the default one, which fills them.
  void* room(size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(call(hip_, "hipMalloc", &memory, bytes), 0);
    EXPECT_EQ(call(hip_, "hipMemset", memory, 0, bytes), 0);
    hip("hipDeviceSynchronize");
    return memory;
  }
  struct Span {
    void *start = nullptr, *stop = nullptr;
  };
  /// Of a stream that has nothing to do.
  Span begin(void* stream) {
    Span span;
    hip("hipStreamSynchronize", stream);
    hip("hipEventCreate", &span.start);
    hip("hipEventCreate", &span.stop);
    hip("hipEventRecord", span.start, stream);
    return span;
  }
  void end(const Span& span, void* stream) { hip("hipEventRecord", span.stop, stream); }
  double microseconds(const Span& span) { return between(span.start, span.stop); }
  double between(void* from, void* to) {
    hip("hipEventSynchronize", to);
    float milliseconds = -1;
    hip("hipEventElapsedTime", &milliseconds, from, to);
    return static_cast<double>(milliseconds) * 1e3;
  }
  void* matrix() { return room(size_t{2} * kLargest * kLargest); }
  /// On the stream that the handle has.
  void multiply(int size) {
    if (!matrix_) matrix_ = matrix();
    multiply(size, matrix_);
  }
  void multiply(int size, void* matrix) {
    const uint16_t one = 0x3c00, zero = 0;
    ASSERT_LE(size, kLargest);
    ASSERT_EQ(call(hipblas_, "hipblasHgemm", blas_, kTransposed, kAsItIs, size, size, size,
                   static_cast<const void*>(&one), matrix, size, matrix, size,
                   static_cast<const void*>(&zero), matrix, size),
              0);
  }
  static double product_us(int size) {
    const std::string text = std::to_string(size);
    return predicted_us("gemm", {{"m", text}, {"n", text}, {"k", text}, {"dtype", "f16"}, {"layout", "tn"}});
  }

  static constexpr int kLargest = 384;
  void* const hipblas_ = open_library("libhipblas.so.3");
  void* blas_ = nullptr;
  void* matrix_ = nullptr;
};

TEST_F(LibraryTime, AProductTakesWhatIsPredicted) {
  multiply(64);  // the matrix is there
  hip("hipDeviceSynchronize");
  for (const int size : {64, kLargest}) {
    const Span span = begin(nullptr);
    multiply(size);
    end(span, nullptr);
    EXPECT_NEAR(microseconds(span), product_us(size) + around_us(), 0.01) << size;
  }
}

TEST_F(LibraryTime, AStreamKeepsItsOrderAndOthersOverlap) {
  void *one = nullptr, *other = nullptr;
  hip("hipStreamCreateWithFlags", &one, 1u);
  hip("hipStreamCreateWithFlags", &other, 1u);
  void* const memory = room(1 << 20);
  constexpr int kCalls = 16;
  void* const matrices[] = {matrix(), matrix()};  // of each stream
  const auto products = [&](void* stream) {
    call(hipblas_, "hipblasSetStream", blas_, stream);
    for (int i = 0; i < kCalls; ++i) multiply(kLargest, matrices[stream == other]);
  };
  for (void* const matrix : matrices) multiply(kLargest, matrix);
  hip("hipDeviceSynchronize");
  // A fill behind the products begins when they have ended.
  const Span alone = begin(one);
  hip("hipMemsetAsync", memory, 1, size_t{1 << 20}, one);
  end(alone, one);
  const double fill = microseconds(alone);
  const Span behind = begin(one);
  products(one);
  hip("hipMemsetAsync", memory, 1, size_t{1 << 20}, one);
  end(behind, one);
  const double took = microseconds(behind);
  EXPECT_GT(took, kCalls * product_us(kLargest) + fill / 2);
  // Of two streams each takes as long as it does by itself.
  const Span both = begin(one);
  hip("hipStreamWaitEvent", other, both.start, 0u);
  products(one);
  products(other);
  void* joined = nullptr;
  hip("hipEventCreate", &joined);
  hip("hipEventRecord", joined, other);
  hip("hipStreamWaitEvent", one, joined, 0u);
  end(both, one);
  EXPECT_LT(microseconds(both), 1.6 * took);
  call(hipblas_, "hipblasSetStream", blas_, static_cast<void*>(nullptr));
}

TEST_F(LibraryTime, AGraphsCallsTakeTheirTimeAtEachLaunch) {
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  multiply(64);
  hip("hipDeviceSynchronize");
  hip("hipStreamCreateWithFlags", &stream, 1u);
  call(hipblas_, "hipblasSetStream", blas_, stream);
  hip("hipStreamBeginCapture", stream, 2);
  multiply(kLargest);
  multiply(kLargest);
  hip("hipStreamEndCapture", stream, &graph);
  hip("hipGraphInstantiate", &executable, graph, static_cast<void*>(nullptr), static_cast<char*>(nullptr),
      size_t{0});
  for (int launch = 0; launch < 2; ++launch) {
    const Span span = begin(stream);
    hip("hipGraphLaunch", executable, stream);
    end(span, stream);
    const double took = microseconds(span);
    EXPECT_GT(took, 2 * product_us(kLargest));
    EXPECT_LT(took, 2 * product_us(kLargest) + 2 * around_us());
  }
  call(hipblas_, "hipblasSetStream", blas_, static_cast<void*>(nullptr));
}

TEST_F(LibraryTime, AConvolutionTakesWhatIsPredicted) {
  void* const miopen = open_library("libMIOpen.so.1");
  void *handle = nullptr, *x = nullptr, *w = nullptr, *y = nullptr, *how = nullptr;
  ASSERT_EQ(call(miopen, "miopenCreate", &handle), 0);
  for (void** each : {&x, &w, &y}) ASSERT_EQ(call(miopen, "miopenCreateTensorDescriptor", each), 0);
  const int sizes[3][4] = {{2, 16, 14, 14}, {32, 16, 3, 3}, {2, 32, 14, 14}};
  void* const tensors[] = {x, w, y};
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(call(miopen, "miopenSetTensorDescriptor", tensors[i], 1, 4, &sizes[i][0],
                   static_cast<const int*>(nullptr)),
              0);
  ASSERT_EQ(call(miopen, "miopenCreateConvolutionDescriptor", &how), 0);
  const int one[] = {1, 1};
  ASSERT_EQ(call(miopen, "miopenInitConvolutionNdDescriptor", how, 2, &one[0], &one[0], &one[0], 0), 0);
  void *data_x = room(4 * 2 * 16 * 14 * 14), *data_w = room(4 * 32 * 16 * 9),
       *data_y = room(4 * 2 * 32 * 14 * 14);
  const Span span = begin(nullptr);
  ASSERT_EQ(call(miopen, "miopenConvolutionForwardImmediate", handle, w, static_cast<const void*>(data_w), x,
                 static_cast<const void*>(data_x), how, y, data_y, static_cast<void*>(nullptr), size_t{0},
                 uint64_t{1}),
            0);
  end(span, nullptr);
  EXPECT_NEAR(microseconds(span),
              around_us() + predicted_us("conv", {{"batch", "2"},
                                                  {"channels", "16"},
                                                  {"filters", "32"},
                                                  {"height", "14"},
                                                  {"padding", "1"},
                                                  {"dtype", "f32"},
                                                  {"layout", "nchw"}}),
              0.01);
}

TEST_F(LibraryTime, ATransformAndAFactorisationTakeWhatIsPredicted) {
  void *plan = nullptr, *handle = nullptr;
  void* const hipfft = open_library("libhipfft.so.0");
  ASSERT_EQ(call(hipfft, "hipfftPlan1d", &plan, 1024, 0x29, 8), 0);
  void* const data = room(8 * 1024 * 8);
  const Span transform = begin(nullptr);
  ASSERT_EQ(call(hipfft, "hipfftExecC2C", plan, data, data, -1), 0);
  end(transform, nullptr);
  EXPECT_NEAR(microseconds(transform),
              around_us() + predicted_us("fft", {{"length", "1024"}, {"batch", "8"}}), 0.01);
  void* const rocsolver = open_library("librocsolver.so.0");
  ASSERT_EQ(call(open_library("librocblas.so.5"), "rocblas_create_handle", &handle), 0);
  void* const info = room(4);
  const Span factor = begin(nullptr);
  ASSERT_EQ(call(rocsolver, "rocsolver_spotrf", handle, kUpper, 64, data, 64, info), 0);
  end(factor, nullptr);
  EXPECT_NEAR(microseconds(factor),
              around_us() + predicted_us("factor", {{"what", "potrf"}, {"m", "64"}, {"n", "64"}}), 0.01);
}

// Each rank begins when the last has come to it, and all end together.
TEST_F(LibraryTime, AnAllReduceBeginsWithTheLastRankAndTakesWhatIsPredicted) {
  constexpr size_t kCount = 1 << 16;
  for (const int ranks : {2, 8}) {
    start(ranks);
    std::vector<int*> data;
    std::vector<Span> spans;
    for (const Rank& r : ranks_) {
      hip("hipSetDevice", r.device);
      data.push_back(static_cast<int*>(room(kCount * sizeof(int))));
    }
    hip("hipSetDevice", 0);
    call(hipblas_, "hipblasSetStream", blas_, ranks_[0].stream);
    multiply(64);
    for (const Rank& r : ranks_) {
      hip("hipSetDevice", r.device);
      hip("hipStreamSynchronize", r.stream);
      spans.push_back(begin(r.stream));
      hip("hipStreamSynchronize", r.stream);
    }
    hip("hipSetDevice", 0);
    multiply(kLargest);  // the first rank comes late
    all([&](const Rank& r) { return sum(r, data[static_cast<size_t>(r.rank)], kCount); });
    const double work = predicted_us(
        "allreduce", {{"bytes", std::to_string(kCount * sizeof(int))}, {"ranks", std::to_string(ranks)}});
    for (const Rank& r : ranks_) {
      hip("hipSetDevice", r.device);
      end(spans[static_cast<size_t>(r.rank)], r.stream);
    }
    for (const Rank& r : ranks_) {
      const double took = microseconds(spans[static_cast<size_t>(r.rank)]);
      EXPECT_GT(took, work + product_us(kLargest)) << r.rank << " of " << ranks;
      EXPECT_LT(took, work + product_us(kLargest) + (3 + ranks) * around_us()) << r.rank << " of " << ranks;
    }
    call(hipblas_, "hipblasSetStream", blas_, static_cast<void*>(nullptr));
    RcclTest::end();
  }
}

// The report is written when a process ends: one that runs this test.
TEST_F(LibraryTime, AReportCountsCallsAndSaysThatTheirTimeIsPredicted) {
  if (std::getenv("WAVESMITH_REPORT")) return multiply(64), multiply(64), synchronize();
  namespace fs = std::filesystem;
  const Scratch scratch("library-time");
  const fs::path report = scratch / "report.json";
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string command = "WAVESMITH_REPORT='" + report.string() + "' '" + self +
                              "' --gtest_filter=LibraryTime.AReportCounts* >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(report);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(json.is_object());
  ASSERT_EQ(json["library_calls"].size(), 1) << json.dump(1);
  const auto& line = json["library_calls"][0];
  EXPECT_EQ(line["library"], "hipblas");
  EXPECT_EQ(line["function"], "hipblasHgemm");
  EXPECT_EQ(line["calls"], 2);
  EXPECT_EQ(line["served"], "stand-in");
  EXPECT_EQ(line["modelled"], "predicted");
  EXPECT_EQ(line["operations"], nlohmann::json::array({"gemm"}));
  EXPECT_NEAR(line["modelled_seconds"].get<double>() * 1e6, 2 * product_us(64), 1e-3);
}

}  // namespace
}  // namespace wavesmith::libraries
