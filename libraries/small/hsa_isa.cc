// Instruction sets: a GPU has one, with its agent's handle.
#include <cstdio>

#include "libraries/small/hsa.h"

using namespace wavesmith::libraries::hsa;

namespace {

enum IsaInfo : uint32_t {
  kNameLength = 0,
  kName = 1,
  kCallConventions = 2,
  kWavefrontSize = 3,
  kMachineModels = 5,
  kProfiles = 6,
  kRoundings = 7,
  kBaseRoundings = 8,
  kFastF16 = 9,
  kWorkgroupMaxDim = 12,
  kWorkgroupMaxSize = 13,
  kGridMaxDim = 14,
  kGridMaxSize = 16,
  kFbarriers = 17,
};

bool known(Isa isa) { return is_gpu(Agent{isa.handle}); }

/// "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-".
void name_of(Isa isa, char (&name)[96]) {
  char arch[64];
  text_of(device_of(Agent{isa.handle}), "arch_name", arch, sizeof arch);
  std::snprintf(name, sizeof name, "amdgcn-amd-amdhsa--%s", arch);
}

template <class T, size_t kCount>
int put_list(void* value, const T (&list)[kCount]) {
  std::memcpy(value, list, sizeof list);
  return kSuccess;
}

}  // namespace

extern "C" int hsa_agent_get_info(Agent agent, uint32_t attribute, void* value);

WAVESMITH_SERVED int hsa_agent_iterate_isas(Agent agent, int (*callback)(Isa, void*), void* data) {
  if (!running()) return kNotInitialized;
  if (!is_cores(agent) && !is_gpu(agent)) return kInvalidAgent;
  if (!callback) return kInvalidArgument;
  return is_gpu(agent) ? callback(Isa{agent.handle}, data) : kSuccess;
}

WAVESMITH_SERVED int hsa_isa_get_info_alt(Isa isa, uint32_t attribute, void* value) {
  if (!running()) return kNotInitialized;
  if (!known(isa)) return kInvalidIsa;
  if (!value) return kInvalidArgument;
  char name[96];
  name_of(isa, name);
  switch (attribute) {
    case kNameLength:
      return put(value, static_cast<uint32_t>(std::strlen(name) + 1));
    case kName:
      return put_text(value, name, std::strlen(name) + 1);
    case kCallConventions:
      return put<uint32_t>(value, 1);
    case kMachineModels:
      return put_list(value, {false, true});
    case kProfiles:
      return put_list(value, {true, false});
    case kRoundings:
    case kBaseRoundings:
      return put_list(value, {false, false, true});
    // What the agent answers as well.
    case kWavefrontSize:
      return hsa_agent_get_info(Agent{isa.handle}, 6, value);
    case kFastF16:
      return hsa_agent_get_info(Agent{isa.handle}, 24, value);
    case kWorkgroupMaxDim:
      return hsa_agent_get_info(Agent{isa.handle}, 7, value);
    case kWorkgroupMaxSize:
      return hsa_agent_get_info(Agent{isa.handle}, 8, value);
    case kGridMaxDim:
      return hsa_agent_get_info(Agent{isa.handle}, 9, value);
    case kGridMaxSize:
      return put<uint64_t>(value, ~uint32_t{0});
    case kFbarriers:
      return hsa_agent_get_info(Agent{isa.handle}, 11, value);
    default:
      return unknown_attribute("hsa_isa_get_info_alt", attribute);
  }
}

WAVESMITH_SERVED int hsa_isa_from_name(const char* text, Isa* isa) {
  if (!running()) return kNotInitialized;
  if (!text || !isa) return kInvalidArgument;
  for (uint32_t i = 0; i < gpus(); ++i) {
    char name[96];
    name_of(Isa{kCores + 1 + i}, name);
    if (std::strcmp(text, name) != 0) continue;
    *isa = {kCores + 1 + i};
    return kSuccess;
  }
  return kInvalidIsaName;
}

WAVESMITH_SERVED int hsa_isa_compatible(Isa code, Isa agent, bool* result) {
  if (!running()) return kNotInitialized;
  if (!known(code) || !known(agent)) return kInvalidIsa;
  if (!result) return kInvalidArgument;
  char first[96], second[96];
  name_of(code, first), name_of(agent, second);
  *result = std::strcmp(first, second) == 0;
  return kSuccess;
}
