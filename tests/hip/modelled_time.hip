// With WAVESMITH_TIME events tell the modelled GPU's time: the same in every run, in the order of a stream, and
// of the size that a GPU takes, however long the emulation takes.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.h"

__global__ void twice(float* data, size_t count) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= 2;
}

__global__ void spin(float* data, int steps) {
  float value = data[threadIdx.x];
  for (int i = 0; i < steps; ++i) value = value * 0.5f + 1;
  data[threadIdx.x] = value;
}

/// Readings of the shader's and the constant clock around a chain of dependent instructions.
__global__ void clocked(float* data, int steps, long long* readings) {
  float value = data[threadIdx.x];
  const long long begin = clock64();
  for (int i = 0; i < steps; ++i) value = value * 0.5f + 1;
  asm volatile("" : "+v"(value));
  const long long end = clock64();
  data[threadIdx.x] = value;
  if (threadIdx.x == 0) readings[0] = begin, readings[1] = end;
}

struct Timer {
  hipEvent_t start, stop;
  Timer() {
    CHECK_HIP(hipEventCreate(&start));
    CHECK_HIP(hipEventCreate(&stop));
  }
  template <class Work>
  float microseconds(hipStream_t stream, Work work) {
    CHECK_HIP(hipEventRecord(start, stream));
    work();
    CHECK_HIP(hipEventRecord(stop, stream));
    CHECK_HIP(hipEventSynchronize(stop));
    float milliseconds = -1;
    CHECK_HIP(hipEventElapsedTime(&milliseconds, start, stop));
    return milliseconds * 1000;
  }
};

