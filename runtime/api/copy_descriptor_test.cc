// Copies by description against a loop over bytes, with random shapes; and attributes of streams.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "runtime/abi/graph.h"
#include "runtime/abi/memory.h"

extern "C" {
hipError_t hipMalloc(void**, size_t);
hipError_t hipFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipMemcpyParam2D(const hip_Memcpy2D*);
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D*);
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms*);
hipError_t hipMemcpyBatchAsync(void**, void**, size_t*, size_t, hipMemcpyAttributes*, size_t*, size_t,
                               size_t*, hipStream_t);
hipError_t hipMemcpy3DBatchAsync(size_t, hipMemcpy3DBatchOp*, size_t*, unsigned long long, hipStream_t);
hipError_t hipDeviceSynchronize();
hipError_t hipGraphCreate(hipGraph_t*, unsigned);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                    const HIP_MEMCPY3D*, hipCtx_t);
hipError_t hipGraphInstantiate(hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*, size_t);
hipError_t hipGraphExecDestroy(hipGraphExec_t);
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
hipError_t hipStreamCreate(hipStream_t*);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamGetId(hipStream_t, unsigned long long*);
hipError_t hipStreamSetAttribute(hipStream_t, hipLaunchAttributeID, const hipLaunchAttributeValue*);
hipError_t hipStreamGetAttribute(hipStream_t, hipLaunchAttributeID, hipLaunchAttributeValue*);
hipError_t hipStreamCopyAttributes(hipStream_t, hipStream_t);
}

namespace {

/// A buffer on the device with random bytes, and what it should hold.
struct Buffer {
  explicit Buffer(size_t size, std::mt19937& random) : expected(size) {
    for (auto& byte : expected) byte = static_cast<unsigned char>(random());
    EXPECT_EQ(hipMalloc(&device, size), hipSuccess);
    EXPECT_EQ(hipMemcpy(device, expected.data(), size, hipMemcpyHostToDevice), hipSuccess);
  }
  ~Buffer() { EXPECT_EQ(hipFree(device), hipSuccess); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] std::vector<unsigned char> contents() const {
    std::vector<unsigned char> bytes(expected.size());
    EXPECT_EQ(hipMemcpy(bytes.data(), device, bytes.size(), hipMemcpyDeviceToHost), hipSuccess);
    return bytes;
  }
  void* device = nullptr;
  std::vector<unsigned char> expected;
};

struct Shape {
  size_t width, height, depth, pitch_a, rows_a, pitch_b, rows_b, xa, ya, za, xb, yb, zb;
};

Shape random_shape(std::mt19937& random, bool flat) {
  const auto up_to = [&](size_t most) { return static_cast<size_t>(random() % (most + 1)); };
  Shape s{};
  s.width = 1 + up_to(40);
  s.height = 1 + up_to(8);
  s.depth = flat ? 1 : 1 + up_to(4);
  s.xa = up_to(9), s.ya = up_to(3), s.za = flat ? 0 : up_to(2);
  s.xb = up_to(9), s.yb = up_to(3), s.zb = flat ? 0 : up_to(2);
  s.pitch_a = s.xa + s.width + up_to(20), s.rows_a = s.ya + s.height + up_to(3);
  s.pitch_b = s.xb + s.width + up_to(20), s.rows_b = s.yb + s.height + up_to(3);
  return s;
}

/// The reference: byte by byte.
void copy_bytes(std::vector<unsigned char>& to, const std::vector<unsigned char>& from, const Shape& s) {
  for (size_t z = 0; z < s.depth; ++z)
    for (size_t y = 0; y < s.height; ++y)
      for (size_t x = 0; x < s.width; ++x)
        to[((s.zb + z) * s.rows_b + s.yb + y) * s.pitch_b + s.xb + x] =
            from[((s.za + z) * s.rows_a + s.ya + y) * s.pitch_a + s.xa + x];
}

class Descriptions : public testing::Test {
 protected:
  void SetUp() override { RecordProperty("seed", static_cast<int>(seed)); }
  unsigned seed = std::random_device{}();
  std::mt19937 random{seed};
};

TEST_F(Descriptions, TwoAndThreeDimensionsAndPeers) {
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round);
    const int kind = round % 3;
    const Shape s = random_shape(random, kind == 0);
    Buffer from(s.pitch_a * s.rows_a * (s.za + s.depth), random),
        to(s.pitch_b * s.rows_b * (s.zb + s.depth), random);
    copy_bytes(to.expected, from.expected, s);
    if (kind == 0) {
      hip_Memcpy2D d{};
      d.srcMemoryType = hipMemoryTypeDevice, d.srcDevice = from.device, d.srcPitch = s.pitch_a,
      d.srcXInBytes = s.xa, d.srcY = s.ya;
      d.dstMemoryType = hipMemoryTypeDevice, d.dstDevice = to.device, d.dstPitch = s.pitch_b,
      d.dstXInBytes = s.xb, d.dstY = s.yb;
      d.WidthInBytes = s.width, d.Height = s.height;
      ASSERT_EQ(hipMemcpyParam2D(&d), hipSuccess);
    } else if (kind == 1) {
      HIP_MEMCPY3D d{};
      d.srcMemoryType = hipMemoryTypeHost, d.srcHost = from.expected.data(), d.srcPitch = s.pitch_a,
      d.srcHeight = s.rows_a;
      d.srcXInBytes = s.xa, d.srcY = s.ya, d.srcZ = s.za;
      d.dstMemoryType = hipMemoryTypeDevice, d.dstDevice = to.device, d.dstPitch = s.pitch_b,
      d.dstHeight = s.rows_b;
      d.dstXInBytes = s.xb, d.dstY = s.yb, d.dstZ = s.zb;
      d.WidthInBytes = s.width, d.Height = s.height, d.Depth = s.depth;
      ASSERT_EQ(hipDrvMemcpy3D(&d), hipSuccess);
    } else {
      hipMemcpy3DPeerParms d{};
      d.srcPtr = {from.device, s.pitch_a, s.pitch_a, s.rows_a}, d.srcPos = {s.xa, s.ya, s.za},
      d.srcDevice = 0;
      d.dstPtr = {to.device, s.pitch_b, s.pitch_b, s.rows_b}, d.dstPos = {s.xb, s.yb, s.zb}, d.dstDevice = 1;
      d.extent = {s.width, s.height, s.depth};
      ASSERT_EQ(hipMemcpy3DPeer(&d), hipSuccess);
    }
    EXPECT_EQ(to.contents(), to.expected);
  }
}

