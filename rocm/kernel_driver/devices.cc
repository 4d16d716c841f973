#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "gpus/slot.h"
#include "rocm/kernel_driver/topology.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

/// The first number after the host's own: "renderD128" is taken, ours begins with 129.
uint32_t first_free(const std::vector<std::string>& names, std::string_view prefix, uint32_t first) {
  for (const std::string& name : names) {
    if (!name.starts_with(prefix)) continue;
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) first = std::max(first, number + 1);
  }
  return first;
}

}  // namespace

Host this_host() {
  Host host;
  host.cores = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  struct sysinfo info = {};
  if (sysinfo(&info) == 0) host.memory_bytes = uint64_t{info.totalram} * info.mem_unit;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev/dri", none))
    host.dri.push_back(entry.path().filename().string());
  for (const fs::directory_entry& entry : fs::directory_iterator("/sys/class/drm", none))
    host.drm.push_back(entry.path().filename().string());
  std::sort(host.dri.begin(), host.dri.end());
  std::sort(host.drm.begin(), host.drm.end());
  return host;
}

uint32_t render_minor(int ordinal, const Host& host) {
  return first_free(host.dri, "renderD", 128) + static_cast<uint32_t>(ordinal);
}

void add_devices(Tree& tree, std::span<const gpus::Gpu* const> machine, const Host& host) {
  for (const std::string& name : host.dri) tree.links["dev/dri/" + name] = "/dev/dri/" + name;
  for (const std::string& name : host.drm) tree.links["sys/class/drm/" + name] = "/sys/class/drm/" + name;
  // Devices that can be opened and do nothing: what is asked of them by ioctl is the library's business.
  const char* const device = "/dev/null";
  tree.links["dev/kfd"] = device;
  tree.files["sys/module/amdgpu/initstate"] = "live\n";
  tree.files["sys/module/amdgpu/version"] = "6.14.14\n";
  std::string prefixes =
      "/dev/dri\n/dev/kfd\n/sys/class/drm\n/sys/class/kfd\n/sys/devices/virtual/kfd\n"
      "/sys/module/amdgpu\n";

  const uint32_t first_card = first_free(host.dri, "card", 0);
  for (size_t i = 0; i < machine.size(); ++i) {
    const gpus::Gpu& gpu = *machine[i];
    const int ordinal = static_cast<int>(i);
    const std::string address = gpus::slot_of(ordinal).text();
    const std::string below = fmt::format("devices/pci{}:00/{}", address.substr(0, 4), address);
    const std::string pci = "sys/" + below;
    auto number = [](uint32_t value) { return fmt::format("0x{:04x}\n", value); };
    tree.files[pci + "/vendor"] = tree.files[pci + "/subsystem_vendor"] = number(gpu.pci_vendor);
    tree.files[pci + "/device"] = tree.files[pci + "/subsystem_device"] = number(gpu.pci_device);
    tree.files[pci + "/revision"] = fmt::format("0x{:02x}\n", gpu.pci_revision);
    tree.files[pci + "/class"] = "0x120000\n";  // a processing accelerator
    tree.files[pci + "/numa_node"] = "-1\n";
    // RCCL looks for a device beside its bus.
    const std::string bus = address.substr(0, 7), buses = below.substr(0, below.rfind('/')) + "/pci_bus/";
    tree.files["sys/" + buses + bus + "/cpulistaffinity"] = fmt::format("0-{}\n", host.cores - 1);
    tree.links["sys/class/pci_bus/" + bus] = "../../" + buses + bus;
    if (gpu.pcie_gigabytes_per_second > 0) {
      // Sixteen lanes of what the slot has.
      const std::string speed = fmt::format("{:.1f} GT/s PCIe\n", gpu.pcie_gigabytes_per_second / 2);
      tree.files[pci + "/max_link_speed"] = tree.files[pci + "/current_link_speed"] = speed;
      tree.files[pci + "/max_link_width"] = tree.files[pci + "/current_link_width"] = "16\n";
    }
    if (gpu.mec_firmware)
      for (const char* engine : {"mec", "mec2"})
        tree.files[fmt::format("{}/fw_version/{}_fw_version", pci, engine)] =
            fmt::format("0x{:08x}\n", *gpu.mec_firmware);
    tree.files[pci + "/product_name"] = gpu.name + "\n";
    tree.files[pci + "/unique_id"] = fmt::format("{:016x}\n", gpus::unique_id(gpu, ordinal));
    tree.files[pci + "/mem_info_vram_total"] = fmt::format("{}\n", gpu.memory_bytes);
    tree.files[pci + "/mem_info_vram_used"] = "0\n";
    tree.files[pci + "/uevent"] =
        fmt::format("DRIVER=amdgpu\nPCI_CLASS=120000\nPCI_ID={:04X}:{:04X}\nPCI_SLOT_NAME={}\n",
                    gpu.pci_vendor, gpu.pci_device, address);
    tree.links["sys/bus/pci/devices/" + address] = "../../../" + below;
    prefixes += fmt::format("/sys/bus/pci/devices/{}\n/{}\n/sys/class/pci_bus/{}\n/sys/{}\n", address, pci,
                            bus, buses + bus);

    const uint32_t card = first_card + static_cast<uint32_t>(i), render = render_minor(ordinal, host);
    for (const auto& [name, minor] : {std::pair{fmt::format("card{}", card), card},
                                      std::pair{fmt::format("renderD{}", render), render}}) {
      tree.files[fmt::format("{}/drm/{}/dev", pci, name)] = fmt::format("226:{}\n", minor);
      tree.files[fmt::format("{}/drm/{}/uevent", pci, name)] =
          fmt::format("MAJOR=226\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE=drm_minor\n", minor, name);
      tree.links[fmt::format("{}/drm/{}/device", pci, name)] = "../../../" + address;
      tree.links["sys/class/drm/" + name] = fmt::format("../../{}/drm/{}", below, name);
      tree.links["dev/dri/" + name] = device;
    }
  }
  tree.files["prefixes"] = prefixes;
}

}  // namespace wavesmith::rocm
