// Whether a device has modelled time, which a program may turn on and off while it runs.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace wavesmith::runtime {

class ModelledDevice;

/// Used as a pointer that is null while modelled time is off. What it once pointed to stays, for those who
/// have just asked.
class ModelledSwitch {
 public:
  explicit operator bool() const { return on_.load(std::memory_order_acquire); }
  ModelledDevice* operator->() const { return device_.get(); }
  /// The device is idle.
  void turn_on(std::shared_ptr<ModelledDevice> made) {
    if (made) device_ = std::move(made);
    on_.store(true, std::memory_order_release);
  }
  void turn_off() { on_.store(false, std::memory_order_release); }
  [[nodiscard]] bool made() const { return device_ != nullptr; }

 private:
  std::shared_ptr<ModelledDevice> device_;
  std::atomic<bool> on_{false};
};

}  // namespace wavesmith::runtime
