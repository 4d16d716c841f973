// Memory pools as they are described. A pool's handle is its agent's, and which of the agent's it is.
#include <sys/sysinfo.h>

#include "libraries/small/hsa.h"

using namespace wavesmith::libraries::hsa;

namespace {

enum PoolInfo : uint32_t {
  kSegment = 0,
  kFlags = 1,
  kSize = 2,
  kAllowed = 5,
  kGranule = 6,
  kAlignment = 7,
  kByAll = 15,
  kMaxSize = 16,
  kLocation = 17,
  kRecommendedGranule = 18,
};
enum Segment : uint32_t { kGlobal = 0, kGroup = 3 };
enum Flags : uint32_t { kNone = 0, kKernarg = 1, kFine = 2, kCoarse = 4, kExtendedFine = 8 };

/// In the order in which rocminfo shows them.
struct Kind {
  bool cores;
  Segment segment;
  uint32_t flags;
};
constexpr Kind kKinds[] = {
    {true, kGlobal, kFine},   {true, kGlobal, kExtendedFine}, {true, kGlobal, kKernarg | kFine},
    {true, kGlobal, kCoarse}, {false, kGlobal, kCoarse},      {false, kGlobal, kExtendedFine},
    {false, kGlobal, kFine},  {false, kGroup, kNone},
};
constexpr uint64_t kCount = sizeof kKinds / sizeof *kKinds;

uint64_t bytes_of(Agent agent, const Kind& kind) {
  if (!kind.cores)
    return static_cast<uint64_t>(
        number_of(device_of(agent), kind.segment == kGroup ? "lds.bytes" : "memory.bytes"));
  struct sysinfo info = {};
  return sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : 0;
}

}  // namespace

WAVESMITH_SERVED int hsa_amd_agent_iterate_memory_pools(Agent agent, int (*callback)(Pool, void*),
                                                        void* data) {
  if (!running()) return kNotInitialized;
  if (!is_cores(agent) && !is_gpu(agent)) return kInvalidAgent;
  if (!callback) return kInvalidArgument;
  for (uint64_t i = 0; i < kCount; ++i)
    if (kKinds[i].cores == is_cores(agent))
      if (const int status = callback(Pool{agent.handle * kCount + i}, data); status != kSuccess)
        return status;
  return kSuccess;
}

WAVESMITH_SERVED int hsa_amd_memory_pool_get_info(Pool pool, uint32_t attribute, void* value) {
  if (!running()) return kNotInitialized;
  const Agent agent{pool.handle / kCount};
  const Kind& kind = kKinds[pool.handle % kCount];
  if (kind.cores ? !is_cores(agent) : !is_gpu(agent)) return kInvalidMemoryPool;
  if (!value) return kInvalidArgument;
  const bool global = kind.segment == kGlobal;
  switch (attribute) {
    case kSegment:
      return put<uint32_t>(value, kind.segment);
    case kFlags:
      return put(value, kind.flags);
    case kSize:
      return put(value, bytes_of(agent, kind));
    case kMaxSize:
      return put(value, global ? bytes_of(agent, kind) : 0);
    case kAllowed:
      return put(value, global);
    case kGranule:
    case kAlignment:
      return put<uint64_t>(value, global ? 4096 : 0);
    case kRecommendedGranule:
      return put<uint64_t>(value, !global ? 0 : kind.cores ? 4096 : 2 << 20);
    case kByAll:
      return put(value, kind.cores);
    case kLocation:
      return put<uint32_t>(value, kind.cores ? 0 : 1);
    default:
      return unknown_attribute("hsa_amd_memory_pool_get_info", attribute);
  }
}
