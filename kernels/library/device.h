// The current device: its target, and the kernels that the target's code object holds. Loaded once per
// device, kept until the process ends.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/library/failure.h"

namespace wavesmith::kernels {

/// Where a kernel is launched.
struct Device {
  int number = -1;
  std::string_view target;  ///< as LLVM names it
  int compute_units = 0;
  int threads_per_unit = 0;  ///< at once, as HIP tells
  void* module = nullptr;    ///< hipModule_t
  std::string folder;        ///< that holds the code object
};

/// Gets the current device, or says why there is none.
wavesmith_kernels_status current_device(const Device*& device);

/// A grid of workgroups along x, y and z, of so many threads each, with so many bytes of shared memory beside
/// what the kernel has by itself.
struct Grid {
  unsigned x, y, threads, z = 1, shared = 0;
};

/// Launches the kernel of that name with one argument.
wavesmith_kernels_status launch(const Device& device, const char* kernel, const Grid& grid,
                                const void* argument, size_t bytes, void* stream);

/// For tests: targets and names of the kernels that were launched since the last call, each once.
WAVESMITH_KERNELS_API std::vector<std::pair<std::string_view, std::string>> take_launched();

}  // namespace wavesmith::kernels
