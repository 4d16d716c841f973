// HSA's runtime, as far as it tells what machine this is: hsa_init, the system, names of statuses.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "libraries/small/hsa.h"

extern "C" int hipGetDeviceCount(int* count);
/// runtime/wavesmith.h.
extern "C" int wavesmith_started();
extern "C" size_t wavesmith_gpu_field(int device, const char* field, char* text, size_t size);
extern "C" int hipDeviceGetPCIBusId(char* text, int size, int device);

namespace wavesmith::libraries::hsa {
namespace {

std::atomic<int> references{0};

enum SystemInfo : uint32_t {
  kVersionMajor = 0,
  kVersionMinor = 1,
  kTimestamp = 2,
  kTimestampFrequency = 3,
  kSignalMaxWait = 4,
  kEndianness = 5,
  kMachineModel = 6,
  kExtensions = 7,
  kBuildVersion = 0x200,
  kSvmSupported = 0x201,
  kSvmByDefault = 0x202,
  kMwaitx = 0x203,
  kDmabuf = 0x204,
  kVirtualMemory = 0x205,
  kXnack = 0x206,
  kExtensionMajor = 0x207,
  kExtensionMinor = 0x208,
};

struct Name {
  int status;
  const char* text;
};
constexpr Name kNames[] = {
    {kSuccess, "HSA_STATUS_SUCCESS: The function has been executed successfully."},
    {1,
     "HSA_STATUS_INFO_BREAK: A traversal over a list of elements has been interrupted by the application "
     "before completing."},
    {kError, "HSA_STATUS_ERROR: A generic error has occurred."},
    {kInvalidArgument,
     "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the actual arguments does not meet a "
     "precondition stated in the documentation of the corresponding formal argument."},
    {kInvalidAgent, "HSA_STATUS_ERROR_INVALID_AGENT: The agent is invalid."},
    {kNotInitialized,
     "HSA_STATUS_ERROR_NOT_INITIALIZED: An API other than hsa_init has been invoked while the "
     "reference count of the HSA runtime is zero."},
    {kInvalidIsa, "HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid."},
    {kInvalidIsaName, "HSA_STATUS_ERROR_INVALID_ISA_NAME: The instruction set architecture name is invalid."},
    {kInvalidMemoryPool, "HSA_STATUS_ERROR_INVALID_MEMORY_POOL: The memory pool is invalid."},
};

uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

// ROCm's HIP calls hsa_init itself, so after it nobody else needs to: RCCL does not.
bool running() { return references.load() > 0 || wavesmith_started(); }

uint32_t gpus() {
  int count = 0;
  return hipGetDeviceCount(&count) == 0 && count > 0 ? static_cast<uint32_t>(count) : 0;
}

double number_of(int device, const char* field) {
  char text[64];
  text_of(device, field, text, sizeof text);
  if (std::strcmp(text, "true") == 0) return 1;
  return std::strtod(text, nullptr);
}

void text_of(int device, const char* field, char* text, size_t size) {
  text[0] = '\0';
  wavesmith_gpu_field(device, field, text, size);
}

Slot slot_of(int device) {
  char text[32] = {};
  unsigned domain = 0, bus = 0, number = 0, function = 0;
  if (hipDeviceGetPCIBusId(text, sizeof text, device) != 0 ||
      std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &number, &function) != 4)
    return {};
  return {domain, bus << 8 | number << 3 | function};
}

int put_text(void* value, const char* text, size_t size) {
  char* const to = static_cast<char*>(value);
  std::memset(to, 0, size);
  std::memcpy(to, text, strnlen(text, size - 1));
  return kSuccess;
}

int unknown_attribute(const char* function, uint32_t attribute) {
  static std::atomic<uint64_t> said[64];
  const uint32_t hash = (attribute >> 8) * 31 + attribute;
  if (!(said[hash / 64 % 64].fetch_or(uint64_t{1} << hash % 64) & uint64_t{1} << hash % 64))
    std::fprintf(stderr,
                 "wavesmith: %s: attribute 0x%x is not supported; it returns "
                 "HSA_STATUS_ERROR_INVALID_ARGUMENT\n",
                 function, attribute);
  return kInvalidArgument;
}

}  // namespace wavesmith::libraries::hsa

using namespace wavesmith::libraries::hsa;

WAVESMITH_SERVED int hsa_init() {
  ++references;
  return kSuccess;
}

WAVESMITH_SERVED int hsa_shut_down() {
  for (int before = references.load(); before > 0;)
    if (references.compare_exchange_weak(before, before - 1)) return kSuccess;
  return running() ? kSuccess : kNotInitialized;
}

WAVESMITH_SERVED int hsa_status_string(int status, const char** text) {
  if (!text) return kInvalidArgument;
  for (const Name& name : kNames)
    if (name.status == status) {
      *text = name.text;
      return kSuccess;
    }
  return kInvalidArgument;
}

WAVESMITH_SERVED int hsa_system_get_info(uint32_t attribute, void* value) {
  if (!running()) return kNotInitialized;
  if (!value) return kInvalidArgument;
  const char* const xnack = std::getenv("HSA_XNACK");
  switch (attribute) {
    case kVersionMajor:  // 1.1
    case kVersionMinor:
      return put<uint16_t>(value, 1);
    case kTimestamp:
      return put(value, nanoseconds() / 10);
    case kTimestampFrequency:
      return put<uint64_t>(value, 100000000);
    case kSignalMaxWait:
      return put(value, ~uint64_t{0});
    case kEndianness:
      return put<uint32_t>(value, 0);  // little
    case kMachineModel:
      return put<uint32_t>(value, 1);  // large: 64 bits
    case kExtensions:
      std::memset(value, 0, 128);
      return kSuccess;
    case kBuildVersion:
      return put_text(value, "wavesmith", 10);
    case kXnack:
      return put(value, xnack && std::strcmp(xnack, "1") == 0);
    // What the functions that belong to them do not do yet.
    case kSvmSupported:
    case kSvmByDefault:
    case kMwaitx:
    case kDmabuf:
    case kVirtualMemory:
      return put(value, false);
    case kExtensionMajor:
      return put<uint16_t>(value, 1);
    case kExtensionMinor:
      return put<uint16_t>(value, 11);
    default:
      return unknown_attribute("hsa_system_get_info", attribute);
  }
}
