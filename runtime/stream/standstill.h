// Ends a process whose threads all wait for one another without a timeout.
#pragma once

namespace wavesmith::runtime {

class Device;

/// Watches the process while the device's failure lasts: if all threads stand still for some seconds, prints
/// a message and aborts. Some programs note the error of one HIP call and then wait for ever for the GPU.
void end_at_standstill(const Device& device);

}  // namespace wavesmith::runtime
