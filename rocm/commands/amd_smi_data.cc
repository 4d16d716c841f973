#include "rocm/commands/amd_smi_data.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

namespace wavesmith::rocm {
namespace {

constexpr const char* kNone = "N/A";

template <typename T>
ordered_json measured(T value, const char* unit, Form form) {
  if (form == Form::Human) return fmt::format("{} {}", value, unit);
  if (form == Form::Csv) return value;
  return {{"value", value}, {"unit", unit}};
}

ordered_json unknown(std::initializer_list<const char*> names) {
  ordered_json object;
  for (const char* name : names) object[name] = kNone;
  return object;
}

std::string hex(uint32_t value, int digits) { return fmt::format("0x{:0{}x}", value, digits); }

ordered_json asic(const Card& card) {
  const gpus::Gpu& gpu = *card.gpu;
  return {{"market_name", gpu.name},
          {"vendor_id", hex(gpu.pci_vendor, 4)},
          {"vendor_name", "Advanced Micro Devices Inc. [AMD/ATI]"},
          {"subvendor_id", hex(gpu.pci_vendor, 4)},
          {"device_id", hex(gpu.pci_device, 4)},
          {"subsystem_id", hex(gpu.pci_device, 4)},
          {"rev_id", hex(gpu.pci_revision, 2)},
          {"asic_serial", fmt::format("0x{:016X}", card.unique_id)},
          {"oam_id", kNone},
          {"num_compute_units", gpu.compute_units},
          {"target_graphics_version", gpu.target}};
}

ordered_json driver(const Machine& machine) {
  utsname kernel{};
  return {{"name", "amdgpu"},
          {"version", machine.driver.value_or(kNone)},
          {"os_kernel_version", uname(&kernel) == 0 ? kernel.release : kNone}};
}

ordered_json vram(const gpus::Gpu& gpu, Form form) {
  return {{"type", kNone},
          {"vendor", kNone},
          {"size", measured(gpu.memory_bytes >> 20, "MB", form)},
          {"bit_width", gpu.memory_bus_bits},
          {"max_bandwidth", measured(static_cast<uint64_t>(gpu.memory_gigabytes_per_second), "GB/s", form)}};
}

ordered_json caches(const gpus::Gpu& gpu, Form form) {
  struct Cache {
    uint64_t bytes;
    std::vector<const char*> properties;
    uint32_t level, units, instances;
  };
  const uint32_t dies = std::max(1u, gpu.xcds), scalar = std::max(1u, gpu.units_per_scalar_cache);
  const Cache all[] = {
      {gpu.l1_vector_bytes, {"DATA_CACHE", "SIMD_CACHE"}, 1, 1, gpu.compute_units},
      {gpu.l1_instruction_bytes, {"INST_CACHE", "SIMD_CACHE"}, 1, scalar, gpu.compute_units / scalar},
      {gpu.l1_scalar_bytes, {"DATA_CACHE", "SIMD_CACHE"}, 1, scalar, gpu.compute_units / scalar},
      {gpu.l2_bytes, {"DATA_CACHE", "SIMD_CACHE"}, 2, gpu.compute_units / dies, dies},
      {gpu.infinity_cache_bytes, {"DATA_CACHE", "SIMD_CACHE"}, 3, gpu.compute_units, 1},
  };
  ordered_json list = form == Form::Human ? ordered_json::object() : ordered_json::array();
  size_t number = 0;
  for (const Cache& cache : all) {
    if (cache.bytes == 0) continue;
    ordered_json entry;
    if (form != Form::Human) entry["cache"] = number;
    if (form == Form::Human)
      entry["cache_properties"] = fmt::format("{}, {}", cache.properties[0], cache.properties[1]);
    else
      entry["cache_properties"] = cache.properties;
    entry["cache_size"] = measured(cache.bytes / 1024, "KB", form);
    entry["cache_level"] = cache.level;
    entry["max_num_cu_shared"] = cache.units;
    entry["num_cache_instance"] = cache.instances;
    if (form == Form::Human)
      list[fmt::format("cache_{}", number)] = entry;
    else
      list.push_back(entry);
    ++number;
  }
  return list;
}

ordered_json part_of(const Machine& machine, const Card& card, Form form, const std::string& part) {
  if (part == "asic") return asic(card);
  if (part == "bus")
    return {{"bdf", card.slot.text()},
            {"max_pcie_width", 16},  // as rocm/kernel_driver/topology.cc's link
            {"max_pcie_speed", measured(32, "GT/s", form)},
            {"pcie_levels", kNone},
            {"pcie_interface_version", "Gen 5"},
            {"slot_type", kNone}};
  if (part == "ifwi") return unknown({"name", "build_date", "part_number", "version"});
  if (part == "limit")
    return unknown({"max_power", "min_power", "socket_power", "slowdown_edge_temperature",
                    "slowdown_hotspot_temperature", "slowdown_vram_temperature", "shutdown_edge_temperature",
                    "shutdown_hotspot_temperature", "shutdown_vram_temperature"});
  if (part == "driver") return driver(machine);
  if (part == "board") {
    ordered_json board =
        unknown({"model_number", "product_serial", "fru_id", "product_name", "manufacturer_name"});
    board["product_name"] = card.gpu->name;
    return board;
  }
  if (part == "ras")
    return unknown({"eeprom_version", "bad_page_threshold", "bad_page_threshold_exceeded", "parity_schema",
                    "single_bit_schema", "double_bit_schema", "poison_schema", "ecc_block_state"});
  if (part == "partition") {
    ordered_json partition = unknown({"accelerator_partition", "memory_partition"});
    partition["partition_id"] = 0;
    return partition;
  }
  if (part == "numa")
    return {{"node", 0}, {"affinity", form == Form::Human ? ordered_json("NONE") : ordered_json(-1)}};
  if (part == "vram") return vram(*card.gpu, form);
  if (part == "cache_info") return caches(*card.gpu, form);
  return kNone;  // soc_pstate, xgmi_plpd, process_isolation: nothing to choose
}

}  // namespace

ordered_json list_of(const Card& card, size_t number, Form form, bool enumeration) {
  const bool csv = form == Form::Csv;  // aligned with AMD's tool for hosts, as theirs says
  ordered_json entry{{"gpu", number},
                     {csv ? "gpu_bdf" : "bdf", card.slot.text()},
                     {csv ? "gpu_uuid" : "uuid", card.uuid()},
                     {"kfd_id", card.kfd_id},
                     {"node_id", card.node},
                     {"partition_id", 0}};
  if (enumeration) {
    entry["render"] = fmt::format("renderD{}", card.properties["drm_render_minor"]);
    entry["card"] = kNone;
    entry["hsa_id"] = card.node;
    entry["hip_id"] = number;
    entry["hip_uuid"] = fmt::format("GPU-{:016x}", card.unique_id);
  }
  return entry;
}

ordered_json static_of(const Machine& machine, size_t number, Form form,
                       const std::vector<std::string>& parts) {
  ordered_json entry{{"gpu", number}};
  for (const char* part : kStaticParts)
    if (parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end())
      entry[part] = part_of(machine, machine.cards[number], form, part);
  return entry;
}

ordered_json monitor_of(const Card& card, size_t number, Form form, const std::vector<std::string>& parts) {
  ordered_json entry{{"gpu", number}, {"xcp", 0}};
  const auto wanted = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  if (wanted("power")) entry["power_usage"] = entry["max_power"] = kNone;
  if (wanted("temperature")) entry["hotspot_temperature"] = entry["memory_temperature"] = kNone;
  if (wanted("gfx")) entry["gfx_clk"] = entry["gfx"] = kNone;
  if (wanted("mem")) entry["mem"] = kNone;
  if (wanted("encoder")) entry["encoder"] = kNone;
  if (wanted("decoder")) entry["decoder"] = kNone;
  if (!wanted("vram")) return entry;
  const uint64_t used = card.memory_used >> 20, total = card.gpu->memory_bytes >> 20;  // MB
  if (parts.empty()) {
    const auto gigabytes = [](uint64_t megabytes) { return static_cast<double>(megabytes * 10 / 1024) / 10; };
    if (form == Form::Human) {
      entry["vram_usage"] = fmt::format("{:.1f}/{:.1f} GB", gigabytes(used), gigabytes(total));
    } else {
      entry["vram_used"] = measured(gigabytes(used), "GB", form);
      entry["vram_total"] = measured(gigabytes(total), "GB", form);
    }
  } else {
    entry["vram_used"] = measured(used, "MB", form);
    entry["vram_free"] = measured(total - used, "MB", form);
    entry["vram_total"] = measured(total, "MB", form);
    const double percent = total ? static_cast<double>(used * 10000 / total) / 100 : 0;
    entry["vram_percent"] = measured(percent, "%", form);
  }
  return entry;
}

const std::vector<Relation>& relations() {
  static const std::vector<Relation> kRelations = {
      {"ACCESS TABLE", "link_accessibility", "link_status",
       [](const Link&, bool) -> ordered_json { return "ENABLED"; }},
      {"WEIGHT TABLE", "weight", "weight",
       [](const Link& link, bool self) -> ordered_json { return self ? 0 : link.weight; }},
      {"HOPS TABLE", "hops", "num_hops",
       [](const Link& link, bool self) -> ordered_json { return self ? 0 : link.hops; }},
      {"LINK TYPE TABLE", "link_type", "link_type",
       [](const Link& link, bool self) -> ordered_json {
         return self ? "SELF" : link.xgmi ? "XGMI" : "PCIE";
       }},
      {"NUMA BW TABLE", "numa_bandwidth", "bandwidth",
       [](const Link& link, bool self) -> ordered_json {
         if (self || !link.xgmi) return kNone;
         return fmt::format("{}-{}", link.least, link.most);
       }},
      {"CACHE COHERENCY TABLE", "coherent", "coherent",
       [](const Link&, bool self) -> ordered_json { return self ? "SELF" : kNone; }},
      {"ATOMICS TABLE", "atomics", "atomics",
       [](const Link&, bool self) -> ordered_json { return self ? "SELF" : kNone; }},
      {"DMA TABLE", "dma", "dma",
       [](const Link&, bool self) -> ordered_json { return self ? "SELF" : kNone; }},
      {"BI-DIRECTIONAL TABLE", "bi_dir", "bi_dir",
       [](const Link&, bool self) -> ordered_json { return self ? "SELF" : kNone; }},
  };
  return kRelations;
}

}  // namespace wavesmith::rocm
