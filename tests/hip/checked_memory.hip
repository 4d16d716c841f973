// What the memory checker finds in a process: each fault is made by a child, whose report its parent reads.
// The same without the fault is not found.
#include <functional>
#include <string>

#include "check.h"
#include "checked.h"

constexpr int kCount = 1000;

__global__ void copy(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}

void launch(const float* in, float* out, int n = kCount) {
  copy<<<4, 256>>>(in, out, n);
  (void)hipDeviceSynchronize();
}

/// What the checker reports of a process that does this to two buffers.
std::string report_of(const std::function<void(float*&, float*&)>& body) {
  return report_of("memory", [&] {
    float *in = nullptr, *out = nullptr;
    CHECK_HIP(hipMalloc(&in, kCount * sizeof(float)));
    CHECK_HIP(hipMalloc(&out, kCount * sizeof(float)));
    body(in, out);
  });
}

__constant__ float table[256];
__device__ float variable[256];
__device__ float* place_of(bool constant) {
  float* place = constant ? const_cast<float*>(&table[0]) : &variable[0];
  asm volatile("" : "+v"(place));
  return place;
}
__global__ void change_own(bool constant) { place_of(constant)[threadIdx.x] = 1; }
__device__ float twice(float x) { return 2 * x; }
using Function = float (*)(float);
__global__ void call(float* out, bool null) {
  Function function = null ? nullptr : &twice;
  asm volatile("" : "+v"(function));
  *out = function(*out);
}

int main() {
  const std::string right = report_of([](float*& in, float*& out) {
    launch(in, out);
    float* pooled = nullptr;
    CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&pooled), 1000 * sizeof(float), nullptr));
    launch(in, pooled);
    CHECK_HIP(hipFreeAsync(pooled, nullptr));
    CHECK_HIP(hipFree(in));
    CHECK_HIP(hipFree(out));
  });
  CHECK(has_none(right));

  // Past the end is padding, which no fault tells of.
  CHECK(has(report_of([](float*& in, float*& out) { launch(in, out, kCount + 1); }), "out-of-bounds"));

  const std::string freed = report_of([](float*& in, float*& out) {
    CHECK_HIP(hipFree(in));
    float* again = nullptr;
    CHECK_HIP(hipMalloc(&again, kCount * sizeof(float)));
    launch(in, out);
  });
  CHECK(has(freed, "use-after-free"));
  CHECK(has(freed, "stray-argument"));
  CHECK(freed.find("hipFree, called from") != std::string::npos);

  const std::string pooled = report_of([](float*& in, float*&) {
    float* memory = nullptr;
    CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&memory), kCount * sizeof(float), nullptr));
    launch(in, memory, kCount);
    launch(in, memory, kCount + 1);
    CHECK_HIP(hipFreeAsync(memory, nullptr));
    CHECK_HIP(hipStreamSynchronize(nullptr));
    launch(in, memory);
  });
  CHECK(has(pooled, "out-of-bounds"));
  CHECK(has(pooled, "use-after-free"));
  CHECK(pooled.find("hipFreeAsync, called from") != std::string::npos);

  const std::string twice = report_of([](float*& in, float*& out) {
    launch(in, out);
    CHECK_HIP(hipFree(in));
    CHECK_ERROR(hipFree(in), hipErrorInvalidValue);
    CHECK_ERROR(hipFree(out + 1), hipErrorInvalidValue);
  });
  CHECK(has(twice, "double-free"));
  CHECK(has(twice, "invalid-free"));
  CHECK(has(twice, "leak"));

  const std::string copied = report_of([](float*& in, float*& out) {
    launch(in, out);
    CHECK_ERROR(hipMemset(in, 0, kCount * sizeof(float) + 1), hipErrorInvalidValue);
  });
  CHECK(has(copied, "host-out-of-bounds"));
  CHECK(copied.find("4001 bytes are written at byte 0 of an allocation of 4000 bytes") != std::string::npos);
  for (const bool faulty : {true, false}) {
    const std::string constants = report_of([faulty](float*& in, float*& out) {
      change_own<<<1, 64>>>(faulty);
      launch(in, out);
    });
    CHECK(faulty == has(constants, "read-only"));
    const std::string jumps = report_of([faulty](float*&, float*& out) {
      call<<<1, 1>>>(out, faulty);
      (void)hipDeviceSynchronize();
    });
    CHECK(faulty == has(jumps, "wild-jump"));
    CHECK(!faulty || jumps.find("a jump to address 0x0, where there is no code") != std::string::npos);
  }
  return finish();
}
