#include "distributed/rccl.h"

#include <dlfcn.h>

#include <c10/util/Exception.h>

#include "amd/open_library.h"

extern "C" int hipDeviceComputeCapability(int* major, int* minor, int device);

namespace wavesmith::device {
namespace {

Rccl load() {
  void* const library = amd::open_library({"librccl.so.1"}, "librccl.so");
  TORCH_CHECK_WITH(DistBackendError, library != nullptr, "this process has no RCCL: ", dlerror());
  Rccl found{};
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    TORCH_CHECK_WITH(DistBackendError, symbol != nullptr, "RCCL has no ", name, ": ", dlerror());
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(found.get_version, "ncclGetVersion");
  find(found.get_unique_id, "ncclGetUniqueId");
  find(found.comm_init_rank_config, "ncclCommInitRankConfig");
  find(found.comm_destroy, "ncclCommDestroy");
  find(found.comm_abort, "ncclCommAbort");
  find(found.comm_get_async_error, "ncclCommGetAsyncError");
  find(found.get_error_string, "ncclGetErrorString");
  find(found.get_last_error, "ncclGetLastError");
  find(found.all_reduce, "ncclAllReduce");
  find(found.reduce, "ncclReduce");
  find(found.broadcast, "ncclBroadcast");
  find(found.all_gather, "ncclAllGather");
  find(found.reduce_scatter, "ncclReduceScatter");
  find(found.send, "ncclSend");
  find(found.receive, "ncclRecv");
  find(found.group_start, "ncclGroupStart");
  find(found.group_end, "ncclGroupEnd");
  find(found.create_scaled_sum, "ncclRedOpCreatePreMulSum");
  find(found.destroy_operation, "ncclRedOpDestroy");
  return found;
}

constexpr int kNone = -1;

// RCCL's number of a type; kNone: it has none.
int number_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Char:
      return 0;
    case c10::ScalarType::Byte:
    case c10::ScalarType::Bool:
      return kRcclUint8;
    case c10::ScalarType::Int:
      return 2;
    case c10::ScalarType::UInt32:
      return 3;
    case c10::ScalarType::Long:
      return 4;
    case c10::ScalarType::UInt64:
      return 5;
    case c10::ScalarType::Half:
      return 6;
    case c10::ScalarType::Float:
      return 7;
    case c10::ScalarType::Double:
      return 8;
    case c10::ScalarType::BFloat16:
      return 9;
    default:
      return kNone;
  }
}

// Of RCCL's two types of 8 bits each is FNUZ's or OCP's, as the GPU computes: OCP's on CDNA4 (9.5) and RDNA4
// (12).
int float8_of(c10::ScalarType type, c10::DeviceIndex device) {
  int major = 0, minor = 0;
  check(hipDeviceComputeCapability(&major, &minor, device), "hipDeviceComputeCapability");
  const bool ocp = major == 12 || (major == 9 && minor == 5);
  if (type == (ocp ? c10::ScalarType::Float8_e4m3fn : c10::ScalarType::Float8_e4m3fnuz)) return 10;
  if (type == (ocp ? c10::ScalarType::Float8_e5m2 : c10::ScalarType::Float8_e5m2fnuz)) return 11;
  return kNone;
}

}  // namespace

const Rccl& rccl() {
  static const Rccl loaded = load();
  return loaded;
}

std::string rccl_error(int result, RcclComm* comm) {
  const std::string text = c10::str("RCCL error: ", rccl().get_error_string(result), " (", result, ")");
  const char* const last = rccl().get_last_error(comm);
  return last != nullptr && *last != '\0' ? text + ": " + last : text + "; another rank may have said why";
}

void check_rccl(int result, const char* what, RcclComm* comm) {
  TORCH_CHECK_WITH(DistBackendError, result == kRcclSuccess || result == kRcclInProgress, what, ": ",
                   rccl_error(result, comm));
}

MovedType moved_type(c10::ScalarType type) {
  const int number = number_of(type);
  if (number == kNone) return {kRcclUint8, 1};
  return {number, c10::elementSize(type)};
}

int reduced_type(c10::ScalarType type, c10::DeviceIndex device) {
  const int number = number_of(type);
  const int found = number != kNone ? number : float8_of(type, device);
  TORCH_CHECK_TYPE(
      found != kNone, "RCCL does not reduce elements of the type ", c10::toString(type),
      " on this GPU; it reduces integers of 8, 32 and 64 bits, floats of 16 to 64 bits and the GPU's "
      "own floats of 8 bits");
  return found;
}

}  // namespace wavesmith::device
