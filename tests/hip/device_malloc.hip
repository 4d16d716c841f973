// malloc and free in kernels.
#include <hip/hip_runtime.h>

#include "check.h"

struct Node {
  Node* next;
  int value;
};

/// Each thread builds a list of its own and leaves its first node.
__global__ void build(Node** lists, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node* first = nullptr;
  for (int j = 0; j < length; ++j) {
    Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
    if (!node) return;
    node->next = first;
    node->value = i * 1000 + j;
    first = node;
  }
  lists[i] = first;
}

/// Sums a thread's list and frees it.
__global__ void sum(Node** lists, long* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  long total = 0;
  for (Node* node = lists[i]; node;) {
    Node* const next = node->next;
    total += node->value;
    free(node);
    node = next;
  }
  sums[i] = total;
}

__global__ void large(int** out) {
  int* const memory = static_cast<int*>(malloc(1 << 20));
  if (memory) memory[(1 << 18) - 1] = 5;
  *out = memory;
}

int main() {
  const int threads = 256, length = 7;
  Node** lists;
  long* sums;
  CHECK_HIP(hipMalloc((void**)&lists, threads * sizeof(Node*)));
  CHECK_HIP(hipMemset(lists, 0, threads * sizeof(Node*)));
  CHECK_HIP(hipHostMalloc((void**)&sums, threads * sizeof(long), 0));
  build<<<2, threads / 2>>>(lists, length);
  CHECK_HIP(hipDeviceSynchronize());
  sum<<<2, threads / 2>>>(lists, sums);
  CHECK_HIP(hipDeviceSynchronize());
  for (int i = 0; i < threads; ++i) CHECK(sums[i] == long(i) * 1000 * length + length * (length - 1) / 2);
  int** big;
  CHECK_HIP(hipHostMalloc((void**)&big, sizeof(int*), 0));
  large<<<1, 1>>>(big);
  CHECK_HIP(hipDeviceSynchronize());
  CHECK(*big != nullptr);
  return finish();
}
