// RCCL: communicators, and what is asked about them. rccl.h of ROCm 7.0 (NCCL's interface of the version
// given).
#include <climits>
#include <cstring>

#include "libraries/rccl/group.h"
#include "libraries/shim/unserved.h"

extern "C" int hipMalloc(void** pointer, size_t bytes);
extern "C" int hipFree(void* pointer);
extern "C" int hipGetDevice(int* device);
extern "C" int hipSetDevice(int device);
extern "C" int hipGetDeviceCount(int* count);
extern "C" int hipEventSynchronize(void* event);

using namespace wavesmith::libraries;

namespace {

constexpr int kVersion = 22606;  // major * 10000 + minor * 100 + patch

/// The beginning of ncclConfig_t; the rest is about how RCCL does its work.
struct Config {
  size_t size;
  unsigned magic, version;
  int blocking;
};
constexpr unsigned kConfigMagic = 0xcafebeef;
constexpr int kUndefined = INT_MIN;

/// Whether a communicator blocks; what is not said is as `otherwise`. False: no configuration.
bool read_config(const Config* config, bool otherwise, bool& blocking) {
  blocking = otherwise;
  if (!config) return true;
  if (config->magic != kConfigMagic ||
      (config->blocking != kUndefined && config->blocking != 0 && config->blocking != 1)) {
    complain("ncclConfig_t is not made by NCCL_CONFIG_INITIALIZER");
    return false;
  }
  if (config->blocking != kUndefined) blocking = config->blocking != 0;
  return true;
}

/// What its set-up, its work and its clique have come to.
int state_of(Communicator& c) {
  const int result = advance_setup(c);
  if (result != kSuccess) return result;
  if (c.error != kSuccess) return c.error;
  const CliqueLock lock(*c.clique);
  return c.clique->failed;
}

int join(void** comm, int ranks, const CliqueId& id, int rank, const Config* config) {
  bool blocking = true;
  if (!comm) return kInvalidArgument;
  *comm = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    complain("ncclCommInitRank: rank %d of %d", rank, ranks);
    return kInvalidArgument;
  }
  if (ranks > kMostRanks) {
    complain("ncclCommInitRank: Wavesmith serves up to %d ranks, not %d", kMostRanks, ranks);
    return kInvalidUsage;
  }
  if (!read_config(config, true, blocking)) return kInvalidArgument;
  Communicator* const made = create_communicator(ranks, id, rank, blocking);
  if (!made) return kSystemError;
  *comm = made;
  start_group();
  note(add_setup(*made, comm));
  return end_group();
}

template <class Get>
int ask(void* comm, int* to, Get get) {
  Communicator* const c = communicator_of(comm);
  if (!c || !to) return kInvalidArgument;
  *to = get(*c);
  return kSuccess;
}

}  // namespace

WAVESMITH_SERVED int ncclGetVersion(int* version) {
  if (!version) return kInvalidArgument;
  *version = kVersion;
  return kSuccess;
}

WAVESMITH_SERVED const char* ncclGetErrorString(int result) {
  static constexpr const char* kTexts[] = {"no error",
                                           "unhandled HIP error",
                                           "unhandled system error",
                                           "internal error",
                                           "invalid argument",
                                           "invalid usage",
                                           "remote process exited or there was a network error",
                                           "operation in progress"};
  return name_of(kTexts, result, "unknown result code");
}

WAVESMITH_SERVED const char* ncclGetLastError(void*) { return last_complaint(); }

WAVESMITH_SERVED int ncclGetUniqueId(CliqueId* id) {
  if (!id) return kInvalidArgument;
  return create_clique(*id) ? kSuccess : kSystemError;
}

WAVESMITH_SERVED int ncclCommInitRankConfig(void** comm, int ranks, CliqueId id, int rank,
                                            const Config* config) {
  return join(comm, ranks, id, rank, config);
}
WAVESMITH_SERVED int ncclCommInitRank(void** comm, int ranks, CliqueId id, int rank) {
  return join(comm, ranks, id, rank, nullptr);
}
/// Several ids share out the work of finding one another, which is little here: the first one does for all.
WAVESMITH_SERVED int ncclCommInitRankScalable(void** comm, int ranks, int rank, int id_count,
                                              const CliqueId* ids, const Config* config) {
  if (!ids || id_count < 1) return kInvalidArgument;
  return join(comm, ranks, ids[0], rank, config);
}

WAVESMITH_SERVED int ncclCommInitAll(void** comms, int count, const int* devices) {
  int present = 0, before = 0;
  CliqueId id;
  if (!comms || hipGetDeviceCount(&present) != 0 || count < 1 || (!devices && count > present)) {
    complain("ncclCommInitAll: %d communicators for %d devices", count, present);
    return kInvalidArgument;
  }
  if (!create_clique(id)) return kSystemError;
  hipGetDevice(&before);
  start_group();
  for (int rank = 0; rank < count; ++rank) {
    if (hipSetDevice(devices ? devices[rank] : rank) != 0) {
      note(kUnhandledHipError);
      break;
    }
    note(join(comms + rank, count, id, rank, nullptr));
  }
  hipSetDevice(before);
  return end_group();
}

