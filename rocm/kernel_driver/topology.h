// The kernel driver's files about its GPUs under /sys and /dev.
#pragma once

#include <span>

#include "gpus/gpu.h"
#include "rocm/installation/tree.h"

namespace wavesmith::rocm {

/// The facts about this computer on which the files depend.
struct Host {
  uint32_t cores = 1;
  uint64_t memory_bytes = 0;
  std::vector<std::string> drm;  ///< links under /sys/class/drm, as name=target
  std::vector<std::string> dri;  ///< names under /dev/dri
};
Host this_host();

/// Adds the files of /sys/class/kfd/kfd/topology: a node of CPU cores and one for each GPU, as the amdgpu
/// driver writes them. GPUs are joined as their data files say (gpus/links.h): by links of their own
/// (io_links), or over PCIe (p2p_links). Numbers that a GPU's data file lacks are 0 or left out.
void add_topology(Tree& tree, std::span<const gpus::Gpu* const> machine, const Host& host);

/// Adds PCI devices, /sys/class/drm, /dev/kfd and /dev/dri: the GPUs come after the host's own devices.
void add_devices(Tree& tree, std::span<const gpus::Gpu* const> machine, const Host& host);

/// The number of /dev/dri/renderD* of the n-th GPU.
uint32_t render_minor(int ordinal, const Host& host);

}  // namespace wavesmith::rocm
