// The parameters of a graph's nodes that allocate.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "runtime/abi/graph.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/memory.h"

extern "C" {
hipError_t hipGraphCreate(hipGraph_t*, unsigned);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                   hipMemAllocNodeParams*);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t, hipMemAllocNodeParams*);
}

namespace {

const bool machine = setenv("WAVESMITH_GPU", "mi300x:2,rx7900xtx", 1) == 0;

TEST(GraphMemory, AnAllocationsParametersComeBackAsTheyWereGiven) {
  ASSERT_TRUE(machine);
  hipGraph_t graph;
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  hipMemAccessDesc access;
  std::memset(&access, 0, sizeof access);
  access.location.type = hipMemLocationTypeDevice;
  access.flags = hipMemAccessFlagsProtReadWrite;
  hipMemAllocNodeParams given, got;
  std::memset(&given, 0, sizeof given);
  std::memset(&got, 0x55, sizeof got);
  given.bytesize = size_t{1} << 20;
  given.poolProps.allocType = hipMemAllocationTypePinned;
  given.poolProps.location.type = hipMemLocationTypeDevice;
  given.accessDescs = &access;
  given.accessDescCount = 1;
  hipGraphNode_t node;
  ASSERT_EQ(hipGraphAddMemAllocNode(&node, graph, nullptr, 0, &given), hipSuccess);
  EXPECT_NE(given.dptr, nullptr);
  ASSERT_EQ(hipGraphMemAllocNodeGetParams(node, &got), hipSuccess);
  EXPECT_EQ(std::memcmp(&given, &got, sizeof got), 0);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

}  // namespace
