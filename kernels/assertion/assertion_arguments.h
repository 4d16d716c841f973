// What the kernel of assertions is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

inline constexpr int kAssertionThreads = 64;

struct AssertionArguments {
  const void* x;
  long* failed;
  long number;
  int type;  ///< Number
};

}  // namespace wavesmith::kernels
