// Agents: the CPU's cores, and the GPUs. What AMD's runtime answers: rocr-runtime, amd_gpu_agent.cpp and
// amd_cpu_agent.cpp, GetInfo(); numbers from the GPU's data file.
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/rocr_limits.h"
#include "libraries/small/hsa.h"

extern "C" int hipGetDevice(int* device);
extern "C" int hipSetDevice(int device);
extern "C" int hipMemGetInfo(size_t* available, size_t* total);

using namespace wavesmith::libraries::hsa;
namespace rocr = wavesmith::rocr;

namespace {

enum AgentInfo : uint32_t {
  kName = 0,
  kVendorName = 1,
  kFeature = 2,
  kMachineModel = 3,
  kProfile = 4,
  kRounding = 5,
  kWavefrontSize = 6,
  kWorkgroupMaxDim = 7,
  kWorkgroupMaxSize = 8,
  kGridMaxDim = 9,
  kGridMaxSize = 10,
  kFbarriers = 11,
  kQueuesMax = 12,
  kQueueMinSize = 13,
  kQueueMaxSize = 14,
  kQueueType = 15,
  kNode = 16,
  kDevice = 17,
  kCacheSize = 18,
  kIsa = 19,
  kExtensions = 20,
  kVersionMajor = 21,
  kVersionMinor = 22,
  kBaseRounding = 23,
  kFastF16 = 24,
  kChipId = 0xa000,
  kCachelineSize = 0xa001,
  kComputeUnits = 0xa002,
  kMaxClock = 0xa003,
  kDriverNode = 0xa004,
  kWatchPoints = 0xa005,
  kBdf = 0xa006,
  kMemoryWidth = 0xa007,
  kMemoryClock = 0xa008,
  kProductName = 0xa009,
  kWavesPerUnit = 0xa00a,
  kSimdsPerUnit = 0xa00b,
  kShaderEngines = 0xa00c,
  kArraysPerEngine = 0xa00d,
  kDomain = 0xa00f,
  kCooperativeQueues = 0xa010,
  kUuid = 0xa011,
  kAsicRevision = 0xa012,
  kHostReachesMemory = 0xa013,
  kCooperativeUnits = 0xa014,
  kMemoryAvailable = 0xa015,
  kTimestampFrequency = 0xa016,
  kAsicFamily = 0xa107,
  kUcodeVersion = 0xa108,
  kSdmaUcodeVersion = 0xa109,
  kSdmaEngines = 0xa10a,
  kSdmaXgmiEngines = 0xa10b,
  kIommu = 0xa110,
  kXccs = 0xa111,
  kNearestCpu = 0xa113,
  kMemoryProperties = 0xa114,
};

enum Rounding : uint32_t { kDefault = 0, kNear = 2 };

/// The processor's name, as /proc/cpuinfo has it.
void cpu_name(char (&name)[64]) {
  std::snprintf(name, sizeof name, "CPU");
  std::FILE* const file = std::fopen("/proc/cpuinfo", "r");
  if (!file) return;
  char line[256];
  while (std::fgets(line, sizeof line, file)) {
    const char* const colon = std::strchr(line, ':');
    if (std::strncmp(line, "model name", 10) != 0 || !colon) continue;
    line[std::strcspn(line, "\n")] = '\0';
    std::snprintf(name, sizeof name, "%s", colon + 1 + std::strspn(colon + 1, " "));
    break;
  }
  std::fclose(file);
}

int answer_for_cores(uint32_t attribute, void* value) {
  char name[64];
  switch (attribute) {
    case kName:
    case kProductName:
      cpu_name(name);
      return put_text(value, name, 64);
    case kVendorName:
      return put_text(value, "CPU", 64);
    case kUuid:
      return put_text(value, "CPU-XX", 21);
    case kProfile:
    case kMachineModel:
      return put<uint32_t>(value, 1);
    case kRounding:
    case kBaseRounding:
      return put<uint32_t>(value, kNear);
    case kComputeUnits:
      return put(value, static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
    case kCachelineSize:
      return put<uint32_t>(value, 64);
    case kVersionMajor:
    case kVersionMinor:
      return put<uint16_t>(value, 1);
    case kCacheSize:
      std::memset(value, 0, 4 * sizeof(uint32_t));
      return kSuccess;
    case kExtensions:
      std::memset(value, 0, 128);
      return kSuccess;
    case kMemoryProperties:
    case kIsa:
      return put<uint64_t>(value, 0);
    case kWorkgroupMaxDim:
      std::memset(value, 0, 3 * sizeof(uint16_t));
      return kSuccess;
    case kGridMaxDim:
      std::memset(value, 0, 3 * sizeof(uint32_t));
      return kSuccess;
    case kHostReachesMemory:
      return put(value, true);
    case kFastF16:
    case kCooperativeQueues:
      return put(value, false);
    case kNearestCpu:
      return put(value, Agent{kCores});
    // No queues, no waves, no PCI device: node 0, and type 0 of devices.
    case kFeature:
    case kWavefrontSize:
    case kWorkgroupMaxSize:
    case kGridMaxSize:
    case kFbarriers:
    case kQueuesMax:
    case kQueueMinSize:
    case kQueueMaxSize:
    case kQueueType:
    case kNode:
    case kDevice:
    case kChipId:
    case kMaxClock:
    case kDriverNode:
    case kWatchPoints:
    case kBdf:
    case kMemoryWidth:
    case kMemoryClock:
    case kWavesPerUnit:
    case kSimdsPerUnit:
    case kShaderEngines:
    case kArraysPerEngine:
    case kDomain:
    case kAsicRevision:
    case kIommu:
      return put<uint32_t>(value, 0);
    default:
      return unknown_attribute("hsa_agent_get_info (of the CPU)", attribute);
  }
}

/// amdgpu_drm.h, AMDGPU_FAMILY_*: by the generation of the instruction set.
uint32_t family_of(const char* target) {
  const size_t length = std::strlen(target);
  if (length < 6) return 0;
  const unsigned long version = std::strtoul(target + 3, nullptr, 16);  // the two last digits are hexadecimal
  const unsigned long minor = version >> 4 & 0xf;
  switch (version >> 8) {
    case 0x9:
      return 141;
    case 0x10:
      return 143;
    case 0x11:
      return minor >= 5 ? 150 : 145;
    case 0x12:
      return 152;
    default:
      return 0;
  }
}

uint64_t memory_available(int device) {
  int before = 0;
  size_t available = 0, total = 0;
  if (hipGetDevice(&before) != 0 || hipSetDevice(device) != 0) return 0;
  hipMemGetInfo(&available, &total);
  hipSetDevice(before);
  return available;
}

/// Attributes that are numbers of the GPU's data file (wavesmith_gpu_field, runtime/wavesmith.h).
constexpr struct {
  uint32_t attribute;
  const char* field;
} kFields[] = {
    {kWorkgroupMaxSize, "compute.max_workgroup"},
    {kNode, "node"},
    {kDriverNode, "node"},
    {kChipId, "pci.device"},
    {kCachelineSize, "cache.l2_line_bytes"},
    {kComputeUnits, "compute.units"},
    {kCooperativeUnits, "compute.units"},
    {kMaxClock, "clocks.engine_mhz"},
    {kMemoryWidth, "memory.bus_bits"},
    {kMemoryClock, "clocks.memory_mhz"},
    {kSimdsPerUnit, "compute.simds_per_unit"},
    {kShaderEngines, "compute.shader_engines"},
    {kArraysPerEngine, "compute.arrays_per_engine"},
    {kAsicRevision, "pci.revision"},
    {kUcodeVersion, "firmware.mec"},
    {kXccs, "compute.xcds"},
};

/// Attributes that are the same for every GPU.
constexpr struct {
  uint32_t attribute, value;
} kAlike[] = {
    {kFeature, 1},       // dispatches kernels
    {kMachineModel, 1},  // 64 bits
    {kDevice, 1},        // a GPU
    {kProfile, 0},       // base
    {kQueueType, 0},     // several producers
    {kIommu, 0},         // none
    {kRounding, kNear},
    {kBaseRounding, kNear},
    {kGridMaxSize, rocr::kGrid},
    {kFbarriers, rocr::kFbarriers},
    {kQueuesMax, rocr::kQueues},
    {kQueueMinSize, rocr::kQueueMinPackets},
    {kQueueMaxSize, rocr::kQueueMaxPackets},
    {kWatchPoints, rocr::kWatchPoints},
    {kSdmaUcodeVersion, 0},  // unknown
    {kSdmaXgmiEngines, 0},   // none of their own
    {kSdmaEngines, 2},
};

template <class T, size_t count>
int put_all(void* value, const T (&numbers)[count]) {
  std::memcpy(value, numbers, sizeof numbers);
  return kSuccess;
}

int answer_for_gpu(Agent agent, uint32_t attribute, void* value) {
  const int device = device_of(agent);
  const auto number = [&](const char* field) { return static_cast<uint32_t>(number_of(device, field)); };
  for (const auto& field : kFields)
    if (field.attribute == attribute) return put(value, number(field.field));
  for (const auto& alike : kAlike)
    if (alike.attribute == attribute) return put(value, alike.value);
  char text[64];
  const auto put_field = [&](const char* field, size_t size) {
    text_of(device, field, text, sizeof text);
    return put_text(value, text, size);
  };
  switch (attribute) {
    case kName:
      return put_field("target", 64);
    case kProductName:
      return put_field("name", 64);
    case kVendorName:
      return put_text(value, "AMD", 64);
    case kUuid:
      return put_field("uuid", 21);
    case kWavefrontSize:
      text_of(device, "compute.wave_sizes", text, sizeof text);
      return put(value, static_cast<uint32_t>(std::strtoul(text, nullptr, 10)));
    case kWorkgroupMaxDim: {
      const auto most = static_cast<uint16_t>(number("compute.max_workgroup"));
      return put_all<uint16_t>(value, {most, most, most});
    }
    case kGridMaxDim:
      return put_all<uint32_t>(value, {rocr::kGridX, rocr::kGridYz, rocr::kGridYz});
    case kCacheSize:
      return put_all<uint32_t>(value, {number("cache.l1_vector_bytes"), number("cache.l2_bytes"),
                                       number("cache.infinity_cache_bytes"), 0});
    case kIsa:
      return put(value, Isa{agent.handle});
    case kExtensions:
      std::memset(value, 0, 128);
      return kSuccess;
    case kVersionMajor:
    case kVersionMinor:
      return put<uint16_t>(value, 1);
    case kFastF16:
    case kCooperativeQueues:
      return put(value, true);
    case kHostReachesMemory:
      return put(value, number("memory_model.is_apu") != 0);
    case kBdf:
      return put(value, slot_of(device).location);
    case kDomain:
      return put(value, slot_of(device).domain);
    case kWavesPerUnit:
      return put(value, number("compute.waves_per_simd") * number("compute.simds_per_unit"));
    case kMemoryAvailable:
      return put(value, memory_available(device));
    case kTimestampFrequency:
      return put(value, static_cast<uint64_t>(number("clocks.realtime_mhz")) * 1000000);
    case kAsicFamily:
      text_of(device, "target", text, sizeof text);
      return put(value, family_of(text));
    case kNearestCpu:
      return put(value, Agent{kCores});
    case kMemoryProperties:
      return put(value, static_cast<uint64_t>(number("memory_model.is_apu")));
    default:
      return unknown_attribute("hsa_agent_get_info", attribute);
  }
}

}  // namespace

WAVESMITH_SERVED int hsa_iterate_agents(int (*callback)(Agent, void*), void* data) {
  if (!running()) return kNotInitialized;
  if (!callback) return kInvalidArgument;
  for (uint64_t handle = kCores; handle <= kCores + gpus(); ++handle)
    if (const int status = callback(Agent{handle}, data); status != kSuccess) return status;
  return kSuccess;
}

WAVESMITH_SERVED int hsa_agent_get_info(Agent agent, uint32_t attribute, void* value) {
  if (!running()) return kNotInitialized;
  if (!is_cores(agent) && !is_gpu(agent)) return kInvalidAgent;
  if (!value) return kInvalidArgument;
  return is_gpu(agent) ? answer_for_gpu(agent, attribute, value) : answer_for_cores(attribute, value);
}
