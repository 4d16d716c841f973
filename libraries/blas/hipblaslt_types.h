// Types that hipBLASLt's C and C++ interfaces share: hipblaslt.h of ROCm 7.0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libraries/blas/product.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// hipblasStatus_t.
enum Status { kSuccess = 0, kAllocFailed = 2, kInvalidValue = 3, kExecutionFailed = 5, kNotSupported = 7 };
inline constexpr Statuses kStatuses{.done = kSuccess,
                                    .not_served = kNotSupported,
                                    .bad_pointer = kInvalidValue,
                                    .no_memory = kAllocFailed,
                                    .not_launched = kExecutionFailed};

/// hipblasLtEpilogue_t: activations, and what can be added to them.
enum EpilogueBits : uint32_t { kNothing = 1, kRelu = 2, kBias = 4, kGelu = 32, kAux = 128, kSwish = 65536 };

struct Algorithm {
  uint8_t data[16];
  size_t most_workspace;
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Heuristic) == 56);

/// Sets the activation of an epilogue; false: it is not served (gradients, clamps).
inline bool activation_of(uint32_t epilogue, Activation& activation) {
  switch (epilogue & ~uint32_t{kBias | kAux}) {
    case 0:
    case kNothing:
      activation = Activation::None;
      return (epilogue & kAux) == 0;
    case kRelu:
      activation = Activation::Relu;
      return true;
    case kGelu:
      activation = Activation::Gelu;
      return true;
    case kSwish:
      activation = Activation::Swish;
      return (epilogue & kAux) == 0;
    default:
      return false;
  }
}

}  // namespace wavesmith::libraries
