// atomicInc and atomicDec, which wrap round at a value of the program's.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <vector>

#include "check.h"

constexpr int kThreads = 300;
constexpr unsigned kMost = 10;

__global__ void count(unsigned* counters, unsigned* before) {
  before[threadIdx.x] = atomicInc(counters, kMost);
  before[kThreads + threadIdx.x] = atomicDec(counters + 1, kMost);
}

int main() {
  unsigned *counters, *before;
  CHECK_HIP(hipMalloc((void**)&counters, 8));
  CHECK_HIP(hipMalloc((void**)&before, 2 * kThreads * 4));
  CHECK_HIP(hipMemset(counters, 0, 8));
  count<<<1, kThreads>>>(counters, before);
  std::vector<unsigned> seen(2 * kThreads), expected(2 * kThreads);
  CHECK_HIP(hipMemcpy(seen.data(), before, seen.size() * 4, hipMemcpyDeviceToHost));
  for (unsigned i = 0; i < kThreads; ++i) {
    expected[i] = i % (kMost + 1);
    expected[kThreads + i] = (kMost + 1 - i % (kMost + 1)) % (kMost + 1);
  }
  for (auto* all : {&seen, &expected}) {
    std::sort(all->begin(), all->begin() + kThreads);
    std::sort(all->begin() + kThreads, all->end());
  }
  CHECK(seen == expected);
  unsigned after[2];
  CHECK_HIP(hipMemcpy(after, counters, 8, hipMemcpyDeviceToHost));
  CHECK(after[0] == kThreads % (kMost + 1) && after[1] == kMost + 1 - kThreads % (kMost + 1));
}