int main() {
  constexpr size_t kCount = 1 << 22;
  float* data;
  CHECK_HIP(hipMalloc(&data, kCount * sizeof(float)));
  std::vector<float> host(kCount, 1.f);
  CHECK_HIP(hipMemcpy(data, host.data(), kCount * sizeof(float), hipMemcpyHostToDevice));
  Timer timer;
  const auto stream_through = [&](size_t count) {
    return [=] { twice<<<static_cast<unsigned>((count + 255) / 256), 256>>>(data, count); };
  };
  const float nothing = timer.microseconds(nullptr, [] {});
  CHECK(nothing >= 0 && nothing < 2);
  timer.microseconds(nullptr, stream_through(kCount));
  const float small = timer.microseconds(nullptr, stream_through(256)),
              large = timer.microseconds(nullptr, stream_through(kCount)),
              again = timer.microseconds(nullptr, stream_through(kCount));
  CHECK(small > 2 && small < 10);
  CHECK(large > 1.5f * small && large < 100);
  CHECK(again > 0.95f * large && again < 1.05f * large);

  // A chain of dependent instructions takes in proportion to its length.
  const auto chain = [&](int steps) { return timer.microseconds(nullptr, [=] { spin<<<1, 64>>>(data, steps); }); };
  const float ten = chain(10'000), twenty = chain(20'000);
  CHECK(twenty - ten > 0.95f * (ten - small) && twenty - ten < 1.05f * (ten - small));

  // Launches behind each other add up, and so do copies.
  const float eight = timer.microseconds(nullptr, [&] {
    for (int i = 0; i < 8; ++i) stream_through(kCount)();
  });
  CHECK(eight > 4 * (large - small) && eight < 10 * large);

  // A chain of launches takes the host's time or the kernels', whichever is longer: what a kernel grows by is
  // the most that it adds.
  constexpr int kLaunches = 50, kMoreSteps = 50;
  const auto launches = [&](int steps) {
    return timer.microseconds(nullptr, [=] {
      for (int i = 0; i < kLaunches; ++i) spin<<<1, 64>>>(data, steps);
    });
  };
  const float longer = (twenty - ten) / 10'000 * kMoreSteps;  // that so many steps make a kernel
  float before = launches(50), most = 0;
  const float shortest = before;
  for (int steps = 50 + kMoreSteps; steps <= 2000; steps += kMoreSteps) {
    const float now = launches(steps);
    most = std::max(most, now - before);
    before = now;
  }
  CHECK(before > 1.5f * shortest);
  CHECK(most < 1.5f * kLaunches * longer);

  const float copy = timer.microseconds(nullptr, [&] {
    CHECK_HIP(hipMemcpy(host.data(), data, kCount * sizeof(float), hipMemcpyDeviceToHost));
  });
  CHECK(copy > 100 && copy < 2000);

  // Up to 1 MiB of pageable memory go through a pinned buffer; more, and pinned memory, do not.
  constexpr size_t kStaged = 1 << 20;
  void* pinned;
  CHECK_HIP(hipHostMalloc(&pinned, kStaged, 0));
  std::copy_n(host.data(), kStaged / sizeof(float), static_cast<float*>(pinned));
  const auto copied = [&](void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return timer.microseconds(nullptr, [=] { CHECK_HIP(hipMemcpy(to, from, bytes, kind)); });
  };
  for (const hipMemcpyKind kind : {hipMemcpyHostToDevice, hipMemcpyDeviceToHost}) {
    const auto between = [&](void* on_host, size_t bytes) {
      return kind == hipMemcpyHostToDevice ? copied(data, on_host, bytes, kind)
                                           : copied(on_host, data, bytes, kind);
    };
    const float staged = between(host.data(), kStaged), half = between(host.data(), kStaged / 2);
    CHECK(staged > between(pinned, kStaged) + 50);
    CHECK(staged > between(host.data(), kStaged + 4096) + 50);
    CHECK(staged - half > 25);
  }
  CHECK_HIP(hipHostFree(pinned));

  // A stream waits for another one's event, in modelled time too; streams of their own run side by side.
  hipStream_t streams[2];
  hipEvent_t between;
  CHECK_HIP(hipEventCreate(&between));
  for (hipStream_t& stream : streams) CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  const auto on = [&](int which, int steps) { spin<<<1, 64, 0, streams[which]>>>(data, steps); };
  const float alone = timer.microseconds(streams[0], [&] { on(0, 20'000); });
  const float beside = timer.microseconds(streams[0], [&] {
    on(1, 20'000);
    on(0, 20'000);
  });
  CHECK_HIP(hipDeviceSynchronize());
  const float behind = timer.microseconds(streams[0], [&] {
    on(1, 20'000);
    CHECK_HIP(hipEventRecord(between, streams[1]));
    CHECK_HIP(hipStreamWaitEvent(streams[0], between, 0));
    on(0, 20'000);
  });
  CHECK(beside < 1.3f * alone);
  CHECK(behind > 1.8f * alone && behind < 2.3f * alone);
  CHECK_HIP(hipDeviceSynchronize());

  // The clock that a kernel reads goes with the events, from kernel to kernel.
  long long* readings;
  long long first[2], second[2];
  CHECK_HIP(hipMalloc(&readings, sizeof first));
  const auto clock = [&](long long (&to)[2]) {
    const float time = timer.microseconds(nullptr, [&] { clocked<<<1, 64>>>(data, 5000, readings); });
    CHECK_HIP(hipMemcpy(to, readings, sizeof to, hipMemcpyDeviceToHost));
    return time;
  };
  clock(first);  // brings everything into the caches
  const float whole = clock(first);
  // Both ends of a time are whole nanoseconds.
  CHECK(std::abs(whole - clock(second)) < 1.5e-3f);
  // RDNA 3 shows 20 bits of the shader's clock.
  const auto between_readings = [](const long long (&read)[2]) { return (read[1] - read[0]) & 0xfffff; };
  CHECK(between_readings(second) == between_readings(first));
  if (first[0] > 0xfffff) CHECK(second[0] > first[1]);
  // What the clock counts is most of what the event tells; no GPU's clock is slower than 0.8 or faster than 3.5 GHz.
  const auto ticks = static_cast<float>(between_readings(first));
  CHECK(ticks > 0.8f * whole * 800 && ticks < whole * 3500);

  // What was computed is right.
  for (size_t i = 256; i < kCount; i += 4099) CHECK(host[i] == host[256]);
  CHECK(host[kCount - 1] == 2048);
  return finish();
}
