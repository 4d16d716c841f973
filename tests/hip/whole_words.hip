// A lane's aligned 64 bits are moved at once: what another workgroup writes meanwhile is seen whole or not at
// all, as lock-free lists and decoupled look-back need it.
#include "check.h"

constexpr int kLanes = 64, kRounds = 200000;

/// Workgroup 0 writes words whose halves are equal, until the readers have seen enough of them; lanes lie
/// scattered, all together, or on one word, so that each way of reaching memory is taken.
__global__ void exchange(unsigned long long* words, int spread, unsigned* torn, unsigned* seen,
                         unsigned* readers_left) {
  unsigned long long* const mine = words + (spread == 0   ? 0
                                            : spread == 1 ? threadIdx.x
                                                          : threadIdx.x * 29 % kLanes);
  if (blockIdx.x == 0) {
    for (unsigned value = 1; __hip_atomic_load(readers_left, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 0;
         ++value)
      __hip_atomic_store(mine, value | static_cast<unsigned long long>(value) << 32, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
    return;
  }
  unsigned wrong = 0, changes = 0;
  unsigned long long last = 0;
  for (int round = 0; round < kRounds; ++round) {
    const unsigned long long word = __hip_atomic_load(mine, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    wrong += static_cast<unsigned>(word) != static_cast<unsigned>(word >> 32);
    changes += word != last;
    last = word;
  }
  atomicAdd(torn, wrong);
  atomicAdd(seen, changes);
  if (threadIdx.x == 0) atomicSub(readers_left, 1u);
}

int main() {
  unsigned long long* words = nullptr;
  unsigned* counts = nullptr;
  CHECK_HIP(hipMalloc(reinterpret_cast<void**>(&words), kLanes * sizeof *words));
  CHECK_HIP(hipMalloc(reinterpret_cast<void**>(&counts), 3 * sizeof *counts));
  for (int round = 0; round < 12; ++round) {
    const int spread = round % 3;
    const unsigned start[3] = {0, 0, 1};
    unsigned found[3] = {};
    CHECK_HIP(hipMemset(words, 0, kLanes * sizeof *words));
    CHECK_HIP(hipMemcpy(counts, start, sizeof start, hipMemcpyHostToDevice));
    exchange<<<2, kLanes>>>(words, spread, counts, counts + 1, counts + 2);
    CHECK_HIP(hipMemcpy(found, counts, sizeof found, hipMemcpyDeviceToHost));
    std::printf("spread %d: %u words torn, %u changes seen\n", spread, found[0], found[1]);
    CHECK(found[0] == 0);
    CHECK(found[1] > 0);
  }
  return finish();
}
