// The emulated GPUs as the kernel driver's files describe them, each with its data file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "gpus/slot.h"

namespace wavesmith::rocm {

/// Lines "name value" of the topology's files; the value of a missing name is 0.
class Properties {
 public:
  Properties() = default;
  explicit Properties(std::string_view text);
  uint64_t operator[](std::string_view name) const;

 private:
  std::map<std::string, uint64_t, std::less<>> values_;
};

struct Card {
  const gpus::Gpu* gpu = nullptr;
  uint32_t node = 0;    ///< in the topology; the CPU's is 0
  uint32_t kfd_id = 0;  ///< the driver's number of it
  gpus::Slot slot;
  uint64_t unique_id = 0;
  uint64_t memory_used = 0;  ///< bytes
  Properties properties;     ///< of its node
  std::string uuid() const;  ///< AMD SMI's
};

/// The connection of two GPUs.
struct Link {
  bool xgmi = false;  ///< else PCIe, through the CPU
  uint32_t hops = 0, weight = 0;
  uint64_t least = 0, most = 0;  ///< bandwidth in MB/s; 0: unknown
};

struct Machine {
  std::vector<Card> cards;
  Properties cores;                      ///< of the CPU's node
  uint64_t host_memory = 0;              ///< bytes
  std::optional<std::string> driver;     ///< version of the module amdgpu
  std::vector<std::vector<Link>> links;  ///< [from][to], by the cards' order
};

/// The machine of WAVESMITH_GPU (by default an MI300X), with the files that `wavesmith run` shows or would
/// show. Errors: NotFound, BadInput for an unknown GPU.
Result<Machine> emulated_machine();

}  // namespace wavesmith::rocm
