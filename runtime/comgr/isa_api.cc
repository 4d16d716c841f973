// comgr's calls for the isas that it knows.
#include <fmt/format.h>

#include "isa/machines.h"
#include "runtime/comgr/api.h"
#include "runtime/comgr/objects.h"

using namespace wavesmith;
using namespace wavesmith::comgr;

namespace {

constexpr auto kRefused = AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;

/// What AMD's comgr says of a processor. Source: its version 3.0 of ROCm 7.2, amd_comgr_get_isa_metadata.
struct Limits {
  const char* prefix;  ///< of the processor's name; the first row that fits counts
  int sgprs, sgpr_granule, all_sgprs;
  int vgprs, all_vgprs, vgpr_granule;
  bool images;
  int lds_banks, lds_bytes;
  bool sramecc, xnack;
};
constexpr Limits kLimits[] = {
    {"gfx908", 102, 16, 800, 256, 256, 4, true, 32, 65536, true, true},
    {"gfx90a", 102, 16, 800, 512, 512, 8, true, 32, 65536, true, true},
    {"gfx942", 102, 16, 800, 512, 512, 8, false, 32, 65536, true, true},
    {"gfx950", 102, 16, 800, 512, 512, 8, false, 32, 65536, true, true},
    {"gfx9-4-generic", 102, 16, 800, 512, 512, 8, false, 32, 65536, true, true},
    {"gfx906", 102, 16, 800, 256, 256, 4, true, 32, 65536, true, true},
    {"gfx9", 102, 16, 800, 256, 256, 4, true, 32, 65536, false, true},
    {"gfx101", 106, 106, 800, 256, 1024, 8, true, 32, 65536, false, true},
    {"gfx10-1", 106, 106, 800, 256, 1024, 8, true, 32, 65536, false, true},
    {"gfx10", 106, 106, 800, 256, 1024, 8, true, 32, 65536, false, false},
    {"gfx1100", 106, 106, 800, 256, 1536, 24, true, 32, 65536, false, false},
    {"gfx1101", 106, 106, 800, 256, 1536, 24, true, 32, 65536, false, false},
    {"gfx1151", 106, 106, 800, 256, 1536, 24, true, 32, 65536, false, false},
    {"gfx11", 106, 106, 800, 256, 1024, 16, true, 32, 65536, false, false},
    {"gfx125", 106, 106, 800, 1024, 1024, 16, false, 64, 327680, true, true},
    {"gfx12", 106, 106, 800, 256, 1536, 24, true, 32, 65536, false, false},
};

const Limits* limits_of(std::string_view processor) {
  const auto* const found = std::find_if(std::begin(kLimits), std::end(kLimits), [&](const Limits& row) {
    return processor.starts_with(row.prefix);
  });
  return found == std::end(kLimits) ? nullptr : found;
}

/// The processors that something is known of.
const std::vector<std::string>& isa_names() {
  static const auto* const names = [] {
    auto* const all = new std::vector<std::string>;
    for (const isa::Machine& machine : isa::kMachines)
      if (limits_of(machine.name)) all->push_back(fmt::format("amdgcn-amd-amdhsa--{}", machine.name));
    return all;
  }();
  return *names;
}

const char* word(object::Setting setting) {
  return setting == object::Setting::On ? "on" : setting == object::Setting::Off ? "off" : "any";
}

}  // namespace

amd_comgr_status_t amd_comgr_get_isa_count(size_t* count) {
  if (!count) return kRefused;
  *count = isa_names().size();
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_get_isa_name(size_t index, const char** name) {
  if (!name || index >= isa_names().size()) return kRefused;
  *name = isa_names()[index].c_str();
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_get_isa_metadata(const char* name, amd_comgr_metadata_node_t* metadata) {
  if (!name || !metadata || !is_isa_name(name)) return kRefused;
  const auto target = object::TargetId::parse(target_of(name));
  const Limits* const limits = target ? limits_of(target->processor) : nullptr;
  if (!limits) return kRefused;
  std::map<std::string, MetadataNode::Pointer> features;
  if (limits->sramecc) features["sramecc"] = metadata_text(word(target->sramecc));
  if (limits->xnack) features["xnack"] = metadata_text(word(target->xnack));
  std::map<std::string, MetadataNode::Pointer> fields = {{"Features", metadata_map(std::move(features))}};
  const auto add = [&](const char* key, const auto& value) {
    fields[key] = metadata_text(fmt::format("{}", value));
  };
  add("Name", name);
  add("Architecture", "amdgcn");
  add("Vendor", "amd");
  add("OS", "amdhsa");
  add("Environment", "");
  add("Processor", target->processor);
  add("Version", "1.0.0");
  add("AddressableNumSGPRs", limits->sgprs);
  add("SGPRAllocGranule", limits->sgpr_granule);
  add("TotalNumSGPRs", limits->all_sgprs);
  add("AddressableNumVGPRs", limits->vgprs);
  add("TotalNumVGPRs", limits->all_vgprs);
  add("VGPRAllocGranule", limits->vgpr_granule);
  add("ImageSupport", limits->images ? 1 : 0);
  add("LDSBankCount", limits->lds_banks);
  add("LocalMemorySize", limits->lds_bytes);
  // The same for every processor.
  add("EUsPerCU", 4);
  add("MaxFlatWorkGroupSize", 1024);
  add("MaxWavesPerCU", 40);
  add("TrapHandlerEnabled", 1);
  return create(&Objects::metadata, metadata, metadata_map(std::move(fields)));
}
