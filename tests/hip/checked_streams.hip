// What the race checker finds between pieces of work: each fault beside the same program put right.
#include <hip/hip_runtime.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "check.h"
#include "checked.h"

constexpr int kCount = 4000;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void copy(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}
__global__ void count(int* counter) { atomicAdd(counter, 1); }
__global__ void halves(char* out, int which) { out[2 * threadIdx.x + which] = 1; }
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) __builtin_amdgcn_s_sleep(8);
}
__global__ void raise(const float* in, float* out, int* flag) {
  for (int i = 0; i < 64; ++i) out[i] = in[i];
  __threadfence();
  atomicExch(flag, 1);
}
__device__ float variable[64];
__global__ void set_variable() { variable[threadIdx.x] = 1; }
__global__ void get_variable(float* out) { out[threadIdx.x] = variable[threadIdx.x]; }

/// What each case works with: streams that the default stream does not order, buffers, and events.
struct Setting {
  hipStream_t one, two, blocking;
  float *a, *b, *c, *pinned;
  hipEvent_t event;

  Setting() {
    CHECK_HIP(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreate(&blocking));
    for (float** const each : {&a, &b, &c}) {
      CHECK_HIP(hipMalloc(reinterpret_cast<void**>(each), kBytes));
      CHECK_HIP(hipMemset(*each, 0, kBytes));
    }
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void**>(&pinned), kBytes, 0));
    std::memset(pinned, 0, kBytes);
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipDeviceSynchronize());
  }
  void run(const float* from, float* to, hipStream_t stream, int n = kCount) const {
    copy<<<(kCount + 255) / 256, 256, 0, stream>>>(from, to, n);
  }
  /// Lets what comes next in a stream wait for all of another one.
  void order(hipStream_t before, hipStream_t after) const {
    CHECK_HIP(hipEventRecord(event, before));
    CHECK_HIP(hipStreamWaitEvent(after, event, 0));
  }
};

struct Case {
  const char* name;
  const char* rule;
  std::function<void(const Setting&, bool)> body;  ///< with the fault: true
};

