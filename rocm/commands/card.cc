#include "rocm/commands/card.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gpus/chosen.h"
#include "rocm/kernel_driver/topology.h"

namespace wavesmith::rocm {
namespace {

/// The driver's files, by path without the first slash: as `wavesmith run` has stored them, else generated.
class Files {
 public:
  explicit Files(std::span<const gpus::Gpu* const> machine) {
    if (const char* const root = std::getenv("WAVESMITH_MACHINE_ROOT")) {
      root_ = root;
    } else {
      const rocm::Host host = rocm::this_host();
      rocm::add_topology(tree_, machine, host);
      rocm::add_devices(tree_, machine, host);
    }
  }
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const {
    if (root_.empty()) {
      const auto found = tree_.files.find(path);
      return found == tree_.files.end() ? std::nullopt : std::optional(found->second);
    }
    std::ifstream file(root_ + "/" + path);
    if (!file) return {};
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
  [[nodiscard]] uint64_t number(const std::string& path) const {
    return std::strtoull(text(path).value_or("0").c_str(), nullptr, 0);
  }

 private:
  std::string root_;
  rocm::Tree tree_;
};

constexpr const char* kNodes = "sys/devices/virtual/kfd/kfd/topology/nodes";

/// Links out of a node, by the node that they lead to.
std::map<uint64_t, Properties> links_of(const Files& files, uint32_t node) {
  std::map<uint64_t, Properties> links;
  for (const char* kind : {"io_links", "p2p_links"})
    for (int i = 0;; ++i) {
      const auto text = files.text(fmt::format("{}/{}/{}/{}/properties", kNodes, node, kind, i));
      if (!text) break;
      const Properties link(*text);
      links.emplace(link["node_to"], link);
    }
  return links;
}

/// As AMD's libraries tell it: directly, or to the CPU and on from there (ROCm SMI, rocm_smi_io_link.cc).
Link link_between(const std::map<uint64_t, Properties>& from, const std::map<uint64_t, Properties>& cores,
                  uint32_t to) {
  constexpr uint64_t kXgmi = 11;  // of the driver's types
  if (const auto found = from.find(to); found != from.end() && found->second["type"] == kXgmi) {
    const Properties& link = found->second;
    return {true, 1, static_cast<uint32_t>(link["weight"]), link["min_bandwidth"], link["max_bandwidth"]};
  }
  const auto up = from.find(0), down = cores.find(to);
  if (up == from.end() || down == cores.end()) return {};
  return {false, 2, static_cast<uint32_t>(up->second["weight"] + down->second["weight"])};
}

}  // namespace

Properties::Properties(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string name;
  for (uint64_t value = 0; lines >> name >> value;) values_[name] = value;
}

uint64_t Properties::operator[](std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? 0 : found->second;
}

std::string Card::uuid() const {
  // amd_smi_uuid.cc: the serial number's parts around the device's number and the fields of a version 1 UUID.
  return fmt::format("{:02x}ff{:04x}-0000-1000-80{:02x}-{:04x}{:08x}", unique_id >> 56,
                     gpu->pci_device & 0xffff, unique_id >> 48 & 0xff, unique_id >> 32 & 0xffff,
                     unique_id & 0xffffffff);
}

Result<Machine> emulated_machine() {
  const auto gpus = gpus::chosen_machine();
  if (!gpus) return tl::unexpected(gpus.error());
  const Files files(*gpus);
  Machine machine;
  machine.cores = Properties(files.text(fmt::format("{}/0/properties", kNodes)).value_or(""));
  machine.host_memory = Properties(
      files.text(fmt::format("{}/0/mem_banks/0/properties", kNodes)).value_or(""))["size_in_bytes"];
  if (auto version = files.text("sys/module/amdgpu/version")) {
    while (version->ends_with('\n')) version->pop_back();
    machine.driver = *version;
  }
  std::vector<std::map<uint64_t, Properties>> links;
  for (size_t i = 0; i < gpus->size(); ++i) {
    const int ordinal = static_cast<int>(i);
    Card card{.gpu = (*gpus)[i], .node = static_cast<uint32_t>(i + 1)};
    const std::string node = fmt::format("{}/{}", kNodes, card.node);
    card.properties = Properties(files.text(node + "/properties").value_or(""));
    card.kfd_id = static_cast<uint32_t>(files.number(node + "/gpu_id"));
    card.slot = gpus::slot_of(ordinal);
    card.unique_id = gpus::unique_id(*card.gpu, ordinal);
    const std::string address = card.slot.text();
    card.memory_used = files.number(
        fmt::format("sys/devices/pci{}:00/{}/mem_info_vram_used", address.substr(0, 4), address));
    links.push_back(links_of(files, card.node));
    machine.cards.push_back(std::move(card));
  }
  const auto cores = links_of(files, 0);
  for (size_t from = 0; from < links.size(); ++from) {
    std::vector<Link>& row = machine.links.emplace_back();
    for (const Card& to : machine.cards)
      row.push_back(to.node == machine.cards[from].node ? Link{} : link_between(links[from], cores, to.node));
  }
  return machine;
}

}  // namespace wavesmith::rocm
