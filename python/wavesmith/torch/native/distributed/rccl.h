// What the process group calls of RCCL, declared, and found in the library that is loaded: AMD's own or the
// stand-in.
#pragma once

#include <cstddef>
#include <string>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "device/hip.h"

namespace wavesmith::device {

struct UniqueId {
  char bytes[128];
};
struct RcclComm;

// Values of ncclResult_t, ncclDataType_t, ncclRedOp_t and ncclScalarResidence_t (rccl.h).
inline constexpr int kRcclSuccess = 0, kRcclInProgress = 7;
inline constexpr int kRcclUint8 = 1;
inline constexpr int kRcclSum = 0, kRcclProd = 1, kRcclMax = 2, kRcclMin = 3, kRcclAvg = 4;
inline constexpr int kRcclFactorOnDevice = 0, kRcclFactorOnHost = 1;

// The beginning of ncclConfig_t as NCCL 2.14 had it.
struct RcclConfig {
  std::size_t size = sizeof(RcclConfig);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;
};

struct Rccl {
  int (*get_version)(int* version);
  int (*get_unique_id)(UniqueId* id);
  int (*comm_init_rank_config)(RcclComm** comm, int ranks, UniqueId id, int rank, RcclConfig* config);
  int (*comm_destroy)(RcclComm* comm);
  int (*comm_abort)(RcclComm* comm);
  int (*comm_get_async_error)(RcclComm* comm, int* error);
  const char* (*get_error_string)(int result);
  const char* (*get_last_error)(RcclComm* comm);
  int (*all_reduce)(const void* send, void* receive, std::size_t count, int type, int operation,
                    RcclComm* comm, hipStream_t stream);
  int (*reduce)(const void* send, void* receive, std::size_t count, int type, int operation, int root,
                RcclComm* comm, hipStream_t stream);
  int (*broadcast)(const void* send, void* receive, std::size_t count, int type, int root, RcclComm* comm,
                   hipStream_t stream);
  int (*all_gather)(const void* send, void* receive, std::size_t count, int type, RcclComm* comm,
                    hipStream_t stream);
  int (*reduce_scatter)(const void* send, void* receive, std::size_t count, int type, int operation,
                        RcclComm* comm, hipStream_t stream);
  int (*send)(const void* data, std::size_t count, int type, int peer, RcclComm* comm, hipStream_t stream);
  int (*receive)(void* data, std::size_t count, int type, int peer, RcclComm* comm, hipStream_t stream);
  int (*group_start)();
  int (*group_end)();
  int (*create_scaled_sum)(int* operation, void* factor, int type, int residence, RcclComm* comm);
  int (*destroy_operation)(int operation, RcclComm* comm);
};

// Raises PyTorch's DistBackendError where the process has no RCCL.
const Rccl& rccl();

// Raises PyTorch's DistBackendError when a call failed; `what` says which.
void check_rccl(int result, const char* what, RcclComm* comm = nullptr);
std::string rccl_error(int result, RcclComm* comm);

// The type of elements whose bytes are moved, and the bytes of one; RCCL's of one byte for all that it does
// not have.
struct MovedType {
  int type;
  std::size_t width;
};
MovedType moved_type(c10::ScalarType type);

// The type of elements that a GPU reduces; raises PyTorch's error for those that RCCL does not reduce on it.
int reduced_type(c10::ScalarType type, c10::DeviceIndex device);

}  // namespace wavesmith::device
