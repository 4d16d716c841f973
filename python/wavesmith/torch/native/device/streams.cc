#include "device/streams.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace wavesmith::device {
namespace {

constexpr int kPooled = 4;

// A device's streams by their numbers; number 0 is the null stream.
struct Streams {
  std::mutex mutex;
  std::vector<hipStream_t> handles{nullptr};
  std::array<std::vector<c10::StreamId>, 2> pools;  // of usual and of high priority
  std::array<unsigned, 2> next{};
};

Streams& streams(c10::DeviceIndex device) {
  // Leaked: tensors and threads may outlive what is destroyed at the process's end.
  static auto& all = *new std::vector<Streams>(device_count());
  return all[device];
}

thread_local std::array<c10::StreamId, 64> chosen{};

c10::Stream stream_of(c10::DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kDevice, device), id);
}

// Whether this process was forked from one that had the devices.
std::atomic<bool> is_forked{false};
const int watched = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });

bool forked() { return is_forked; }

c10::DeviceIndex or_current(c10::DeviceIndex device) { return device < 0 ? current_device() : device; }

c10::StreamId create(c10::DeviceIndex device, int priority) {
  const OnDevice on(device);
  hipStream_t handle = nullptr;
  check(hipStreamCreateWithPriority(&handle, kStreamNonBlocking, priority), "hipStreamCreateWithPriority");
  Streams& own = streams(device);
  own.handles.push_back(handle);
  return static_cast<c10::StreamId>(own.handles.size()) - 1;
}

}  // namespace

c10::DeviceIndex device_count() noexcept {
  static const int count = [] {
    int found = 0;
    return hipGetDeviceCount(&found) == kSuccess ? found : 0;
  }();
  return static_cast<c10::DeviceIndex>(count);
}

c10::DeviceIndex current_device() {
  TORCH_CHECK(!is_forked,
              "a forked process cannot use the devices of the one that it was forked from: start it by spawn "
              "(torch.multiprocessing.set_start_method(\"spawn\")), or use devices in it alone");
  int device = 0;
  check(hipGetDevice(&device), "hipGetDevice");
  return static_cast<c10::DeviceIndex>(device);
}

void set_device(c10::DeviceIndex device) {
  TORCH_CHECK(device >= 0 && device < device_count(), c10::Device(kDevice, device),
              " is not there: this process has ", int{device_count()},
              device_count() == 1 ? " device" : " devices", " (wavesmith.use(gpu, count) says how many)");
  check(hipSetDevice(device), "hipSetDevice");
}

c10::Stream current_stream(c10::DeviceIndex device) {
  device = or_current(device);
  return stream_of(device, chosen.at(device));
}

c10::Stream default_stream(c10::DeviceIndex device) { return stream_of(or_current(device), 0); }

c10::Stream new_stream(c10::DeviceIndex device, int priority) {
  device = or_current(device);
  const std::lock_guard lock(streams(device).mutex);
  return stream_of(device, create(device, priority));
}

c10::Stream pooled_stream(c10::DeviceIndex device, bool high_priority) {
  device = or_current(device);
  Streams& own = streams(device);
  const std::lock_guard lock(own.mutex);
  auto& pool = own.pools[high_priority];
  if (pool.size() < kPooled) pool.push_back(create(device, high_priority ? -1 : 0));
  return stream_of(device, pool[own.next[high_priority]++ % pool.size()]);
}

c10::Stream exchange_stream(c10::Stream stream) {
  auto& slot = chosen.at(or_current(stream.device_index()));
  const auto before = stream_of(or_current(stream.device_index()), slot);
  slot = stream.id();
  return before;
}

hipStream_t native(const c10::Stream& stream) {
  if (stream.id() == 0) return nullptr;
  Streams& own = streams(stream.device_index());
  const std::lock_guard lock(own.mutex);
  TORCH_CHECK(stream.id() > 0 && static_cast<std::size_t>(stream.id()) < own.handles.size(), "no stream ",
              stream.id(), " on device ", int{stream.device_index()});
  return own.handles[stream.id()];
}

bool is_capturing(const c10::Stream& stream) {
  if (stream.id() == 0) return false;  // the null stream cannot be captured
  int status = 0;
  check(hipStreamIsCapturing(native(stream), &status), "hipStreamIsCapturing");
  return status != 0;
}

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) {
  m.def("forked() -> bool", &forked);
  m.def("device_count() -> int", [] { return std::int64_t{device_count()}; });
}

}  // namespace wavesmith::device