const Case kCases[] = {
    {"a kernel reads what another stream's writes", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, s.one);
       if (!faulty) s.order(s.one, s.two);
       s.run(s.b, s.c, s.two);
     }},
    {"it is asked for first", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.b, s.c, s.two);
       if (!faulty) s.order(s.two, s.one);
       s.run(s.a, s.b, s.one);
     }},
    {"two kernels write the same", "stream-write-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.c, s.one);
       s.run(s.b, faulty ? s.c : s.b, s.two);
     }},
    {"the event is recorded too early", "stream-read-write",
     [](const Setting& s, bool faulty) {
       if (faulty) s.order(s.one, s.two);
       s.run(s.a, s.b, s.one);
       if (!faulty) s.order(s.one, s.two);
       s.run(s.b, s.c, s.two);
     }},
    {"the wait comes too late", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, s.one);
       CHECK_HIP(hipEventRecord(s.event, s.one));
       if (faulty) s.run(s.b, s.c, s.two);
       CHECK_HIP(hipStreamWaitEvent(s.two, s.event, 0));
       if (!faulty) s.run(s.b, s.c, s.two);
     }},
    {"the host waits for another stream", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, s.one);
       CHECK_HIP(hipStreamSynchronize(faulty ? s.two : s.one));
       s.run(s.b, s.c, s.two);
     }},
    {"the host waits for an event", "stream-read-write",
     [](const Setting& s, bool faulty) {
       CHECK_HIP(hipEventRecord(s.event, s.one));
       s.run(s.a, s.b, s.one);
       if (!faulty) CHECK_HIP(hipEventRecord(s.event, s.one));
       CHECK_HIP(hipEventSynchronize(s.event));
       s.run(s.b, s.c, s.two);
     }},
    {"the default stream waits for blocking streams alone", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, faulty ? s.one : s.blocking);
       s.run(s.b, s.c, nullptr);
     }},
    {"blocking streams wait for the default stream", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, nullptr);
       s.run(s.b, s.c, faulty ? s.two : s.blocking);
     }},
    {"two blocking streams are not ordered", "stream-read-write",
     [](const Setting& s, bool faulty) {
       hipStream_t other;
       CHECK_HIP(hipStreamCreate(&other));
       s.run(s.a, s.b, s.blocking);
       if (!faulty) s.run(s.a, s.a, nullptr, 0);
       s.run(s.b, s.c, other);
       CHECK_HIP(hipDeviceSynchronize());
     }},
    {"the stream of the thread", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, hipStreamPerThread);
       s.run(s.b, s.c, faulty ? s.one : hipStreamPerThread);
     }},
    {"an asynchronous copy reads what a kernel writes", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, s.one);
       CHECK_HIP(hipMemcpyAsync(s.pinned, s.b, kBytes, hipMemcpyDeviceToHost, faulty ? s.two : s.one));
     }},
    {"a copy of the default stream", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, faulty ? s.one : s.blocking);
       float host[kCount];
       CHECK_HIP(hipMemcpy(host, s.b, kBytes, hipMemcpyDeviceToHost));
     }},
    {"a copy to the device under a kernel that reads", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, s.one);
       if (!faulty) s.order(s.one, s.two);
       CHECK_HIP(hipMemcpyAsync(s.a, s.pinned, kBytes, hipMemcpyHostToDevice, s.two));
     }},
    {"copies share pinned memory", "stream-read-write",
     [](const Setting& s, bool faulty) {
       CHECK_HIP(hipMemcpyAsync(s.pinned, s.a, kBytes, hipMemcpyDeviceToHost, s.one));
       if (!faulty) CHECK_HIP(hipStreamSynchronize(s.one));
       CHECK_HIP(hipMemcpyAsync(s.b, s.pinned, kBytes, hipMemcpyHostToDevice, s.two));
     }},
    {"a copy within the device does not hold the host", "stream-read-write",
     [](const Setting& s, bool faulty) {
       CHECK_HIP(hipMemcpy(s.b, s.a, kBytes, hipMemcpyDeviceToDevice));
       if (!faulty) CHECK_HIP(hipStreamSynchronize(nullptr));
       s.run(s.b, s.c, s.two);
     }},
    {"a fill meets a kernel", "stream-write-write",
     [](const Setting& s, bool faulty) {
       CHECK_HIP(hipMemsetAsync(s.b, 0, kBytes, s.one));
       if (!faulty) s.order(s.one, s.two);
       s.run(s.a, s.b, s.two);
     }},
    {"rows of a copy", "stream-read-write",
     [](const Setting& s, bool faulty) {
       s.run(s.a, s.b, s.one, 10);
       float* const from = faulty ? s.b + 5 : s.b + 10;
       CHECK_HIP(hipMemcpy2DAsync(s.c, 40, from, 400, 20, 8, hipMemcpyDeviceToDevice, s.two));
     }},
    {"the two halves of every pair", "stream-write-write",
     [](const Setting& s, bool faulty) {
       halves<<<1, 1024, 0, s.one>>>(reinterpret_cast<char*>(s.b), 0);
       halves<<<1, 1024, 0, s.two>>>(reinterpret_cast<char*>(s.b), faulty ? 0 : 1);
     }},
    {"a counter's sum is read too early", "stream-atomic-plain",
     [](const Setting& s, bool faulty) {
       count<<<4, 64, 0, s.one>>>(reinterpret_cast<int*>(s.b));
       count<<<4, 64, 0, s.two>>>(reinterpret_cast<int*>(s.b));
       if (!faulty) s.order(s.one, s.two);
       s.run(s.b, s.c, s.two);
     }},
    {"a variable of the program", "stream-read-write",
     [](const Setting& s, bool faulty) {
       set_variable<<<1, 64, 0, s.one>>>();
       if (!faulty) s.order(s.one, s.two);
       get_variable<<<1, 64, 0, s.two>>>(s.c);
     }},
    {"a kernel waits for another one's flag", "stream-read-write",
     [](const Setting& s, bool faulty) {
       auto* const flag = reinterpret_cast<int*>(s.c);
       if (!faulty) wait_for<<<1, 1, 0, s.two>>>(flag);
       s.run(s.b, s.c + 1, s.two, 64);
       raise<<<1, 1, 0, s.one>>>(s.a, s.b, flag);
     }},
    {"memory is freed under a kernel", "stream-free",
     [](const Setting& s, bool faulty) {
       float* memory;
       CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&memory), kBytes, s.one));
       s.run(s.a, memory, s.one);
       CHECK_HIP(hipFreeAsync(memory, faulty ? s.two : s.one));
     }},
    {"memory of a pool, in another stream's turn", "stream-write-write",
     [](const Setting& s, bool faulty) {
       float* memory;
       CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&memory), kBytes, s.one));
       CHECK_HIP(hipMemsetAsync(memory, 0, kBytes, s.one));
       if (!faulty) s.order(s.one, s.two);
       s.run(s.a, memory, s.two);
       CHECK_HIP(hipDeviceSynchronize());
       CHECK_HIP(hipFreeAsync(memory, s.two));
     }},
    {"a stream waits for a value in memory", "stream-read-write",
     [](const Setting& s, bool faulty) {
       auto* const flag = reinterpret_cast<uint32_t*>(s.pinned);
       s.run(s.a, s.b, s.one);
       CHECK_HIP(hipStreamWriteValue32(s.one, flag, 1, 0));
       if (!faulty) CHECK_HIP(hipStreamWaitValue32(s.two, flag, 1, hipStreamWaitValueEq, ~0u));
       s.run(s.b, s.c, s.two);
     }},
    {"branches of a graph", "stream-read-write",
     [](const Setting& s, bool faulty) {
       hipGraph_t graph;
       hipGraphExec_t executable;
       CHECK_HIP(hipStreamBeginCapture(s.one, hipStreamCaptureModeGlobal));
       s.order(s.one, s.two);
       s.run(s.a, s.b, s.one);
       if (!faulty) s.order(s.one, s.two);
       s.run(s.b, s.c, s.two);
       s.order(s.two, s.one);
       CHECK_HIP(hipStreamEndCapture(s.one, &graph));
       CHECK_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
       CHECK_HIP(hipGraphLaunch(executable, s.one));
       CHECK_HIP(hipGraphLaunch(executable, s.one));
     }},
    {"a graph and a stream", "stream-read-write",
     [](const Setting& s, bool faulty) {
       hipGraph_t graph;
       hipGraphExec_t executable;
       CHECK_HIP(hipStreamBeginCapture(s.one, hipStreamCaptureModeGlobal));
       s.run(s.a, s.b, s.one);
       CHECK_HIP(hipStreamEndCapture(s.one, &graph));
       CHECK_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
       CHECK_HIP(hipGraphLaunch(executable, s.one));
       if (!faulty) s.order(s.one, s.two);
       s.run(s.b, s.c, s.two);
     }},
    {"graphs in two streams", "stream-write-write",
     [](const Setting& s, bool faulty) {
       hipGraph_t graph;
       hipGraphExec_t executable;
       CHECK_HIP(hipStreamBeginCapture(s.one, hipStreamCaptureModeGlobal));
       CHECK_HIP(hipMemsetAsync(s.b, 0, kBytes, s.one));
       s.run(s.a, s.b, s.one);
       CHECK_HIP(hipStreamEndCapture(s.one, &graph));
       CHECK_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
       CHECK_HIP(hipGraphLaunch(executable, s.one));
       CHECK_HIP(hipGraphLaunch(executable, faulty ? s.two : s.one));
     }},
    {"streams of two threads", "stream-read-write",
     [](const Setting& s, bool faulty) {
       std::thread other([&] {
         s.run(s.a, s.b, s.one);
         if (!faulty) CHECK_HIP(hipStreamSynchronize(s.one));
       });
       other.join();
       s.run(s.b, s.c, s.two);
     }},
};

int main() {
  for (const Case& each : kCases)
    for (const bool faulty : {true, false}) {
      const std::string report = report_of("race", [&] {
        const Setting setting;
        each.body(setting, faulty);
        CHECK_HIP(hipDeviceSynchronize());
      });
      const bool right = faulty ? has(report, each.rule) : has_none(report);
      CHECK(right);
      if (!right) std::printf("%s, %s\n%s\n", each.name, faulty ? "faulty" : "right", report.c_str());
    }

  const std::string told = report_of("race", [] {
    const Setting s;
    s.run(s.a, s.b, s.one);
    CHECK_HIP(hipMemcpyAsync(s.pinned, s.b, kBytes, hipMemcpyDeviceToHost, s.two));
    CHECK_HIP(hipDeviceSynchronize());
  });
  for (const char* const part :
       {"reads, in stream", "a copy by hipMemcpyAsync, called from", "writes, in stream", "global_store_",
        "allocation (16000 bytes) + 0x0", "hipStreamWaitEvent before the second"})
    CHECK(told.find(part) != std::string::npos);
  return finish();
}
