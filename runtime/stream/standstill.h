// A process that cannot go on: every thread waits for another one, without a limit of time.
#pragma once

namespace wavesmith::runtime {

class Device;

/// From now on, as long as the device's failure stays: when the process stands still for some seconds, says
/// so and aborts. Programs exist that note the error of one HIP call and then wait for ever for what the GPU
/// would have done.
void end_at_standstill(const Device& device);

}  // namespace wavesmith::runtime