TEST_F(Descriptions, WithoutAPitchRowsLieSideBySideFromX) {
  for (const bool node : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round);
      const size_t width = 1 + random() % 50, height = round % 2 ? 1 : 1 + random() % 6;
      const size_t x = random() % 200, y = random() % 300;
      Buffer from(x + width * height, random), to(y + width * height, random);
      std::memcpy(&to.expected[y], &from.expected[x], width * height);
      HIP_MEMCPY3D d{};
      d.srcMemoryType = hipMemoryTypeDevice, d.srcDevice = from.device, d.srcXInBytes = x;
      d.dstMemoryType = hipMemoryTypeDevice, d.dstDevice = to.device, d.dstXInBytes = y;
      d.WidthInBytes = width, d.Height = height, d.Depth = 1;
      if (node) {
        hipGraph_t graph;
        hipGraphNode_t copy;
        hipGraphExec_t executable;
        ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
        ASSERT_EQ(hipDrvGraphAddMemcpyNode(&copy, graph, nullptr, 0, &d, nullptr), hipSuccess);
        ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
        ASSERT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
        ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
        ASSERT_EQ(hipGraphExecDestroy(executable), hipSuccess);
        ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
      } else {
        ASSERT_EQ(hipDrvMemcpy3D(&d), hipSuccess);
      }
      EXPECT_EQ(to.contents(), to.expected);
    }
  }
}

