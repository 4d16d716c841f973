// What the memory checker finds in a process: each fault is made by a child, whose report its parent reads.
// The same without the fault is not found.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "check.h"

namespace fs = std::filesystem;

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
  std::string folder = fs::temp_directory_path() / "checked_memory_XXXXXX";
  if (!mkdtemp(folder.data())) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    setenv("WAVESMITH_CHECK", "memory", 1);
    setenv("WAVESMITH_CHECK_REPORT", folder.c_str(), 1);
    setenv("WAVESMITH_FAULT", "error", 1);
    float *in = nullptr, *out = nullptr;
    CHECK_HIP(hipMalloc(&in, kCount * sizeof(float)));
    CHECK_HIP(hipMalloc(&out, kCount * sizeof(float)));
    body(in, out);
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
  std::string report;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    report += std::string(std::istreambuf_iterator<char>(file), {});
  }
  fs::remove_all(folder);
  return report;
}

bool has(const std::string& report, const std::string& rule) {
  return report.find("\"rule\": \"" + rule + "\"") != std::string::npos;
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
  CHECK(right.find("\"findings\": []") != std::string::npos);

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
  return finish();
}
