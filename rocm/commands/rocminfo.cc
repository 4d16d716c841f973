// Labels, order and widths are those of AMD's rocminfo.cc.
#include "rocm/commands/rocminfo.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/rocr_limits.h"
#include "base/split.h"
#include "isa/machines.h"

namespace wavesmith::rocm {
namespace {

class Page {
 public:
  void line(const std::string& text) { text_ += text + "\n"; }
  /// A heading of its own line, in AMD's field of 25.
  void label(int level, std::string_view name) { line(fmt::format("{:{}}{:<25}", "", level * 2, name)); }
  void field(int level, std::string_view name, std::string_view value) {
    line(fmt::format("{:{}}{:<25}{:<35}", "", level * 2, name, value));
  }
  void field(int level, std::string_view name, uint64_t value) { field(level, name, fmt::to_string(value)); }
  /// "64(0x40) ", with a unit or without.
  void both(int level, std::string_view name, uint64_t value, const char* unit = "") {
    field(level, name, fmt::format("{0}({0:#x}) {1}", value, unit));
  }
  /// A value that AMD's prints without filling its field.
  void bare(int level, std::string_view name, std::string_view value) {
    line(fmt::format("{:{}}{:<25}{}", "", level * 2, name, value));
  }
  /// Sizes along x, y and z.
  void sizes(int level, std::string_view name, uint64_t x, uint64_t y, uint64_t z) {
    label(level, name);
    both(level + 1, "x", x), both(level + 1, "y", y), both(level + 1, "z", z);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

using namespace rocr;

void heading(Page& page, const std::string& text) {
  const std::string rule(text.size(), '=');
  page.label(0, rule), page.label(0, text), page.label(0, rule);
}

void add_system(Page& page, const Machine& machine) {
  if (machine.driver)
    page.line(fmt::format("\x1b[37mROCk module version {} is loaded\x1b[0m", *machine.driver));
  heading(page, "HSA System Attributes");
  // As our libhsa-runtime64 answers AMD's rocminfo.
  page.bare(0, "Runtime Version:", "1.1");
  page.bare(0, "Runtime Ext Version:", "1.11");
  page.bare(0, "System Timestamp Freq.:", "100.000000MHz");
  page.bare(0, "Sig. Max Wait Duration:", fmt::format("{0} (0x{0:X}) (timestamp count)", ~uint64_t{0}));
  page.field(0, "Machine Model:", "LARGE");
  page.field(0, "System Endianness:", "LITTLE");
  page.bare(0, "Mwaitx:", "DISABLED");
  const char* const xnack = std::getenv("HSA_XNACK");
  page.bare(0, "XNACK enabled:", xnack && std::string_view(xnack) == "1" ? "YES" : "NO");
  page.bare(0, "DMAbuf Support:", "NO");
  page.bare(0, "VMM Support:", "NO");
  page.line("");
}

void add_pool(Page& page, int number, const std::string& segment, uint64_t bytes, int granule,
              int recommended, bool by_all) {
  page.label(2, fmt::format("Pool {}", number));
  page.field(3, "Segment:", segment);
  page.both(3, "Size:", bytes / 1024, "KB");
  page.field(3, "Allocatable:", granule ? "TRUE" : "FALSE");
  page.field(3, "Alloc Granule:", fmt::format("{}KB", granule));
  page.field(3, "Alloc Recommended Granule:", fmt::format("{}KB", recommended));
  page.field(3, "Alloc Alignment:", fmt::format("{}KB", granule));
  page.field(3, "Accessible by all:", by_all ? "TRUE" : "FALSE");
}

void add_agent(Page& page, int number) {
  for (const std::string& text :
       {std::string("*******"), fmt::format("Agent {}", number), std::string("*******")})
    page.label(0, text);
}

/// The processor's name and its highest clock as Linux tells it.
std::pair<std::string, uint64_t> processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "CPU";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(':') != line.npos) {
      name = line.substr(line.find(':') + 1);
      name.erase(0, name.find_first_not_of(' '));
      break;
    }
  uint64_t kilohertz = 0;
  std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> kilohertz;
  return {name, kilohertz / 1000};
}

void add_cores(Page& page, const Machine& machine) {
  const auto [name, mhz] = processor();
  add_agent(page, 1);
  page.field(1, "Name:", name);
  page.field(1, "Uuid:", "CPU-XX");
  page.field(1, "Marketing Name:", name);
  page.field(1, "Vendor Name:", "CPU");
  page.field(1, "Feature:", "None specified");
  page.field(1, "Profile:", "FULL_PROFILE");
  page.field(1, "Float Round Mode:", "NEAR");
  page.both(1, "Max Queue Number:", 0);
  page.both(1, "Queue Min Size:", 0);
  page.both(1, "Queue Max Size:", 0);
  page.field(1, "Queue Type:", "MULTI");
  page.field(1, "Node:", uint64_t{0});
  page.field(1, "Device Type:", "CPU");
  page.label(1, "Cache Info:");
  page.both(1, "Chip ID:", 0);
  page.both(1, "ASIC Revision:", 0);
  page.both(1, "Cacheline Size:", 64);
  page.field(1, "Max Clock Freq. (MHz):", mhz);
  for (const char* zero : {"BDFID:", "Internal Node ID:"}) page.field(1, zero, uint64_t{0});
  page.field(1, "Compute Unit:", machine.cores["cpu_cores_count"]);
  for (const char* zero : {"SIMDs per CU:", "Shader Engines:", "Shader Arrs. per Eng.:"})
    page.field(1, zero, uint64_t{0});
  page.field(1, "WatchPts on Addr. Ranges:", 1);
  page.bare(1, "Memory Properties:", "");
  page.bare(1, "Features:", "None");
  page.label(1, "Pool Info:");
  int pool = 0;
  for (const char* flags :
       {"FINE GRAINED", "EXTENDED FINE GRAINED", "KERNARG, FINE GRAINED", "COARSE GRAINED"})
    add_pool(page, ++pool, std::string("GLOBAL; FLAGS: ") + flags, machine.host_memory, 4, 4, true);
  page.label(1, "ISA Info:");
}

void add_isa(Page& page, int number, const std::string& name, const gpus::Gpu& gpu) {
  page.label(2, fmt::format("ISA {}", number));
  page.field(3, "Name:", "amdgcn-amd-amdhsa--" + name);
  page.field(3, "Machine Models:", "HSA_MACHINE_MODEL_LARGE");
  page.field(3, "Profiles:", "HSA_PROFILE_BASE");
  page.field(3, "Default Rounding Mode:", "NEAR");
  page.field(3, "Default Rounding Mode:", "NEAR");
  page.field(3, "Fast f16:", "TRUE");
  page.both(3, "Workgroup Max Size:", gpu.max_workgroup);
  page.sizes(3, "Workgroup Max Size per Dimension:", gpu.max_workgroup, gpu.max_workgroup, gpu.max_workgroup);
  page.both(3, "Grid Max Size:", kGrid);
  page.sizes(3, "Grid Max Size per Dimension:", kGridX, kGridYz, kGridYz);
  page.field(3, "FBarrier Max Size:", kFbarriers);
}

void add_gpu(Page& page, const Card& card, int number) {
  const gpus::Gpu& gpu = *card.gpu;
  const Properties& node = card.properties;
  const uint64_t capability = node["capability"], waves = uint64_t{gpu.waves_per_simd} * gpu.simds_per_unit;
  add_agent(page, number);
  page.field(1, "Name:", gpu.target);
  page.field(1, "Uuid:", fmt::format("GPU-{:016x}", card.unique_id));
  page.field(1, "Marketing Name:", gpu.name);
  page.field(1, "Vendor Name:", "AMD");
  page.field(1, "Feature:", "KERNEL_DISPATCH");
  page.field(1, "Profile:", "BASE_PROFILE");
  page.field(1, "Float Round Mode:", "NEAR");
  page.both(1, "Max Queue Number:", kQueues);
  page.both(1, "Queue Min Size:", kQueueMinPackets);
  page.both(1, "Queue Max Size:", kQueueMaxPackets);
  page.field(1, "Queue Type:", "MULTI");
  page.field(1, "Node:", card.node);
  page.field(1, "Device Type:", "GPU");
  page.label(1, "Cache Info:");
  const uint64_t caches[] = {gpu.l1_vector_bytes, gpu.l2_bytes, gpu.infinity_cache_bytes};
  for (int level = 0; level < 3; ++level)
    if (caches[level]) page.both(2, fmt::format("L{}:", level + 1), caches[level] / 1024, "KB");
  page.both(1, "Chip ID:", gpu.pci_device);
  page.both(1, "ASIC Revision:", capability >> 22 & 0xf);  // HSA_CAP_ASIC_REVISION of kfd_sysfs.h
  page.both(1, "Cacheline Size:", gpu.l2_line_bytes);
  page.field(1, "Max Clock Freq. (MHz):", gpu.engine_mhz);
  page.field(1, "BDFID:", node["location_id"]);
  page.field(1, "Internal Node ID:", card.node);
  page.field(1, "Compute Unit:", gpu.compute_units);
  page.field(1, "SIMDs per CU:", gpu.simds_per_unit);
  page.field(1, "Shader Engines:", gpu.shader_engines);
  page.field(1, "Shader Arrs. per Eng.:", gpu.arrays_per_engine);
  page.field(1, "WatchPts on Addr. Ranges:", kWatchPoints);
  page.field(1, "Coherent Host Access:", capability >> 28 & 1 ? "TRUE" : "FALSE");
  page.bare(1, "Memory Properties:", gpu.is_apu ? "APU" : "");
  page.bare(1, "Features:", "KERNEL_DISPATCH ");
  page.field(1, "Fast F16 Operation:", "TRUE");
  page.both(1, "Wavefront Size:", gpu.warp_size());
  page.both(1, "Workgroup Max Size:", gpu.max_workgroup);
  page.sizes(1, "Workgroup Max Size per Dimension:", gpu.max_workgroup, gpu.max_workgroup, gpu.max_workgroup);
  page.both(1, "Max Waves Per CU:", waves);
  page.both(1, "Max Work-item Per CU:", waves * gpu.warp_size());
  page.both(1, "Grid Max Size:", kGrid);
  page.sizes(1, "Grid Max Size per Dimension:", kGridX, kGridYz, kGridYz);
  page.field(1, "Max fbarriers/Workgrp:", kFbarriers);
  page.field(1, "Packet Processor uCode::", node["fw_version"] & 0x3ff);
  page.field(1, "SDMA engine uCode::", node["sdma_fw_version"] & 0x3ff);
  page.field(1, "IOMMU Support::", "None");
  page.label(1, "Pool Info:");
  int pool = 0;
  for (const char* flags : {"COARSE GRAINED", "EXTENDED FINE GRAINED", "FINE GRAINED"}) {
    // ROCr: fine-grained memory of a GPU is there for others that reach it by XGMI.
    if (std::string_view(flags) == "FINE GRAINED" && node["hive_id"] == 0) continue;
    add_pool(page, ++pool, std::string("GLOBAL; FLAGS: ") + flags, gpu.memory_bytes, 4, 2048, false);
  }
  add_pool(page, ++pool, "GROUP", gpu.lds_bytes, 0, 0, false);
  page.label(1, "ISA Info:");
  int isa = 0;
  for (const std::string& name : isa_names(gpu)) add_isa(page, ++isa, name, gpu);
}

std::vector<const Card*> visible_cards(const Machine& machine, const char* visible) {
  std::vector<const Card*> cards;
  if (!visible)
    for (const Card& card : machine.cards) cards.push_back(&card);
  else
    for (const std::string_view word : split(visible, ',')) {
      const auto found = std::find_if(machine.cards.begin(), machine.cards.end(), [&](const Card& card) {
        return word == fmt::to_string(&card - machine.cards.data()) ||
               word == fmt::format("GPU-{:016x}", card.unique_id);
      });
      if (found == machine.cards.end()) break;  // as ROCr: what follows a wrong one is not seen
      cards.push_back(&*found);
    }
  return cards;
}

}  // namespace

std::vector<std::string> isa_names(const gpus::Gpu& gpu) {
  std::vector<std::string> names = {gpu.arch_name};
  if (const std::string_view family = isa::generic_family(gpu.target); !family.empty())
    names.push_back(std::string(family) + gpu.arch_name.substr(gpu.target.size()));
  return names;
}

std::string rocminfo(const Machine& machine, const char* visible) {
  Page page;
  add_system(page, machine);
  heading(page, "HSA Agents");
  add_cores(page, machine);
  int number = 1;
  for (const Card* card : visible_cards(machine, visible)) add_gpu(page, *card, ++number);
  page.label(0, "*** Done ***");
  return page.take();
}

}  // namespace wavesmith::rocm