TEST_F(Descriptions, BatchesCopyAllAndNameTheFirstThatFails) {
  Buffer a(1000, random), b(1000, random);
  void* to[] = {b.device, static_cast<char*>(b.device) + 500, static_cast<char*>(b.device) + 900};
  void* from[] = {static_cast<char*>(a.device) + 300, a.device, a.device};
  size_t sizes[] = {200, 100, 50}, failed = 0;
  ASSERT_EQ(hipMemcpyBatchAsync(to, from, sizes, 3, nullptr, nullptr, 0, &failed, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  std::memcpy(&b.expected[0], &a.expected[300], 200);
  std::memcpy(&b.expected[500], &a.expected[0], 100);
  std::memcpy(&b.expected[900], &a.expected[0], 50);
  EXPECT_EQ(b.contents(), b.expected);
  sizes[2] = 101;  // beyond the end
  EXPECT_EQ(hipMemcpyBatchAsync(to, from, sizes, 3, nullptr, nullptr, 0, &failed, nullptr),
            hipErrorInvalidValue);
  EXPECT_EQ(failed, 2u);

  hipMemcpy3DBatchOp op;
  std::memset(&op, 0, sizeof op);
  op.src.type = op.dst.type = hipMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = a.device, op.src.op.ptr.rowLength = 20, op.src.op.ptr.layerHeight = 5;
  op.dst.op.ptr.ptr = b.device, op.dst.op.ptr.rowLength = 30, op.dst.op.ptr.layerHeight = 4;
  op.extent = {10, 3, 2};
  ASSERT_EQ(hipMemcpy3DBatchAsync(1, &op, &failed, 0, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  copy_bytes(b.expected, a.expected, {10, 3, 2, 20, 5, 30, 4, 0, 0, 0, 0, 0, 0});
  // The batch of before was done up to its failure.
  EXPECT_EQ(b.contents(), b.expected);
}

TEST_F(Descriptions, WrongOnesAreRefused) {
  Buffer a(100, random);
  hip_Memcpy2D d{};
  EXPECT_EQ(hipMemcpyParam2D(nullptr), hipErrorInvalidValue);
  d.WidthInBytes = 10, d.Height = 1;
  EXPECT_EQ(hipMemcpyParam2D(&d), hipErrorInvalidValue);  // unregistered memory types
  d.srcMemoryType = d.dstMemoryType = hipMemoryTypeDevice;
  EXPECT_EQ(hipMemcpyParam2D(&d), hipErrorInvalidValue);  // null pointers
  d.srcDevice = d.dstDevice = a.device;
  d.srcPitch = 5;
  EXPECT_EQ(hipMemcpyParam2D(&d), hipErrorInvalidPitchValue);
  d.srcMemoryType = hipMemoryTypeArray;
  EXPECT_EQ(hipMemcpyParam2D(&d), hipErrorInvalidValue);  // a null array
  d.srcArray = reinterpret_cast<hipArray_t>(a.device);
  EXPECT_EQ(hipMemcpyParam2D(&d), hipErrorNotSupported);
  hipMemcpy3DPeerParms p{};
  p.dstDevice = 99;
  EXPECT_EQ(hipMemcpy3DPeer(&p), hipErrorInvalidDevice);
}

TEST(StreamAttributes, AreRememberedAndCopied) {
  hipStream_t a, b;
  ASSERT_EQ(hipStreamCreate(&a), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&b), hipSuccess);
  unsigned long long first = 0, second = 0;
  ASSERT_EQ(hipStreamGetId(a, &first), hipSuccess);
  ASSERT_EQ(hipStreamGetId(b, &second), hipSuccess);
  EXPECT_NE(first, second);
  hipLaunchAttributeValue value{};
  value.syncPolicy = hipSyncPolicySpin;
  ASSERT_EQ(hipStreamSetAttribute(a, hipLaunchAttributeSynchronizationPolicy, &value), hipSuccess);
  ASSERT_EQ(hipStreamGetAttribute(b, hipLaunchAttributeSynchronizationPolicy, &value), hipSuccess);
  EXPECT_EQ(value.syncPolicy, hipSyncPolicyAuto);
  ASSERT_EQ(hipStreamCopyAttributes(b, a), hipSuccess);
  ASSERT_EQ(hipStreamGetAttribute(b, hipLaunchAttributeSynchronizationPolicy, &value), hipSuccess);
  EXPECT_EQ(value.syncPolicy, hipSyncPolicySpin);
  EXPECT_EQ(hipStreamSetAttribute(a, hipLaunchAttributePriority, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamGetAttribute(a, hipLaunchAttributeCooperative, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamDestroy(a), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(b), hipSuccess);
}

}  // namespace