WAVESMITH_SERVED int ncclCommSplit(void* comm, int color, int key, void** made, const Config* config) {
  Communicator* const parent = communicator_of(comm);
  if (!parent || !made) return kInvalidArgument;
  *made = nullptr;
  if (color < 0 && color != kNoColor) return kInvalidArgument;
  bool blocking = parent->blocking;
  if (!read_config(config, blocking, blocking)) return kInvalidArgument;
  if (const int ready = finish_setup(&parent, 1); ready != kSuccess) return ready;
  // A rank that gets no communicator has nothing by which to go on later.
  Communicator* const split = create_split(*parent, color, key, blocking || color == kNoColor);
  if (!split) return kSystemError;
  if (color != kNoColor) *made = split;
  start_group();
  note(add_setup(*split, color == kNoColor ? nullptr : made));
  return end_group();
}

/// Everything that was asked for is done then. Captured work is its graph's.
WAVESMITH_SERVED int ncclCommFinalize(void* comm) {
  Communicator* const c = communicator_of(comm);
  if (!c) return kInvalidArgument;
  if (c->ordered && c->capture == 0 && hipEventSynchronize(c->event) != 0) return kUnhandledHipError;
  return state_of(*c);
}
/// Finalizes first, as RCCL does: programs end their process next, and others may still wait for its part.
WAVESMITH_SERVED int ncclCommDestroy(void* comm) {
  if (!comm) return kSuccess;
  Communicator* const c = communicator_of(comm);
  if (!c) return kInvalidArgument;
  if (c->ordered && c->capture == 0) hipEventSynchronize(c->event);
  release(*c);
  return kSuccess;
}
/// What waits for this rank or in it ends with an error.
WAVESMITH_SERVED int ncclCommAbort(void* comm) {
  if (!comm) return kSuccess;
  Communicator* const c = communicator_of(comm);
  if (!c) return kInvalidArgument;
  if (c->clique) {
    const CliqueLock lock(*c->clique);
    if (!c->clique->failed) c->clique->failed = kRemoteError;
    notify_all(*c->clique);
  }
  release(*c);
  return kSuccess;
}

WAVESMITH_SERVED int ncclCommGetAsyncError(void* comm, int* error) {
  return ask(comm, error, [](Communicator& c) { return state_of(c); });
}
WAVESMITH_SERVED int ncclCommCount(void* comm, int* count) {
  return ask(comm, count, [](Communicator& c) { return c.ranks; });
}
WAVESMITH_SERVED int ncclCommCuDevice(void* comm, int* device) {
  return ask(comm, device, [](Communicator& c) { return c.device; });
}
WAVESMITH_SERVED int ncclCommUserRank(void* comm, int* rank) {
  return ask(comm, rank, [](Communicator& c) { return c.rank; });
}

WAVESMITH_SERVED int ncclRedOpCreatePreMulSum(int* operation, void* factor, int type, int residence,
                                              void* comm) {
  enum { kOnDevice = 0, kOnHost = 1 };
  Communicator* const c = communicator_of(comm);
  if (!c || !operation || !factor || type < 0 || type >= kElementTypes ||
      (residence != kOnDevice && residence != kOnHost))
    return kInvalidArgument;
  auto element = static_cast<Element>(type);
  if (c->fnuz && element == Element::Fp8) element = Element::Fp8Fnuz;
  if (c->fnuz && element == Element::Bf8) element = Element::Bf8Fnuz;
  for (int i = 0; i < Communicator::kMostScaledSums; ++i) {
    ScaledSum& sum = c->sums[i];
    if (sum.used) continue;
    sum = {true, element, 0, residence == kOnDevice ? factor : nullptr};
    if (residence == kOnHost) std::memcpy(&sum.factor, factor, width_of(element));
    *operation = kOperations + i;
    return kSuccess;
  }
  complain("ncclRedOpCreatePreMulSum: a communicator has at most %d operations",
           Communicator::kMostScaledSums);
  return kInternalError;
}
WAVESMITH_SERVED int ncclRedOpDestroy(int operation, void* comm) {
  Communicator* const c = communicator_of(comm);
  const int i = operation - kOperations;
  if (!c || i < 0 || i >= Communicator::kMostScaledSums || !c->sums[i].used) return kInvalidArgument;
  c->sums[i].used = false;
  return kSuccess;
}

// Memory is in everybody's reach: registering it changes nothing.
WAVESMITH_SERVED int ncclMemAlloc(void** pointer, size_t bytes) {
  if (!pointer) return kInvalidArgument;
  return hipMalloc(pointer, bytes) == 0 ? kSuccess : kUnhandledHipError;
}
WAVESMITH_SERVED int ncclMemFree(void* pointer) {
  return hipFree(pointer) == 0 ? kSuccess : kUnhandledHipError;
}
WAVESMITH_SERVED int ncclCommRegister(void* comm, void* data, size_t, void** handle) {
  if (!communicator_of(comm) || !data || !handle) return kInvalidArgument;
  *handle = data;
  return kSuccess;
}
WAVESMITH_SERVED int ncclCommDeregister(void* comm, void*) {
  return communicator_of(comm) ? kSuccess : kInvalidArgument;
}
WAVESMITH_SERVED int ncclCommWindowRegister(void* comm, void* data, size_t, void** window, int) {
  if (!communicator_of(comm) || !data || !window) return kInvalidArgument;
  *window = data;
  return kSuccess;
}
WAVESMITH_SERVED int ncclCommWindowDeregister(void* comm, void*) {
  return communicator_of(comm) ? kSuccess : kInvalidArgument;
}
