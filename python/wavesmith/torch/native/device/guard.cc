// What PyTorch asks of any accelerator: its devices, streams and events.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "device/streams.h"
#include "memory/allocator.h"

namespace wavesmith::device {
namespace {

c10::Device device_of(c10::DeviceIndex index) { return {kDevice, index}; }

hipEvent_t event_of(void* event) { return static_cast<hipEvent_t>(event); }

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kDevice; }

  c10::Device exchangeDevice(c10::Device device) const override {
    const auto before = current_device();
    if (device.has_index() && device.index() != before) set_device(device.index());
    return device_of(before);
  }
  c10::Device getDevice() const override { return device_of(current_device()); }
  void setDevice(c10::Device device) const override {
    if (device.has_index()) set_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) hipSetDevice(device.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return device_count(); }

  // Types whose elements are numbers of whole bytes, and are converted.
  c10::DeviceCapability getDeviceCapability(c10::Device) const override {
    c10::DeviceCapability types;
    types.capability_data.capability_bits = 0;
#define HAS(Type, name) types.capability_data.supported_scalar_types.has_##name = 1;
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(HAS)
    HAS(std::uint16_t, UInt16)
    HAS(std::uint32_t, UInt32)
    HAS(std::uint64_t, UInt64)
#undef HAS
    return types;
  }

  c10::Stream getStream(c10::Device device) const override { return current_stream(device.index()); }
  c10::Stream getDefaultStream(c10::Device device) const override { return default_stream(device.index()); }
  c10::Stream getNewStream(c10::Device device, int priority) const override {
    return new_stream(device.index(), priority);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool high_priority) const override {
    return pooled_stream(device.index(), high_priority);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return exchange_stream(stream); }
  void* getStreamNativeHandle(const c10::Stream stream) const override { return native(stream); }

  bool queryStream(const c10::Stream& stream) const override {
    const OnDevice on(stream.device_index());
    return ready(hipStreamQuery(native(stream)), "hipStreamQuery");
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    const OnDevice on(stream.device_index());
    check(hipStreamSynchronize(native(stream)), "hipStreamSynchronize");
  }
  bool isStreamCapturing(const c10::Stream& stream) const override { return is_capturing(stream); }
  void synchronizeDevice(const c10::DeviceIndex device) const override {
    const OnDevice on(device < 0 ? current_device() : device);
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    record_stream(data, stream);
  }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex device,
              const c10::EventFlag flag) const override {
    TORCH_CHECK(device == -1 || device == stream.device_index(), "an event of device ", int{device},
                " cannot be recorded on a stream of device ", int{stream.device_index()});
    const OnDevice on(stream.device_index());
    auto handle = event_of(*event);
    if (handle == nullptr) {
      const auto flags = flag == c10::EventFlag::BACKEND_DEFAULT ? kEventDefault : kEventDisableTiming;
      check(hipEventCreateWithFlags(&handle, flags), "hipEventCreateWithFlags");
      *event = handle;
    }
    check(hipEventRecord(handle, native(stream)), "hipEventRecord");
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event == nullptr) return;
    const OnDevice on(stream.device_index());
    check(hipStreamWaitEvent(native(stream), event_of(event), 0), "hipStreamWaitEvent");
  }
  bool queryEvent(void* event) const override {
    return event == nullptr || ready(hipEventQuery(event_of(event)), "hipEventQuery");
  }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) check(hipEventSynchronize(event_of(event)), "hipEventSynchronize");
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    if (event != nullptr) hipEventDestroy(event_of(event));
  }
  double elapsedTime(void* start, void* stop, const c10::DeviceIndex) const override {
    TORCH_CHECK(start != nullptr && stop != nullptr,
                "both events must be recorded before their time is asked");
    float milliseconds = 0;
    check(hipEventElapsedTime(&milliseconds, event_of(start), event_of(stop)), "hipEventElapsedTime");
    return milliseconds;
  }

 private:
  static bool ready(int error, const char* what) {
    if (error == kNotReady) {
      hipGetLastError();
      return false;
    }
    check(error, what);
    return true;
  }
};

const c10::impl::DeviceGuardImplRegistrar registered(kDevice, new Guard());

}  // namespace
}  // namespace wavesmith::device
