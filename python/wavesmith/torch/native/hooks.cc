// What PyTorch asks of a device beside its guard: generators, pinned memory, whose memory a pointer is.
#include <cstddef>
#include <map>
#include <mutex>

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

#include "generator.h"
#include "streams.h"

namespace wavesmith::device {
namespace {

// Host memory that kernels and copies reach without staging.
class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    if (bytes != 0) {
      check(hipHostMalloc(&pointer, bytes, 0), "hipHostMalloc");
      const std::lock_guard lock(mutex_);
      ends_[pointer] = static_cast<std::byte*>(pointer) + bytes;
    }
    return {pointer, pointer, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* destination, const void* source, std::size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }
  bool holds(const void* pointer) const {
    const std::lock_guard lock(mutex_);
    auto after = ends_.upper_bound(const_cast<void*>(pointer));
    return after != ends_.begin() && pointer < std::prev(after)->second;
  }
  static PinnedAllocator& only() {
    static auto& allocator = *new PinnedAllocator();
    return allocator;
  }

 private:
  static void give_back(void* pointer) {
    if (pointer == nullptr) return;
    {
      const std::lock_guard lock(only().mutex_);
      only().ends_.erase(pointer);
    }
    hipHostFree(pointer);  // waits for copies from and to it
  }

  mutable std::mutex mutex_;
  std::map<void*, const void*> ends_;
};

struct Hooks final : at::PrivateUse1HooksInterface {
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
    return {c10::kPrivateUse1, static_cast<c10::DeviceIndex>(attributes.device)};
  }
  bool isPinnedPtr(const void* data) const override { return PinnedAllocator::only().holds(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &PinnedAllocator::only(); }

  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override {
    const OnDevice on(storage.device().index());
    auto* impl = storage.unsafeGetStorageImpl();
    auto data = impl->allocator()->allocate(bytes);
    const auto kept = std::min(bytes, storage.nbytes());
    if (kept != 0) impl->allocator()->copy_data(data.get(), storage.data(), kept);
    impl->set_data_ptr_noswap(std::move(data));
    impl->set_nbytes(bytes);
  }
};

const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks());
  return true;
}();

}  // namespace
}  // namespace wavesmith::device
