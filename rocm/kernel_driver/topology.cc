// Names and order: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c, node_show(), mem_show(), iolink_show();
// bits: include/uapi/linux/kfd_sysfs.h.
#include "rocm/kernel_driver/topology.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "gpus/links.h"
#include "gpus/slot.h"

namespace wavesmith::rocm {
namespace {

constexpr const char* kFolder = "sys/devices/virtual/kfd/kfd/topology";

class Properties {
 public:
  Properties& add(const char* name, uint64_t value) {
    text_ += fmt::format("{} {}\n", name, value);
    return *this;
  }
  operator std::string() const { return text_; }

 private:
  std::string text_;
};

/// "gfx942" is 90402: major, minor and stepping, two decimal digits each; the last two digits of the name are
/// hexadecimal.
uint32_t version_number(std::string_view target) {
  if (!target.starts_with("gfx") || target.size() < 6) return 0;
  uint32_t major = 0, minor = 0, stepping = 0;
  const char* const end = target.data() + target.size();
  std::from_chars(target.data() + 3, end - 2, major);
  std::from_chars(end - 2, end - 1, minor, 16);
  std::from_chars(end - 1, end, stepping, 16);
  return major * 10000 + minor * 100 + stepping;
}

uint32_t capability(const gpus::Gpu& gpu) {
  constexpr uint32_t kDoorbell2 = 2u << 12, kRas = 1u << 21, kSramEcc = 1u << 19, kRevision = 22,
                     kSharedVirtualMemory = 1u << 27, kCoherentHost = 1u << 28;
  uint32_t bits = kDoorbell2 | kSharedVirtualMemory | (gpu.pci_revision & 0xf) << kRevision;
  if (gpu.has_sram_ecc()) bits |= kSramEcc | kRas;
  if (gpu.is_apu) bits |= kCoherentHost;
  return bits;
}

/// What a node says of links, each the text of its properties.
struct Node {
  uint64_t hive = 0;
  std::vector<std::string> io_links, p2p_links;
};

/// One direction of a link. Weights: 20 over PCIe, 15 for each hop between GPUs; bandwidths in MB/s, from
/// what one lane or link has to what all of them have (kfd_crat.c, amdgpu_xgmi_get_bandwidth()).
std::string link(size_t from, size_t to, uint64_t type, uint64_t weight, uint64_t least, uint64_t most) {
  return Properties()
      .add("type", type)
      .add("version_major", 0)
      .add("version_minor", 0)
      .add("node_from", from)
      .add("node_to", to)
      .add("weight", weight)
      .add("min_latency", 0)
      .add("max_latency", 0)
      .add("min_bandwidth", least)
      .add("max_bandwidth", most)
      .add("recommended_transfer_size", 0)
      .add("recommended_sdma_engine_id_mask", 0)
      .add("flags", 1);
}

constexpr uint64_t kPcie = 2, kXgmi = 11;  // CRAT_IOLINK_TYPE_PCIEXPRESS, CRAT_IOLINK_TYPE_XGMI

uint64_t megabytes(double gigabytes_per_second) {
  return static_cast<uint64_t>(std::llround(gigabytes_per_second * 1000));
}

/// PCIe's narrowest and slowest, one lane of 2.5 GT/s, is where the driver begins.
std::string pcie_link(size_t from, size_t to, uint64_t weight, double gigabytes_per_second) {
  return link(from, to, kPcie, weight, gigabytes_per_second > 0 ? 312 : 0, megabytes(gigabytes_per_second));
}

/// The n-th GPU's links: to the node of cores first, then to the other GPUs.
Node links_of(std::span<const gpus::Gpu* const> machine, int ordinal) {
  const gpus::Gpu& gpu = *machine[static_cast<size_t>(ordinal)];
  const size_t node = static_cast<size_t>(ordinal) + 1;
  Node result;
  result.io_links.push_back(pcie_link(node, 0, 20, gpu.pcie_gigabytes_per_second));
  for (int peer = 0; peer < static_cast<int>(machine.size()); ++peer) {
    if (peer == ordinal) continue;
    const gpus::Route route = gpus::route_between(machine, ordinal, peer);
    const size_t other = static_cast<size_t>(peer) + 1;
    if (route.kind == gpus::Route::Kind::Pcie) {
      result.p2p_links.push_back(pcie_link(node, other, 40, route.gigabytes_per_second));
      continue;
    }
    // The driver does not know the bandwidth of a route that leads through another GPU.
    result.io_links.push_back(link(node, other, kXgmi, 15 * route.hops,
                                   route.links ? megabytes(gpu.link_gigabytes_per_second) : 0,
                                   route.links ? megabytes(route.gigabytes_per_second) : 0));
    // The hive is called by its first GPU's serial number.
    const int hive = gpus::hive_of(machine, ordinal);
    for (int first = 0; result.hive == 0; ++first)
      if (gpus::hive_of(machine, first) == hive) result.hive = gpus::unique_id(gpu, first);
  }
  return result;
}

/// What stands for every kind of node, in the driver's order; a node of cores has 0 for most.
std::string node_of_gpu(const gpus::Gpu& gpu, int ordinal, const Node& node, const Host& host) {
  const gpus::Slot slot = gpus::slot_of(ordinal);
  const uint32_t arrays = gpu.shader_engines * gpu.arrays_per_engine;
  return Properties()
      .add("cpu_cores_count", 0)
      .add("simd_count", uint64_t{gpu.compute_units} * gpu.simds_per_unit)
      .add("mem_banks_count", 1)
      .add("caches_count", 0)
      .add("io_links_count", node.io_links.size())
      .add("p2p_links_count", node.p2p_links.size())
      .add("cpu_core_id_base", 0)
      .add("simd_id_base", 2147487744u + static_cast<uint32_t>(ordinal) * 4096)
      .add("max_waves_per_simd", gpu.waves_per_simd)
      .add("lds_size_in_kb", gpu.lds_bytes / 1024)
      .add("gds_size_in_kb", 0)
      .add("num_gws", 0)
      .add("wave_front_size", gpu.warp_size())
      .add("array_count", arrays)
      .add("simd_arrays_per_engine", gpu.arrays_per_engine)
      .add("cu_per_simd_array", arrays ? (gpu.compute_units + arrays - 1) / arrays : 0)
      .add("simd_per_cu", gpu.simds_per_unit)
      .add("max_slots_scratch_cu", 32)
      .add("gfx_target_version", version_number(gpu.target))
      .add("vendor_id", gpu.pci_vendor)
      .add("device_id", gpu.pci_device)
      .add("location_id", slot.bus << 8)
      .add("domain", slot.domain)
      .add("drm_render_minor", render_minor(ordinal, host))
      .add("hive_id", node.hive)
      .add("num_sdma_engines", 2)
      .add("num_sdma_xgmi_engines", 0)
      .add("num_sdma_queues_per_engine", 8)
      .add("num_cp_queues", 24)
      .add("max_engine_clk_fcompute", gpu.engine_mhz)
      .add("local_mem_size", 0)
      .add("fw_version", gpu.mec_firmware.value_or(0))
      .add("capability", capability(gpu))
      .add("debug_prop", 0)
      .add("sdma_fw_version", 0)
      .add("unique_id", gpus::unique_id(gpu, ordinal))
      .add("num_xcc", gpu.xcds)
      .add("max_engine_clk_ccompute", 0);
}

std::string node_of_cores(const Host& host, size_t links) {
  Properties properties;
  properties.add("cpu_cores_count", host.cores)
      .add("simd_count", 0)
      .add("mem_banks_count", 1)
      .add("caches_count", 0)
      .add("io_links_count", links);
  for (const char* name : {"p2p_links_count",
                           "cpu_core_id_base",
                           "simd_id_base",
                           "max_waves_per_simd",
                           "lds_size_in_kb",
                           "gds_size_in_kb",
                           "num_gws",
                           "wave_front_size",
                           "array_count",
                           "simd_arrays_per_engine",
                           "cu_per_simd_array",
                           "simd_per_cu",
                           "max_slots_scratch_cu",
                           "gfx_target_version",
                           "vendor_id",
                           "device_id",
                           "location_id",
                           "domain",
                           "drm_render_minor",
                           "hive_id",
                           "num_sdma_engines",
                           "num_sdma_xgmi_engines",
                           "num_sdma_queues_per_engine",
                           "num_cp_queues",
                           "max_engine_clk_ccompute"})
    properties.add(name, 0);
  return properties;
}

/// The driver's number of a GPU: 16 bits, none 0, each of a machine another.
uint32_t gpu_id(const gpus::Gpu& gpu, int ordinal) {
  const uint64_t model = gpus::unique_id(gpu, 0);
  return static_cast<uint32_t>((model >> 16 ^ model >> 32) & 0xff00) + static_cast<uint32_t>(ordinal) + 1;
}

std::string bank(uint64_t heap, uint64_t bytes, uint64_t width, uint64_t mhz) {
  return Properties()
      .add("heap_type", heap)  // 0: the system's, 1: the GPU's, which the CPU reaches
      .add("size_in_bytes", bytes)
      .add("flags", 0)
      .add("width", width)
      .add("mem_clk_max", mhz);
}

}  // namespace

void add_topology(Tree& tree, std::span<const gpus::Gpu* const> machine, const Host& host) {
  const std::string top = kFolder;
  tree.links["sys/class/kfd/kfd"] = "../../devices/virtual/kfd/kfd";
  tree.files[top + "/generation_id"] = "2\n";
  tree.files[top + "/system_properties"] = "platform_oem 0\nplatform_id 0\nplatform_rev 0\n";

  const std::string cores = top + "/nodes/0";
  tree.files[cores + "/gpu_id"] = "0\n";
  tree.files[cores + "/name"] = "\n";
  tree.files[cores + "/properties"] = node_of_cores(host, machine.size());
  tree.files[cores + "/mem_banks/0/properties"] = bank(0, host.memory_bytes, 64, 0);
  for (size_t i = 0; i < machine.size(); ++i) {
    const gpus::Gpu& gpu = *machine[i];
    const int ordinal = static_cast<int>(i);
    const std::string node = fmt::format("{}/nodes/{}", top, i + 1);
    tree.files[node + "/gpu_id"] = fmt::format("{}\n", gpu_id(gpu, ordinal));
    tree.files[node + "/name"] = "ip discovery\n";
    const Node links = links_of(machine, ordinal);
    tree.files[node + "/properties"] = node_of_gpu(gpu, ordinal, links, host);
    tree.files[node + "/mem_banks/0/properties"] =
        bank(1, gpu.memory_bytes, gpu.memory_bus_bits, gpu.memory_mhz);
    for (size_t k = 0; k < links.io_links.size(); ++k)
      tree.files[fmt::format("{}/io_links/{}/properties", node, k)] = links.io_links[k];
    for (size_t k = 0; k < links.p2p_links.size(); ++k)
      tree.files[fmt::format("{}/p2p_links/{}/properties", node, k)] = links.p2p_links[k];
    tree.files[fmt::format("{}/io_links/{}/properties", cores, i)] =
        pcie_link(0, i + 1, 20, gpu.pcie_gigabytes_per_second);
  }
  // Which the driver makes whatever is in them; AMD's ROCm SMI ends a program where one is missing.
  for (size_t node = 0; node <= machine.size(); ++node)
    for (const char* folder : {"caches", "io_links", "mem_banks", "p2p_links"})
      tree.folders.insert(fmt::format("{}/nodes/{}/{}", top, node, folder));
}

}  // namespace wavesmith::rocm
