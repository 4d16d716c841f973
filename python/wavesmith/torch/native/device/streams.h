// Devices and streams as the calling thread has chosen them.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include "device/device_type.h"
#include "device/hip.h"

namespace wavesmith::device {

c10::DeviceIndex device_count() noexcept;
c10::DeviceIndex current_device();
void set_device(c10::DeviceIndex device);

// The calling thread's stream of a device; -1 is its current device. The default stream has the number 0.
c10::Stream current_stream(c10::DeviceIndex device);
c10::Stream default_stream(c10::DeviceIndex device);
c10::Stream new_stream(c10::DeviceIndex device, int priority);
// One of a few streams of a device, in turn.
c10::Stream pooled_stream(c10::DeviceIndex device, bool high_priority);
c10::Stream exchange_stream(c10::Stream stream);

hipStream_t native(const c10::Stream& stream);
bool is_capturing(const c10::Stream& stream);

// Chooses a device for as long as it lives.
class OnDevice {
 public:
  explicit OnDevice(c10::DeviceIndex device) : before_(current_device()) { set_device(device); }
  ~OnDevice() { hipSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  c10::DeviceIndex before_;
};

// While it lives, the thread may call what would spoil a stream's capture: memory that is asked for while a
// graph is captured is no part of it.
class CaptureAllows {
 public:
  CaptureAllows() { hipThreadExchangeStreamCaptureMode(&mode_); }
  ~CaptureAllows() { hipThreadExchangeStreamCaptureMode(&mode_); }
  CaptureAllows(const CaptureAllows&) = delete;
  CaptureAllows& operator=(const CaptureAllows&) = delete;

 private:
  int mode_ = kCaptureRelaxed;
};

}  // namespace wavesmith::device
