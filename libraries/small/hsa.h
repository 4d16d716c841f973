// HSA's agents as this library has them: the node of CPU cores, and a GPU for each device of HIP's. The
// values and types of attributes: hsa.h and hsa_ext_amd.h of ROCm 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libraries/shim/unserved.h"

namespace wavesmith::libraries::hsa {

enum Status : int {
  kSuccess = 0,
  kError = 0x1000,
  kInvalidArgument = 0x1001,
  kInvalidAgent = 0x1004,
  kNotInitialized = 0x100b,
  kInvalidIsa = 0x100f,
  kInvalidIsaName = 0x1017,
  kInvalidMemoryPool = 40,
};

/// HSA passes its handles by value, as a structure of one number each.
struct Agent {
  uint64_t handle;
};
struct Isa {
  uint64_t handle;
};
struct Pool {
  uint64_t handle;
};

constexpr uint64_t kCores = 1;     ///< the CPU's handle; that of HIP's device n is n + 2
constexpr uint32_t kMaxGpus = 64;  ///< as gpus::find_machine() allows

/// Whether hsa_init() has been called more often than hsa_shut_down(), or HIP is in use.
bool running();
uint32_t gpus();

inline bool is_cores(Agent agent) { return agent.handle == kCores; }
inline bool is_gpu(Agent agent) { return agent.handle > kCores && agent.handle - kCores <= gpus(); }
inline int device_of(Agent agent) { return static_cast<int>(agent.handle - kCores - 1); }

/// A number, or a text, of the device's data file (runtime/wavesmith.h); 0 or empty where it has none.
double number_of(int device, const char* field);
void text_of(int device, const char* field, char* text, size_t size);

/// A GPU's PCI address.
struct Slot {
  uint32_t domain = 0, location = 0;  ///< bus, device and function in 8, 5 and 3 bits
};
Slot slot_of(int device);

/// Writes an attribute as the type that the header gives it.
template <class T>
int put(void* value, T what) {
  std::memcpy(value, &what, sizeof what);
  return kSuccess;
}
/// A text, and zeros up to `size`.
int put_text(void* value, const char* text, size_t size);

/// Says once for each attribute that it is not served.
int unknown_attribute(const char* function, uint32_t attribute);

}  // namespace wavesmith::libraries::hsa
