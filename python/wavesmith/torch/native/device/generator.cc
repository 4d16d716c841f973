#include "device/generator.h"

#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>

#include "device/streams.h"

namespace wavesmith::device {
namespace {

struct DeviceGenerator final : c10::GeneratorImpl {
  explicit DeviceGenerator(c10::DeviceIndex device, at::Generator inner = at::detail::createCPUGenerator())
      : GeneratorImpl(c10::Device(kDevice, device), c10::DispatchKeySet(kKey)), host(std::move(inner)) {}

  void set_current_seed(uint64_t seed) override { host.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { host.set_offset(offset); }
  uint64_t get_offset() const override { return host.get_offset(); }
  uint64_t current_seed() const override { return host.current_seed(); }
  uint64_t seed() override { return host.seed(); }
  void set_state(const c10::TensorImpl& state) override { host.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return host.unsafeGetGeneratorImpl()->get_state();
  }
  DeviceGenerator* clone_impl() const override { return new DeviceGenerator(device().index(), host.clone()); }

  at::Generator host;
};

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex device) {
  static auto& all = *[] {
    auto* made = new std::vector<at::Generator>();
    for (c10::DeviceIndex each = 0; each < device_count(); ++each) made->push_back(new_generator(each));
    return made;
  }();
  if (device < 0) device = current_device();
  TORCH_CHECK(static_cast<std::size_t>(device) < all.size(), "no device ", c10::Device(kDevice, device));
  return all[device];
}

at::Generator new_generator(c10::DeviceIndex device) {
  return at::make_generator<DeviceGenerator>(device < 0 ? current_device() : device);
}

at::Generator host_generator(const at::Generator& generator) {
  auto* ours = dynamic_cast<DeviceGenerator*>(generator.unsafeGetGeneratorImpl());
  return ours == nullptr ? generator : ours->host;
}

}  // namespace wavesmith::device
