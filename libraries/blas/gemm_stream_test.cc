// Products of the BLAS libraries take their turn in streams and graphs.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "libraries/blas/blas_test.h"

namespace {

using namespace wavesmith::libraries;
using ProductsInStreams = BlasTest;

/// What is enqueued before holds the stream, then writes what the product reads.
struct Late {
  float *alpha, *a;
  static void write(void* data) {
    const auto* const late = static_cast<Late*>(data);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *late->alpha = 3;
    late->a[0] = 5;
  }
};

TEST_F(ProductsInStreams, TakeTheirTurnInTheStreamAndReadScalarsOfTheGpuThen) {
  void *stream = nullptr, *memory = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{5 * sizeof(float)}), 0);
  auto* const place = static_cast<float*>(memory);  // the host sees it, too
  const float values[] = {1, 0, 1, 2, 100};         // alpha, beta, a, b, c
  std::copy(std::begin(values), std::end(values), place);
  ASSERT_EQ(call(hipblas_, "hipblasSetStream", handle_, stream), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSetPointerMode", handle_, 1), 0);
  Late late{place, place + 2};
  ASSERT_EQ(call(hip_, "hipLaunchHostFunc", stream, &Late::write, static_cast<void*>(&late)), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSgemm", handle_, kAsItIs, kAsItIs, 1, 1, 1, place, place + 2, 1, place + 3,
                 1, place + 1, place + 4, 1),
            0);
  EXPECT_EQ(place[4], 100) << "done before its turn";
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(place[4], 3 * 5 * 2);
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
}

TEST_F(ProductsInStreams, GraphsRepeatThem) {
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSetStream", handle_, stream), 0);
  double a = 2, b = 3, c = 1, one = 1;
  ASSERT_EQ(call(hip_, "hipStreamBeginCapture", stream, 0), 0);
  ASSERT_EQ(
      call(hipblas_, "hipblasDgemm", handle_, kAsItIs, kTransposed, 1, 1, 1, &one, &a, 1, &b, 1, &one, &c, 1),
      0);
  one = 1000;  // alpha and beta are those of the call
  ASSERT_EQ(call(hip_, "hipStreamEndCapture", stream, &graph), 0);
  ASSERT_EQ(call(hip_, "hipGraphInstantiate", &executable, graph, static_cast<void*>(nullptr),
                 static_cast<char*>(nullptr), size_t{0}),
            0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(call(hip_, "hipGraphLaunch", executable, stream), 0);
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(c, 1 + 3 * 6);
  a = 10;
  ASSERT_EQ(call(hip_, "hipGraphLaunch", executable, stream), 0);
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(c, 1 + 3 * 6 + 30);
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
}

}  // namespace
