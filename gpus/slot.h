// The PCI slot and serial number of an emulated GPU, on which HIP and the kernel driver's files have to
// agree.
#pragma once

#include <cstdint>
#include <string>

#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// A PCI address; device and function are 0.
struct Slot {
  uint32_t domain = 0, bus = 0;
  [[nodiscard]] std::string text() const;  ///< "0000:05:00.0"
};

/// The slot of the n-th GPU of a machine: every sixteenth bus, from 5 on.
Slot slot_of(int ordinal);

/// A serial number per model and ordinal, the same on every run; HIP's UUID is its 16 hexadecimal digits.
uint64_t unique_id(const Gpu& gpu, int ordinal);

}  // namespace wavesmith::gpus
