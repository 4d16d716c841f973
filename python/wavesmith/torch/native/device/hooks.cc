// What PyTorch asks of a device beside its guard: whether it is there, generators, whose memory a pointer is.
#include <cstddef>
#include <new>

#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Allocator.h>

#include "device/generator.h"
#include "device/streams.h"
#include "memory/allocator.h"
#include "memory/host_memory.h"

namespace wavesmith::device {
namespace {

// Without members of its own: see `hooks_registered`.
template <typename Interface>
struct Common : Interface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  void init() const override {}
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }

  c10::DeviceIndex deviceCount() const override { return device_count(); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_device(device); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    const auto before = current_device();
    set_device(device);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return device < 0 ? current_device() : exchangeDevice(device);
  }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device);
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override { return new_generator(device); }

  at::Device getDeviceFromPtr(void* data) const override {
    // hipPointerAttribute_t begins with the kind of memory and the device.
    struct {
      int type, device;
      std::byte rest[120];
    } attributes{};
    check(hipPointerGetAttributes(&attributes, data), "hipPointerGetAttributes");
    return {kDevice, static_cast<c10::DeviceIndex>(attributes.device)};
  }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
};

struct Hooks final : Common<at::PrivateUse1HooksInterface> {
  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override {
    resize_storage(storage, bytes);
  }
};

struct CudaHooks final : Common<at::CUDAHooksInterface> {
  bool hasCUDA() const override { return true; }
  bool hasROCM() const override { return true; }
  c10::DeviceIndex current_device() const override { return device::current_device(); }
  c10::Allocator* getCUDADeviceAllocator() const override { return c10::GetAllocator(kDevice); }
  int getNumGPUs() const override { return device_count(); }
  std::string showConfig() const override { return "  - Wavesmith's HIP runtime\n"; }
  void deviceSynchronize(c10::DeviceIndex device) const override {
    const OnDevice on(device);
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  }
};

const bool hooks_registered = [] {
  if (kIsCuda) {
    // PyTorch keeps the hooks for ever that it first asked for, and may have asked before this library was
    // loaded: what it has then becomes ours, in place. Both are an object without members.
    auto* kept = const_cast<at::CUDAHooksInterface*>(&at::detail::getCUDAHooks());
    static_assert(sizeof(CudaHooks) == sizeof(at::CUDAHooksInterface));
    new (kept) CudaHooks();
  } else {
    at::RegisterPrivateUse1HooksInterface(new Hooks());
  }
  return true;
}();

}  // namespace
}  // namespace wavesmith::device
